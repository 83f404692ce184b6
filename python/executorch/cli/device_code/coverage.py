"""What device code a release must have, and whether it has it.

`architectures.json` beside this file holds a row for each release train (the CUDA release that a wheel is built for, as in its
local version label) and machine. The build, the wheel's metadata and this check all read it.
"""

from __future__ import annotations

import json
import os
import pathlib
from typing import Iterable

from executorch.cli.device_code import fatbin


def trains() -> dict[str, dict]:
    """Every release train: its toolkit, the package of its CUDA runtime, and its architectures by machine."""
    return json.loads((pathlib.Path(__file__).parent / "architectures.json").read_text())


def row(train: str, machine: str) -> list[int]:
    """The architectures of a train on a machine, ascending. ValueError names what is known."""
    known = trains()
    if train not in known:
        raise ValueError(f"the release train {train} is not known, there are {', '.join(known)}")
    machines = known[train]["architectures"]
    if machine not in machines:
        raise ValueError(f"{train} is not built for {machine}, it is for {', '.join(machines)}")
    return sorted(machines[machine])


def train_of_version(version: str) -> str | None:
    """The train that a version's local label names, as cu130 in 1.6.0+cu130."""
    label = version.partition("+")[2]
    return label if label.startswith("cu") else None


def _names(architectures: Iterable[int], prefix: str) -> str:
    return ", ".join(f"{prefix}_{number}" for number in sorted(architectures)) or "none"


def check(code: fatbin.DeviceCode, expected: Iterable[int]) -> list[str]:
    """What is wrong with one library's device code: a sentence each. There is machine code for each architecture of the row, no
    other, and PTX for the newest alone, which later devices compile from."""
    wanted = set(expected)
    problems = []
    if missing := wanted - code.machine_code:
        problems.append(f"{code.path} has no machine code for {_names(missing, 'sm')}")
    if extra := code.machine_code - wanted:
        problems.append(f"{code.path} has machine code for {_names(extra, 'sm')}, which the row does not list")
    if code.specific:
        names = ", ".join(f"sm_{name}" for name in sorted(code.specific))
        problems.append(f"{code.path} has code for {names} alone, which the row does not list")
    if code.ptx != {max(wanted)}:
        problems.append(f"{code.path} must have PTX for sm_{max(wanted)} alone, it has {_names(code.ptx, 'sm')}")
    if code.other:
        kinds = ", ".join(map(str, sorted(code.other)))
        problems.append(f"{code.path} has device code of unknown kind ({kinds})")
    return problems


def libraries(folder: str | os.PathLike) -> list[fatbin.DeviceCode]:
    """The ELF files below a folder that hold device code, links left out."""
    found = []
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(base, name)
            if not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) and (code := fatbin.read(path)):
                found.append(code)
    return found


def check_folder(folder: str | os.PathLike, train: str, machine: str) -> list[str]:
    """Checks every library below a folder, each by itself: one library's code does not serve another's kernels."""
    expected = row(train, machine)
    found = libraries(folder)
    if not found:
        return [f"{folder} holds no library with device code, {train} must have some"]
    return [problem for code in found for problem in check(code, expected)]
