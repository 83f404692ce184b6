"""Samples of operators on images for which PyTorch's database has few or none."""

import itertools

import torch

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def _random(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    if not dtype.is_floating_point:
        return torch.randint(0, 256, shape).to(dtype)
    return torch.randn(shape, dtype=torch.float64).to(dtype)


_SIZES = {1: [5], 2: [5, 8], 3: [3, 4, 5]}


def _resized(dims: int, has_align: bool):
    """Output sizes, align_corners where there is such an argument, and scales."""
    size = _SIZES[dims]
    targets = [[2 * n for n in size], [max(1, n // 2) for n in size], size, [1] * dims, [7, 3, 11][:dims]]
    cases = [(target, None) for target in targets]
    cases += [([max(1, int(n * scale)) for n in size], scale) for scale in (1.7, 0.6)]
    for (target, scale), align in itertools.product(cases, (False, True) if has_align else (None,)):
        yield target, ([align] if has_align else []), [scale] * dims


def resize(dims: int, has_align: bool) -> list[list]:
    return [
        [_random(dtype, *lead, *_SIZES[dims]), target, *align, *scales]
        for dtype in [*FLOATS, torch.uint8]
        for lead in ((1, 3), (2, 5))
        for target, align, scales in _resized(dims, has_align)
    ]


def resize_backward(dims: int, has_align: bool) -> list[list]:
    return [
        [_random(dtype, 2, 3, *target), target, [2, 3, *_SIZES[dims]], *align, *scales]
        for dtype in FLOATS
        for target, align, scales in _resized(dims, has_align)
    ]


_RESIZES = {
    "upsample_nearest1d": (1, False),
    "upsample_nearest2d": (2, False),
    "upsample_nearest3d": (3, False),
    "_upsample_nearest_exact1d": (1, False),
    "_upsample_nearest_exact2d": (2, False),
    "_upsample_nearest_exact3d": (3, False),
    "upsample_linear1d": (1, True),
    "upsample_bilinear2d": (2, True),
    "upsample_trilinear3d": (3, True),
    "upsample_bicubic2d": (2, True),
    "_upsample_bilinear2d_aa": (2, True),
    "_upsample_bicubic2d_aa": (2, True),
    "_upsample_lanczos2d_aa": (2, True),
}

def col2im() -> list[list]:
    calls = []
    for dtype in FLOATS:
        for size, kernel, dilation, padding, stride in (
            ([5, 6], [2, 3], [1, 1], [0, 0], [1, 1]),
            ([7, 7], [3, 2], [2, 1], [1, 2], [2, 3]),
            ([1, 4], [1, 1], [1, 1], [0, 0], [1, 1]),
        ):
            sides = zip(size, padding, dilation, kernel, stride)
            windows = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in sides]
            matrix = [4 * kernel[0] * kernel[1], windows[0] * windows[1]]
            arguments = [size, kernel, dilation, padding, stride]
            calls += [[_random(dtype, *matrix), *arguments], [_random(dtype, 3, *matrix), *arguments]]
    x, size, *rest = calls[0]
    return [*calls, [x, [5, 5], *rest], [x[1:], size, *rest], [x, [0, 6], *rest]]


def affine_grid() -> list[list]:
    return [
        [_random(dtype, 2, len(size), len(size) + 1), [2, 3, *size], align]
        for dtype in FLOATS
        for size in ([4, 5], [1, 7], [3, 4, 2])
        for align in (False, True)
    ]


def channel_shuffle() -> list[list]:
    dtypes = [*FLOATS, torch.uint8, torch.int64, torch.bool]
    shapes = ((2, 6, 3, 4), (1, 12, 5), (3, 4, 2, 2, 2))
    calls = [[_random(dtype, *shape), groups] for dtype in dtypes for shape in shapes for groups in (1, 2)]
    return [*calls, [calls[0][0], 4], [calls[0][0], 0]]


# Argument lists by operator.
CALLS = {
    "aten::col2im.out": col2im,
    "aten::affine_grid_generator.out": affine_grid,
    "aten::channel_shuffle.out": channel_shuffle,
}
for _name, _kind in _RESIZES.items():
    CALLS[f"aten::{_name}.out"] = lambda kind=_kind: resize(*kind)
    CALLS[f"aten::{_name}_backward.grad_input"] = lambda kind=_kind: resize_backward(*kind)
