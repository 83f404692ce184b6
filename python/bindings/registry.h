#pragma once

#include <nanobind/nanobind.h>

namespace executorch::python {

/// Operators, backends and threads of the process, and calling one operator by name.
void bind_registry(nanobind::module_& m);

/// Reading a program's contents without loading its methods.
void bind_inspection(nanobind::module_& m);

}  // namespace executorch::python
