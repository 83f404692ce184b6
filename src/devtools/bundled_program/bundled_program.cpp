#include <executorch/devtools/bundled_program/bundled_program.h>

#include <cstdint>
#include <cstring>
#include <string>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/executor/program.h>

#include "devtools/bundled_program/bundle.h"
#include "devtools/bundled_program/closeness.h"

namespace executorch {
namespace bundled_program {

using runtime::Error;
using runtime::Method;
using runtime::Program;

namespace {

constexpr size_t kIdentifierOffset = 4;
constexpr char kIdentifier[] = "BP08";

/// Where a tensor that the method takes as it is may lie: in the bundle, if it is aligned there.
Error set_input(Method& method, const BundledValue& input, const void* bytes, size_t index) {
  const auto meta = method.method_meta().input_tensor_meta(index);
  const bool copied = input.tensor == nullptr || !meta.ok() || meta->is_memory_planned();
  if (copied) return method.set_input(input.value, index);
  const size_t item = input.tensor->element_size();
  ET_REQUIRE(reinterpret_cast<uintptr_t>(bytes) % item == 0, InvalidArgument,
             "the method uses its input in place, which lies at an address that is no multiple of "
             "%zu: load the bundle to an aligned address",
             item);
  aten::TensorImpl* const impl = input.tensor->unsafeGetTensorImpl();
  impl->set_data(const_cast<void*>(bytes));
  return method.set_input(input.value, index);
}

}  // namespace

bool is_bundled_program(void* file_data, size_t file_data_len) {
  return file_data != nullptr && file_data_len >= kIdentifierOffset + 4 &&
         std::memcmp(static_cast<const char*>(file_data) + kIdentifierOffset, kIdentifier, 4) == 0;
}

Error get_program_data(void* file_data, size_t file_data_len, const void** out_program_data,
                       size_t* out_program_data_len) {
  ET_REQUIRE(file_data != nullptr && out_program_data != nullptr && out_program_data_len != nullptr,
             InvalidArgument, "bundled program: an argument is null");
  if (is_bundled_program(file_data, file_data_len)) {
    const auto bundle = Bundle::read(file_data, file_data_len);
    if (!bundle.ok()) return bundle.error();
    *out_program_data = bundle->program().data();
    *out_program_data_len = bundle->program().size();
    return Error::Ok;
  }
  ET_REQUIRE(
      Program::check_header(file_data, file_data_len) == Program::HeaderStatus::CompatibleVersion,
      NotSupported, "the bytes are neither a bundled program nor a program");
  *out_program_data = file_data;
  *out_program_data_len = file_data_len;
  return Error::Ok;
}

Error load_bundled_input(Method& method, SerializedBundledProgram* bundled_program_ptr,
                         size_t testset_idx) {
  ET_REQUIRE(bundled_program_ptr != nullptr, InvalidArgument, "bundled program: it is null");
  const Bundle bundle = Bundle::of_checked(bundled_program_ptr);
  const std::string name = method.method_meta().name();
  const auto inputs = bundle.inputs(name, static_cast<int64_t>(testset_idx));
  if (!inputs.ok()) return inputs.error();
  ET_REQUIRE(inputs->size() == method.inputs_size(), InvalidArgument,
             "the method has %zu inputs, the test case gives %zu", method.inputs_size(),
             inputs->size());
  for (size_t i = 0; i < inputs->size(); ++i) {
    const Error error = set_input(
        method, (*inputs)[i], bundle.input_bytes(name, static_cast<int64_t>(testset_idx), i), i);
    if (error == Error::Ok) continue;
    runtime::add_error_context("method '%s', test case %zu: input %zu", name.c_str(), testset_idx,
                               i);
    return error;
  }
  return Error::Ok;
}

Error verify_method_outputs(Method& method, SerializedBundledProgram* bundled_program_ptr,
                            size_t testset_idx, double rtol, double atol) {
  ET_REQUIRE(bundled_program_ptr != nullptr, InvalidArgument, "bundled program: it is null");
  const Bundle bundle = Bundle::of_checked(bundled_program_ptr);
  const std::string name = method.method_meta().name();
  const auto expected = bundle.expected_outputs(name, static_cast<int64_t>(testset_idx));
  if (!expected.ok()) return expected.error();
  ET_REQUIRE(method.outputs_size() == expected->size(), InvalidArgument,
             "the method has %zu outputs, the test case expects %zu", method.outputs_size(),
             expected->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    const Error error = check_close(method.get_output(i), (*expected)[i].value, rtol, atol);
    if (error == Error::Ok) continue;
    runtime::add_error_context("method '%s', test case %zu: output %zu", name.c_str(), testset_idx,
                               i);
    return error;
  }
  return Error::Ok;
}

}  // namespace bundled_program
}  // namespace executorch
