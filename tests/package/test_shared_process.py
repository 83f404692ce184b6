"""A C++ extension module and our Python package in one process: one registry, one pool, one platform layer."""

import shlex
import sysconfig

import pytest

from building import ADD_MUL, run

# A Python extension module of an application, linked against the package as its C++ code would be.
NEIGHBOUR = r"""
#include <Python.h>

#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/platform.h>

using namespace executorch::runtime;
using executorch::extension::threadpool::get_threadpool;

namespace {

class Neighbour final : public BackendInterface {
  bool is_available() const override { return true; }
  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer*, ArrayRef<CompileSpec>) const override { return nullptr; }
  Error execute(BackendExecutionContext&, DelegateHandle*, Span<EValue*>) const override { return Error::Ok; }
} backend;

executorch::aten::Tensor& same_out(KernelRuntimeContext&, const executorch::aten::Tensor&, executorch::aten::Tensor& out) {
  return out;
}
EXECUTORCH_LIBRARY(neighbour, "same.out", same_out);

int looks = 0;
et_timestamp_t count_look() { return ++looks; }

PyObject* register_all(PyObject*, PyObject*) {
  PalImpl pal{};
  pal.current_ticks = count_look;
  pal.source_filename = __FILE__;
  return PyBool_FromLong(register_backend({"Neighbour", &backend}) == Error::Ok && register_pal(pal));
}
PyObject* threads(PyObject*, PyObject*) { return PyLong_FromSize_t(get_threadpool()->get_thread_count()); }
PyObject* set_threads(PyObject*, PyObject* count) {
  return PyBool_FromLong(get_threadpool()->_unsafe_reset_threadpool(static_cast<uint32_t>(PyLong_AsLong(count))));
}
PyObject* looks_at_clock(PyObject*, PyObject*) { return PyLong_FromLong(looks); }
PyObject* operators(PyObject*, PyObject*) { return PyLong_FromSize_t(get_registered_kernels().size()); }
PyObject* has_backend(PyObject*, PyObject* name) { return PyBool_FromLong(get_backend_class(PyUnicode_AsUTF8(name)) != nullptr); }
PyObject* loads(PyObject*, PyObject* path) {
  executorch::extension::Module module(PyUnicode_AsUTF8(path));
  return PyBool_FromLong(module.load_method("forward") == Error::Ok);
}

PyMethodDef methods[] = {{"register_all", register_all, METH_NOARGS, nullptr}, {"threads", threads, METH_NOARGS, nullptr},
                         {"set_threads", set_threads, METH_O, nullptr},        {"looks_at_clock", looks_at_clock, METH_NOARGS, nullptr},
                         {"operators", operators, METH_NOARGS, nullptr},       {"has_backend", has_backend, METH_O, nullptr},
                         {"loads", loads, METH_O, nullptr},                    {nullptr, nullptr, 0, nullptr}};
PyModuleDef module{PyModuleDef_HEAD_INIT, "neighbour", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_neighbour() { return PyModule_Create(&module); }
"""

TOGETHER = """
import sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[3].split(","):
    __import__(name)
import neighbour
from executorch.extension.pybindings import _portable_lib as lib
from executorch.runtime import Runtime

runtime = Runtime.get()
assert neighbour.register_all()
assert "Neighbour" in lib._get_registered_backend_names() and runtime.backend_registry.is_available("Neighbour")
assert neighbour.has_backend("XnnpackBackend")
assert "neighbour::same.out" in lib._get_operator_names() and neighbour.operators() == len(lib._get_operator_names())

assert neighbour.set_threads(3) and runtime.num_threads == 3
runtime.num_threads = 2
assert neighbour.threads() == 2

before = neighbour.looks_at_clock()
import numpy as np
lib._load_for_executorch(sys.argv[2], enable_etdump=True).run_method("forward", [np.ones((2, 2), np.float32)] * 3)
assert neighbour.looks_at_clock() > before, "Python profiles by another clock than the one that the module has set"
assert neighbour.loads(sys.argv[2])

maps = [line.split()[-1] for line in open("/proc/self/maps") if "libexecutorch" in line]
assert len(set(maps)) == len({path.rpartition("/")[2] for path in maps}), maps
"""


@pytest.fixture(scope="module")
def neighbour(package, tmp_path_factory):
    """The folder with the extension module."""
    folder = tmp_path_factory.mktemp("neighbour")
    (folder / "neighbour.cpp").write_text(NEIGHBOUR)
    flags = run("pkg-config", "--cflags", "--libs", "executorch_runtime", PKG_CONFIG_PATH=str(package / "lib" / "pkgconfig"))
    run("g++", "-std=c++17", "-shared", "-fPIC", "-O1", f"-I{sysconfig.get_path('include')}", folder / "neighbour.cpp", "-o",
        folder / f"neighbour{sysconfig.get_config_var('EXT_SUFFIX')}", *shlex.split(flags))  # fmt: skip
    return folder


@pytest.mark.parametrize("order", ["executorch.runtime,neighbour", "neighbour,executorch.runtime"])
def test_python_and_cpp_share_everything(neighbour, run_python, order):
    run_python(TOGETHER, str(neighbour), str(ADD_MUL), order)
