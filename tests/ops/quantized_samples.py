"""Samples of the quantised operators."""

import torch

from ops.recording import Sample
from ops.rows import Row

_SHAPES = [(), (0, 3), (7,), (3, 5), (2, 3, 4, 5), (2, 300), (70, 33)]
_FLOATS = [torch.float32, torch.float16, torch.bfloat16]
_INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32]


def _numbers(dtype: torch.dtype, shape) -> torch.Tensor:
    return (torch.randn(shape) * 3).to(dtype)


def _quantized(dtype: torch.dtype, shape) -> torch.Tensor:
    low, high = _bounds(dtype)
    return torch.randint(max(low, -(2**20)), min(high, 2**20), shape, dtype=dtype)


def _bounds(dtype: torch.dtype) -> tuple[int, int]:
    info = torch.iinfo(dtype)
    return info.min, info.max


def _zero_point(dtype: torch.dtype) -> int:
    return 7 if dtype == torch.uint8 else -3


def _quantize_per_tensor(row: Row, by_twin) -> list[Sample]:
    calls = []
    as_tensors = "Tensor_out" in row.name
    for dtype in _FLOATS:
        for to in _INTEGERS:
            low, high = _bounds(to)
            for shape in _SHAPES:
                for scale, zero, bounds in ((0.05, _zero_point(to), (low, high)), (0.5, 1, (max(low, -4), 11))):
                    if as_tensors:
                        scale, zero = torch.tensor([scale], dtype=torch.float64), torch.tensor([zero])
                    calls.append([_numbers(dtype, shape), scale, zero, *bounds, to])
    # Halves lie between two integers.
    ties = torch.arange(-9, 9) / 2
    special = torch.tensor([float("inf"), float("-inf"), float("nan"), 1e30, -1e30, 0.0])
    for values in (ties, special):
        parameters = (torch.tensor([1.0]), torch.tensor([0])) if as_tensors else (1.0, 0)
        calls.append([values, *parameters, -128, 127, torch.int8])
    calls.append([ties, *calls[0][1:3], -129, 127, torch.int8])
    calls.append([ties, *calls[0][1:3], 0, 255, torch.int8])
    return by_twin(row, *calls)


def _channels(count: int, dtype: torch.dtype):
    return torch.rand(count, dtype=dtype) / 10 + 0.01, torch.randint(0, 9, (count,))


def _per_channel(row: Row, by_twin) -> list[Sample]:
    quantizes = row.base.startswith("quantize")
    calls = []
    for scales_dtype in (torch.float32, torch.float64):
        for integer in _INTEGERS:
            for shape, axis in (((3, 5), 0), ((3, 5), 1), ((2, 3, 4, 5), 1), ((2, 3, 4, 5), -1), ((200, 3), 0), ((3, 200), 1),
                                ((2, 300, 2), 1), ((0, 3), 1), ((4, 2, 150), 1)):  # fmt: skip
                scales, zeros = _channels(shape[axis], scales_dtype)
                low, high = _bounds(integer)
                if quantizes:
                    for dtype in _FLOATS:
                        calls.append([_numbers(dtype, shape), scales, zeros, axis, low, high, integer])
                else:
                    calls.append([_quantized(integer, shape), scales, zeros, axis, low, high, integer, None])
                    calls.append([_quantized(integer, shape), scales, None, axis, low, high, integer, torch.float16])
    scales, zeros = _channels(4, torch.float32)
    wrong = [_numbers(torch.float32, (3, 5)) if quantizes else _quantized(torch.int8, (3, 5)), scales, zeros, 0, -128, 127, torch.int8]
    return by_twin(row, *calls, wrong if quantizes else [*wrong, None])


def _per_token(row: Row, by_twin) -> list[Sample]:
    quantizes = row.base.startswith("quantize")
    calls = []
    for scales_dtype in (torch.float32, torch.float64):
        for integer in (torch.uint8, torch.int8, torch.int16):
            low, high = _bounds(integer)
            for shape in ((3, 5), (2, 3, 40), (1, 200), (0, 4), (3, 0)):
                scales = torch.rand(*shape[:-1], 1, dtype=scales_dtype) / 10 + 0.01
                zeros = torch.randint(0, 9, scales.shape)
                if quantizes:
                    calls += [[_numbers(t, shape), scales, zeros, low, high, integer] for t in _FLOATS]
                else:
                    calls += [[_quantized(integer, shape), scales, zeros, low, high, integer, t] for t in _FLOATS]
    return by_twin(row, *calls)


def _dequantize_per_tensor(row: Row, by_twin) -> list[Sample]:
    calls = []
    for integer in _INTEGERS:
        low, high = _bounds(integer)
        for shape in _SHAPES:
            for to in (None, torch.float32, torch.float64):
                scale, zero = 0.05, _zero_point(integer)
                if "Tensor_out" in row.name:
                    scale, zero = torch.tensor([scale], dtype=torch.float64), torch.tensor([zero])
                calls.append([_quantized(integer, shape), scale, zero, low, high, integer, to])
    calls.append([*calls[0][:5], torch.int32, None])
    return by_twin(row, *calls)


def _choose(row: Row, by_twin) -> list[Sample]:
    calls = []
    for dtype in _FLOATS:
        for shape in ((7,), (3, 5), (2, 3, 400)):
            for factor, shift in ((1, 0), (10, 50), (1e-4, 0), (3, -20), (0, 0)):
                x = (torch.randn(shape) * factor + shift).to(dtype)
                calls += [[x, low, high, eps, torch.int8] for low, high, eps in ((-128, 127, 1e-7), (0, 255, 1e-3))]
    return by_twin(row, *calls)


