// BundledModule as Python holds it.
#pragma once

#include <memory>
#include <string>

#include <nanobind/nanobind.h>

#include "devtools/bundled_program/bundle.h"
#include "modules.h"

namespace executorch::python {

using bundled_program::Bundle;

/// A bundle and the bytes that it reads. Callers hold the Python lock.
class PyBundledModule {
 public:
  /// Raises RuntimeError when the bytes are no bundle.
  explicit PyBundledModule(nanobind::handle buffer);

  const Bundle& bundle() const { return bundle_; }
  /// Where the program inside the bundle comes from.
  Source program_source() const;
  /// The bundle's own module, opened at the first call.
  PyModule& module();

 private:
  nanobind::object buffer_;
  Bundle bundle_;
  std::unique_ptr<PyModule> module_;
};

/// Runs a test case and returns the outputs; raises RuntimeError when they are not close to what
/// the bundle expects.
nanobind::list verify_bundled(PyModule& module, const Bundle& bundle, const std::string& method,
                              int64_t test_case, double rtol, double atol);

/// Sets the inputs of a test case, for plan_execute(). Raises RuntimeError.
void load_bundled_input(PyModule& module, const Bundle& bundle, const std::string& method,
                        int64_t test_case);

}  // namespace executorch::python
