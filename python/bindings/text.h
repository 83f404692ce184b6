// Text that comes from a file, and so need not be UTF-8.
#pragma once

#include <string_view>

#include <nanobind/nanobind.h>

namespace executorch::python {

/// The text as a Python string; bytes that are no UTF-8 are shown as \xNN.
inline nanobind::str to_str(std::string_view text) {
  return nanobind::steal<nanobind::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

}  // namespace executorch::python