def _choose_per_token(row: Row, by_twin) -> list[Sample]:
    calls = []
    for dtype in _FLOATS:
        for shape in ((7,), (3, 5), (2, 3, 40), (0, 5)):
            for factor, shift in ((1, 0), (10, 50), (3, -20), (0, 0)):
                calls.append([(torch.randn(shape) * factor + shift).to(dtype), torch.int8])
    return by_twin(row, *calls)


def _add(row: Row, by_twin) -> list[Sample]:
    calls = []
    for dtype in (torch.uint8, torch.int8):
        low, high = _bounds(dtype)
        for shape in _SHAPES:
            a, b = _quantized(dtype, shape), _quantized(dtype, shape)
            calls.append([a, 0.5, 3, low, high, b, 0.25, 1, low, high, 0.7, 5, low, high])
            calls.append([a, 0.1, 0, low, high, b, 0.1, 0, low, high, 0.01, 0, low, high])
    calls.append([_quantized(torch.int8, (3,)), 1.0, 0, -128, 127, _quantized(torch.int8, (4,)), 1.0, 0, -128, 127, 1.0, 0, -128, 127])
    return by_twin(row, *calls)


def _embedding(row: Row, by_twin) -> list[Sample]:
    per_byte = {"embedding_byte": 1, "embedding_4bit": 2, "embedding_2bit": 4}[row.base]
    chosen_dtype = "dtype_out" in row.name
    calls = []
    for scales_dtype in _FLOATS:
        for integer in (torch.uint8, torch.int8) if per_byte == 1 else (torch.uint8,):
            for numbers, groups in ((8, 1), (64, 2), (96, 6), (2400, 3)):
                weight = _quantized(integer, (9, numbers // per_byte))
                scales = torch.rand(9, groups).to(scales_dtype)
                if groups == 1:
                    scales = scales[:, 0].contiguous()
                zeros = torch.randint(-3, 9, scales.shape).to(scales_dtype)
                for indices in (torch.tensor([0, 8, 3, 3]), torch.tensor([[1], [2]]), torch.tensor(5), torch.zeros(0, dtype=torch.int64)):
                    call = [weight, scales, zeros if groups % 2 == 0 else None, -8, 7, indices]
                    calls += [[*call, t] for t in (None, torch.float32)] if chosen_dtype else [call]
    tail = [None] if chosen_dtype else []
    weight = _quantized(torch.uint8, (4, 8))
    calls += [[weight, torch.rand(4), None, -8, 7, torch.tensor([0, bad]), *tail] for bad in (-1, 4, 2**40)]
    calls.append([weight, torch.rand(5), None, -8, 7, torch.tensor([0]), *tail])
    calls.append([weight, torch.rand(4, 5), None, -8, 7, torch.tensor([0], dtype=torch.int32), *tail])
    return by_twin(row, *calls)


def _mixed(row: Row, by_twin) -> list[Sample]:
    calls = []
    transposed = row.base == "mixed_linear"
    for dtype in _FLOATS:
        for m, k, n in ((1, 8, 5), (3, 70, 40), (4, 33, 130), (20, 64, 96), (0, 4, 3), (2, 300, 500), (40, 1100, 1000)):
            weight = _quantized(torch.int8, (n, k) if transposed else (k, n))
            calls.append([_numbers(dtype, (m, k)), weight, torch.rand(weight.shape[0]).to(dtype), None])
            if transposed:
                calls[-1].append(None)
                calls.append([calls[-1][0], weight, torch.rand(n, 2).to(dtype), None, torch.float32])
    wrong = [_numbers(torch.float32, (2, 3)), _quantized(torch.int8, (4, 4)), torch.rand(4), None]
    return by_twin(row, *calls, [*wrong, None] if transposed else wrong)


MAKERS = {
    "quantized_decomposed::quantize_per_tensor.out": _quantize_per_tensor,
    "quantized_decomposed::quantize_per_tensor.Tensor_out": _quantize_per_tensor,
    "quantized_decomposed::quantize_per_channel.out": _per_channel,
    "quantized_decomposed::quantize_per_token.out": _per_token,
    "quantized_decomposed::dequantize_per_tensor.out": _dequantize_per_tensor,
    "quantized_decomposed::dequantize_per_tensor.Tensor_out": _dequantize_per_tensor,
    "quantized_decomposed::dequantize_per_channel.out": _per_channel,
    "quantized_decomposed::dequantize_per_token.out": _per_token,
    "quantized_decomposed::choose_qparams.Tensor_out": _choose,
    "quantized_decomposed::choose_qparams_per_token_asymmetric.out": _choose_per_token,
    "quantized_decomposed::add.out": _add,
    "quantized_decomposed::embedding_byte.out": _embedding,
    "quantized_decomposed::embedding_byte.dtype_out": _embedding,
    "quantized_decomposed::embedding_4bit.out": _embedding,
    "quantized_decomposed::embedding_4bit.dtype_out": _embedding,
    "quantized_decomposed::embedding_2bit.out": _embedding,
    "quantized_decomposed::embedding_2bit.dtype_out": _embedding,
    "quantized_decomposed::mixed_mm.out": _mixed,
    "quantized_decomposed::mixed_linear.out": _mixed,
}
