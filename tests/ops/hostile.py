"""Calls with damaged arguments: an error or a right result, but never a crash, a hang or a write outside."""

import random
from dataclasses import replace

import torch

from ops.calling import Call, Refused, judge, library
from ops.outs import outs_of
from ops.processes import foreign_code
from ops.recording import Sample, map_tensors, run_twin, tensors_in
from ops.rows import is_written

_INTEGERS = [0, -1, 1, 2, 3, 7, -2, 17, 255, 65536, 2**31 - 1, 2**31, -(2**31), 2**32, 2**47, 2**62, 2**63 - 1, -(2**63)]
_MODEST = 64  # PyTorch itself is asked only about calls whose numbers are small
_NUMBERS = [*_INTEGERS, 0.5, -1.5, 1e30, float("inf"), float("nan")]
_WRONG_WITHOUT_ELEMENTS = {"pixel_unshuffle", "addmv"}  # PyTorch returns an operand with its own sizes


def _contradicts_itself(sample: Sample) -> bool:
    """Whether PyTorch's answer depends on what should not matter."""
    row, value = sample.row, dict(zip((a.name for a in sample.row.inputs), sample.inputs))
    if "upsample" in row.base:
        # It reads a scale that does not fit the sizes in one layout or rank, and not in another; with a filter, a result
        # of one column depends on the layout as well.
        scaled = any(v is not None for name, v in value.items() if name.startswith("scale"))
        return scaled or ("_aa" in row.base and 1 in (value.get("output_size") or []))
    if row.base.startswith("_embedding_bag") and value["include_last_offset"]:
        # Where the last bag does not end with the indices, its end depends on type, mode and padding.
        indices, offsets = value["indices"], value["offsets"]
        tensors = isinstance(indices, torch.Tensor) and isinstance(offsets, torch.Tensor)
        return not tensors or not offsets.numel() or offsets.flatten()[-1] != indices.numel()
    if row.name in ("aten::bucketize.Scalar_out", "aten::searchsorted.Scalar_out"):
        # A negative number is taken for the unsigned one with its bits.
        return isinstance(value["self"], int) and value["self"] < 0
    return False


def _damage_tensor(value: torch.Tensor, rng: random.Random):
    choice = rng.randrange(8)
    if choice == 0:
        return None
    if choice == 1:
        return 3
    if choice == 2:
        return torch.zeros((), dtype=value.dtype)
    if choice == 3:
        return value[None].clone()
    if choice == 4:
        return torch.zeros([0, *value.shape[1:]], dtype=value.dtype)
    if choice == 5:
        other = rng.choice([torch.float32, torch.int64, torch.bool, torch.float16, torch.complex64, torch.uint16])
        return torch.zeros(value.shape, dtype=other) if value.is_complex() else value.to(other)
    if choice == 6 and value.numel() and value.dtype in (torch.int64, torch.int32):
        damaged = value.contiguous().clone()
        damaged.view(-1)[rng.randrange(value.numel())] = rng.choice([-(2**31), 2**31 - 1, -1, 1000, 12345678])
        return damaged
    sizes = [max(0, size + rng.choice([-1, 0, 1, 2])) for size in value.shape]
    return torch.zeros(sizes, dtype=value.dtype)


def _damage_list(value: list, rng: random.Random):
    choice = rng.randrange(7)
    copy = list(value)
    if choice == 0:
        return []
    if choice == 1:
        return copy + copy[:1] if copy else [1]
    if choice == 2:
        return copy[:-1]
    if choice == 3:
        return copy * 20
    if choice == 4:
        return None
    if copy:
        i = rng.randrange(len(copy))
        copy[i] = _damage(copy[i], rng)
    return copy


def _damage(value, rng: random.Random):
    if isinstance(value, torch.Tensor):
        return _damage_tensor(value, rng)
    if isinstance(value, (list, tuple)):
        return _damage_list(value, rng)
    if isinstance(value, bool):
        return rng.choice([not value, None, 2, 0.5])
    if isinstance(value, int):
        return rng.choice([*_INTEGERS, None]) if rng.random() < 0.9 else rng.choice([0.5, "x"])
    if isinstance(value, float):
        return rng.choice([*_NUMBERS, None])
    if isinstance(value, str):
        return rng.choice(["", "floor", "none", "x" * 1000, None, 3])
    if value is None:
        return rng.choice([0, 3, [], [2**62], torch.zeros(2), torch.zeros(0), "x"])
    return None


def damaged(sample: Sample, rng: random.Random) -> Sample:
    """The call with one or two of its arguments damaged."""
    inputs = list(sample.inputs)
    for _ in range(rng.choice([1, 1, 2])):
        if inputs:
            i = rng.randrange(len(inputs))
            inputs[i] = _damage(inputs[i], rng)
    return Sample(sample.row, inputs, sample.expected, kind="hostile", options=sample.options, seed=sample.seed)


def _is_modest(value) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_modest, value))
    return not isinstance(value, (int, float)) or abs(value) <= _MODEST


def _pytorch(sample: Sample):
    """PyTorch's results, or None where it refuses or is not asked."""
    row = sample.row
    if row.twin is None or not row.reproducible or not all(map(_is_modest, sample.inputs)):
        return None
    if row.base in _WRONG_WITHOUT_ELEMENTS and any(t.numel() == 0 for t in tensors_in(sample.inputs)):
        return None
    if _contradicts_itself(sample):
        return None
    try:
        with foreign_code():
            return run_twin(sample.row, sample.inputs, sample.options)[1]
    except Exception:  # noqa: BLE001  any refusal
        return None


def _roomy(outs: list) -> list:
    return map_tensors(outs, lambda t: torch.empty([size + 3 for size in t.shape], dtype=t.dtype))


def check(sample: Sample, rng: random.Random) -> str | None:
    """Runs a damaged call. A result that PyTorch gives too must be the same."""
    outs = outs_of(sample) if sample.row.outs else []
    if rng.random() < 0.5:
        outs = _roomy(outs)
    try:
        call = Call(sample, outs)
    except MemoryError:
        return None
    with call:
        try:
            results = call.run()
        except Refused as refusal:
            if not str(refusal).strip():
                return "refused without a text"
            return call.damage()
        text = call.damage()
        if text or not sample.row.outs or any(is_written(a) for a in sample.row.inputs):
            return text
        results = [result.clone() for result in results]
    theirs = _pytorch(sample)
    if theirs is None:
        return None
    if [t.dtype for t in tensors_in(theirs)] != [r.dtype for r in results]:
        return None
    text = judge(replace(sample, expected=theirs), results)
    return f"another result than PyTorch's: {text}" if text else None


def wrong_counts(sample: Sample) -> str | None:
    """Too few and too many arguments."""
    with Call(sample) as call:
        for arguments in ([], call.arguments[:-1], [*call.arguments, None]):
            if len(arguments) == len(call.arguments):
                continue
            try:
                library()._call_operator(sample.row.name, arguments)
            except RuntimeError:
                continue
            return f"accepted {len(arguments)} arguments instead of {len(call.arguments)}"
    return None
