#include "metadata.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/tag.h>

#include "errors.h"
#include "text.h"

namespace nb = nanobind;
using executorch::runtime::Result;

namespace executorch::python {

namespace {

std::string tag_name(runtime::Tag tag) {
  char buffer[runtime::kTagNameBufferSize];
  runtime::tag_to_string(tag, buffer, sizeof(buffer));
  return buffer;
}

Result<std::vector<PyValueInfo>> read_values(const runtime::MethodMeta& meta, size_t count,
                                             bool is_input) {
  std::vector<PyValueInfo> values;
  for (size_t i = 0; i < count; ++i) {
    auto tag = is_input ? meta.input_tag(i) : meta.output_tag(i);
    if (!tag.ok()) return tag.error();
    PyValueInfo value{*tag, {}};
    if (*tag == runtime::Tag::Tensor) {
      auto info = is_input ? meta.input_tensor_meta(i) : meta.output_tensor_meta(i);
      if (!info.ok()) return info.error();
      value.tensor = PyTensorInfo::from(*info);
    }
    values.push_back(std::move(value));
  }
  return values;
}

const PyTensorInfo& tensor_at(const std::vector<PyValueInfo>& values, int64_t index,
                              const char* what) {
  if (index < 0 || index >= static_cast<int64_t>(values.size())) {
    runtime::set_error_message("%s %lld does not exist: there are %zu", what,
                               static_cast<long long>(index), values.size());
    raise(runtime::Error::InvalidArgument, ExceptionKind::Index,
          "Cannot get %s tensor meta at %lld", what, static_cast<long long>(index));
  }
  const PyValueInfo& value = values[static_cast<size_t>(index)];
  if (value.tag != runtime::Tag::Tensor) {
    runtime::set_error_message("%s %lld is no tensor but %s", what, static_cast<long long>(index),
                               tag_name(value.tag).c_str());
    raise(runtime::Error::InvalidArgument, ExceptionKind::Index,
          "Cannot get %s tensor meta at %lld", what, static_cast<long long>(index));
  }
  return value.tensor;
}

std::string repr_values(const std::vector<PyValueInfo>& values) {
  std::string text = "[";
  for (const PyValueInfo& value : values) {
    if (text.size() > 1) text += ", ";
    text +=
        "'" + (value.tag == runtime::Tag::Tensor ? value.tensor.repr() : tag_name(value.tag)) + "'";
  }
  return text + "]";
}

template <class Vector>
nb::tuple to_tuple(const Vector& values) {
  nb::list list;
  for (const auto value : values) list.append(static_cast<int64_t>(value));
  return nb::tuple(list);
}

std::vector<std::string> kinds(const std::vector<PyValueInfo>& values) {
  std::vector<std::string> names;
  for (const PyValueInfo& value : values) names.push_back(tag_name(value.tag));
  return names;
}

}  // namespace

PyTensorInfo PyTensorInfo::from(const runtime::TensorInfo& info) {
  return {{info.sizes().begin(), info.sizes().end()},
          {info.dim_order().begin(), info.dim_order().end()},
          info.scalar_type(),
          info.is_memory_planned(),
          info.nbytes(),
          std::string(info.name())};
}

std::string PyTensorInfo::repr() const {
  std::string text = "TensorInfo(sizes=[";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "], dtype=" + runtime::toString(dtype) +
         ", is_memory_planned=" + (memory_planned ? "True" : "False") +
         ", nbytes=" + std::to_string(nbytes) + ")";
}

Result<PyMethodMeta> PyMethodMeta::from(const runtime::MethodMeta& meta) {
  PyMethodMeta result;
  result.name = meta.name();
  auto inputs = read_values(meta, meta.num_inputs(), true);
  if (!inputs.ok()) return inputs.error();
  result.inputs = std::move(*inputs);
  auto outputs = read_values(meta, meta.num_outputs(), false);
  if (!outputs.ok()) return outputs.error();
  result.outputs = std::move(*outputs);
  for (size_t i = 0; i < meta.num_attributes(); ++i) {
    auto info = meta.attribute_tensor_meta(i);
    if (!info.ok()) return info.error();
    result.attributes.push_back(PyTensorInfo::from(*info));
  }
  for (size_t i = 0; i < meta.num_backends(); ++i) {
    auto name = meta.get_backend_name(i);
    if (!name.ok()) return name.error();
    result.backends.emplace_back(*name);
  }
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    auto size = meta.memory_planned_buffer_size(i);
    if (!size.ok()) return size.error();
    result.arenas.push_back(*size);
  }
  result.num_instructions = meta.num_instructions();
  return result;
}

