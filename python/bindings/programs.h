#pragma once

#include <nanobind/nanobind.h>

namespace executorch::python {

/// Defines Verification, ExecuTorchProgram, ExecuTorchMethod, ExecuTorchModule and the `_load_*` functions.
void bind_programs(nanobind::module_& m);

}  // namespace executorch::python
