"""How far a result may be from PyTorch's."""

import math

import torch

from ops.rows import Row

# Relative, by element type. Half types: one unit in the last place, since both sides round from float.
ROUNDING = {
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
    "addmm", "mm", "bmm", "linear", "convolution", "sum", "mean", "prod", "var", "var_mean", "cumsum", "avg_pool1d",
    "avg_pool2d", "avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "_adaptive_avg_pool2d",
    "_adaptive_avg_pool3d", "native_layer_norm", "native_group_norm", "_native_batch_norm_legit",
    "_native_batch_norm_legit_no_training", "native_batch_norm", "_batch_norm_with_update", "_batch_norm_no_update",
    "_softmax", "_log_softmax", "scatter_add", "index_put", "index_put_", "col2im", "grid_sampler_2d",
    "grid_sampler_3d", "affine_grid_generator", "norm", "linalg_vector_norm", "mixed_mm", "mixed_linear", "custom_sdpa",
    "sdpa_with_kv_cache", "custom_quantized_sdpa", "fast_hadamard_transform", "gated_delta_rule",
    "channelwise_gated_delta_rule",
    "_cdist_forward", "_pdist_forward", "dist", "std", "std_mean", "addmv", "addbmm", "_embedding_bag",
    "_embedding_bag_forward_only", "embedding_dense_backward", "bincount", "_fft_r2c", "_fft_c2r", "_fft_c2c", "cumprod",
    "_linalg_det", "_linalg_slogdet", "linalg_cholesky_ex", "linalg_inv_ex", "linalg_lu_factor_ex",
    "linalg_solve_triangular", "logcumsumexp", "scatter_reduce", "index_reduce", "scatter", "put",
}  # fmt: skip
_ACCUMULATED = {
    torch.float16: 1.0e-3,
    torch.bfloat16: 7.9e-3,
    torch.float32: 3.0e-5,
    torch.float64: 2.0e-11,  # PyTorch adds up doubles one by one
    torch.complex64: 6.0e-5,
    torch.complex128: 2.0e-11,
}


# Differences of values that PyTorch rounds before it subtracts them: the error is relative to what was subtracted.
_CANCELLING = {
    "add", "sub", "rsub", "gelu", "logit", "native_layer_norm", "native_group_norm", "_native_batch_norm_legit",
    "_batch_norm_with_update", "native_batch_norm", "lgamma", "digamma",
}  # fmt: skip


# PyTorch's own tables are this coarse, whatever the type.
_COARSE = {
    "special_airy_ai", "special_bessel_j0", "special_bessel_j1", "special_bessel_y0", "special_bessel_y1",
}  # fmt: skip
_COARSE_RELATIVE = 1e-5
# Of the square root of the largest operand: they oscillate, the lower the further out, where a rounded phase says less and less.
_COARSE_ABSOLUTE = 1e-6


def scale_of(row: Row, inputs: list, expected: list) -> float:
    """The largest magnitude that the operands can reach together, before something is subtracted from them."""
    tensors = [t for value in inputs for t in (value if isinstance(value, (list, tuple)) else [value])]
    scale = 1.0
    for value in tensors:
        numbers = isinstance(value, torch.Tensor) and (value.is_floating_point() or row.base in _COARSE)
        if numbers and value.isfinite().any():
            scale = max(scale, value[value.isfinite()].double().abs().max().item())
    for value in inputs:
        if isinstance(value, (int, float)) and 1 < abs(value) < 1e6:
            scale *= abs(value)
    # Normalised values are divided by their deviation. Running statistics that are written come first.
    deviation = {3: 2, 5: 4, 6: 4}.get(len(expected))
    if "_norm" in row.base and "_backward" not in row.base and deviation and expected[deviation].numel():
        scale *= max(1.0, expected[deviation].abs().max().item())
    return scale


def tolerances(row: Row, expected: torch.Tensor, scale: float) -> tuple[float, float]:
    """(relative, absolute)"""
    if row.base in _COARSE:
        return max(_COARSE_RELATIVE, ROUNDING[expected.dtype]), _COARSE_ABSOLUTE * math.sqrt(scale)
    relative = ROUNDING[expected.dtype]
    absolute = _SMALLEST.get(expected.dtype, 0.0)
    accumulates = row.base in _ACCUMULATING or "_backward" in row.base or "upsample_" in row.base
    if row.base in _CANCELLING:
        absolute += relative * scale
    if accumulates:
        finite = expected[expected.isfinite()]
        largest = finite.abs().max().item() if finite.numel() else 0.0
        relative = _ACCUMULATED[expected.dtype]
        absolute += relative * largest
    return relative, absolute


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a.contiguous().flatten().view(torch.uint8), b.contiguous().flatten().view(torch.uint8))


def difference(row: Row, ours: torch.Tensor, expected: torch.Tensor, scale: float) -> str | None:
    """None when the values agree, else a sentence. `scale`: see scale_of()."""
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
        relative, absolute = tolerances(row, expected, scale)
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


def choice_difference(row: Row, inputs: list, ours: list, expected: list) -> str | None:
    """One element per line: of equal ones any may be chosen."""
    self = inputs[0]
    dim = inputs[2] if row.base == "kthvalue" else inputs[1]
    keepdim = inputs[-1]
    values, indices = ours
    text = difference(row, values, expected[0], 1.0)
    if text or self.dim() == 0 or values.numel() == 0:
        return text
    if indices.shape != values.shape or not ((indices >= 0) & (indices < self.shape[dim])).all():
        return "an index is out of range"
    kept = indices if keepdim else indices.unsqueeze(dim)
    chosen = self.gather(dim, kept)
    text = difference(row, chosen if keepdim else chosen.squeeze(dim), values, 1.0)
    return f"the indices belong to other values: {text}" if text else None


def order_difference(row: Row, self, dim: int, in_order: bool, ours: list, expected: list) -> str | None:
    """Values and indices of topk or sort: equal values may change places, unsorted ones come in any order."""
    values, indices = ours
    if values.shape != expected[0].shape or indices.shape != expected[1].shape:
        return f"shapes {list(values.shape)} and {list(indices.shape)}, expected {list(expected[0].shape)}"
    if values.numel() == 0:
        return None
    if not ((indices >= 0) & (indices < (self.shape[dim] if self.dim() else 1))).all():
        return "an index is out of range"
    if self.dim():
        if (indices.sort(dim).values.diff(dim=dim) == 0).any():
            return "an element is chosen twice"
        text = difference(row, self.gather(dim, indices), values, 1.0)
        if text:
            return f"the indices belong to other values: {text}"
    if not in_order and self.dim():
        values, expected = values.sort(dim).values, [expected[0].sort(dim).values]
    return difference(row, values, expected[0], 1.0)
