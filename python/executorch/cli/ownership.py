"""Checks of libraries: what a process has once has one owner, and everything is found from where it lies."""

from __future__ import annotations

import os
from typing import Iterable

from executorch.cli import elf

# What a process has once -> a function that only its owner defines.
OWNED = {
    "operator registry": "_ZN10executorch7runtime16register_kernelsENS0_4SpanIKNS0_6KernelEEE",
    "backend registry": "_ZN10executorch7runtime16register_backendERKNS0_7BackendE",
    "platform layer": "_ZN10executorch7runtime12get_pal_implEv",
    "thread pool": "_ZN10executorch9extension10threadpool14get_threadpoolEv",
    "compute": "_ZN10executorch7compute10active_isaEv",
    "CPU operators": "_ZN10executorch7kernels26cpu_operators_registrationEv",
    "quantised operators": "_ZN10executorch7kernels32quantized_operators_registrationEv",
    "language model operators": "_ZN10executorch7kernels26llm_operators_registrationEv",
    "profiler": "_ZN10executorch6etdump9ETDumpGen10log_evalueERKNS_7runtime6EValueENS2_16LoggedEValueTypeE",
}

# The same of accelerators, whose libraries are in some packages.
OWNED_BY_ACCELERATORS = {
    "CUDA shims": "aoti_torch_get_current_cuda_stream",
    "caller's CUDA stream": "_ZN10executorch9extension4cuda15getCallerStreamEv",
}


def libraries_in(folder: str) -> list[elf.Library]:
    """The libraries and programs below a folder, links left out."""
    found = []
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(base, name)
            if not os.path.islink(path) and os.path.isfile(path) and (library := elf.read(path)) is not None:
                found.append(library)
    return found


def owners(libraries: Iterable[elf.Library]) -> dict[str, list[str]]:
    """Who owns what: the paths, by role; roles of accelerators where there is an owner."""
    result: dict[str, list[str]] = {role: [] for role in OWNED}
    for library in libraries:
        for role, symbol in (OWNED | OWNED_BY_ACCELERATORS).items():
            if symbol in library.defined:
                result.setdefault(role, []).append(library.path)
    return result


def _ours(name: str) -> bool:
    return name.startswith(("libexecutorch", "libaoti_"))


def _double_owners(libraries: list[elf.Library]) -> list[str]:
    problems = [
        f"the {role} has {len(paths)} owners, a process may have one: {', '.join(paths)}"
        for role, paths in owners(libraries).items()
        if len(paths) > 1
    ]
    copies: dict[str, list[str]] = {}
    for library in libraries:
        if library.soname and _ours(library.soname):
            copies.setdefault(library.soname, []).append(library.path)
    reported = {path for problem in problems for path in problem.partition(": ")[2].split(", ")}
    for name, paths in copies.items():
        if len(paths) > 1 and not set(paths) <= reported:
            problems.append(f"{name} is there {len(paths)} times: {', '.join(paths)}")
    return problems


def _search_folders(library: elf.Library) -> list[str]:
    origin = os.path.dirname(os.path.abspath(library.path))
    path = library.runpath or library.rpath or ""
    return [os.path.normpath(part.replace("$ORIGIN", origin).replace("${ORIGIN}", origin)) for part in path.split(":") if part]


def _path_problems(library: elf.Library) -> list[str]:
    """Of one of our libraries, or of a library or program that needs one."""
    name = os.path.basename(library.path)
    problems = []
    if _ours(name):
        if library.soname != name:
            problems.append(f"{library.path} calls itself {library.soname or 'nothing'} (SONAME), not {name}")
        if library.rpath is not None:
            problems.append(f"{library.path} has an RPATH, which LD_LIBRARY_PATH cannot win over: {library.rpath}")
        for part in (library.runpath or "").split(":"):
            if library.runpath is not None and not part.startswith(("$ORIGIN", "${ORIGIN}")):
                problems.append(f"{library.path} looks for libraries in {part or 'the working directory'}, not relative to itself")
    folders = _search_folders(library)
    for needed in library.needed:
        if _ours(needed) and not any(os.path.exists(os.path.join(folder, needed)) for folder in folders):
            where = ", ".join(folders) or "no folder of its own"
            problems.append(f"{library.path} needs {needed} and does not find it: it looks in {where}")
    return problems


def check_folder(folder: str) -> list[str]:
    """What is wrong with the libraries of a package or an application: a sentence each."""
    libraries = libraries_in(folder)
    if not any(_ours(os.path.basename(library.path)) for library in libraries):
        return [f"{folder} holds no library of ExecuTorch"]
    problems = _double_owners(libraries)
    for library in libraries:
        problems += _path_problems(library)
    return problems
