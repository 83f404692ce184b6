"""Builds applications against the installed package and looks into what came out."""

import os
import pathlib
import re
import shutil
import subprocess

from conftest import DATA, ROOT

EXAMPLE = ROOT / "examples" / "cpp"
CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
PROGRAMS = DATA / "programs"
ADD_MUL = PROGRAMS / "add_mul" / "model.pte"
# [[1, 2], [3, 4]] @ itself + itself
ANSWER = "8 12 18 26\n"


def cmakes() -> list[str]:
    """The newest CMake (of the build environment), the system's, and the oldest that PyPI has of those that the package
    serves, which `./dev test-release` installs."""
    found = [str(ROOT / ".venv-build" / "bin" / "cmake"), "/usr/bin/cmake", str(ROOT / ".venv-cmake-oldest" / "bin" / "cmake")]
    return [path for path in found if os.access(path, os.X_OK)] or [shutil.which("cmake")]


def generators() -> dict[str, list[str]]:
    """The options that select a generator, by its name, for those that can run here."""
    ninja = shutil.which("ninja", path=f"{ROOT / '.venv-build' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    found = {"make": ["-GUnix Makefiles"]} if shutil.which("make") else {}
    return found | ({"ninja": ["-GNinja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]} if ninja else {})


def run(*command, cwd=None, expect=0, **environment) -> str:
    """Runs a command outside of the caller's library path; its output, with the errors where it is to fail."""
    env = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"} | environment
    result = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, env=env)
    assert result.returncode == expect, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout + (result.stderr if expect else "")


def configure(package, source, folder, *options, cmake=None, expect=0) -> str:
    """Configures a project that finds the package through the prefix path, unless an option says otherwise."""
    where = [] if any("executorch_DIR" in str(option) for option in options) else [f"-DCMAKE_PREFIX_PATH={package}"]
    return run(cmake or cmakes()[0], "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *where, *options, expect=expect)


def build(package, source, folder, *options, cmake=None, target="all") -> pathlib.Path:
    """Configures and builds a project; the folder of what was built."""
    configure(package, source, folder, *options, cmake=cmake)
    run(cmake or cmakes()[0], "--build", folder, "--target", target)
    return folder


def write_project(folder, lists: str, **sources: str) -> pathlib.Path:
    """Writes a project of a few lines: sources by the stem of their names."""
    folder.mkdir(exist_ok=True)
    (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.19)\nproject(app LANGUAGES CXX)\n" + lists)
    for stem, text in sources.items():
        (folder / f"{stem}.cpp").write_text(text)
    return folder


def dynamic(binary, tag: str) -> list[str]:
    """The values of a tag of the dynamic section: NEEDED, SONAME, RUNPATH, RPATH."""
    return re.findall(rf"\({tag}\).*\[(.*)\]", run("readelf", "-d", "-W", binary))


def loaded_from(binary, **environment) -> dict[str, str]:
    """Where the dynamic linker finds our libraries, by file name."""
    lines = re.findall(r"^\s*(libexecutorch\S*) => (\S+)", run("ldd", binary, **environment), re.MULTILINE)
    return dict(lines)
