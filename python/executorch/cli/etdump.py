"""Reads ETDump files, the profiles that the runtime and the original write (``schema/etdump.fbs``)."""

from __future__ import annotations

import dataclasses
import os
import struct
from typing import Any, Iterator

# Numbers of ScalarType -> numpy; others cannot be logged.
_DTYPES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64", 11: "bool",
    22: "uint16", 27: "uint16",
}  # fmt: skip


class _Table:
    """A FlatBuffers table. Reading outside of the bytes raises ValueError or struct.error."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._position = position
        (back,) = struct.unpack_from("<i", data, position)
        self._vtable = position - back
        if self._vtable < 0:
            raise ValueError(f"a table's layout lies before the file, at {self._vtable}")
        (self._vtable_size,) = struct.unpack_from("<H", data, self._vtable)

    def _field(self, number: int) -> int:
        """Where a field lies; 0 when it is absent."""
        entry = 4 + 2 * number
        if entry + 2 > self._vtable_size:
            return 0
        (offset,) = struct.unpack_from("<H", self._data, self._vtable + entry)
        return self._position + offset if offset else 0

    def _target(self, number: int) -> int:
        field = self._field(number)
        return field + struct.unpack_from("<I", self._data, field)[0] if field else 0

    def number(self, number: int, kind: str, default: int = 0) -> int:
        field = self._field(number)
        return struct.unpack_from("<" + kind, self._data, field)[0] if field else default

    def table(self, number: int) -> _Table | None:
        target = self._target(number)
        return _Table(self._data, target) if target else None

    def bytes(self, number: int) -> bytes:
        start = self._target(number)
        if not start:
            return b""
        (length,) = struct.unpack_from("<I", self._data, start)
        if start + 4 + length > len(self._data):
            raise ValueError(f"a text of {length} bytes at {start} leaves the file")
        return self._data[start + 4 : start + 4 + length]

    def text(self, number: int) -> str:
        return self.bytes(number).decode(errors="replace")

    def numbers(self, number: int, kind: str) -> list[int]:
        start = self._target(number)
        if not start:
            return []
        (length,) = struct.unpack_from("<I", self._data, start)
        return list(struct.unpack_from(f"<{length}{kind}", self._data, start + 4))

    def tables(self, number: int) -> Iterator[_Table]:
        start = self._target(number)
        if not start:
            return
        (length,) = struct.unpack_from("<I", self._data, start)
        for index in range(length):
            place = start + 4 + 4 * index
            yield _Table(self._data, place + struct.unpack_from("<I", self._data, place)[0])


@dataclasses.dataclass
class Profile:
    """A span of time. Times are in the ticks of the platform layer: nanoseconds, unless the application replaced it."""

    name: str
    chain: int
    instruction: int
    start: int
    end: int
    delegated: bool  # a step of a plan or of a delegate, inside of the instruction's own span
    metadata: bytes


@dataclasses.dataclass
class Logged:
    """A value that was logged: numbers, or tensors as numpy arrays."""

    chain: int
    instruction: int
    name: str
    output: bool  # of the program
    values: list[Any]


@dataclasses.dataclass
class Block:
    """One run, ``Execute``, or what came before it."""

    name: str
    profiles: list[Profile] = dataclasses.field(default_factory=list)
    logged: list[Logged] = dataclasses.field(default_factory=list)


def _profile(event: _Table) -> Profile:
    step = event.text(4) or (str(event.number(3, "i", -1)) if event.number(3, "i", -1) != -1 else "")
    return Profile(
        step or event.text(0), event.number(1, "i"), event.number(2, "i", -1), event.number(6, "Q"), event.number(7, "Q"),
        bool(step), event.bytes(5),
    )  # fmt: skip


def _tensor(tensor: _Table, buffer: memoryview) -> Any:
    import numpy as np

    code = tensor.number(0, "b")
    if code not in _DTYPES:
        raise ValueError(f"a logged tensor has the element type number {code}, which cannot be read here")
    dtype = np.dtype(_DTYPES[code])
    sizes, strides, offset = tensor.numbers(1, "q"), tensor.numbers(2, "q"), tensor.number(3, "q")
    if not all(sizes):
        return np.empty(sizes, dtype)
    last = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    if min(sizes + strides + [offset, last], default=0) < 0 or offset + (last + 1) * dtype.itemsize > len(buffer):
        raise ValueError(f"a logged tensor of sizes {sizes} at {offset} leaves the debug buffer of {len(buffer)} bytes")
    flat = np.frombuffer(buffer, dtype, last + 1, offset)
    return np.lib.stride_tricks.as_strided(flat, sizes, [stride * dtype.itemsize for stride in strides], writeable=False)


def _logged(event: _Table, buffer: memoryview) -> Logged | None:
    value = event.table(2)
    if value is None:
        return None
    kind = value.number(0, "b")
    values: list[Any] = []
    if kind == 5 and (tensor := value.table(1)):
        values = [_tensor(tensor, buffer)]
    elif kind == 6 and (tensors := value.table(2)):
        values = [_tensor(tensor, buffer) for tensor in tensors.tables(0)]
    elif kind == 1 and (number := value.table(3)):
        values = [number.number(0, "q")]
    elif kind == 4 and (number := value.table(5)):
        values = [number.number(0, "d")]
    elif kind == 2 and (number := value.table(6)):
        values = [bool(number.number(0, "B"))]
    flag = value.table(7)
    name = event.text(4) or event.text(5)
    return Logged(event.number(0, "q"), event.number(1, "i", -1), name, bool(flag and flag.number(0, "B")), values)


def read(path: str | os.PathLike, debug_path: str | os.PathLike | None = None) -> list[Block]:
    """The blocks of a file, in order. Without its debug buffer, logged values are left out."""
    with open(path, "rb") as file:
        data = file.read()
    buffer = None
    if debug_path is not None:
        with open(debug_path, "rb") as file:
            buffer = memoryview(file.read())
    if data[8:12] != b"ED00":
        raise ValueError(f"{os.fspath(path)} is no ETDump: its identifier is {data[8:12]!r}, expected b'ED00'")
    blocks = []
    try:
        root = _Table(data[4:], struct.unpack_from("<I", data, 4)[0])
        for run in root.tables(1):
            block = Block(run.text(0))
            blocks.append(block)
            for event in run.tables(3):
                if (profile := event.table(0)) is not None:
                    block.profiles.append(_profile(profile))
                if buffer is not None and (debug := event.table(2)) is not None:
                    if (logged := _logged(debug, buffer)) is not None:
                        block.logged.append(logged)
    except struct.error as error:
        raise ValueError(f"{os.fspath(path)} is damaged: {error}") from error
    return blocks
