"""What find_package(executorch) promises when a project is configured."""

import shutil

import pytest

from building import cmakes, configure, run, write_project

ALL_COMPONENTS = ["runtime", "threadpool", "kernels", "kernels_quantized", "kernels_llm", "backend_xnnpack", "etdump",
                  "aoti_cpu_shims", "backend_aoti_cpu", "bundled_program"]  # fmt: skip
OPT_IN = ("kernels_quantized", "kernels_llm", "aoti_cpu_shims", "backend_aoti_cpu", "bundled_program")
AGGREGATE = [name for name in ALL_COMPONENTS if name not in OPT_IN]


@pytest.fixture
def project(package, tmp_path):
    """Configures a project of a few lines: project(lines) -> its output."""

    def configured(lines: str, *options, **how) -> str:
        return configure(package, write_project(tmp_path / "project", lines), tmp_path / "build", *options, **how)

    return configured


@pytest.fixture(scope="module")
def copy(package, tmp_path_factory):
    """A package of its own, to be damaged."""
    folder = tmp_path_factory.mktemp("sdk")
    for part in ("lib", "share"):
        shutil.copytree(package / part, folder / part)
    return folder


@pytest.mark.parametrize("cmake", cmakes())
@pytest.mark.parametrize("place", ["share/cmake", "lib/cmake/executorch"])
def test_found_in_place(package, project, cmake, place):
    text = project("find_package(executorch REQUIRED)\nmessage(STATUS \"at ${executorch_DIR}\")\n",
                   f"-Dexecutorch_DIR={package / place}", cmake=cmake)  # fmt: skip
    assert f"at {package / place}" in text


@pytest.mark.parametrize("cmake", cmakes())
def test_found_through_the_prefix_path(project, cmake):
    project("find_package(executorch REQUIRED)\n", cmake=cmake)


def test_variables_and_targets(package, project):
    text = project(f"""
find_package(executorch REQUIRED)
foreach(name IN ITEMS EXECUTORCH_FOUND executorch_FOUND EXECUTORCH_LIBRARIES EXECUTORCH_INCLUDE_DIRS
        EXECUTORCH_COMPILE_DEFINITIONS EXECUTORCH_CXX_STANDARD EXECUTORCH_RUNTIME_LIBRARY_DIR EXECUTORCH_BUILD_VERSION
        EXECUTORCH_QUANTIZED_KERNELS_LIBRARY)
  message(STATUS "${{name}} is <${{${{name}}}}>")
endforeach()
foreach(name IN ITEMS {" ".join(ALL_COMPONENTS)} kernels_optimized xnnpack_backend)
  if(NOT TARGET executorch::${{name}})
    message(FATAL_ERROR "executorch::${{name}} is no target")
  endif()
endforeach()
""")  # fmt: skip
    import executorch

    include = package / "include"
    expected = {
        "EXECUTORCH_FOUND": "TRUE",
        "executorch_FOUND": "1",
        "EXECUTORCH_LIBRARIES": ";".join(f"executorch::{name}" for name in AGGREGATE),
        "EXECUTORCH_INCLUDE_DIRS": f"{include};{include}/executorch/runtime/core/portable_type/c10",
        "EXECUTORCH_COMPILE_DEFINITIONS": "C10_USING_CUSTOM_GENERATED_MACROS;ET_EVENT_TRACER_ENABLED",
        "EXECUTORCH_CXX_STANDARD": "17",
        "EXECUTORCH_RUNTIME_LIBRARY_DIR": str(package / "lib"),
        "EXECUTORCH_BUILD_VERSION": executorch.__version__,
        "EXECUTORCH_QUANTIZED_KERNELS_LIBRARY": "executorch::kernels_quantized",
    }
    for name, value in expected.items():
        assert f"{name} is <{value}>" in text


def test_pool_macro_comes_with_the_runtime(project):
    """What is defined differently in two parts of one program must be on all of them: the runtime's target carries it."""
    project("""
find_package(executorch REQUIRED)
get_target_property(definitions executorch::runtime INTERFACE_COMPILE_DEFINITIONS)
get_target_property(links executorch::runtime INTERFACE_LINK_LIBRARIES)
if(NOT "ET_USE_THREADPOOL" IN_LIST definitions OR NOT "executorch::threadpool" IN_LIST links)
  message(FATAL_ERROR "${definitions} / ${links}")
endif()
foreach(name IN ITEMS kernels threadpool backend_xnnpack etdump)
  get_target_property(definitions executorch::${name} INTERFACE_COMPILE_DEFINITIONS)
  if("ET_USE_THREADPOOL" IN_LIST definitions)
    message(FATAL_ERROR "${name} defines it")
  endif()
endforeach()
""")  # fmt: skip


@pytest.mark.parametrize("asked, found", [("1", True), ("1.5", True), ("1.6.0", True), ("1.99", False), ("2.0", False), ("0.9", False)])
def test_version(project, asked, found):
    project(f"""
find_package(executorch {asked} QUIET)
if(NOT executorch_FOUND STREQUAL "{int(found)}" AND NOT executorch_FOUND STREQUAL "{str(found).upper()}")
  message(FATAL_ERROR "asked for {asked}: ${{executorch_FOUND}}")
endif()
""")  # fmt: skip


@pytest.mark.parametrize("component, way", [("backend_cuda", "+cu"), ("cuda_backend", "+cu"), ("aoti_cuda_shims", "wheel"), ("nonsense", "It has")])
def test_missing_component_is_named(project, component, way):
    text = project(f"find_package(executorch REQUIRED COMPONENTS runtime {component})\n", expect=1)
    assert f"'{component}'" in text and way in text


def test_optional_component_is_quiet(project):
    text = project("""
find_package(executorch COMPONENTS nonsense)
if(executorch_FOUND OR executorch_nonsense_FOUND)
  message(FATAL_ERROR "found nonsense")
endif()
find_package(executorch REQUIRED COMPONENTS kernels OPTIONAL_COMPONENTS nonsense)
if(NOT executorch_kernels_FOUND OR executorch_nonsense_FOUND)
  message(FATAL_ERROR "the optional component decides")
endif()
""")  # fmt: skip
    assert "CMake Error" not in text


def test_library_that_is_gone_is_named(copy, project):
    victim = copy / "lib" / "libexecutorch_compute.so"
    kept = victim.rename(copy / "kept")
    text = project("find_package(executorch REQUIRED)\n", f"-Dexecutorch_DIR={copy}/share/cmake", expect=1)
    kept.rename(victim)
    assert victim.name in text


def test_library_of_another_release_is_named(copy, project):
    stranger = copy / "lib" / "libexecutorch_kernels_optimized.so"
    stranger.write_bytes(b"left over")
    text = project("find_package(executorch REQUIRED)\n", f"-Dexecutorch_DIR={copy}/share/cmake", expect=1)
    stranger.unlink()
    assert stranger.name in text


def test_extension_is_no_target(project):
    project("""
find_package(executorch REQUIRED)
foreach(name IN ITEMS _portable_lib _C portable_lib compute)
  if(TARGET ${name} OR TARGET executorch::${name})
    message(FATAL_ERROR "${name} can be linked")
  endif()
endforeach()
""")  # fmt: skip
