// MethodMeta and TensorInfo as Python sees them: values of their own, independent of the program's
// life.
#pragma once

#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include <executorch/runtime/executor/method_meta.h>

namespace executorch::python {

struct PyTensorInfo {
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
  aten::ScalarType dtype;
  bool memory_planned;
  size_t nbytes;
  std::string name;

  static PyTensorInfo from(const runtime::TensorInfo& info);
  std::string repr() const;
};

/// An input or output: its kind, and its tensor description when it is a tensor.
struct PyValueInfo {
  runtime::Tag tag;
  PyTensorInfo tensor;
};

struct PyMethodMeta {
  std::string name;
  std::vector<PyValueInfo> inputs;
  std::vector<PyValueInfo> outputs;
  std::vector<PyTensorInfo> attributes;
  std::vector<std::string> backends;
  std::vector<int64_t> arenas;
  size_t num_instructions;

  static runtime::Result<PyMethodMeta> from(const runtime::MethodMeta& meta);
};

void bind_metadata(nanobind::module_& m);

}  // namespace executorch::python
