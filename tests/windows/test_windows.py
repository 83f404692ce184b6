"""The package as cross-compiled for Windows: exports, and applications under wine. `./dev test-windows` runs this.

EXECUTORCH_WINDOWS_PACKAGE names the folder that the preset `windows` installs into, EXECUTORCH_LINUX_LIBRARIES the folder with the
libraries of the same source for Linux.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import DATA, ROOT

PACKAGE = os.environ.get("EXECUTORCH_WINDOWS_PACKAGE")
pytestmark = pytest.mark.skipif(PACKAGE is None, reason="needs the package for Windows: ./dev test-windows")

PREFIX = "x86_64-w64-mingw32-"
PROGRAMS = DATA / "programs"
# What only one system has, and why.
ONLY_ON_WINDOWS = {
    # POSIX calls over the Windows API (executorch/extension/data_loader/mman_windows.h).
    "libexecutorch.dll": {"mmap", "munmap", "mprotect", "msync", "mlock", "munlock"},
}


def run(*command, cwd=None, expect=0, **environment) -> str:
    result = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, env={**os.environ, **environment})
    assert result.returncode == expect, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout + (result.stderr if expect else "")


@pytest.fixture(scope="module")
def package() -> pathlib.Path:
    return pathlib.Path(PACKAGE)


def dlls() -> list[pathlib.Path]:
    return sorted((pathlib.Path(PACKAGE or "/nowhere") / "lib").glob("*.dll"))


def test_components_are_there(package):
    components = re.findall(r"^executorch_component\(\n  (\w+)", (ROOT / "src" / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert len(dlls()) == len(components) >= 9
    assert sorted(path.name for path in (package / "lib").glob("*.dll.a")) == [f"{path.name}.a" for path in dlls()]


# ---- exports ----


def demangled(names: set[str]) -> set[str]:
    """The names as C++ writes them, without what differs between the systems: which types have 64 bits, and what the C
    library calls its types."""
    text = subprocess.run(["c++filt"], input="\n".join(sorted(names)), capture_output=True, text=True, check=True).stdout
    for ours, theirs in ((r"\blong long\b", "long"), (r"\b__va_list_tag\*", "char*"), (r"\b_iobuf\b", "_IO_FILE")):
        text = re.sub(ours, theirs, text)
    return set(text.splitlines())


def exported_from_dll(dll: pathlib.Path) -> set[str]:
    table = run(f"{PREFIX}objdump", "-p", dll).partition("[Ordinal/Name Pointer] Table")[2]
    return set(re.findall(r"^\s+\[\s*\d+\](?: \+base\[\s*\d+\]\s+\w+)? (\S+)$", table, re.MULTILINE))


def exported_from_library(dll: pathlib.Path, kinds: str) -> set[str]:
    """Of the same component for Linux, symbols of kinds as nm has them: what headers declare with the macro of their library."""
    folder = pathlib.Path(os.environ["EXECUTORCH_LINUX_LIBRARIES"])
    (library,) = folder.glob(f"{dll.stem}.so*")
    lines = re.findall(r"^\w+ ([A-Za-z]) (\S+)$", run("nm", "-D", "--defined-only", library), re.MULTILINE)
    return {name for kind, name in lines if kind in kinds}


@pytest.mark.parametrize("dll", dlls(), ids=lambda path: path.stem)
def test_exports_are_the_public_list(dll):
    """All that is strong for Linux, and nothing that is unknown there. The hooks of the platform are weak."""
    theirs, weak = demangled(exported_from_library(dll, "TBDR")), demangled(exported_from_library(dll, "WV"))
    ours = demangled(exported_from_dll(dll))
    component = next(name for name in ours if name.endswith("_anchor"))
    allowed = {component} | ONLY_ON_WINDOWS.get(dll.name, set())
    assert len(theirs) > 0
    missing = theirs - ours
    assert not missing, f"{dll.name} does not export {sorted(missing)[:20]}"
    # A class is exported with its inline functions, which Linux has as weak symbols or not at all.
    strangers = {name for name in ours - theirs - weak - allowed if "executorch" not in name and "torch" not in name}
    assert not strangers, f"{dll.name} exports {sorted(strangers)[:20]}"


@pytest.mark.parametrize("dll", dlls(), ids=lambda path: path.stem)
def test_needs_our_libraries_and_the_system_alone(dll):
    needed = set(re.findall(r"DLL Name: (\S+)", run(f"{PREFIX}objdump", "-p", dll)))
    ours = {path.name for path in dlls()}
    compiler = {"libstdc++-6.dll", "libgcc_s_seh-1.dll", "libwinpthread-1.dll"}
    assert needed - ours - compiler <= {"KERNEL32.dll", "msvcrt.dll", "ADVAPI32.dll", "bcrypt.dll"}


# ---- applications ----


@pytest.fixture(scope="module")
def dll_path(package) -> str:
    """Where wine finds our libraries and the compiler's."""
    runtime = {pathlib.Path(run(f"{PREFIX}g++-posix", f"-print-file-name={name}").strip()).resolve().parent
               for name in ("libstdc++-6.dll", "libwinpthread-1.dll")}  # fmt: skip
    return ";".join(f"Z:{folder}" for folder in [package / "lib", *sorted(runtime)])


