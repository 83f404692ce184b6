"""
The same calls made difficult in ways that every operator could get wrong: operands of different types, of no dimension
or no element, special values, a large mean, memory that overlaps. PyTorch says what is right.
"""

import random
from dataclasses import replace

import torch

from ops.calling import Call, Refused, judge
from ops.outs import outs_of
from ops.probing import cast, computes
from ops.processes import foreign_code
from ops.recording import DTYPES, Sample, map_tensors, run_in_double, run_twin, tensors_in
from ops.rows import is_written

_OTHER_TYPES = [torch.bool, torch.uint8, torch.int16, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64]
_FLOATS = [float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1e-30, 1.5]
_LARGE_MEAN = 1000.0
# Where PyTorch's answer is not the one to give. To special values:
_NOT_SPECIAL = {
    "convolution", "convolution_backward",  # what pads an operand is multiplied, too: infinities become NaN there
    "gcd", "lcm",  # the smallest number of a narrow type is its own magnitude
    "var_mean", "std_mean", "native_layer_norm", "native_group_norm",  # the mean of infinities is NaN
    "native_group_norm_backward", "native_layer_norm_backward",  # whether infinities meet in a sum depends on its order
    "fractional_max_pool2d", "fractional_max_pool3d",  # random samples are not looked at
    "special_i1", "special_modified_bessel_i0", "special_modified_bessel_i1",  # NaN at infinity
    "special_bessel_j0", "special_bessel_j1", "special_bessel_y0", "special_bessel_y1", "special_airy_ai",  # large arguments
    "igamma", "igammac",  # half types lose NaN
    "gelu",  # infinity times zero
}  # fmt: skip
# To operands of two types.
_NOT_MIXED = {
    "ldexp",  # a power is rounded to the type of one of them
    "index_put", "index_put_",  # a value of another type is taken if it is a single one and there is one mask
    "_embedding_bag", "_embedding_bag_forward_only",  # indices of any type where no gradient is asked for
}  # fmt: skip
# To operands without elements: their sizes are not looked at.
_NOT_EMPTY = {
    "addmv", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "pixel_unshuffle", "repeat_interleave",
    "embedding_dense_backward",
}  # fmt: skip
# Places outside of an image are rounded in the type of the operand.
_UNDEFINED = {"grid_sampler_2d", "grid_sampler_3d"}


def _is_operand(value) -> bool:
    return isinstance(value, torch.Tensor) and not value.is_complex()


def _replace_one(sample: Sample, rng: random.Random, change) -> list | None:
    """The inputs with one of the tensors changed."""
    places = [i for i, value in enumerate(sample.inputs) if _is_operand(value)]
    if not places:
        return None
    inputs = list(sample.inputs)
    i = rng.choice(places)
    inputs[i] = change(inputs[i])
    return inputs


def mixed_types(sample: Sample, rng: random.Random) -> list | None:
    if sum(map(_is_operand, sample.inputs)) < 2 or not computes(sample):
        return None
    return _replace_one(sample, rng, lambda t: cast(t, rng.choice(_OTHER_TYPES)))


def no_dimensions(sample: Sample, rng: random.Random) -> list | None:
    def first(tensor):
        return tensor.flatten()[0] if tensor.numel() else tensor

    if rng.random() < 0.5:
        return _replace_one(sample, rng, first)
    return map_tensors(sample.inputs, first)


def no_elements(sample: Sample, rng: random.Random) -> list | None:
    dim = rng.choice([0, -1])

    def emptied(tensor):
        return tensor.narrow(dim, 0, 0) if tensor.dim() else tensor

    return map_tensors(sample.inputs, emptied)


