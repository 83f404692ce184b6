"""Element types that PyTorch supports beyond those in the samples: found by asking it."""

import random
from dataclasses import replace

import torch

from ops.outs import pytorch_with_outs
from ops.recording import DTYPES, Sample, map_tensors, run_twin, tensors_in
from ops.rows import Row

_ATTEMPTS = 8  # samples of which copies in another type are tried
_REFUSALS = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, AssertionError)


def cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The values in another type, those that it cannot hold wrapped rather than undefined."""
    if tensor.is_complex() and not dtype.is_complex:
        tensor = tensor.real
    if tensor.is_floating_point() and not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool):
        tensor = tensor.double().nan_to_num(0.0).clamp(-(2**31), 2**31).to(torch.int64)
    return tensor.to(dtype)


def _dtype(name: str) -> torch.dtype:
    return getattr(torch, name)


def _in_type(sample: Sample, dtype: torch.dtype) -> Sample | None:
    """The call with the tensors of its type in another one, where PyTorch accepts that."""
    source = _dtype(sample.dtype)

    def convert(tensor):
        return cast(tensor, dtype) if tensor.dtype == source else tensor

    options = {name: dtype if value == source else value for name, value in sample.options.items()}
    inputs = [dtype if value == source else value for value in sample.inputs]
    try:
        inputs, expected = run_twin(sample.row, map_tensors(inputs, convert), options)
    except _REFUSALS:
        return None
    found = Sample(sample.row, inputs, expected, kind="type", options=options)
    return found if all(t.dtype in DTYPES for t in tensors_in(expected)) else None


def computes(sample: Sample) -> bool:
    """Whether there is something to do: PyTorch lets every type pass where there is nothing."""
    counts = [t.numel() for t in tensors_in([sample.inputs, sample.expected])]
    return min(counts, default=0) > 0 and max(counts) > 1


def types_without_samples(row: Row, samples: list[Sample], rng: random.Random) -> list[Sample]:
    """Calls in the types of which there is no sample, as far as PyTorch accepts them."""
    if row.twin is None or not row.reproducible or row.namespace != "aten":
        return []
    usable = [s for s in samples if s.error is None and s.expected and s.check is None and s.dtype != "none"]
    usable = [s for s in usable if computes(s) and sum(t.numel() for t in tensors_in(s.inputs)) <= 20_000]
    present = {s.dtype for s in usable}
    chosen = rng.sample(usable, min(len(usable), _ATTEMPTS))
    found = []
    for dtype in DTYPES:
        if str(dtype).removeprefix("torch.") not in present:
            found += [s for s in (_in_type(sample, dtype) for sample in chosen) if s is not None]
    return found


def _fills(sample: Sample, outs: list[torch.Tensor], dtype: torch.dtype) -> bool:
    """Whether PyTorch's own operator gives such outs, of operands as they are or in the same type."""
    in_type = map_tensors(sample.inputs, lambda t: cast(t, dtype))
    calls = [in_type] if sample.row.draws_indices else [sample.inputs, in_type]
    return any(pytorch_with_outs(replace(sample, inputs=inputs), outs) is not None for inputs in calls)


def types_of_draws(row: Row, samples: list[Sample]) -> set[str]:
    """Types in which PyTorch draws, or leaves values undefined."""
    found = set()
    if row.reproducible or row.namespace != "aten":
        return found
    for sample in [s for s in samples if s.check and computes(s)][:_ATTEMPTS]:
        first, *others = list(tensors_in(sample.expected))[-len(row.outs) :]
        for dtype in DTYPES:
            out = first if row.draws_indices else torch.empty(first.shape, dtype=dtype)
            if _fills(sample, [out, *map(torch.empty_like, others)], dtype):
                found.add(str(dtype).removeprefix("torch."))
    return found
