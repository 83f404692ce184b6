#include "bundled_module.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/error_message.h>

#include "bindings.h"
#include "devtools/bundled_program/closeness.h"
#include "errors.h"

namespace nb = nanobind;
using executorch::runtime::Error;
using executorch::runtime::Result;

namespace executorch::python {

using bundled_program::BundledValue;
using bundled_program::check_close;

namespace {

Bundle read_bundle(const nb::object& buffer) {
  const ByteView bytes = view_bytes(buffer);
  auto bundle = Bundle::read(bytes.data, bytes.size);
  ET_RAISE_UNLESS_OK(bundle.error(), "Failed to load bundled program, error: 0x%x",
                     static_cast<unsigned>(bundle.error()));
  return *bundle;
}

std::vector<Input> test_inputs(const Bundle& bundle, const std::string& method, int64_t test_case) {
  auto values = bundle.inputs(method, test_case);
  ET_RAISE_UNLESS_OK(values.error(), "Method execution failed with status 0x%x",
                     static_cast<unsigned>(values.error()));
  std::vector<Input> inputs(values->size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].value = (*values)[i].value;
    inputs[i].tensor = std::move((*values)[i].tensor);
  }
  return inputs;
}

/// An output as the runtime's value: text and lists, which bundles cannot expect, as an empty text.
BundledValue value_of(const Output& output) {
  switch (output.kind) {
    case Output::Kind::None:
      return {};
    case Output::Kind::Int:
      return {runtime::EValue(output.integer), nullptr};
    case Output::Kind::Bool:
      return {runtime::EValue(output.integer != 0), nullptr};
    case Output::Kind::Double:
      return {runtime::EValue(output.real), nullptr};
    case Output::Kind::Tensor: {
      const OutputTensor& found = output.tensor;
      BundledValue value;
      value.tensor = extension::make_tensor_ptr(
          std::vector<aten::SizesType>(found.sizes.begin(), found.sizes.end()), found.data, {},
          std::vector<aten::StridesType>(found.strides.begin(), found.strides.end()), found.dtype);
      value.value = runtime::EValue(*value.tensor);
      return value;
    }
    case Output::Kind::String:
    case Output::Kind::List:
      break;
  }
  static aten::ArrayRef<char> nothing;
  return {runtime::EValue(&nothing), nullptr};
}

Error check_outputs(const std::vector<Output>& outputs, const std::vector<BundledValue>& expected,
                    double rtol, double atol) {
  ET_REQUIRE(outputs.size() == expected.size(), InvalidArgument,
             "the method has %zu outputs, the test case expects %zu", outputs.size(),
             expected.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const BundledValue found = value_of(outputs[i]);
    const Error error = check_close(found.value, expected[i].value, rtol, atol);
    if (error == Error::Ok) continue;
    runtime::add_error_context("output %zu", i);
    return error;
  }
  return Error::Ok;
}

}  // namespace

PyBundledModule::PyBundledModule(nb::handle buffer)
    : buffer_(stable_buffer(buffer)), bundle_(read_bundle(buffer_)) {}

Source PyBundledModule::program_source() const {
  const size_t begin = bundle_.program_offset();
  PyObject* whole = PyMemoryView_FromObject(buffer_.ptr());
  if (whole == nullptr) throw nb::python_error();
  const nb::object view = nb::steal(whole);
  return source_from(view[nb::slice(static_cast<Py_ssize_t>(begin),
                                    static_cast<Py_ssize_t>(begin + bundle_.program().size()))]);
}

PyModule& PyBundledModule::module() {
  if (!module_)
    module_ = std::make_unique<PyModule>(ProgramSession::open(program_source(), {}, {}));
  return *module_;
}

nb::list verify_bundled(PyModule& module, const Bundle& bundle, const std::string& name,
                        int64_t test_case, double rtol, double atol) {
  std::vector<Input> inputs = test_inputs(bundle, name, test_case);
  const std::shared_ptr<MethodSession> method = module.method(name);
  const char* stage = "";
  auto outputs = run_converted(*method, inputs, true, kNoTimeout, false, &stage);
  ET_RAISE_UNLESS_OK(outputs.error(), "Method execution failed with status 0x%x",
                     static_cast<unsigned>(outputs.error()));
  const auto expected = bundle.expected_outputs(name, test_case);
  ET_RAISE_UNLESS_OK(expected.error(), "Result verification failed with status 0x%x",
                     static_cast<unsigned>(expected.error()));
  const Error error = check_outputs(*outputs, *expected, rtol, atol);
  if (error != Error::Ok)
    runtime::add_error_context("method '%s', test case %lld", name.c_str(),
                               static_cast<long long>(test_case));
  ET_RAISE_UNLESS_OK(error, "Result verification failed with status 0x%x",
                     static_cast<unsigned>(error));
  return to_list(std::move(*outputs));
}

void load_bundled_input(PyModule& module, const Bundle& bundle, const std::string& name,
                        int64_t test_case) {
  std::vector<Input> inputs = test_inputs(bundle, name, test_case);
  const std::shared_ptr<MethodSession> method = module.method(name);
  Error error;
  {
    const nb::gil_scoped_release unlocked;
    const std::lock_guard<std::mutex> turn(method->mutex());
    error = method->set_inputs(inputs);
  }
  ET_RAISE_UNLESS_OK(error, "load_bundled_input failed with status 0x%x",
                     static_cast<unsigned>(error));
}

void bind_bundled(nb::module_& m) {
  nb::class_<PyBundledModule>(m, "BundledModule",
                              "A program with test inputs and the outputs to expect.")
      .def(
          "verify_result_with_bundled_expected_output",
          [](PyBundledModule& self, const std::string& method, int64_t test_case, double rtol,
             double atol) {
            return verify_bundled(self.module(), self.bundle(), method, test_case, rtol, atol);
          },
          nb::arg("method_name"), nb::arg("testset_idx"), nb::arg("rtol") = 1e-5,
          nb::arg("atol") = 1e-8,
          "Runs a test case and returns the outputs. Raises RuntimeError when one is further than "
          "atol + rtol * "
          "|expected| from what the bundle expects.");
  m.def(
      "_load_bundled_program_from_buffer",
      [](nb::handle buffer, size_t) { return std::make_unique<PyBundledModule>(buffer); },
      nb::arg("buffer"), nb::arg("non_const_pool_size") = 16384,
      "Reads a bundled program (.bpte). Memory is sized by the program, whatever "
      "non_const_pool_size says.");
}

}  // namespace executorch::python
