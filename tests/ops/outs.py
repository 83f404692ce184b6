"""The same calls with outs that are larger, too small, of another rank or another type."""

import random

import torch

from ops import compare
from ops.calling import Call, Refused, judge
from ops.memory import dim_order, strides_of
from ops.recording import DTYPES, Sample, map_tensors, tensors_in

# The out's type is an argument of these: another one asks for another result.
_TYPE_IS_AN_ARGUMENT = {
    "_to_copy", "_to_dim_order_copy", "arange", "empty", "fill", "full", "full_like", "ones", "rand", "randn", "scalar_tensor",
    "zeros", "_empty_dim_order",
}  # fmt: skip


def outs_of(sample: Sample) -> list:
    return sample.expected[len(sample.expected) - len(sample.row.outs) :]


def _empty(sizes, like: torch.Tensor) -> torch.Tensor:
    order = dim_order(like) if len(sizes) == like.dim() else list(range(len(sizes)))
    return torch.empty_strided(sizes, strides_of(sizes, order), dtype=like.dtype)


def larger_out(sample: Sample) -> str | None:
    """An out with room to spare is resized."""
    outs = map_tensors(outs_of(sample), lambda t: _empty([size + 2 for size in t.shape], t))
    with Call(sample, outs) as call:
        try:
            results = call.run()
        except Refused as refusal:
            return f"refused outs with room to spare: {refusal}"
        return judge(sample, results) or call.damage()


def _must_refuse(sample: Sample, outs: list, what: str) -> str | None:
    with Call(sample, outs) as call:
        try:
            call.run()
        except Refused:
            return call.damage()
        return f"accepted {what}"


def other_rank(sample: Sample) -> str | None:
    outs = map_tensors(outs_of(sample), lambda t: _empty([1, *t.shape], t))
    return _must_refuse(sample, outs, "an out with a dimension more than the result")


def too_small(sample: Sample) -> str | None:
    def shrink(tensor):
        sizes = list(tensor.shape)
        if all(sizes) and sizes:
            sizes[-1] -= 1
        return _empty(sizes, tensor)

    outs = map_tensors(outs_of(sample), shrink)
    if [t.shape for t in tensors_in(outs)] == [t.shape for t in tensors_in(outs_of(sample))]:
        return None
    return _must_refuse(sample, outs, "an out that is too small")


def pytorch_with_outs(sample: Sample, outs: list):
    """What PyTorch's own out variant writes into these, or None when it refuses."""
    row = sample.row
    if row.namespace != "aten":
        return None
    packet = getattr(torch.ops.aten, row.base)
    overload = getattr(packet, row.name.split(".")[1])
    positional, keyword = [], {}
    for argument, value in zip(row.inputs, sample.inputs):
        if argument.kwarg_only:
            keyword[argument.name] = value
        else:
            positional.append(value)
    theirs = [torch.empty_strided(o.shape, o.stride(), dtype=o.dtype) for o in outs]
    keyword.update(zip((a.name for a in overload._schema.arguments if a.is_out), theirs))
    try:
        with torch.inference_mode():
            overload(*positional, **keyword)
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError):
        return None
    return theirs


def other_dtype(sample: Sample, dtype: torch.dtype) -> str | None:
    """
    An out of another type than the result's: refused, or the values that PyTorch writes there. Where PyTorch insists on
    the result's type, values may also be cast as torch.can_cast allows.
    """
    outs = outs_of(sample)
    if sample.row.base in _TYPE_IS_AN_ARGUMENT or len(outs) != 1 or not isinstance(outs[0], torch.Tensor):
        return None
    if outs[0].dtype == dtype or (sample.row.base in ("any", "all") and dtype == torch.uint8):
        return None  # into bytes PyTorch casts the operand first: 0.5 is false
    expected, outs = outs[0], [outs[0].to(dtype)]
    with Call(sample, outs) as call:
        try:
            results = call.run()
        except Refused:
            return call.damage()
        theirs = pytorch_with_outs(sample, outs)
        if theirs is None and not torch.can_cast(expected.dtype, dtype):
            return f"wrote {expected.dtype} values to an out of {dtype}"
        theirs = expected.to(dtype) if theirs is None else theirs[0]
        # Precise to the result's own type: it may be computed in that.
        coarser = max(expected.dtype, dtype, key=lambda t: compare.ROUNDING.get(t, 0.0))
        scale = compare.scale_of(sample.row, sample.inputs, sample.expected)
        text = compare.difference(sample.row, results[0].to(coarser), theirs.to(coarser), scale)
        return f"with an out of {dtype}: {text}" if text else call.damage()


def check_outs(sample: Sample, rng: random.Random) -> str | None:
    if not sample.row.outs or not sample.expected or sample.check:
        return None
    return (
        larger_out(sample) or other_rank(sample) or too_small(sample) or other_dtype(sample, rng.choice(DTYPES[:10]))
    )