def _spread(tensor: torch.Tensor, values: torch.Tensor, rng: random.Random) -> torch.Tensor:
    """The tensor, contiguous, with some elements replaced by the values."""
    result = tensor.contiguous().clone()
    flat = result.view(-1)
    for _ in range(min(flat.numel(), max(1, flat.numel() // 4), 64)):
        flat[rng.randrange(flat.numel())] = values[rng.randrange(len(values))]
    return result


def special_values(sample: Sample, rng: random.Random) -> list | None:
    """NaN, infinities, zeros and small numbers; the ends of integer types, 0 and -1, not where they are places."""

    def special(tensor):
        if tensor.numel() == 0 or tensor.is_complex() or tensor.dtype == torch.bool:
            return tensor
        if tensor.is_floating_point():
            return _spread(tensor, torch.tensor(_FLOATS, dtype=torch.float64).to(tensor.dtype), rng)
        if str(tensor.dtype).removeprefix("torch.") != sample.dtype:
            return tensor
        ends = torch.iinfo(tensor.dtype)
        return _spread(tensor, torch.tensor([ends.min, ends.max, 0, ends.max if ends.min == 0 else -1], dtype=tensor.dtype), rng)

    return map_tensors(sample.inputs, special)


def large_mean(sample: Sample, rng: random.Random) -> list | None:
    if not sample.inputs or not _is_operand(sample.inputs[0]) or sample.inputs[0].dtype != torch.float32:
        return None
    return [sample.inputs[0] + _LARGE_MEAN, *sample.inputs[1:]]


_EXCEPT = {"special values": _NOT_SPECIAL, "mixed types": _NOT_MIXED, "no elements": _NOT_EMPTY}
KINDS = {
    "mixed types": mixed_types, "no dimensions": no_dimensions, "no elements": no_elements,
    "special values": special_values, "large mean": large_mean,
}  # fmt: skip


def _has_own_answer(kind: str, base: str) -> bool:
    """Whether PyTorch's answer is not the one to give."""
    if base in _EXCEPT.get(kind, ()):
        return True
    if kind == "special values":
        # How far NaN spreads depends on the order of the work, or on factors of zero.
        factored = ("linalg_" in base and base != "linalg_vector_norm") or "_fft" in base
        return factored or "batch_norm" in base or ("upsample_" in base and "nearest" not in base)
    # Sizes of weights and statistics are not looked at, nor whether statistics are those of the operand.
    return "_norm_backward" in base or (kind in ("no elements", "no dimensions") and "batch_norm" in base)


def difficult(sample: Sample, rng: random.Random) -> list[Sample]:
    """The calls to make of one. They have no results yet."""
    if sample.row.twin is None or sample.row.namespace != "aten" or not sample.row.reproducible or not sample.expected:
        return []
    if sample.check or sample.row.base in _UNDEFINED:
        return []
    found = []
    for kind, change in KINDS.items():
        if _has_own_answer(kind, sample.row.base):
            continue
        inputs = change(sample, rng)
        if inputs is not None:
            found.append(replace(sample, inputs=inputs, kind=kind))
    return found


def _pytorch(sample: Sample) -> list | None:
    """What PyTorch writes, of a large mean in double precision; None when it refuses."""
    try:
        with foreign_code():
            if sample.kind == "large mean":
                return run_in_double(sample)
            return run_twin(sample.row, sample.inputs, sample.options)[1]
    except Exception:  # noqa: BLE001  any refusal
        return None


def check(sample: Sample) -> str | None:
    """Ours must give what PyTorch gives, and may do anything harmless where it refuses."""
    expected = _pytorch(sample)
    if expected is None:
        return check_harmless(sample)
    if any(t.dtype not in DTYPES for t in tensors_in(expected)):
        return None
    with Call(replace(sample, expected=expected)) as call:
        try:
            results = call.run()
        except Refused as refusal:
            return f"refused: {refusal}"
        return judge(replace(sample, expected=expected), results) or call.damage()


def check_harmless(sample: Sample) -> str | None:
    """Where PyTorch refuses, or ends the process: ours returns, and leaves foreign memory alone."""
    with Call(sample, outs_of(sample) if sample.row.outs else []) as call:
        try:
            call.run()
        except Refused as refusal:
            return call.damage() if str(refusal).strip() else "refused without a text"
        return call.damage()


def overlapping(sample: Sample) -> str | None:
    """An out that lies on an operand, or one element beside: refused, or right nevertheless."""
    row = sample.row
    if len(row.outs) != 1 or not isinstance(sample.expected[-1], torch.Tensor) or any(is_written(a) for a in row.inputs):
        return None
    out = sample.expected[-1]
    for i, value in enumerate(sample.inputs):
        if not isinstance(value, torch.Tensor) or value.dtype != out.dtype or value.numel() < out.numel() or value.numel() < 2:
            continue
        for shift in (0, 1):
            text = _overlapping_operand(sample, i, shift)
            if text:
                return f"out lies on argument {i}, {shift} elements beside: {text}"
    return None


def _overlapping_operand(sample: Sample, i: int, shift: int) -> str | None:
    out = sample.expected[-1]
    if out.numel() + shift > sample.inputs[i].numel():
        return None
    with Call(sample) as call:
        operand = call.arguments[i]
        memory = operand.as_strided([operand.numel()], [1])
        call.arguments[-1] = memory[shift : shift + out.numel()].view(out.shape)
        try:
            call.run()
        except Refused as refusal:
            return None if str(refusal).strip() else "refused without a text"
        return judge(sample, [call.arguments[-1]])
