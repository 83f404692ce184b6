"""Samples of gradient operators: PyTorch's database has them only behind autograd."""

import itertools

import torch

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
aten = torch.ops.aten


def _random(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.float64).to(dtype)


def _image(dtype: torch.dtype, dims: int) -> list[torch.Tensor]:
    sizes = (7, 6, 5)[-dims:]
    return [_random(dtype, 2, 3, *sizes), _random(dtype, 3, *sizes)]


def _try(function, *arguments):
    """The results, or None where PyTorch refuses."""
    try:
        return function(*arguments)
    except RuntimeError:
        return None


def _windows(dims: int) -> list[tuple]:
    """Kernel size, stride and padding."""
    return [([2] * dims, [2] * dims, [0] * dims), ([3] * dims, [1] * dims, [1] * dims), ([2, 3, 3][:dims], [], [1])]


def max_pool(dims: int) -> list[list]:
    forward = getattr(aten, f"max_pool{dims}d_with_indices")
    calls = []
    for dtype in FLOATS:
        for x in _image(dtype, dims):
            for kernel, stride, padding in _windows(dims):
                for dilation, ceil_mode in (([1], False), ([1] * dims, True), ([2], False)):
                    arguments = [kernel, stride, padding, dilation, ceil_mode]
                    results = _try(forward, x, *arguments)
                    if results is not None:
                        calls.append([_random(dtype, *results[0].shape), x, *arguments, results[1]])
    return calls


def adaptive_max_pool(dims: int) -> list[list]:
    forward = getattr(aten, f"adaptive_max_pool{dims}d")
    calls = []
    for dtype in FLOATS:
        for x in _image(dtype, dims):
            for size in ([1] * dims, [4, 3, 2][:dims], [9] * dims):
                values, indices = forward(x, size)
                calls.append([_random(dtype, *values.shape), x, indices])
    return calls


def fractional_max_pool(dims: int) -> list[list]:
    forward = getattr(aten, f"fractional_max_pool{dims}d")
    calls = []
    for dtype in FLOATS:
        x = _random(dtype, 2, 3, *(7, 6, 5)[-dims:])
        for kernel, size in (([2] * dims, [3] * dims), ([1] * dims, [5, 4, 4][-dims:])):
            samples = torch.rand(2, 3, dims, dtype=torch.float64).to(dtype).clamp(max=0.9)
            values, indices = forward(x, kernel, size, samples)
            calls.append([_random(dtype, *values.shape), x, kernel, size, indices])
    return calls


def avg_pool(dims: int) -> list[list]:
    forward = getattr(aten, f"avg_pool{dims}d")
    calls = []
    for dtype in FLOATS:
        for x in _image(dtype, dims):
            for kernel, stride, padding in _windows(dims):
                for ceil_mode, count_pad, divisor in ((False, True, None), (True, False, None), (False, True, 5)):
                    arguments = [kernel, stride, padding, ceil_mode, count_pad, divisor]
                    values = _try(forward, x, *arguments)
                    if values is not None:
                        calls.append([_random(dtype, *values.shape), x, *arguments])
    return calls


def adaptive_avg_pool(dims: int) -> list[list]:
    return [
        [_random(dtype, *x.shape[:-dims], *size), x]
        for dtype in FLOATS
        for x in _image(dtype, dims)
        for size in ([1] * dims, [4, 3, 2][:dims], [9] * dims)
    ]


def _parameters(dtype: torch.dtype, n: int, count: int) -> list[torch.Tensor]:
    return [_random(dtype, n) for _ in range(count)]


def layer_norm() -> list[list]:
    calls = []
    for dtype in FLOATS:
        for shape, normalized in (((4, 6), [6]), ((2, 3, 5, 7), [5, 7]), ((3, 300), [300]), ((2, 0, 4), [4])):
            x = _random(dtype, *shape)
            weight, bias = _random(dtype, *normalized), _random(dtype, *normalized)
            statistics = aten.native_layer_norm(x, normalized, weight, bias, 1e-5)[1:]
            calls.append([_random(dtype, *shape), x, normalized, *statistics, weight, bias, [True] * 3])
    return calls


