"""An application in C++ against the installed package."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "cpp"
PROGRAMS = ROOT / "tests" / "data" / "programs"
ADD_MUL = PROGRAMS / "add_mul" / "model.pte"
# [[1, 2], [3, 4]] @ itself + itself
ANSWER = "8 12 18 26\n"


def _cmakes() -> list[str]:
    """The newest CMake (of the build environment), and the system's."""
    found = [str(ROOT / ".venv-build" / "bin" / "cmake"), "/usr/bin/cmake"]
    return [path for path in found if os.access(path, os.X_OK)] or [shutil.which("cmake")]


def run(*command, cwd=None, expect=0, **environment) -> str:
    env = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"} | environment
    result = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, env=env)
    assert result.returncode == expect, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout + (result.stderr if expect else "")


def build(cmake, source, folder, *options) -> pathlib.Path:
    run(cmake, "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *options)
    run(cmake, "--build", folder)
    return folder


@pytest.mark.parametrize("cmake", _cmakes())
@pytest.mark.parametrize("place", ["share/cmake", "lib/cmake/executorch", "prefix"])
def test_example_builds_runs_and_moves(package, tmp_path, cmake, place):
    where = [f"-DCMAKE_PREFIX_PATH={package}"] if place == "prefix" else [f"-Dexecutorch_DIR={package / place}"]
    folder = build(cmake, EXAMPLE, tmp_path / "build", "-GUnix Makefiles", *where)
    assert run(folder / "my_app", ADD_MUL) == ANSWER
    moved = tmp_path / "moved"
    folder.rename(moved)
    assert run(moved / "my_app", ADD_MUL) == ANSWER


def test_example_with_ninja(package, tmp_path):
    ninja = ROOT / ".venv-build" / "bin" / "ninja"
    if not ninja.exists():
        pytest.skip("ninja is not in the build environment")
    folder = build(_cmakes()[0], EXAMPLE, tmp_path / "build", "-GNinja", f"-DCMAKE_MAKE_PROGRAM={ninja}",
                   f"-DCMAKE_PREFIX_PATH={package}")  # fmt: skip
    assert run(folder / "my_app", ADD_MUL) == ANSWER


def test_whole_package_moves(package, tmp_path):
    copy = tmp_path / "sdk"
    for part in ("lib", "include", "share"):
        shutil.copytree(package / part, copy / part)
    folder = build(_cmakes()[0], EXAMPLE, tmp_path / "build", f"-DCMAKE_PREFIX_PATH={copy}")
    assert run(folder / "my_app", ADD_MUL) == ANSWER
    needed = run("ldd", folder / "my_app")
    assert str(copy) in needed and str(package) not in needed


def _configure(package, tmp_path, text, expect=0) -> str:
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.19)\nproject(app LANGUAGES CXX)\n" + text)
    return run(_cmakes()[0], "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={package}", expect=expect)


def test_missing_component_is_named(package, tmp_path):
    text = _configure(package, tmp_path, "find_package(executorch REQUIRED COMPONENTS runtime backend_cuda)\n", expect=1)
    assert "backend_cuda" in text and "wheel" in text


def test_optional_component_is_quiet(package, tmp_path):
    _configure(package, tmp_path, """
find_package(executorch COMPONENTS nonsense)
if(executorch_FOUND)
  message(FATAL_ERROR "found nonsense")
endif()
""")  # fmt: skip


