"""One copy of the operators in a process: a second one is refused and named, an override is explicit."""

import shutil

import pytest

from conftest import DATA
from building import run

ADD_MUL = DATA / "programs" / "add_mul" / "model.pte"
KERNELS = "libexecutorch_optimized_native_cpu_ops_lib.so.1"

LOAD_A_COPY = """
import ctypes, sys
program, copy = sys.argv[1:]
from executorch.runtime import Runtime
Runtime.get()
ctypes.CDLL(copy, ctypes.RTLD_GLOBAL)
try:
    Runtime.get().load_program(program).load_method("forward")
except RuntimeError as error:
    print(error)
"""

OVERRIDE = """
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

using namespace executorch::runtime;

namespace {

/// Gives its first operand.
void first_operand(KernelRuntimeContext&, Span<EValue*> stack) {
  const auto& self = stack[0]->toTensor();
  std::memcpy(stack[3]->toTensor().mutable_data_ptr<float>(), self.const_data_ptr<float>(), self.nbytes());
}

const Error registered = REGISTER(Kernel("aten::add.out", first_operand));

}  // namespace

extern "C" int registration() { return static_cast<int>(registered); }
"""

RUN_ADD_MUL = """
import ctypes, sys
program, library = sys.argv[1:]
from executorch.runtime import Runtime
runtime = Runtime.get()
print(ctypes.CDLL(library).registration())
import numpy as np
a, x, b = np.float32([[1, 2], [3, 4]]), np.float32([[1, 0], [0, 1]]), np.float32([[5, 5], [5, 5]])
print(runtime.load_program(program).load_method("forward").execute([a, x, b])[0].ravel().tolist())
"""


def test_second_copy_of_the_operators_is_refused(package, tmp_path, run_python):
    copy = tmp_path / KERNELS
    shutil.copy(package / "lib" / KERNELS, copy)
    text = run_python(LOAD_A_COPY, str(ADD_MUL), str(copy), LD_LIBRARY_PATH=str(package / "lib"))
    assert str(copy) in text
    assert str(package / "lib" / KERNELS) in text
    assert "two libraries of this process carry the operator" in text


@pytest.fixture(scope="module")
def build_override(package, tmp_path_factory):
    """Compiles a library that registers a kernel of its own for an operator of ours, through the function named."""
    folder = tmp_path_factory.mktemp("override")
    source = folder / "override.cpp"
    source.write_text(OVERRIDE)

    def build(function):
        library = folder / f"lib{function}.so"
        run("g++", "-std=c++17", "-shared", "-fPIC", f"-DREGISTER={function}", f"-I{package / 'include'}",
            f"-I{package / 'include/executorch/runtime/core/portable_type/c10'}", "-DC10_USING_CUSTOM_GENERATED_MACROS",
            source, "-o", library, f"-L{package / 'lib'}", "-lexecutorch")  # fmt: skip
        return library

    return build


@pytest.mark.parametrize("plan", ["on", "off"])
def test_override_is_explicit(build_override, run_python, plan):
    def outcome(function):
        code, values = run_python(RUN_ADD_MUL, str(ADD_MUL), str(build_override(function)), EXECUTORCH_PLAN=plan).splitlines()
        return int(code), values

    # a @ x + b
    assert outcome("register_kernel") == (0x16, "[6.0, 7.0, 8.0, 9.0]")
    assert outcome("override_kernel") == (0, "[1.0, 2.0, 3.0, 4.0]")
