#!/usr/bin/env python3
"""Collects the checked-in programs, data files and delegate payloads as seeds: seed_corpus.py FOLDER"""

import hashlib
import pathlib
import struct
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"


def payloads(program: bytes):
    """Payloads of XNNPACK delegates in a program's segments."""
    mark = program.find(b"XH00")
    while mark >= 4:
        header = program[mark - 4 : mark + 26]
        if len(header) == 30:
            constants, size = struct.unpack_from("<IQ", header, 18)
            yield program[mark - 4 : mark - 4 + constants + size]
        mark = program.find(b"XH00", mark + 4)


def keep(folder: pathlib.Path, content: bytes) -> None:
    if len(content) <= 65536:
        (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    for format, suffix in (("program", ".pte"), ("data", ".ptd")):
        folder = out / format
        folder.mkdir(parents=True, exist_ok=True)
        for path in DATA.rglob(f"*{suffix}"):
            keep(folder, path.read_bytes())
    folder = out / "xnnpack"
    folder.mkdir(parents=True, exist_ok=True)
    for path in DATA.rglob("*.pte"):
        for payload in payloads(path.read_bytes()):
            keep(folder, payload)


if __name__ == "__main__":
    main()
