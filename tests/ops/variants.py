"""The same calls with other memory layouts, and enlarged so that threads take part."""

import random

import torch

from ops.memory import strides_of
from ops.recording import Sample, map_tensors, run_twin, tensors_in

_LARGE = 200_000  # elements, from which loops are shared among threads
_LARGEST = 4_000_000
# PyTorch checks the sizes of one operand only.
_CHECKS_ONE_OPERAND = {
    "_native_batch_norm_legit", "_native_batch_norm_legit_no_training", "native_batch_norm", "_batch_norm_with_update",
    "_batch_norm_no_update",
}  # fmt: skip
# PyTorch takes the memory of their indices or statistics for contiguous.
_MISREAD_LAYOUTS = {
    "adaptive_max_pool3d_backward", "fractional_max_pool2d_backward", "fractional_max_pool3d_backward",
    "native_layer_norm_backward", "native_group_norm_backward",
}  # fmt: skip
# PyTorch does not notice operands that do not go together.
_UNCHECKED_SIZES = {"native_layer_norm_backward", "native_group_norm_backward", "native_batch_norm_backward"}
_MOST_OUTS = 100
_REFUSALS = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, AssertionError)


def with_layout(tensor: torch.Tensor, order: list[int]) -> torch.Tensor:
    result = torch.empty_strided(tensor.shape, strides_of(list(tensor.shape), order), dtype=tensor.dtype)
    return result.copy_(tensor)


def _channels_last(rank: int) -> list[int]:
    return [0, *range(2, rank), 1] if rank in (4, 5) else list(range(rank))


def _random_order(rank: int, rng: random.Random) -> list[int]:
    order = list(range(rank))
    rng.shuffle(order)
    return order


def _again(sample: Sample, inputs: list, kind: str) -> Sample | None:
    try:
        inputs, expected = run_twin(sample.row, inputs, sample.options)
    except _REFUSALS:
        return None
    return Sample(sample.row, inputs, expected, kind=kind, options=sample.options)


def layouts(sample: Sample, rng: random.Random) -> list[Sample]:
    """The call with channels-last operands, with operands of any order, and with outs of any order."""
    if sample.row.twin is None or not sample.expected or sample.check or sample.kind != "values":
        return []
    if sample.row.base in _MISREAD_LAYOUTS:
        return []
    largest = max((t.dim() for t in tensors_in([sample.inputs, sample.expected])), default=0)
    if largest < 2:
        return []
    orders = [lambda t: _random_order(t.dim(), rng)]
    if largest in (4, 5):
        orders.append(lambda t: _channels_last(t.dim()))
    found = []
    for order in orders:
        inputs = map_tensors(sample.inputs, lambda t: with_layout(t, order(t)))
        found.append(_again(sample, inputs, "layout"))
    found = [s for s in found if s is not None]
    if found and sample.row.outs:
        other = found[0]
        mixed = map_tensors(other.expected, lambda t: with_layout(t, _random_order(t.dim(), rng)))
        found.append(Sample(sample.row, other.inputs, mixed, kind="out layout", options=sample.options))
    return found


def _repeat(tensor: torch.Tensor, dim: int, times: int) -> torch.Tensor:
    if tensor.dim() == 0:
        return tensor
    counts = [1] * tensor.dim()
    counts[dim] = times
    return tensor.repeat(counts)


def enlarged(sample: Sample) -> Sample | None:
    """The call with its tensors repeated along a dimension, where PyTorch accepts that."""
    if sample.row.twin is None or not sample.expected or sample.check or sample.kind != "values":
        return None
    if sample.row.base in _UNCHECKED_SIZES:
        return None
    if sample.row.base.startswith("_embedding_bag"):
        return None  # repeated offsets do not rise
    sizes = [t.numel() for t in tensors_in(sample.inputs)]
    if not sizes or max(sizes) == 0:
        return None
    times = _LARGE // max(sizes) + 1
    first = next(tensors_in(sample.inputs))

    def only_first(tensor):
        return _repeat(tensor, 0, times) if tensor is first else tensor

    ways = [lambda t: _repeat(t, 0, times), only_first, lambda t: _repeat(t, -1, times)]
    if sample.row.base in _CHECKS_ONE_OPERAND:
        ways = [only_first]
    for way in ways:
        inputs = map_tensors(sample.inputs, way)
        if sum(t.numel() for t in tensors_in(inputs)) > _LARGEST:
            continue
        found = _again(sample, inputs, "large")
        if found and len(list(tensors_in(found.expected))) > _MOST_OUTS:
            continue
        if found and _LARGE <= sum(t.numel() for t in tensors_in([found.inputs, found.expected])) <= 4 * _LARGEST:
            return found
    return None
