"""Applications in C++ against the installed package: one project, linked in every way that the package promises."""

import itertools
import shutil

import pytest

from building import ADD_MUL, ANSWER, CONSUMER, EXAMPLE, PROGRAMS, build, cmakes, dynamic, generators, loaded_from, run, write_project
from conftest import DATA

DELEGATED = PROGRAMS / "delegated_scale" / "model.pte"
KERNELS = "libexecutorch_optimized_native_cpu_ops_lib.so.1"


@pytest.fixture(scope="module")
def apps(package, tmp_path_factory):
    """The folder with all applications of the consumer project."""
    return build(package, CONSUMER, tmp_path_factory.mktemp("consumer"), f"-DEXAMPLE={EXAMPLE}", *generators()["make"])


@pytest.mark.parametrize("cmake, generator", list(itertools.product(cmakes(), generators())))
def test_example_builds_and_runs(package, tmp_path, cmake, generator):
    folder = build(package, EXAMPLE, tmp_path, *generators()[generator], cmake=cmake)
    assert run(folder / "my_app", ADD_MUL) == ANSWER
    # An older CMake must write the same text into its build files.
    assert dynamic(folder / "my_app", "RUNPATH")[0].startswith(f"$ORIGIN:$ORIGIN/../lib:{package}/lib")


@pytest.mark.parametrize("name", ["my_app", "aggregate", "alias_of_kernels", "by_variables"])
def test_operators_are_there(apps, name):
    assert run(apps / name, ADD_MUL) == ANSWER


@pytest.mark.parametrize("name", ["aggregate", "by_variables"])
def test_aggregate_leaves_opt_in_operators_out(apps, name):
    needed = dynamic(apps / name, "NEEDED")
    assert KERNELS in needed and "libexecutorch_backend_xnnpack.so" in needed and "libexecutorch_etdump.so" in needed
    assert not [library for library in needed if "kernels_quantized" in library or "kernels_llm" in library]


def test_opt_in_operators_are_kept(apps):
    needed = dynamic(apps / "opt_in", "NEEDED")
    assert "libexecutorch_kernels_quantized.so" in needed and "libexecutorch_kernels_llm.so" in needed and KERNELS not in needed


def test_opt_in_operators_are_registered(package, tmp_path):
    source = write_project(tmp_path / "source", """
find_package(executorch REQUIRED COMPONENTS kernels_quantized kernels_llm)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE executorch::runtime executorch::kernels_quantized executorch::kernels_llm)
""", main="""
#include <executorch/runtime/kernel/operator_registry.h>
int main() {
  using executorch::runtime::registry_has_op_function;
  return registry_has_op_function("quantized_decomposed::add.out") && registry_has_op_function("llama::custom_sdpa.out") &&
                 !registry_has_op_function("aten::add.out") ? 0 : 1;
}
""")  # fmt: skip
    run(build(package, source, tmp_path / "build") / "app")


def test_runtime_alone_names_what_is_missing(apps):
    output = run(apps / "runtime_alone", ADD_MUL, expect=1)
    assert "aten::" in output and "executorch::kernels" in output
    assert dynamic(apps / "runtime_alone", "NEEDED").count("libexecutorch.so") == 1
    assert not {KERNELS, "libexecutorch_backend_xnnpack.so"} & set(loaded_from(apps / "runtime_alone"))


@pytest.mark.parametrize("name", ["delegate", "alias_of_delegate"])
def test_delegated_program_needs_the_delegate_alone(apps, name):
    assert run(apps / name, DELEGATED) == "2 6 12 20\n"
    assert KERNELS not in loaded_from(apps / name)


def test_bundled_program_is_verified(apps):
    """As test_bundled.py does from Python: test case 2 expects zeros."""
    bundle = DATA / "bundled" / "model.bpte"
    assert run(apps / "bundled", bundle, "0") == run(apps / "bundled", bundle, "1") == "as expected\n"
    assert "test case 2: output 0: element [0, 0] is" in run(apps / "bundled", bundle, "2", expect=1)
    assert "number 3 does not exist" in run(apps / "bundled", bundle, "3", expect=1)
    assert "BP08" in run(apps / "bundled", ADD_MUL, "0", expect=1)


def test_missing_delegate_is_named(apps):
    output = run(apps / "no_delegate", DELEGATED, expect=1)
    assert "XnnpackBackend" in output and "link executorch::backend_xnnpack" in output and "import" in output


