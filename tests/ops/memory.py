"""Tensors whose memory ends where the process may not read on, so that a kernel that leaves its tensors is caught."""

import ctypes
import mmap

import torch

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

PAGE = mmap.PAGESIZE
FILL = 0xA5
_CHECKED_BEFORE = 256  # bytes in front of a tensor that must stay as they are


def is_dense(tensor: torch.Tensor) -> bool:
    """Whether the elements fill one stretch of memory, in any order of dimensions."""
    step = 1
    for d in sorted((d for d in range(tensor.dim()) if tensor.shape[d] != 1), key=tensor.stride):
        if tensor.stride(d) != step:
            return tensor.numel() == 0
        step *= tensor.shape[d]
    return True


def dim_order(tensor: torch.Tensor) -> list[int]:
    """Dimensions from the outermost to the innermost in memory; natural order where that describes it too."""
    if tensor.is_contiguous():
        return list(range(tensor.dim()))
    return sorted(range(tensor.dim()), key=lambda d: -tensor.stride(d))


def strides_of(sizes: list[int], order: list[int]) -> list[int]:
    strides, step = [0] * len(sizes), 1
    for d in reversed(order):
        strides[d] = step
        step *= max(sizes[d], 1)
    return strides


class Guarded:
    """A dense tensor in pages of its own. `close` it after the last use of the tensor."""

    def __init__(self, sizes: list[int], order: list[int], dtype: torch.dtype):
        numel = 1
        for size in sizes:
            numel *= size
        self.order = order
        self._bytes = numel * dtype.itemsize
        self._pages = (self._bytes + _CHECKED_BEFORE + PAGE - 1) // PAGE * PAGE
        self._base = _libc.mmap(None, self._pages + PAGE, 3, 0x22, -1, 0)
        if self._base in (None, ctypes.c_void_p(-1).value):
            raise MemoryError(f"no memory for a tensor of {self._bytes} bytes")
        _libc.mprotect(self._base + self._pages, PAGE, 0)
        self._start = self._base + self._pages - self._bytes
        ctypes.memset(self._start - _CHECKED_BEFORE, FILL, self._bytes + _CHECKED_BEFORE)
        if numel == 0:
            self.flat = torch.empty(0, dtype=dtype)
        else:
            raw = (ctypes.c_char * self._bytes).from_address(self._start)
            self.flat = torch.frombuffer(raw, dtype=dtype, count=numel)
        self.tensor = self.flat.as_strided(sizes, strides_of(sizes, order))

    @classmethod
    def like(cls, tensor: torch.Tensor) -> "Guarded":
        """Not filled. Lies as the tensor does where that is dense."""
        order = dim_order(tensor) if is_dense(tensor) else list(range(tensor.dim()))
        return cls(list(tensor.shape), order, tensor.dtype)

    @classmethod
    def copy_of(cls, tensor: torch.Tensor) -> "Guarded":
        guarded = cls.like(tensor)
        guarded.tensor.copy_(tensor)
        return guarded

    def with_sizes(self, sizes: list[int]) -> torch.Tensor:
        """The tensor after the kernel has changed its sizes."""
        return self.flat.as_strided(sizes, strides_of(sizes, self.order))

    def damage(self) -> str | None:
        """What was written in front of the tensor, if anything."""
        before = ctypes.string_at(self._start - _CHECKED_BEFORE, _CHECKED_BEFORE)
        return None if before == bytes([FILL]) * _CHECKED_BEFORE else "wrote in front of a tensor's memory"

    def close(self) -> None:
        _libc.munmap(self._base, self._pages + PAGE)