def build(package, folder, source: str, lists: str) -> pathlib.Path:
    """Cross-compiles a project of one file, main.cpp, as its user would."""
    (folder / "main.cpp").write_text(source)
    (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.19)\nproject(my_app LANGUAGES CXX)\n" + lists)
    tools = ROOT / ".venv-build" / "bin"
    run(tools / "cmake", "-S", folder, "-B", folder / "build", "-GNinja", f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}",
        "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_SYSTEM_NAME=Windows", "-DCMAKE_SYSTEM_PROCESSOR=x86_64",
        f"-DCMAKE_CXX_COMPILER={PREFIX}g++-posix", f"-DCMAKE_PREFIX_PATH={package}")  # fmt: skip
    run(tools / "cmake", "--build", folder / "build")
    return folder / "build" / "my_app.exe"


def block(language: str) -> str:
    (text,) = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    return text


def test_ten_line_application(package, dll_path, tmp_path):
    """The README's. It uses no symbol of the operators: their anchor keeps them."""
    application = build(package, tmp_path, block("cpp"), block("cmake"))
    shutil.copy(PROGRAMS / "add_mul" / "model.pte", tmp_path / "model.pte")
    run("wine", application, cwd=tmp_path, WINEPATH=dll_path)
    imported = run(f"{PREFIX}objdump", "-p", application)
    assert "libexecutorch_optimized_native_cpu_ops_lib.dll" in imported and "libexecutorch.dll" in imported


def test_runtime_alone_names_what_is_missing(package, dll_path, tmp_path):
    example = (ROOT / "examples" / "cpp" / "main.cpp").read_text()
    lists = block("cmake").replace(" executorch::kernels", "")
    application = build(package, tmp_path, example, lists)
    output = run("wine", application, PROGRAMS / "add_mul" / "model.pte", WINEPATH=dll_path, expect=1)
    assert "aten::" in output and "executorch::kernels" in output


@pytest.mark.parametrize("instruction_set", ["baseline", "avx2", "avx512"])
def test_instruction_sets(package, dll_path, tmp_path, instruction_set):
    """A convolutional network: vectors on the stack, threads, packed weights."""
    source = """
#include <cstdio>
#include <vector>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/error_message.h>
using namespace executorch::extension;
int main(int, char** argv) {
  Module module(argv[1]);
  const auto meta = module.method_meta("forward");
  if (!meta.ok()) return std::printf("%s\\n", executorch::runtime::last_error_message()), 1;
  std::vector<TensorPtr> tensors;
  std::vector<executorch::runtime::EValue> inputs;
  for (size_t i = 0; i < meta->num_inputs(); ++i) {
    const auto info = meta->input_tensor_meta(i);
    std::vector<float> values(info->nbytes() / 4);
    for (size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k * 37 % 19) / 19 - 0.5f;
    tensors.push_back(make_tensor_ptr({info->sizes().begin(), info->sizes().end()}, values));
    inputs.emplace_back(tensors.back());
  }
  const auto outputs = module.forward(inputs);
  if (!outputs.ok()) return std::printf("%s\\n", executorch::runtime::last_error_message()), 1;
  for (const auto& output : *outputs)
    for (ssize_t k = 0; k < output.toTensor().numel(); ++k)
      std::printf("%.6g\\n", output.toTensor().const_data_ptr<float>()[k]);
}
"""
    program = PROGRAMS / "convnet" / "model.pte"
    application = build(package, tmp_path, source, block("cmake"))
    found = [float(word) for word in run("wine", application, program, WINEPATH=dll_path, EXECUTORCH_CPU=instruction_set).split()]

    import numpy as np
    from executorch.runtime import Runtime

    method = Runtime.get().load_program(program).load_method("forward")
    infos = [method.metadata.input_tensor_meta(i) for i in range(method.metadata.num_inputs())]
    inputs = [((np.arange(np.prod(info.sizes())) * 37 % 19).astype(np.float32) / np.float32(19) - np.float32(0.5)).reshape(info.sizes())
              for info in infos]  # fmt: skip
    expected = np.concatenate([np.asarray(output).ravel() for output in method.execute(inputs)])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