void bind_metadata(nb::module_& m) {
  nb::class_<PyTensorInfo>(m, "TensorInfo", "What a program says of a tensor.")
      .def(
          "sizes", [](const PyTensorInfo& self) { return to_tuple(self.sizes); },
          "The shape; for a dynamic dimension its upper bound.")
      .def(
          "dim_order", [](const PyTensorInfo& self) { return to_tuple(self.dim_order); },
          "Dimensions from the outermost to the innermost in memory.")
      .def(
          "dtype", [](const PyTensorInfo& self) { return static_cast<int>(self.dtype); },
          "Element type, by its number in scalar_type.h.")
      .def(
          "is_memory_planned", [](const PyTensorInfo& self) { return self.memory_planned; },
          "True when the program gives it a place in an arena.")
      .def(
          "nbytes", [](const PyTensorInfo& self) { return self.nbytes; },
          "Size in bytes of the largest shape.")
      .def(
          "name", [](const PyTensorInfo& self) { return to_str(self.name); },
          "Fully qualified name, empty when it has none.")
      .def("__repr__", &PyTensorInfo::repr);

  nb::class_<PyMethodMeta>(m, "MethodMeta", "What a program says of a method.")
      .def("name", [](const PyMethodMeta& self) { return to_str(self.name); })
      .def("num_inputs", [](const PyMethodMeta& self) { return self.inputs.size(); })
      .def("num_outputs", [](const PyMethodMeta& self) { return self.outputs.size(); })
      .def("num_attributes", [](const PyMethodMeta& self) { return self.attributes.size(); })
      .def(
          "input_tensor_meta",
          [](const PyMethodMeta& self, int64_t index) {
            return tensor_at(self.inputs, index, "input");
          },
          nb::arg("index"), "Raises IndexError when there is no such input, or it is no tensor.")
      .def(
          "output_tensor_meta",
          [](const PyMethodMeta& self, int64_t index) {
            return tensor_at(self.outputs, index, "output");
          },
          nb::arg("index"), "Raises IndexError when there is no such output, or it is no tensor.")
      .def(
          "attribute_tensor_meta",
          [](const PyMethodMeta& self, int64_t index) {
            if (index < 0 || index >= static_cast<int64_t>(self.attributes.size())) {
              runtime::set_error_message("attribute %lld does not exist: there are %zu",
                                         static_cast<long long>(index), self.attributes.size());
              raise(runtime::Error::InvalidArgument, ExceptionKind::Index,
                    "Cannot get attribute tensor meta at %lld", static_cast<long long>(index));
            }
            return self.attributes[static_cast<size_t>(index)];
          },
          nb::arg("index"), "Raises IndexError when there is no such attribute.")
      .def(
          "input_kinds", [](const PyMethodMeta& self) { return kinds(self.inputs); },
          "The kind of each input: 'Tensor', 'Int', 'Double', …")
      .def(
          "output_kinds", [](const PyMethodMeta& self) { return kinds(self.outputs); },
          "The kind of each output.")
      .def(
          "backends",
          [](const PyMethodMeta& self) {
            nb::list names;
            for (const std::string& name : self.backends) names.append(to_str(name));
            return names;
          },
          "Delegates that the method uses.")
      .def(
          "arena_sizes", [](const PyMethodMeta& self) { return self.arenas; },
          "Bytes of planned memory, by arena.")
      .def("num_instructions", [](const PyMethodMeta& self) { return self.num_instructions; })
      .def("__repr__", [](const PyMethodMeta& self) {
        for (size_t i = 0; i < self.inputs.size(); ++i)
          tensor_at(self.inputs, static_cast<int64_t>(i), "input");
        return to_str("MethodMeta(name='" + self.name +
                      "', num_inputs=" + std::to_string(self.inputs.size()) +
                      ", input_tensor_meta=" + repr_values(self.inputs) +
                      ", num_outputs=" + std::to_string(self.outputs.size()) +
                      ", output_tensor_meta=" + repr_values(self.outputs) + ")");
      });
}

}  // namespace executorch::python