def group_norm() -> list[list]:
    calls = []
    for dtype in FLOATS:
        for shape, groups in (((2, 6, 5, 3), 3), ((3, 4, 70), 1), ((1, 8, 2, 2, 2), 8)):
            x = _random(dtype, *shape)
            batch, channels = shape[:2]
            pixels = x[0, 0].numel()
            weight, bias = _parameters(dtype, channels, 2)
            for given in (weight, None):
                arguments = [batch, channels, pixels, groups]
                statistics = aten.native_group_norm(x, given, bias, *arguments, 1e-5)[1:]
                calls.append([_random(dtype, *shape), x, *statistics, given, *arguments, [True] * 3])
    return calls


def batch_norm() -> list[list]:
    calls = []
    for dtype in FLOATS:
        for shape in ((5, 3), (2, 3, 5, 4), (3, 4, 70), (2, 2, 3, 4, 5)):
            x = _random(dtype, *shape)
            weight, bias, mean = _parameters(dtype, shape[1], 3)
            variance = _random(dtype, shape[1]).abs() + 0.5
            for train in (True, False):
                saved = aten.native_batch_norm(x, weight, bias, mean.clone(), variance.clone(), train, 0.1, 1e-5)[1:]
                arguments = [mean, variance, *saved, train, 1e-5, [True] * 3]
                calls.append([_random(dtype, *shape), x, weight, *arguments])
    return calls


def convolution() -> list[list]:
    """Ordinary, strided and padded, dilated, grouped and transposed ones over one to three dimensions."""
    calls = []
    for dtype, dims in itertools.product(FLOATS, (1, 2, 3)):
        sizes = [9, 8, 7][:dims]
        for channels, outputs, groups, kernel, stride, padding, dilation, transposed, extra in (
            (3, 4, 1, 3, 1, 0, 1, False, 0),
            (4, 6, 2, 2, 2, 1, 1, False, 0),
            (4, 4, 4, 3, 1, 2, 2, False, 0),
            (3, 4, 1, 3, 1, 0, 1, True, 0),
            (4, 6, 2, 3, 2, 1, 1, True, 1),
        ):
            x = _random(dtype, 2, channels, *sizes)
            shape = [channels, outputs // groups] if transposed else [outputs, channels // groups]
            weight = _random(dtype, *shape, *[kernel] * dims)
            geometry = [[stride] * dims, [padding] * dims, [dilation] * dims, transposed, [extra] * dims, groups]
            values = _try(aten.convolution, x, weight, None, *geometry)
            if values is not None:
                calls.append([_random(dtype, *values.shape), x, weight, [outputs], *geometry, [True] * 3])
    return calls


# Argument lists by operator.
CALLS = {
    "aten::convolution_backward.out": convolution,
    "aten::native_layer_norm_backward.out": layer_norm,
    "aten::native_group_norm_backward.out": group_norm,
    "aten::native_batch_norm_backward.out": batch_norm,
    "aten::max_pool2d_with_indices_backward.grad_input": lambda: max_pool(2),
    "aten::max_pool3d_with_indices_backward.grad_input": lambda: max_pool(3),
    "aten::adaptive_max_pool2d_backward.grad_input": lambda: adaptive_max_pool(2),
    "aten::adaptive_max_pool3d_backward.grad_input": lambda: adaptive_max_pool(3),
    "aten::fractional_max_pool2d_backward.grad_input": lambda: fractional_max_pool(2),
    "aten::fractional_max_pool3d_backward.grad_input": lambda: fractional_max_pool(3),
    "aten::avg_pool2d_backward.grad_input": lambda: avg_pool(2),
    "aten::avg_pool3d_backward.grad_input": lambda: avg_pool(3),
    "aten::_adaptive_avg_pool2d_backward.out": lambda: adaptive_avg_pool(2),
    "aten::_adaptive_avg_pool3d_backward.out": lambda: adaptive_avg_pool(3),
    "aten::adaptive_avg_pool3d_backward.grad_input": lambda: adaptive_avg_pool(3),
}
