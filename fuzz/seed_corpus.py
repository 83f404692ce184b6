#!/usr/bin/env python3
"""Collects the checked-in programs and data files as seeds: seed_corpus.py FOLDER"""

import hashlib
import pathlib
import shutil
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    for format, suffix in (("program", ".pte"), ("data", ".ptd")):
        folder = out / format
        folder.mkdir(parents=True, exist_ok=True)
        for path in DATA.rglob(f"*{suffix}"):
            if path.stat().st_size <= 65536:
                shutil.copy(path, folder / hashlib.sha256(path.read_bytes()).hexdigest()[:16])


if __name__ == "__main__":
    main()
