"""What the shipped libraries define, import and need."""

import pathlib
import re
import shutil
import subprocess

import pytest

# Mangled fragment of a process-wide function -> the one library that defines it.
OWNERS = {
    "executorch7runtime16register_backend": "libexecutorch.so",
    "executorch7runtime16register_kernels": "libexecutorch.so",
    "executorch7runtime25register_operator_library": "libexecutorch.so",
    "executorch7runtime12register_pal": "libexecutorch.so",
    "executorch7runtime12get_pal_impl": "libexecutorch.so",
    "executorch9extension10threadpool14get_threadpool": "libexecutorch_threadpool.so",
    "executorch9extension12parallel_for": "libexecutorch_threadpool.so",
    "executorch6etdump9ETDumpGenC": "libexecutorch_etdump.so",
    "executorch7kernels26cpu_operators_registration": "libexecutorch_optimized_native_cpu_ops_lib.so.1",
    "executorch7kernels32quantized_operators_registration": "libexecutorch_kernels_quantized.so",
    "executorch7kernels26llm_operators_registration": "libexecutorch_kernels_llm.so",
}
COMPONENTS = ["libexecutorch.so", "libexecutorch_threadpool.so", "libexecutorch_compute.so",
              "libexecutorch_optimized_native_cpu_ops_lib.so.1", "libexecutorch_kernels_quantized.so",
              "libexecutorch_kernels_llm.so", "libexecutorch_backend_xnnpack.so", "libexecutorch_etdump.so"]  # fmt: skip


def _shipped(package: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in package.rglob("*.so*") if path.is_file())


def _defined(library: pathlib.Path) -> str:
    return subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout


def _dynamic(library: pathlib.Path) -> str:
    return subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module", autouse=True)
def binutils():
    assert shutil.which("nm") and shutil.which("readelf"), "binutils are needed"


def test_every_component_is_shipped(package):
    names = {path.name for path in (package / "lib").iterdir() if path.is_file()}
    assert set(COMPONENTS) <= names


@pytest.mark.parametrize("symbol", sorted(OWNERS))
def test_one_owner(package, symbol):
    definers = [path.name for path in _shipped(package) if re.search(rf" [TW] .*{symbol}", _defined(path))]
    assert definers == [OWNERS[symbol]]


def test_extension_is_thin(package):
    (extension,) = (package / "extension" / "pybindings").glob("_portable_lib*.so")
    assert extension.stat().st_size < 1_000_000
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", _dynamic(extension))
    for library in ["libexecutorch.so", "libexecutorch_threadpool.so", "libexecutorch_optimized_native_cpu_ops_lib.so.1",
                    "libexecutorch_backend_xnnpack.so", "libexecutorch_etdump.so"]:
        assert library in needed
    assert not [library for library in needed if "kernels_" in library], "opt-in libraries are loaded by import"


def test_soname_is_file_name_and_runpath_is_relative(package):
    for library in (package / "lib").glob("*.so*"):
        text = _dynamic(library)
        assert re.findall(r"\(SONAME\).*\[(.*)\]", text) == [library.name]
        assert "(RPATH)" not in text
        for entry in re.findall(r"\(RUNPATH\).*\[(.*)\]", text):
            assert all(part.startswith("$ORIGIN") for part in entry.split(":")), f"{library.name}: {entry}"
        assert "libstdc++.so.6" in text or library.name == "libexecutorch_threadpool.so"


def test_no_path_of_the_build_machine(package):
    source = str(pathlib.Path(__file__).resolve().parents[2]).encode()
    for path in [*_shipped(package), *package.rglob("*.cmake"), *package.rglob("*.pc")]:
        assert source not in path.read_bytes(), f"{path.name} names the build folder"


def test_opt_in_libraries_need_no_other_operators(package):
    for name in ("libexecutorch_kernels_quantized.so", "libexecutorch_kernels_llm.so"):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", _dynamic(package / "lib" / name))
        assert "libexecutorch.so" in needed and not [library for library in needed if "ops_lib" in library]


def test_exports_nothing_of_third_parties(package):
    for library in (package / "lib").glob("*.so*"):
        strangers = [line for line in _defined(library).splitlines() if re.search(r" [TWVu] _ZN?K?(S|11flatbuffers)", line)
                     and "executorch" not in line and "torch8executor" not in line]  # fmt: skip
        strong = [line for line in strangers if " T " in line]
        assert not strong, f"{library.name} exports {strong[:5]}"
