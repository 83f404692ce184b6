"""Runs a recorded call of a checked-in program through an application of a minimal build and compares with PyTorch's results.

    check_program.py PROGRAM_FOLDER COMMAND...

Needs nothing but Python.
"""

import ast
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile


def floats(archive: zipfile.ZipFile, name: str) -> bytes:
    """The elements of a float32 array in row-major order."""
    content = archive.read(name)
    (length,) = struct.unpack_from("<H", content, 8)
    header = ast.literal_eval(content[10 : 10 + length].decode("latin1"))
    assert content[6] == 1 and header["descr"] == "<f4" and not header["fortran_order"], header
    return content[10 + length :]


def main(folder: pathlib.Path, command: list[str]) -> None:
    with zipfile.ZipFile(folder / "calls.npz") as archive, tempfile.TemporaryDirectory() as scratch:
        names = [name for name in archive.namelist() if name.startswith("c0_")]
        inputs = []
        for name in (name for name in names if name.startswith("c0_in")):
            inputs.append(pathlib.Path(scratch) / name)
            inputs[-1].write_bytes(floats(archive, name))
        expected = b"".join(floats(archive, name) for name in names if name.startswith("c0_out"))
        result = subprocess.run([*command, folder / "model.pte", *inputs], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{command}: {result.stdout}{result.stderr}")
    found = [float(line) for line in result.stdout.split()]
    wanted = struct.unpack(f"<{len(expected) // 4}f", expected)
    if len(found) != len(wanted) or not all(math.isclose(f, w, rel_tol=1e-4, abs_tol=1e-5) for f, w in zip(found, wanted)):
        sys.exit(f"{folder.name}: found {found[:8]}, expected {wanted[:8]}")
    print(f"{folder.name}: {len(found)} numbers are PyTorch's")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
