"""Reads what the dynamic linker sees of an ELF file: names, dependencies, run paths and symbols."""

from __future__ import annotations

import dataclasses
import os
import struct

_DYNAMIC, _NOBITS, _DYNSYM = 6, 8, 11  # section types
_NEEDED, _SONAME, _RPATH, _RUNPATH = 1, 14, 15, 29  # tags
_GLOBAL, _UNDEFINED = 1, 0
_NAME_LIMIT = 256  # of a section


@dataclasses.dataclass
class Library:
    """A shared library or program."""

    path: str
    soname: str | None = None
    needed: list[str] = dataclasses.field(default_factory=list)
    rpath: str | None = None
    runpath: str | None = None
    #: Symbols that it defines and shows, weak ones (inline functions) left out.
    defined: set[str] = dataclasses.field(default_factory=set)
    #: Symbols that it takes from others and cannot do without.
    undefined: set[str] = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class _Section:
    name: int  # place in the table of names
    type: int
    offset: int
    size: int
    link: int
    entry: int


def _unpack(form: str, data: bytes | memoryview, place: int) -> tuple:
    """As struct.unpack_from, which knows places of a machine word only."""
    if place > len(data):
        raise ValueError(f"byte {place} is wanted, the file has {len(data)}")
    return struct.unpack_from(form, data, place)


def _sections(data: bytes | memoryview, order: str, wide: bool) -> list[_Section]:
    head = _unpack(order + ("Q" if wide else "I"), data, 40 if wide else 32)[0]
    size, count = _unpack(order + "HH", data, 58 if wide else 46)
    sections = []
    for index in range(count):
        fields = _unpack(order + ("IIQQQQIIQQ" if wide else "10I"), data, head + index * size)
        sections.append(_Section(fields[0], fields[1], fields[4], fields[5], fields[6], fields[9]))
    return sections


def _text(data: bytes, table: _Section, offset: int) -> str:
    start = table.offset + offset
    return data[start : data.index(b"\0", start)].decode(errors="replace")


def _read_dynamic(data: bytes, order: str, wide: bool, section: _Section, names: _Section, library: Library) -> None:
    entry = order + ("qQ" if wide else "iI")
    for place in range(section.offset, section.offset + section.size, struct.calcsize(entry)):
        tag, value = _unpack(entry, data, place)
        if tag == _NEEDED:
            library.needed.append(_text(data, names, value))
        elif tag == _SONAME:
            library.soname = _text(data, names, value)
        elif tag == _RPATH:
            library.rpath = _text(data, names, value)
        elif tag == _RUNPATH:
            library.runpath = _text(data, names, value)


def _read_symbols(data: bytes, order: str, wide: bool, section: _Section, names: _Section, library: Library) -> None:
    entry = order + ("IBBHQQ" if wide else "IIIBBH")
    for place in range(section.offset, section.offset + section.size, section.entry):
        fields = _unpack(entry, data, place)
        name, info, home = (fields[0], fields[1], fields[3]) if wide else (fields[0], fields[3], fields[5])
        if info >> 4 == _GLOBAL:
            (library.undefined if home == _UNDEFINED else library.defined).add(_text(data, names, name))


def section_places(data: memoryview) -> list[tuple[str, int, int]]:
    """Name, place and size of each section of an ELF file that has bytes in it. ValueError when the file is damaged."""
    try:
        wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
        sections = _sections(data, order, wide)
        if not sections:
            return []
        names = sections[_unpack(order + "H", data, 62 if wide else 50)[0]]
        places = []
        for section in sections[1:]:
            if section.type == _NOBITS:
                continue
            if section.offset + section.size > len(data):
                raise ValueError(f"a section of {section.size} bytes begins at byte {section.offset}, the file has {len(data)}")
            start = names.offset + section.name
            text, end, _ = bytes(data[start : start + _NAME_LIMIT]).partition(b"\0")
            if not end:
                raise ValueError("the name of a section does not end")
            places.append((text.decode(errors="replace"), section.offset, section.size))
        return places
    except (struct.error, IndexError) as error:
        raise ValueError(str(error)) from error


def read(path: str | os.PathLike) -> Library | None:
    """What a file is to the dynamic linker; None when it is no ELF file. A damaged one is a ValueError."""
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
        file.seek(0)
        data = file.read()
    library = Library(os.fspath(path))
    try:
        wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
        sections = _sections(data, order, wide)
        for section in sections:
            if section.type == _DYNAMIC:
                _read_dynamic(data, order, wide, section, sections[section.link], library)
            elif section.type == _DYNSYM:
                _read_symbols(data, order, wide, section, sections[section.link], library)
    except (struct.error, IndexError, ValueError) as error:
        raise ValueError(f"{library.path} is damaged: {error}") from error
    return library
