"""The CUDA shims as the C++ tests build them, for the host over the fake CUDA runtime, called from Python on torch tensors."""

import ctypes
import functools

import pytest
import torch

from conftest import ROOT

LIBRARY = ROOT / "build" / "release" / "fake_cuda" / "libcuda_shims_on_host.so"
PREFIX = "et_cudatst_"
CPU, CUDA = 0, 1
NUMBERS = {torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6,
           torch.bool: 11, torch.bfloat16: 15}  # fmt: skip
TYPES = {number: dtype for dtype, number in NUMBERS.items()}


class ShimError(Exception):
    """A shim returned the number of an error."""


@functools.cache
def library() -> ctypes.CDLL:
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} was not built: the C++ tests build it where CUDA's headers are")
    return ctypes.CDLL(str(LIBRARY))


def call(name: str, *args) -> None:
    # Handles live until the call is over, since `args` holds them.
    status = getattr(library(), PREFIX + name)(*(arg.pointer if isinstance(arg, Handle) else arg for arg in args))
    if status != 0:
        raise ShimError(f"{name}: error {status:#x}")


def numbers(values) -> ctypes.Array:
    return (ctypes.c_int64 * max(len(values), 1))(*values)


class Handle:
    """A tensor of the shim library; deleted with the object."""

    def __init__(self, pointer=None):
        self.pointer = ctypes.c_void_p(pointer)

    def __del__(self):
        if self.pointer:
            call("delete_tensor_object", self.pointer)

    @property
    def out(self):
        return ctypes.byref(self.pointer)

    def number(self, name: str, kind=ctypes.c_int64) -> int:
        value = kind()
        call(f"get_{name}", self.pointer, ctypes.byref(value))
        return value.value

    def _dims(self, name: str) -> list[int]:
        values = ctypes.POINTER(ctypes.c_int64)()
        call(f"get_{name}", self.pointer, ctypes.byref(values))
        return values[: self.number("dim")]

    def torch(self) -> torch.Tensor:
        """A copy of the elements."""
        dtype = TYPES[self.number("dtype", ctypes.c_int32)]
        sizes, strides = self._dims("sizes"), self._dims("strides")
        if self.number("numel") == 0:
            return torch.empty(sizes, dtype=dtype)
        count = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))
        data = ctypes.string_at(self.number("data_ptr", ctypes.c_void_p), count * dtype.itemsize)
        flat = torch.frombuffer(bytearray(data), dtype=dtype)
        return torch.as_strided(flat, sizes, strides).clone()

    @property
    def strides(self) -> list[int]:
        return self._dims("strides")


def borrow(tensor: torch.Tensor, device: int = CUDA) -> Handle:
    """A handle over a torch tensor's memory, which the fake takes for a device's."""
    handle = Handle()
    call("create_tensor_from_blob_v2", ctypes.c_void_p(tensor.data_ptr()), ctypes.c_int64(tensor.dim()), numbers(tensor.shape),
         numbers(tensor.stride()), ctypes.c_int64(0), NUMBERS[tensor.dtype], device, 0, handle.out, 0, None, ctypes.c_int64(0))  # fmt: skip
    handle.keep = tensor
    return handle


def empty(sizes, strides=None, dtype=torch.float32, device=CUDA) -> Handle:
    handle = Handle()
    call("empty_strided", ctypes.c_int64(len(sizes)), numbers(sizes), numbers(strides) if strides is not None else None,
         NUMBERS[dtype], device, -1, handle.out)  # fmt: skip
    return handle


def live() -> int:
    """How many tensors there are."""
    function = library().fake_cuda_live_tensors
    function.restype = ctypes.c_size_t
    return function()
