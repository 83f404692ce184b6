"""Reads the CUDA device code inside an ELF file: for which architectures there are machine code and PTX.

nvcc puts fat binaries into a section of the host file: `.nv_fatbin`, or `__nv_relfatbin` for relocatable device code. The section
holds containers, each a head of at least 16 bytes (magic, version, size of the head, size of what follows) and then entries (kind,
size of the head, size of the payload, architecture at byte 28). The linker pads between containers with zeros. Lengths are checked
against the bytes that are there before they are used, so that the work is bounded by the file's size.
"""

from __future__ import annotations

import dataclasses
import mmap
import os
import struct

from executorch.cli import elf

SECTIONS = (".nv_fatbin", "__nv_relfatbin")
MAGIC = 0xBA55ED50
PTX, MACHINE_CODE = 1, 2
_CONTAINER = struct.Struct("<IHHQ")
_ENTRY = struct.Struct("<HHIQ")
_ENTRY_HEAD = 32  # the last byte of what is read of an entry's head
_ARCHITECTURE = 28
_FLAGS = 40
# Code for one architecture or family alone, as sm_90a and sm_100f: it runs on no later device.
_SPECIFIC = {0x100000: "a", 0x200000: "f"}


@dataclasses.dataclass
class DeviceCode:
    """What an ELF file holds. Numbers are compute capabilities times ten: 90 is sm_90."""

    path: str
    machine_code: set[int] = dataclasses.field(default_factory=set)
    ptx: set[int] = dataclasses.field(default_factory=set)
    #: Both of those for one architecture or family alone, as 90a and 100f.
    specific: set[str] = dataclasses.field(default_factory=set)
    #: Entries of neither kind, by kind (link-time intermediate code and the like).
    other: dict[int, set[int]] = dataclasses.field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.machine_code or self.ptx or self.specific or self.other)

    def _add(self, kind: int, architecture: int, flags: int) -> None:
        suffix = "".join(letter for bit, letter in _SPECIFIC.items() if flags & bit)
        if suffix and kind in (MACHINE_CODE, PTX):
            self.specific.add(f"{architecture}{suffix}")
        elif kind == MACHINE_CODE:
            self.machine_code.add(architecture)
        elif kind == PTX:
            self.ptx.add(architecture)
        else:
            self.other.setdefault(kind, set()).add(architecture)


def _read_entries(data: memoryview, place: int, end: int, code: DeviceCode) -> None:
    while place < end:
        if end - place < _ENTRY_HEAD:
            raise ValueError(f"the entry at byte {place} is cut off")
        kind, _, head, payload = _ENTRY.unpack_from(data, place)
        if head < _ENTRY_HEAD or head > end - place or payload > end - place - head:
            raise ValueError(f"the entry at byte {place} reaches over the end of its container")
        flags = struct.unpack_from("<Q", data, place + _FLAGS)[0] if head >= _FLAGS + 8 else 0
        code._add(kind, struct.unpack_from("<I", data, place + _ARCHITECTURE)[0], flags)
        place += head + payload


def _skip_padding(data: memoryview, place: int) -> int:
    """The next byte that is not zero, in steps that the interpreter takes fast."""
    block = 4096
    while place < len(data):
        chunk = bytes(data[place : place + block])
        rest = chunk.lstrip(b"\0")
        if rest:
            return place + len(chunk) - len(rest)
        place += block
    return len(data)


def read_section(data: memoryview, code: DeviceCode) -> None:
    """Adds what a section holds. ValueError when it is damaged."""
    place = _skip_padding(data, 0)
    while place < len(data):
        if len(data) - place < _CONTAINER.size:
            raise ValueError(f"the container at byte {place} is cut off")
        magic, _, head, size = _CONTAINER.unpack_from(data, place)
        if magic != MAGIC:
            raise ValueError(f"at byte {place} a container should begin, but its magic is {magic:#x}")
        if head < _CONTAINER.size or head > len(data) - place or size > len(data) - place - head:
            raise ValueError(f"the container at byte {place} reaches over the end of its section")
        _read_entries(data, place + head, place + head + size, code)
        place = _skip_padding(data, place + head + size)


def read(path: str | os.PathLike) -> DeviceCode | None:
    """The device code of a file; None when it is no ELF file. A damaged one is a ValueError that names it."""
    path = os.fspath(path)
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
        code = DeviceCode(path)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as data:
            try:
                for name, place, size in elf.section_places(data):
                    if name not in SECTIONS:
                        continue
                    with data[place : place + size] as section:
                        read_section(section, code)
            except ValueError as error:
                raise ValueError(f"{path} is damaged: {error}") from None
    return code
