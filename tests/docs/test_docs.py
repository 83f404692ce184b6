"""The commands and code of the README and of docs/ run as they stand."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from conftest import DATA, ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: pathlib.Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def python_blocks():
    for page in PAGES:
        for number, code in enumerate(blocks(page, "python")):
            yield pytest.param(code, id=f"{page.stem}-{number}")


@pytest.fixture
def folder(tmp_path):
    """A folder with the files that the pages speak of."""
    shutil.copy(DATA / "programs" / "add_mul" / "model.pte", tmp_path / "model.pte")
    shutil.copy(DATA / "programs" / "two_data_files" / "model.pte", tmp_path / "two_data_files.pte")
    for path in (DATA / "programs" / "two_data_files").glob("*.ptd"):
        shutil.copy(path, tmp_path / path.name)
    shutil.copy(DATA / "bundled" / "model.bpte", tmp_path / "model.bpte")
    shutil.copy(ROOT / "examples" / "digits" / "digits.pte", tmp_path / "digits.pte")
    for name in "axb":
        np.save(tmp_path / f"{name}.npy", np.ones((2, 2), np.float32))
    return tmp_path


@pytest.mark.parametrize("code", list(python_blocks()))
def test_python_blocks(code, folder):
    result = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_command_line_blocks(folder):
    commands = [line.split("#")[0].strip() for page in PAGES for code in blocks(page, "sh") for line in code.splitlines()]
    commands = [command for command in commands if command.startswith("executorch ")]
    assert len(commands) >= 3
    path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands:
        result = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path})
        assert result.returncode == 0, f"{command}: {result.stderr}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "cpp")], ids=lambda page: page.stem)
def test_cpp_blocks(page, folder, package):
    cmake = ROOT / ".venv-build" / "bin" / "cmake"
    cmake = str(cmake) if cmake.exists() else shutil.which("cmake")
    (lists,) = blocks(page, "cmake") or [(ROOT / "examples" / "cpp" / "CMakeLists.txt").read_text()]
    if "project(" not in lists:
        lists = "cmake_minimum_required(VERSION 3.19)\nproject(my_app LANGUAGES CXX)\n" + lists
    (folder / "CMakeLists.txt").write_text(lists)
    (code,) = blocks(page, "cpp")
    (folder / "main.cpp").write_text(code)
    for command in ([cmake, "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={package}"], [cmake, "--build", "build"],
                    [folder / "build" / "my_app"]):  # fmt: skip
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "make")], ids=lambda page: page.stem)
def test_makefiles(page, folder):
    (text,), (code,) = blocks(page, "make"), blocks(page, "cpp")
    (folder / "Makefile").write_text(text)
    (folder / "main.cpp").write_text(code)
    path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in (["make"], [folder / "my_app"]):
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path})
        assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert target.startswith("http") or (page.parent / target).exists(), f"{page.name} links to {target}"


def _suites() -> dict[str, set[str]]:
    """GoogleTest suites -> the names of their tests and of the rows of their tables."""
    suites = {}
    for path in (ROOT / "src").rglob("*_test.cpp"):
        text = path.read_text()
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", text, re.MULTILINE):
            suites.setdefault(suite, set()).update([name, *re.findall(r'^ +\{"(\w+)"', text, re.MULTILINE)])
    return suites


@pytest.mark.parametrize("name, least", [("hostile-files", 60), ("sdk-contract", 30)])
def test_tests_that_pages_name_exist(name, least):
    """`Suite.Name`, `Suite` followed by names of its cases, and `file.py::test`."""
    suites, functions = _suites(), {path.name: path.read_text() for path in (ROOT / "tests").rglob("*.py")}
    page = (ROOT / "docs" / f"{name}.md").read_text()
    named = re.findall(r"`(\w+)\.([A-Z]\w+)`", page)
    for suite, cases in re.findall(r"`(\w+)` ((?:[A-Z]\w+(?:, )?)+)", page):
        named += [(suite, case) for case in cases.split(", ") if case]
    assert [pair for pair in named if pair[1] not in suites.get(pair[0], ())] == []
    in_python = re.findall(r"`(\w+\.py)::(\w+)`", page)
    for file, test in in_python:
        assert f"def {test}(" in functions[file], f"{file} lacks {test}"
    assert len(named) + len(in_python) > least