def test_linker_that_drops_unused_libraries_keeps_kernels(apps):
    assert run(apps / "dropping", ADD_MUL) == ANSWER
    needed = dynamic(apps / "dropping", "NEEDED")
    assert KERNELS in needed and not [library for library in needed if "unused" in library]


def test_found_at_run_time_in_order(package, apps, tmp_path):
    """Beside the application, in ../lib, in the package; and the environment wins over them."""
    assert not dynamic(apps / "my_app", "RPATH")
    (places,) = dynamic(apps / "my_app", "RUNPATH")
    assert places.split(":")[:3] == ["$ORIGIN", "$ORIGIN/../lib", str(package / "lib")]
    assert set(loaded_from(apps / "my_app").values()) == {f"{package}/lib/{name}" for name in loaded_from(apps / "my_app")}

    other = tmp_path / "other"
    shutil.copytree(package / "lib", other, ignore=shutil.ignore_patterns("cmake", "pkgconfig"))
    places = loaded_from(apps / "my_app", LD_LIBRARY_PATH=str(other))
    assert all(place == f"{other}/{name}" for name, place in places.items()) and KERNELS in places


@pytest.fixture
def moved(package, apps, tmp_path):
    """The application as installed with its libraries, then moved elsewhere."""
    run(cmakes()[0], "--install", apps, "--prefix", tmp_path / "installed")
    return (tmp_path / "installed").rename(tmp_path / "moved")


def test_application_moves_with_its_libraries(moved):
    assert run(moved / "bin" / "my_app", ADD_MUL) == ANSWER
    assert dynamic(moved / "bin" / "my_app", "RUNPATH")[0].startswith("$ORIGIN:$ORIGIN/../lib:")
    assert all(place.startswith(str(moved)) for place in loaded_from(moved / "bin" / "my_app").values())
    for library in (moved / "lib").iterdir():
        library.rename(moved / "bin" / library.name)
    places = loaded_from(moved / "bin" / "my_app")
    assert all(place == f"{moved}/bin/{name}" for name, place in places.items()) and KERNELS in places


def test_whole_package_moves(package, tmp_path):
    copy = tmp_path / "sdk"
    for part in ("lib", "include", "share"):
        shutil.copytree(package / part, copy / part)
    folder = build(copy, EXAMPLE, tmp_path / "build")
    assert run(folder / "my_app", ADD_MUL) == ANSWER
    assert all(place.startswith(str(copy)) for place in loaded_from(folder / "my_app").values())


@pytest.mark.parametrize("flags", ["", "-Wl,--as-needed -Wl,--gc-sections -flto"])
def test_plain_makefile(package, tmp_path, flags):
    """Make and pkg-config alone, with a linker that drops what is not used as well."""
    shutil.copy(EXAMPLE / "main.cpp", tmp_path)
    (tmp_path / "Makefile").write_text(f"""
EXECUTORCH := PKG_CONFIG_PATH={package}/lib/pkgconfig pkg-config
CXXFLAGS := -std=c++17 $(shell $(EXECUTORCH) --cflags executorch_kernels)
my_app: main.cpp
\t$(CXX) $(CXXFLAGS) {flags} $< -o $@ $(shell $(EXECUTORCH) --libs executorch_kernels)
""")
    run("make", "-C", tmp_path)
    assert run(tmp_path / "my_app", ADD_MUL) == ANSWER
    (places,) = dynamic(tmp_path / "my_app", "RUNPATH")
    assert [part for part in places.split(":") if part.startswith("$")][:2] == ["$ORIGIN", "$ORIGIN/../lib"]
    assert not dynamic(tmp_path / "my_app", "RPATH")
    run(tmp_path / "my_app", ADD_MUL, LD_BIND_NOW="1")


def test_every_component_has_a_pkg_config_file(package):
    from test_cmake_package import ALL_COMPONENTS

    names = sorted(path.stem for path in (package / "lib" / "pkgconfig").glob("*.pc"))
    assert names == sorted(f"executorch_{name}" for name in ALL_COMPONENTS)
    for name in names:
        where = {"PKG_CONFIG_PATH": str(package / "lib" / "pkgconfig")}
        assert "libexecutorch" in run("pkg-config", "--libs", name, **where)
        assert "ET_USE_THREADPOOL" in run("pkg-config", "--cflags", name, **where) or name == "executorch_threadpool"
