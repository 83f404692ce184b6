"""What operators outside of aten compute, said with PyTorch's own operators. They take a row's inputs in schema order."""

import math

import torch
from torch.ao.quantization.fx import _decomposed  # noqa: F401  defines torch.ops.quantized_decomposed

_QUANTIZED = torch.ops.quantized_decomposed


# quantized_decomposed


def _add(a, a_scale, a_zero, _a_min, _a_max, b, b_scale, b_zero, _b_min, _b_max, scale, zero, low, high):
    if a.dtype != b.dtype or a.shape != b.shape:
        raise ValueError("operands differ")
    total = (a.float() - a_zero) * a_scale + (b.float() - b_zero) * b_scale
    return _QUANTIZED.quantize_per_tensor(total, scale, zero, low, high, a.dtype)


def _table(weight: torch.Tensor, scales: torch.Tensor, zero_points) -> torch.Tensor:
    """All rows as floats."""
    groups = scales.shape[1] if scales.dim() == 2 else 1
    group = -(-weight.shape[1] // groups)
    if scales.shape[0] != weight.shape[0] or scales.dim() > 2 or -(-weight.shape[1] // group) != groups:
        raise ValueError("scales do not fit the weight")

    def spread(values):
        return values.float().reshape(weight.shape[0], groups).repeat_interleave(group, 1)[:, : weight.shape[1]]

    zeros = 0 if zero_points is None else spread(zero_points)
    return (weight.float() - zeros) * spread(scales)


def _unpacked(weight: torch.Tensor, bits: int) -> torch.Tensor:
    if weight.dtype != torch.uint8 and bits < 8:
        raise ValueError("packed numbers are bytes")
    if bits == 4:
        return torch.stack([(weight >> 4).to(torch.int8) - 8, (weight & 15).to(torch.int8) - 8], -1).flatten(1)
    if bits == 2:
        return torch.stack([(weight >> shift & 3).to(torch.int8) - 2 for shift in (0, 2, 4, 6)], -1).flatten(1)
    return weight


def _embedding(bits: int):
    def reference(weight, scales, zero_points, _low, _high, indices, dtype=None):
        rows = _table(_unpacked(weight, bits), scales, zero_points)
        if ((indices < 0) | (indices >= weight.shape[0])).any():
            raise IndexError("a row does not exist")
        return rows[indices].to(dtype or scales.dtype)

    return reference


def _mixed_mm(a, weight, scales, _zero_points):
    return (a.double() @ _table(weight, scales, None).double()).to(a.dtype)


def _mixed_linear(a, weight, scales, _zero_points, dtype=None):
    return (a.double() @ _table(weight, scales, None).T.double()).to(dtype or a.dtype)


def _in_float(choose):
    """torch.ao rounds each step of the choice to half types; scales are doubles."""
    return lambda x, *rest: choose(x.float() if x.is_floating_point() else x, *rest)


# llama and preprocess


def _attend(query, key, value, start, mask, causal, scale):
    """[batch, positions, heads, numbers], in double precision."""
    if mask is not None and causal:
        raise ValueError("a mask and causal exclude each other")
    # Tensors would broadcast.
    fits = query.shape[::3] == key.shape[::3] and key.shape == value.shape
    if not fits or query.shape[2] % max(key.shape[2], 1):
        raise ValueError("queries, keys and values do not go together")
    positions, group = query.shape[1], query.shape[2] // key.shape[2]
    if mask is not None and list(mask.shape) != [positions, key.shape[1]]:
        raise ValueError("the mask has other sizes")
    length = key.shape[1] if mask is not None else start + positions
    q = query.double().transpose(1, 2)
    k, v = (t[:, :length].double().transpose(1, 2).repeat_interleave(group, 1) for t in (key, value))
    scores = q @ k.transpose(2, 3) * (1 / math.sqrt(query.shape[3]) if scale is None else scale)
    if mask is not None:
        scores = scores + mask.double()
    if causal:
        seen = torch.arange(length) <= start + torch.arange(positions)[:, None]
        scores = scores.masked_fill(~seen, -math.inf)
    weights = torch.softmax(scores, -1)
    # Who sees nothing gets nothing.
    weights = torch.where((scores == -math.inf).all(-1, keepdim=True), 0.0, weights)
    return (weights @ v).transpose(1, 2)


def _custom_sdpa(query, key, value, start, mask=None, _dropout=0.0, causal=False, scale=None):
    if mask is None and not 0 <= start <= key.shape[1] - query.shape[1]:
        raise ValueError("there are not so many keys")
    return _attend(query, key, value, start, mask, causal, scale).to(query.dtype)


def _write_rows(value, cache, start):
    if not 0 <= start <= cache.shape[1] - value.shape[1]:
        raise ValueError("there are not so many rows")
    cache[:, start : start + value.shape[1]] = value


def _sdpa_with_kv_cache(query, key, value, keys, values, start, length, mask=None, dropout=0.0, causal=False, scale=None):
    if length != key.shape[1]:
        raise ValueError("the length is not that of the keys")
    _write_rows(key, keys, start)
    _write_rows(value, values, start)
    return _custom_sdpa(query, keys, values, start, mask, dropout, causal, scale)


def _quantized_sdpa(query, key, value, start, mask, _dropout, causal, scale, *parameters):
    *parameters, heads_first = parameters
    tensors = []
    for x, zeros, scales in zip((query, key, value), parameters[::2], parameters[1::2]):
        if not list(zeros.shape) == list(scales.shape) == [*x.shape[:-1], 1]:
            raise ValueError("each row has a scale and a zero point")
        x = (x.double() - zeros) * scales
        tensors.append(x.transpose(1, 2) if heads_first else x)
    if mask is None and not 0 <= start <= tensors[1].shape[1] - tensors[0].shape[1]:
        raise ValueError("there are not so many keys")
    result = _attend(*tensors, start, mask, causal, scale).float()
    return (result.transpose(1, 2) if heads_first else result).contiguous()


def _hadamard(x):
    size = x.shape[-1]
    power = size // 28 if size % 28 == 0 else size
    if power & (power - 1) or not x.is_floating_point():
        raise ValueError("no such matrix")
    matrix = torch.ones(1, 1, dtype=torch.float64)
    while matrix.shape[0] < power:
        matrix = torch.cat([torch.cat([matrix, matrix], 1), torch.cat([matrix, -matrix], 1)])
    if power != size:
        matrix = torch.kron(hadamard_28().T, matrix)
    return (x.double() @ matrix / math.sqrt(power)).to(x.dtype)


def hadamard_28() -> torch.Tensor:
    """Williamson's matrix of order 28, of four symmetric circulants."""

    def circulant(signs: str) -> torch.Tensor:
        first = torch.tensor([1.0 if sign == "+" else -1.0 for sign in signs], dtype=torch.float64)
        return torch.stack([first.roll(i) for i in range(7)])

    a, b, c, d = map(circulant, ("+------", "++----+", "+-+--+-", "+--++--"))
    blocks = [[a, b, c, d], [-b, a, -d, c], [-c, d, a, -b], [-d, -c, b, a]]
    return torch.cat([torch.cat(row, 1) for row in blocks])


def _delta_rule(query, key, value, decay, beta, state):
    group = query.shape[1] // key.shape[1]
    state, outs = state.double(), []
    query, key, value, decay, beta = (t.double() for t in (query, key, value, decay, beta))
    for step in range(key.shape[2]):
        factor = decay[:, :, step]
        state = state * (factor[..., None] if factor.dim() == 3 else factor[..., None, None])
        error = (value[:, :, step] - torch.einsum("bhkv,bhk->bhv", state, key[:, :, step])) * beta[:, :, step, None]
        state = state + key[:, :, step, :, None] * error[:, :, None, :]
        read = state.repeat_interleave(group, 1)
        outs.append(torch.einsum("bhkv,bhk->bhv", read, query[:, :, step]))
    out = torch.stack(outs, 2) if outs else value.new_zeros([*query.shape[:2], 0, value.shape[3]])
    return out.float(), state.float()


def _tile_crop(image, size):
    channels, height, width = image.shape
    if size <= 0 or height % size or width % size:
        raise ValueError("the tiles do not fit")
    tiles = image.reshape(channels, height // size, size, width // size, size).permute(1, 3, 0, 2, 4)
    return tiles.reshape(-1, channels, size, size).contiguous()


_REFERENCES = {
    "quantized_decomposed::quantize_per_tensor.out": _QUANTIZED.quantize_per_tensor.default,
    "quantized_decomposed::quantize_per_tensor.Tensor_out": _QUANTIZED.quantize_per_tensor.tensor,
    "quantized_decomposed::quantize_per_channel.out": _QUANTIZED.quantize_per_channel.default,
    "quantized_decomposed::quantize_per_token.out": _QUANTIZED.quantize_per_token.default,
    "quantized_decomposed::dequantize_per_tensor.out": _QUANTIZED.dequantize_per_tensor.default,
    "quantized_decomposed::dequantize_per_tensor.Tensor_out": _QUANTIZED.dequantize_per_tensor.tensor,
    "quantized_decomposed::dequantize_per_channel.out": _QUANTIZED.dequantize_per_channel.default,
    "quantized_decomposed::dequantize_per_token.out": _QUANTIZED.dequantize_per_token.default,
    "quantized_decomposed::choose_qparams.Tensor_out": _in_float(_QUANTIZED.choose_qparams.tensor),
    "quantized_decomposed::choose_qparams_per_token_asymmetric.out": _in_float(
        _QUANTIZED.choose_qparams_per_token_asymmetric.default
    ),
    "quantized_decomposed::add.out": _add,
    "quantized_decomposed::embedding_byte.out": _embedding(8),
    "quantized_decomposed::embedding_byte.dtype_out": _embedding(8),
    "quantized_decomposed::embedding_4bit.out": _embedding(4),
    "quantized_decomposed::embedding_4bit.dtype_out": _embedding(4),
    "quantized_decomposed::embedding_2bit.out": _embedding(2),
    "quantized_decomposed::embedding_2bit.dtype_out": _embedding(2),
    "quantized_decomposed::mixed_mm.out": _mixed_mm,
    "quantized_decomposed::mixed_linear.out": _mixed_linear,
    "llama::custom_sdpa.out": _custom_sdpa,
    "llama::sdpa_with_kv_cache.out": _sdpa_with_kv_cache,
    "llama::custom_quantized_sdpa.out": _quantized_sdpa,
    "llama::fast_hadamard_transform.out": _hadamard,
    "llama::gated_delta_rule.out": _delta_rule,
    "llama::channelwise_gated_delta_rule.out": _delta_rule,
    "llama::fallback.out": torch.clone,
    "preprocess::tile_crop.out": _tile_crop,
}


def find(name: str):
    """The function that computes what a row computes, or None."""
    return _REFERENCES.get(name)
