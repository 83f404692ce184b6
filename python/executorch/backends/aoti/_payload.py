"""The payload of a delegate call, and the file around it."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import struct
from typing import Any, List, Sequence, Tuple

_MAGIC = b"ETAOTICPU1"
_ALIGNMENT = 16


@dataclasses.dataclass
class Dim:
    """A size: factor * symbol + summand, or fixed."""

    least: int
    most: int
    symbol: int = -1
    factor: int = 1
    summand: int = 0


@dataclasses.dataclass
class Tensor:
    """An input or output. Outputs need no symbols."""

    dtype: int
    dims: List[Dim]
    dim_order: List[int]

    @property
    def dynamic(self) -> bool:
        return any(dim.least != dim.most for dim in self.dims)

    def spec(self) -> Tuple[int, List[int], List[int], bool]:
        """As the writer of programs takes it."""
        return self.dtype, [dim.most for dim in self.dims], self.dim_order, self.dynamic


@dataclasses.dataclass
class Constant:
    """A constant with the bytes of its storage."""

    fqn: str
    dtype: int
    offset: int
    sizes: Sequence[int]
    strides: Sequence[int]
    data: bytes
    written: bool

    @property
    def key(self) -> str:
        """Constants of the same bytes share them, whichever method they belong to."""
        return f"aoti_weight:{hashlib.sha256(self.data).hexdigest()}"


@dataclasses.dataclass
class Method:
    name: str
    code: bytes
    instruction_set: str
    producer: str
    constants: List[Constant]
    inputs: List[Tensor]
    outputs: List[Tensor]

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.code).hexdigest()

    @property
    def code_key(self) -> str:
        return f"{self.digest}_so_blob"


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def _constant(constant: Constant) -> bytes:
    rank = len(constant.sizes)
    head = _text(constant.fqn) + _text(constant.key) + struct.pack("<Qiiq", len(constant.data), constant.dtype, 0, constant.offset)
    return head + struct.pack(f"<I{2 * rank}q", rank, *constant.sizes, *constant.strides)


def _input(tensor: Tensor) -> bytes:
    parts = [struct.pack("<iI", tensor.dtype, len(tensor.dims))]
    for dim, place in zip(tensor.dims, tensor.dim_order):
        parts.append(struct.pack("<qqiqqI", dim.least, dim.most, dim.symbol, dim.factor, dim.summand, place))
    return b"".join(parts)


def payload(method: Method) -> bytes:
    """See cpu_manifest.h, which reads it."""
    written = [i for i, constant in enumerate(method.constants) if constant.written]
    parts = [_MAGIC, _text(method.code_key), _text(method.instruction_set), _text(method.producer)]
    parts.append(struct.pack("<I", len(method.constants)))
    parts += map(_constant, method.constants)
    parts.append(struct.pack(f"<I{len(written)}I", len(written), *written))
    parts.append(struct.pack("<I", len(method.inputs)))
    parts += map(_input, method.inputs)
    parts.append(struct.pack("<I", len(method.outputs)))
    parts += [struct.pack("<iI", tensor.dtype, len(tensor.dims)) for tensor in method.outputs]
    return b"".join(parts)


def write(methods: Sequence[Method], path: str | os.PathLike, backend: str) -> None:
    """Writes a program file whole or not at all."""
    from executorch.extension.pybindings import _portable_lib

    blobs: dict[str, bytes] = {}
    for method in methods:
        blobs[method.code_key] = method.code
        for constant in method.constants:
            if constant.data:
                blobs[constant.key] = constant.data
    calls: List[Any] = [
        (m.name, backend, payload(m), [t.spec() for t in m.inputs], [t.spec() for t in m.outputs]) for m in methods
    ]
    keys = sorted(blobs)
    head = _portable_lib._write_delegated_program(calls, [(key, i) for i, key in enumerate(keys)], [len(blobs[k]) for k in keys])
    partial = f"{os.fspath(path)}.partial"
    try:
        with open(partial, "wb") as file:
            file.write(head)
            for place, key in enumerate(keys):
                file.write(blobs[key])
                if place + 1 < len(keys):
                    file.write(b"\0" * (-len(blobs[key]) % _ALIGNMENT))
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.unlink(partial)
