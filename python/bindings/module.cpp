// The extension module executorch.extension.pybindings._portable_lib.
#include <nanobind/nanobind.h>

#include "bindings.h"
#include "errors.h"
#include "metadata.h"
#include "registry.h"
#include "tensors.h"

NB_MODULE(_portable_lib, m) {
  m.doc() = "Loads and runs ExecuTorch programs.";
  // Results may outlive the interpreter's teardown order; nanobind's leak report would blame the
  // user for it.
  nanobind::set_leak_warnings(false);
  executorch::python::bind_errors(m);
  executorch::python::bind_tensors(m);
  executorch::python::bind_metadata(m);
  executorch::python::bind_programs(m);
  executorch::python::bind_data_loaders(m);
  executorch::python::bind_modules(m);
  executorch::python::bind_bundled(m);
  executorch::python::bind_profiling(m);
  executorch::python::bind_registry(m);
  executorch::python::bind_inspection(m);
  executorch::python::bind_cpu(m);
  executorch::python::bind_program_writer(m);
}