def test_versions_variables_and_second_call(package, tmp_path):
    _configure(package, tmp_path, """
find_package(executorch 1.5 REQUIRED)
find_package(executorch REQUIRED COMPONENTS runtime kernels_optimized)
foreach(name IN ITEMS EXECUTORCH_FOUND executorch_FOUND EXECUTORCH_LIBRARIES EXECUTORCH_INCLUDE_DIRS
        EXECUTORCH_COMPILE_DEFINITIONS EXECUTORCH_CXX_STANDARD EXECUTORCH_RUNTIME_LIBRARY_DIR EXECUTORCH_BUILD_VERSION)
  if(NOT ${name})
    message(FATAL_ERROR "${name} is not set")
  endif()
endforeach()
foreach(target IN LISTS EXECUTORCH_LIBRARIES)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${target} is no target")
  endif()
  if(target MATCHES "quantized|llm")
    message(FATAL_ERROR "${target} is opt in")
  endif()
endforeach()
find_package(executorch 2.0 QUIET)
if(executorch_FOUND)
  message(FATAL_ERROR "claims to be version 2")
endif()
""")  # fmt: skip


def _with_libraries(package, tmp_path, libraries) -> pathlib.Path:
    """The example linked with other libraries."""
    text = (EXAMPLE / "CMakeLists.txt").read_text().replace("executorch::runtime executorch::kernels", libraries)
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(text)
    shutil.copy(EXAMPLE / "main.cpp", source)
    return build(_cmakes()[0], source, tmp_path / "build", f"-DCMAKE_PREFIX_PATH={package}")


def test_runtime_alone_names_what_is_missing(package, tmp_path):
    folder = _with_libraries(package, tmp_path, "executorch::runtime")
    output = run(folder / "my_app", ADD_MUL, expect=1)
    assert "aten::" in output and "executorch::kernels" in output


def test_opt_in_operators(package, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text("""
cmake_minimum_required(VERSION 3.19)
project(app LANGUAGES CXX)
find_package(executorch REQUIRED COMPONENTS kernels_quantized kernels_llm)
add_executable(my_app main.cpp)
target_link_libraries(my_app PRIVATE executorch::runtime executorch::kernels_quantized executorch::kernels_llm)
""")
    (source / "main.cpp").write_text("""
#include <executorch/runtime/kernel/operator_registry.h>
int main() {
  using executorch::runtime::registry_has_op_function;
  return registry_has_op_function("quantized_decomposed::add.out") && registry_has_op_function("llama::custom_sdpa.out") &&
                 !registry_has_op_function("aten::add.out") ? 0 : 1;
}
""")
    folder = build(_cmakes()[0], source, tmp_path / "build", f"-DCMAKE_PREFIX_PATH={package}")
    run(folder / "my_app")


@pytest.mark.parametrize("target", ["backend_xnnpack", "xnnpack_backend"])
def test_delegated_program_needs_the_delegate_alone(package, tmp_path, target):
    folder = _with_libraries(package, tmp_path, f"executorch::runtime executorch::{target}")
    assert run(folder / "my_app", PROGRAMS / "delegated_scale" / "model.pte") == "2 6 12 20\n"
    assert "ops_lib" not in run("ldd", folder / "my_app")


def test_missing_delegate_is_named(package, tmp_path):
    folder = _with_libraries(package, tmp_path, "executorch::runtime executorch::kernels")
    output = run(folder / "my_app", PROGRAMS / "delegated_scale" / "model.pte", expect=1)
    assert "XnnpackBackend" in output and "link executorch::backend_xnnpack" in output and "import" in output


def test_linker_that_drops_unused_libraries_keeps_kernels(package, tmp_path):
    folder = build(_cmakes()[0], EXAMPLE, tmp_path / "build", f"-DCMAKE_PREFIX_PATH={package}",
                   "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed -Wl,--gc-sections",
                   "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON")  # fmt: skip
    assert run(folder / "my_app", ADD_MUL) == ANSWER


def test_pkg_config(package, tmp_path):
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    flags = run("pkg-config", "--cflags", "--libs", "executorch_runtime", "executorch_kernels",
                PKG_CONFIG_PATH=str(package / "lib" / "pkgconfig")).split()  # fmt: skip
    run("g++", "-std=c++17", EXAMPLE / "main.cpp", "-o", tmp_path / "my_app", *flags)
    assert run(tmp_path / "my_app", ADD_MUL) == ANSWER
