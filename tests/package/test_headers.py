"""The public headers: all of the contract are there, and each compiles when included alone."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess

import pytest

from building import run
from declarations import left_to_libraries

LIST = (pathlib.Path(__file__).parent / "public_headers.txt").read_text().split()
# Headers that need another platform.
WINDOWS_ONLY = {"executorch/extension/data_loader/mman_windows.h"}
DEFINITIONS = ["-DC10_USING_CUSTOM_GENERATED_MACROS", "-DET_EVENT_TRACER_ENABLED", "-DET_USE_THREADPOOL"]


def _compile(compiler: str, include: pathlib.Path, header: str) -> str:
    command = [compiler, "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", "-x", "c++", "-", f"-I{include}",
               f"-I{include}/executorch/runtime/core/portable_type/c10", *DEFINITIONS]  # fmt: skip
    result = subprocess.run(command, input=f"#include <{header}>\nint main() {{}}\n", capture_output=True, text=True)
    return "" if result.returncode == 0 else f"{header}: {result.stderr[:600]}"


def test_contract_is_complete(package):
    missing = [header for header in LIST if not (package / "include" / header).is_file()]
    assert not missing, f"headers of the contract that the wheel lacks: {missing}"
    assert len(LIST) == 121


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_each_header_compiles_alone(package, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    include = package / "include"
    headers = _headers(include)
    assert len(headers) >= 121 - len(WINDOWS_ONLY)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [text for text in pool.map(lambda header: _compile(compiler, include, header), headers) if text]
    assert not failures, "\n".join(failures)


def _headers(include: pathlib.Path) -> list[str]:
    names = (str(path.relative_to(include)) for path in include.rglob("*.h"))
    return sorted(name for name in names if name not in WINDOWS_ONLY)


def test_every_declaration_has_an_implementation(package):
    """What headers declare and do not define, the libraries export."""
    if shutil.which("clang++-19") is None:
        pytest.skip("clang++-19 is not installed")
    declared = left_to_libraries(["clang++-19", "-std=c++17", "-fsyntax-only", *DEFINITIONS], package / "include",
                                 _headers(package / "include"))  # fmt: skip
    exported = set()
    for library in (package / "lib").glob("*.so*"):
        exported.update(line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines())
    assert len(declared) > 300
    assert not declared - exported, f"nothing implements {run('c++filt', *sorted(declared - exported))}"


def test_aten_mode_is_refused(package):
    include = package / "include"
    command = ["g++", "-std=c++17", "-fsyntax-only", "-x", "c++", "-", f"-I{include}", "-DUSE_ATEN_LIB",
               f"-I{include}/executorch/runtime/core/portable_type/c10", *DEFINITIONS]  # fmt: skip
    code = "#include <executorch/runtime/core/exec_aten/exec_aten.h>\n"
    result = subprocess.run(command, input=code, capture_output=True, text=True)
    assert result.returncode != 0 and "USE_ATEN_LIB" in result.stderr
