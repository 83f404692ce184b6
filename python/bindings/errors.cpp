#include "errors.h"

#include <cstdarg>
#include <cstdio>
#include <string>

#include <executorch/runtime/core/error_message.h>

#include "text.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

// Live as long as the module; Python owns the classes.
PyObject* g_classes[3];

std::string format_text(const char* format, va_list arguments) {
  char buffer[512];
  const int length = std::vsnprintf(buffer, sizeof(buffer), format, arguments);
  return length < 0 ? std::string(format) : std::string(buffer);
}

}  // namespace

void raise(runtime::Error error, ExceptionKind kind, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string what = format_text(format, arguments);
  va_end(arguments);

  std::string text = runtime::last_error_message();
  if (!text.empty()) text += "\n  ";
  text += what;
  PyObject* type = g_classes[static_cast<int>(kind)];
  nb::object exception = nb::borrow(type)(to_str(text));
  exception.attr("code") = static_cast<int>(error);
  PyErr_SetObject(type, exception.ptr());
  throw nb::python_error();
}

void bind_errors(nb::module_& m) {
  const struct {
    const char* name;
    PyObject* base;
    const char* doc;
  } classes[] = {
      {"ExecuTorchError", PyExc_RuntimeError,
       "An error of the runtime. `code` is its number in error.h."},
      {"ExecuTorchIndexError", PyExc_IndexError,
       "An index that the runtime refuses. `code` is its number in error.h."},
      {"ExecuTorchKeyError", PyExc_KeyError,
       "A name that the program lacks. `code` is its number in error.h."},
  };
  for (int i = 0; i < 3; ++i) {
    const std::string full =
        std::string("executorch.extension.pybindings._portable_lib.") + classes[i].name;
    nb::object type = nb::steal(
        PyErr_NewExceptionWithDoc(full.c_str(), classes[i].doc, classes[i].base, nullptr));
    type.attr("code") = 0;
    m.attr(classes[i].name) = type;
    g_classes[i] = type.release().ptr();
  }
}

}  // namespace executorch::python
