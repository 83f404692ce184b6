"""Samples of the operators for language models."""

import itertools
import math

import torch

from ops.recording import Sample
from ops.rows import Row

_FLOATS = [torch.float32, torch.float16, torch.bfloat16]


def _heads(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    return torch.randn(shape).to(dtype)


def _mask(rows: int, columns: int) -> torch.Tensor:
    mask = torch.randn(rows, columns)
    mask[torch.rand(rows, columns) < 0.3] = -math.inf
    mask[0] = -math.inf  # a query that sees nothing
    return mask


# (batch, positions, query heads, key heads, numbers, cache length, start)
_SIZES = [
    (1, 1, 1, 1, 4, 6, 3),
    (2, 3, 4, 2, 8, 10, 2),
    (1, 1, 8, 2, 64, 700, 600),
    (1, 5, 6, 3, 33, 300, 290),
    (1, 40, 8, 4, 16, 64, 0),
    (1, 1, 4, 1, 16, 3000, 2900),
    (2, 150, 2, 2, 24, 400, 130),
    (1, 0, 2, 1, 8, 4, 2),
]


def _attention_calls(dtype: torch.dtype):
    """Operands, start, mask, causal and scale."""
    for batch, positions, heads, key_heads, numbers, length, start in _SIZES:
        query = _heads(dtype, batch, positions, heads, numbers)
        keys, values = (_heads(dtype, batch, length, key_heads, numbers) for _ in range(2))
        for causal, scale in ((True, None), (False, None), (True, 0.3)):
            yield query, keys, values, start, None, causal, scale
        if positions:
            yield query, keys, values, start, _mask(positions, length), False, None


def _custom_sdpa(row: Row, by_twin) -> list[Sample]:
    calls = []
    for dtype in _FLOATS:
        for query, keys, values, start, mask, causal, scale in _attention_calls(dtype):
            calls.append([query, keys, values, start, mask, 0.0, causal, scale])
    q, k = _heads(torch.float32, 1, 2, 2, 4), _heads(torch.float32, 1, 5, 1, 4)
    calls += [[q, k, k, start, None, 0.0, True, None] for start in (4, -1, 2**40)]
    calls.append([q, k, k, 0, _mask(2, 5), 0.0, True, None])
    calls.append([q, k, k, 100, _mask(2, 5), 0.0, False, None])  # a ring: positions go on beyond its length
    calls.append([q, k, k, 0, _mask(2, 3), 0.0, False, None])
    return by_twin(row, *calls)


def _sdpa_with_kv_cache(row: Row, by_twin) -> list[Sample]:
    calls = []
    for dtype in _FLOATS:
        for query, keys, values, start, mask, causal, scale in _attention_calls(dtype):
            new = [_heads(dtype, query.shape[0], query.shape[1], keys.shape[2], query.shape[3]) for _ in range(2)]
            calls.append([query, *new, keys, values, start, query.shape[1], mask, 0.0, causal, scale])
    q, k, cache = _heads(torch.float32, 1, 2, 2, 4), _heads(torch.float32, 1, 2, 1, 4), _heads(torch.float32, 1, 5, 1, 4)
    calls += [[q, k, k, cache, cache.clone(), start, 2, None, 0.0, True, None] for start in (4, -1)]
    calls.append([q, k, k, cache, cache.clone(), 0, 3, None, 0.0, True, None])
    return by_twin(row, *calls)


def _quantized_sdpa(row: Row, by_twin) -> list[Sample]:
    calls = []
    for heads_first in (False, True):
        for query, keys, values, start, mask, causal, scale in _attention_calls(torch.float32):
            operands, parameters = [], []
            for shape in (query.shape, keys.shape, values.shape):
                shape = [shape[0], shape[2], shape[1], shape[3]] if heads_first else list(shape)
                operands.append(torch.randint(-128, 128, shape, dtype=torch.int8))
                parameters.append(torch.randint(-10, 10, [*shape[:-1], 1], dtype=torch.int8))
                parameters.append(torch.rand([*shape[:-1], 1]) / 50)
            calls.append([*operands, start, mask, 0.0, causal, scale, *parameters, heads_first])
    return by_twin(row, *calls)


def _cache_check(expected: torch.Tensor):
    def check(results) -> str | None:
        return None if torch.equal(results[0], expected) else "the cache holds other rows"

    return check


_CACHES = [((1, 1, 2, 4), (1, 6, 2, 4), 3), ((2, 3, 2, 5), (2, 7, 2, 5), 4), ((2, 3, 4, 1), (2, 9, 4, 1), 0), ((1, 0, 2, 3), (1, 4, 2, 3), 4)]
_ELEMENTS = [torch.float32, torch.float16, torch.int8, torch.float64]


def _update_cache(row: Row, by_twin) -> list[Sample]:
    samples = []
    for dtype, (new, old, start) in itertools.product(_ELEMENTS, _CACHES):
        value, cache = (torch.randint(-99, 99, shape).to(dtype) for shape in (new, old))
        expected = cache.clone()
        expected[:, start : start + new[1]] = value
        samples.append(Sample(row, [value, cache, start], [expected, torch.zeros(1)], check=_cache_check(expected)))
    for start in (-1, 4, 2**62):
        inputs = [torch.zeros(1, 3, 2, 4), torch.zeros(1, 6, 2, 4), start]
        samples.append(Sample(row, inputs, [inputs[1], torch.zeros(1)], error="the rows do not fit", kind="error"))
    return samples


def _update_cache_with_indices(row: Row, by_twin) -> list[Sample]:
    samples = []
    for dtype, (new, old, start) in itertools.product(_ELEMENTS, _CACHES):
        value, cache = (torch.randint(-99, 99, shape).to(dtype) for shape in (new, old))
        indices = torch.stack([torch.randperm(old[1])[: new[1]] for _ in range(new[0])])
        expected = cache.clone()
        for batch in range(new[0]):
            expected[batch, indices[batch]] = value[batch]
        outs = [expected, torch.zeros(1)]
        samples.append(Sample(row, [value, cache, start, indices], outs, check=_cache_check(expected)))
    for bad in (-1, 6, 2**40):
        inputs = [torch.zeros(1, 2, 2, 4), torch.zeros(1, 6, 2, 4), 0, torch.tensor([[0, bad]])]
        samples.append(Sample(row, inputs, [inputs[1], torch.zeros(1)], error="a row does not exist", kind="error"))
    return samples


def _hadamard(row: Row, by_twin) -> list[Sample]:
    shapes = [(1,), (2,), (4,), (3, 8), (2, 3, 64), (2, 1024), (28,), (2, 56), (3, 28 * 32), (0, 4)]
    calls = [[_heads(dtype, *shape)] for dtype in [*_FLOATS, torch.float64] for shape in shapes]
    return by_twin(row, *calls, [torch.zeros(2, 12)], [torch.zeros(2, 0)])


def _delta_rule(row: Row, by_twin) -> list[Sample]:
    calls = []
    for batch, heads, key_heads, steps, keys, values in ((1, 1, 1, 1, 3, 4), (2, 4, 2, 5, 16, 24), (1, 3, 3, 7, 8, 40), (1, 2, 1, 0, 4, 4)):
        query, key = torch.randn(batch, heads, steps, keys), torch.randn(batch, key_heads, steps, keys) / keys**0.5
        value, state = torch.randn(batch, key_heads, steps, values), torch.randn(batch, key_heads, keys, values)
        for shape in ((batch, key_heads, steps), (batch, key_heads, steps, keys)):
            calls.append([query, key, value, torch.rand(shape), torch.rand(batch, key_heads, steps), state])
    return by_twin(row, *calls)


def _fallback(row: Row, by_twin) -> list[Sample]:
    return by_twin(row, *([_heads(dtype, *shape)] for dtype in _FLOATS for shape in ((), (3,), (2, 3, 4), (0, 2))))


def _experts(row: Row, by_twin) -> list[Sample]:
    x = torch.zeros(2, 8)
    inputs = [x, torch.zeros(4, 8), torch.zeros(4), x, x, 2, 4, 16, 8, 32, 4, "sigmoid", 1.0]
    return [Sample(row, inputs, [x], error="the format of the weights is not known", kind="error")]


def _tile_crop(row: Row, by_twin) -> list[Sample]:
    shapes = [((3, 4, 6), 2), ((1, 9, 3), 3), ((3, 100, 150), 50), ((2, 4, 4), 1), ((0, 4, 4), 2)]
    calls = [[_heads(dtype, *shape), size] for dtype in _FLOATS for shape, size in shapes]
    return by_twin(row, *calls, *([torch.zeros(3, 4, 6), size] for size in (4, 0, -2, 2**62)))


MAKERS = {
    "llama::custom_sdpa.out": _custom_sdpa,
    "llama::sdpa_with_kv_cache.out": _sdpa_with_kv_cache,
    "llama::custom_quantized_sdpa.out": _quantized_sdpa,
    "llama::update_cache.out": _update_cache,
    "llama::update_cache_with_indices.out": _update_cache_with_indices,
    "llama::fast_hadamard_transform.out": _hadamard,
    "llama::gated_delta_rule.out": _delta_rule,
    "llama::channelwise_gated_delta_rule.out": _delta_rule,
    "llama::fallback.out": _fallback,
    "llama::quantized_moe_ffn.out": _experts,
    "preprocess::tile_crop.out": _tile_crop,
}
