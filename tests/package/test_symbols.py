"""What the shipped libraries define, import and need."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from building import dynamic, run
from conftest import ROOT

# Mangled fragment of a process-wide function -> the one library that defines it.
OWNERS = {
    "executorch7runtime16register_backend": "libexecutorch.so",
    "executorch7runtime16register_kernels": "libexecutorch.so",
    "executorch7runtime25register_operator_library": "libexecutorch.so",
    "executorch7runtime12register_pal": "libexecutorch.so",
    "executorch7runtime12get_pal_impl": "libexecutorch.so",
    "et_pal_emit_log_message": "libexecutorch.so",
    "executorch7runtime18last_error_message": "libexecutorch.so",
    "executorch7runtime22profiling_create_block": "libexecutorch.so",
    "executorch7compute10active_isa": "libexecutorch_compute.so",
    "executorch10threadpool3run": "libexecutorch_threadpool.so",
    "executorch9extension10threadpool14get_threadpool": "libexecutorch_threadpool.so",
    "executorch9extension12parallel_for": "libexecutorch_threadpool.so",
    "executorch6etdump9ETDumpGenC": "libexecutorch_etdump.so",
    "executorch15bundled_program16get_program_data": "libexecutorch_bundled_program.so",
    "executorch7kernels26cpu_operators_registration": "libexecutorch_optimized_native_cpu_ops_lib.so.1",
    "executorch7kernels32quantized_operators_registration": "libexecutorch_kernels_quantized.so",
    "executorch7kernels26llm_operators_registration": "libexecutorch_kernels_llm.so",
}
# What a process has once, as variables that no library shows -> the library that holds it.
STATE = {
    "executorch::runtime::internal::registry_state": "libexecutorch.so",
    "executorch::runtime::(anonymous namespace)::backends": "libexecutorch.so",
    "executorch::threadpool::(anonymous namespace)::pool": "libexecutorch_threadpool.so",
    "executorch::backends::xnnpack::(anonymous namespace)::backend": "libexecutorch_backend_xnnpack.so",
    "executorch::backends::aoti::(anonymous namespace)::backend": "libexecutorch_backend_aoti_cpu.so",
    "executorch::kernels::cpu_operators_registration()::result": "libexecutorch_optimized_native_cpu_ops_lib.so.1",
    "executorch::kernels::quantized_operators_registration()::result": "libexecutorch_kernels_quantized.so",
    "executorch::kernels::llm_operators_registration()::result": "libexecutorch_kernels_llm.so",
}
COMPONENTS = ["libexecutorch.so", "libexecutorch_threadpool.so", "libexecutorch_compute.so",
              "libexecutorch_optimized_native_cpu_ops_lib.so.1", "libexecutorch_kernels_quantized.so",
              "libexecutorch_kernels_llm.so", "libexecutorch_backend_xnnpack.so", "libexecutorch_etdump.so",
              "libexecutorch_backend_aoti_cpu.so", "libaoti_cpu_shims.so", "libexecutorch_bundled_program.so"]  # fmt: skip


def _shipped(package: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in package.rglob("*.so*") if path.is_file())


def _defined(library: pathlib.Path) -> str:
    return subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module", autouse=True)
def binutils():
    assert shutil.which("nm") and shutil.which("readelf"), "binutils are needed"


def test_components_are_shipped_and_nothing_else(package):
    assert {path.name for path in (package / "lib").iterdir()} == {*COMPONENTS, "cmake", "pkgconfig"}


@pytest.mark.parametrize("symbol", sorted(OWNERS))
def test_one_owner(package, symbol):
    definers = [path.name for path in _shipped(package) if re.search(rf" [TW] .*{symbol}", _defined(path))]
    assert definers == [OWNERS[symbol]]


def test_no_symbol_has_two_owners(package):
    """Of all libraries: an inline function, which each of them may carry, is weak."""
    owners = {}
    for path in _shipped(package):
        for symbol in re.findall(r"^\w+ [TDBR] (\S+)$", _defined(path), re.MULTILINE):
            owners.setdefault(symbol, []).append(path.name)
    assert len(owners) > 500
    assert {symbol: names for symbol, names in owners.items() if len(names) > 1} == {}


def test_hidden_state_has_one_owner():
    """In the libraries as built: those that are installed are the same without the names of what they hide."""
    holders = {}
    for path in sorted((ROOT / "build" / "release" / "lib").glob("libexecutorch*.so*")):
        for name in re.findall(r"^\w+ [bdBD] (.+)$", run("nm", "-C", path), re.MULTILINE):
            if name in STATE:
                holders.setdefault(name, []).append(path.name)
    assert holders == {name: [library] for name, library in STATE.items()}


@pytest.fixture(scope="module")
def extension(package):
    (path,) = (package / "extension" / "pybindings").glob("_portable_lib*.so")
    return path


def test_extension_imports_what_others_own(extension):
    imported = run("nm", "-D", "--undefined-only", extension)
    for symbol in ("executorch7runtime22get_registered_kernels", "executorch7runtime17get_backend_class",
                   "executorch9extension10threadpool14get_threadpool", "executorch6etdump9ETDumpGenC"):  # fmt: skip
        assert symbol in imported
    assert re.findall(r" [TDBR] (\S+)$", _defined(extension), re.MULTILINE) == ["PyInit__portable_lib"]


def test_extension_is_thin(extension):
    assert extension.stat().st_size < 1_000_000
    needed = dynamic(extension, "NEEDED")
    for library in ["libexecutorch.so", "libexecutorch_threadpool.so", "libexecutorch_optimized_native_cpu_ops_lib.so.1",
                    "libexecutorch_backend_xnnpack.so", "libexecutorch_etdump.so"]:
        assert library in needed
    assert not [library for library in needed if "kernels_" in library], "opt-in libraries are loaded by import"


def test_run_paths_are_relative(package):
    for library in _shipped(package):
        assert dynamic(library, "RPATH") == []
        (entry,) = dynamic(library, "RUNPATH")
        assert entry == ("$ORIGIN" if library.parent.name == "lib" else "$ORIGIN/../../lib"), library.name


def test_every_library_loads_alone(package):
    """In an empty environment, with every symbol resolved at once."""
    load = "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], os.RTLD_NOW)"
    for library in _shipped(package):
        subprocess.run([sys.executable, "-c", load, library], env={}, check=True)


def test_soname_is_file_name(package):
    for library in (package / "lib").glob("*.so*"):
        assert dynamic(library, "SONAME") == [library.name]
        assert "libstdc++.so.6" in dynamic(library, "NEEDED")


def test_no_path_of_the_build_machine(package):
    strange = [str(ROOT).encode(), str(pathlib.Path.home()).encode(), str(pathlib.Path(sys.base_prefix)).encode(), b"/build/"]
    for path in package.rglob("*"):
        if path.is_file() and path.suffix not in {".pyc", ".h"}:
            content = path.read_bytes()
            assert not [name for name in strange if name in content], f"{path.name} names a folder of the build machine"


def test_opt_in_libraries_need_no_other_operators(package):
    for name in ("libexecutorch_kernels_quantized.so", "libexecutorch_kernels_llm.so"):
        needed = dynamic(package / "lib" / name, "NEEDED")
        assert "libexecutorch.so" in needed and not [library for library in needed if "ops_lib" in library]


def test_exports_nothing_of_third_parties(package):
    for library in (package / "lib").glob("*.so*"):
        strangers = [line for line in _defined(library).splitlines() if re.search(r" [TWVu] _ZN?K?(S|11flatbuffers)", line)
                     and "executorch" not in line and "torch8executor" not in line]  # fmt: skip
        strong = [line for line in strangers if " T " in line]
        assert not strong, f"{library.name} exports {strong[:5]}"


def test_operators_and_their_loops_are_small(package):
    names = ("libexecutorch_optimized_native_cpu_ops_lib.so.1", "libexecutorch_compute.so")
    sizes = {name: (package / "lib" / name).stat().st_size for name in names}
    assert sum(sizes.values()) <= 4_000_000, sizes
