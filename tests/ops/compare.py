"""How far a result may be from PyTorch's."""

import torch

from ops.rows import Row

# Relative, by element type. Half types: one unit in the last place, since both sides round from float.
_ROUNDING = {
    torch.float16: 1.0e-3,
    torch.bfloat16: 7.9e-3,
    torch.float32: 2.0e-6,
    torch.float64: 2.0e-14,
    torch.complex64: 4.0e-6,
    torch.complex128: 4.0e-14,
}
_SMALLEST = {
    torch.float16: 6.0e-8,
    torch.bfloat16: 1.0e-38,
    torch.float32: 1.0e-38,
    torch.complex64: 1.0e-38,
}

# Sums of many products: the order of additions differs, so the error is relative to the largest result.
_ACCUMULATING = {
    "addmm", "mm", "bmm", "linear", "convolution", "sum", "mean", "prod", "var", "var_mean", "cumsum", "avg_pool2d",
    "_adaptive_avg_pool2d", "native_layer_norm", "native_group_norm", "_native_batch_norm_legit",
    "_native_batch_norm_legit_no_training", "_softmax", "_log_softmax", "scatter_add", "index_put", "index_put_",
    "upsample_bilinear2d", "norm", "linalg_vector_norm",
}  # fmt: skip
_ACCUMULATION_FACTOR = 16


def tolerances(row: Row, expected: torch.Tensor) -> tuple[float, float]:
    """(relative, absolute)"""
    relative = _ROUNDING[expected.dtype]
    absolute = _SMALLEST.get(expected.dtype, 0.0)
    if row.base in _ACCUMULATING:
        finite = expected[expected.isfinite()]
        largest = finite.abs().max().item() if finite.numel() else 0.0
        half = expected.dtype in (torch.float16, torch.bfloat16)
        factor = 1 if half else _ACCUMULATION_FACTOR
        relative *= factor
        absolute += relative * largest
    return relative, absolute


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a.contiguous().flatten().view(torch.uint8), b.contiguous().flatten().view(torch.uint8))


def difference(row: Row, ours: torch.Tensor, expected: torch.Tensor) -> str | None:
    """None when the values agree, else a sentence."""
    if ours.shape != expected.shape:
        return f"shape {list(ours.shape)}, expected {list(expected.shape)}"
    if ours.dtype != expected.dtype:
        return f"dtype {ours.dtype}, expected {expected.dtype}"
    if ours.numel() == 0:
        return None
    if not (ours.is_floating_point() or ours.is_complex()):
        right = ours == expected
        if ours.dtype == torch.bool:
            right = ours.view(torch.uint8) == expected.view(torch.uint8)
    else:
        relative, absolute = tolerances(row, expected)
        right = torch.isclose(ours, expected, rtol=relative, atol=absolute, equal_nan=True)
    if right.all():
        return None
    wrong = (~right).nonzero()
    at = tuple(wrong[0].tolist())
    text = f"{len(wrong)} of {ours.numel()} values differ, first at {list(at)}: {ours[at].item()!r}, expected "
    text += f"{expected[at].item()!r}"
    if ours.is_floating_point():
        error = ((ours.double() - expected.double()).abs() / expected.double().abs().clamp_min(1e-300))[~right]
        error = error[error.isfinite()]
        if error.numel():
            text += f" (largest relative error {error.max().item():.2g})"
    return text
