// What each part of the extension module defines.
#pragma once

#include <nanobind/nanobind.h>

namespace executorch::python {

/// Verification, ExecuTorchProgram, ExecuTorchMethod and the functions that open programs.
void bind_programs(nanobind::module_& m);

/// ExecuTorchModule and the functions that open modules.
void bind_modules(nanobind::module_& m);

/// PyDataLoader and the functions that make one.
void bind_data_loaders(nanobind::module_& m);

/// BundledModule: programs with test inputs and expected outputs.
void bind_bundled(nanobind::module_& m);

/// The instruction sets of the hot loops.
void bind_cpu(nanobind::module_& m);

/// Writes programs that call a delegate.
void bind_program_writer(nanobind::module_& m);

/// The legacy profiler.
void bind_profiling(nanobind::module_& m);

}  // namespace executorch::python
