// How a runtime error becomes a Python exception.
#pragma once

#include <nanobind/nanobind.h>

#include <executorch/runtime/core/error.h>

namespace executorch::python {

enum class ExceptionKind { Runtime, Index, Key };

/// Raises the exception for `error`: the runtime's sentence first, then `what` (printf-style) and
/// the code, as the original words it. Callers hold the lock.
[[noreturn]] void raise(runtime::Error error, ExceptionKind kind, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/// raise() as a RuntimeError unless `error` is Ok.
#define ET_RAISE_UNLESS_OK(error__, ...)                                                          \
  do {                                                                                            \
    const ::executorch::runtime::Error et_raise_error__ = (error__);                              \
    if (et_raise_error__ != ::executorch::runtime::Error::Ok)                                     \
      ::executorch::python::raise(et_raise_error__, ::executorch::python::ExceptionKind::Runtime, \
                                  __VA_ARGS__);                                                   \
  } while (0)

/// Defines the exception classes in the module.
void bind_errors(nanobind::module_& m);

}  // namespace executorch::python
