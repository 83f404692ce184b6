#include "devtools/bundled_program/bundle.h"

#include <cstring>
#include <new>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <schema/bundled_program_generated.h>

namespace format = bundled_program_flatbuffer;
using executorch::runtime::Error;
using executorch::runtime::Result;
using executorch::runtime::Span;

namespace executorch::bundled_program {

namespace {

using Values = flatbuffers::Vector<flatbuffers::Offset<format::Value>>;

constexpr uint32_t kNewestVersion = 2;
constexpr size_t kSmallestFile = 2 * sizeof(flatbuffers::uoffset_t);

template <class T>
Span<const T> to_span(const flatbuffers::Vector<T>* values) {
  return values == nullptr ? Span<const T>() : Span<const T>(values->data(), values->size());
}

/// Sizes, order and type of a bundled tensor, its data having exactly the bytes that they need.
Result<const runtime::TensorLayout> read_layout(const format::Tensor& tensor) {
  const Span<const int32_t> sizes = to_span(tensor.sizes());
  const Span<const uint8_t> order = to_span(tensor.dim_order());
  ET_REQUIRE(sizes.size() <= runtime::kTensorDimensionLimit, InvalidArgument,
             "the tensor has %zu dimensions, at most %zu are supported", sizes.size(),
             static_cast<size_t>(runtime::kTensorDimensionLimit));
  ET_REQUIRE(sizes.size() == order.size(), InvalidArgument,
             "the tensor has %zu sizes and a dim order of %zu", sizes.size(), order.size());
  auto layout = runtime::TensorLayout::create(sizes, order,
                                              static_cast<aten::ScalarType>(tensor.scalar_type()));
  if (!layout.ok()) return layout.error();
  const size_t bytes = to_span(tensor.data()).size();
  ET_REQUIRE(layout->nbytes() == bytes, InvalidArgument,
             "the tensor's shape needs %zu bytes, its data have %zu", layout->nbytes(), bytes);
  return layout;
}

Result<BundledValue> read_tensor(const format::Tensor& tensor) {
  const auto layout = read_layout(tensor);
  if (!layout.ok()) return layout.error();
  const size_t bytes = layout->nbytes();
  const std::shared_ptr<char[]> copy(new (std::nothrow) char[bytes + 1]);
  ET_REQUIRE(copy != nullptr, MemoryAllocationFailed, "no memory for a tensor of %zu bytes", bytes);
  if (bytes != 0) std::memcpy(copy.get(), tensor.data()->data(), bytes);
  BundledValue result;
  result.tensor = extension::make_tensor_ptr(
      std::vector<aten::SizesType>(layout->sizes().begin(), layout->sizes().end()), copy.get(),
      std::vector<aten::DimOrderType>(layout->dim_order().begin(), layout->dim_order().end()), {},
      layout->scalar_type(), aten::Device(aten::DeviceType::CPU), aten::TensorShapeDynamism::STATIC,
      [copy](void*) {});
  result.value = runtime::EValue(*result.tensor);
  return result;
}

Result<BundledValue> read_value(const format::Value& value) {
  switch (value.val_type()) {
    case format::ValueUnion::NONE:
      return BundledValue();
    case format::ValueUnion::Tensor:
      return read_tensor(*value.val_as_Tensor());
    case format::ValueUnion::Int:
      return BundledValue{runtime::EValue(value.val_as_Int()->int_val()), nullptr};
    case format::ValueUnion::Bool:
      return BundledValue{runtime::EValue(value.val_as_Bool()->bool_val()), nullptr};
    case format::ValueUnion::Double:
      return BundledValue{runtime::EValue(value.val_as_Double()->double_val()), nullptr};
  }
  return ET_ERROR(InvalidArgument, "a value has the unknown kind %d",
                  static_cast<int>(value.val_type()));
}

Error check_value(const format::Value* value) {
  ET_REQUIRE(value != nullptr, InvalidArgument, "the value is missing");
  ET_REQUIRE(value->val_type() == format::ValueUnion::NONE || value->val() != nullptr,
             InvalidArgument, "the value has a kind and no content");
  ET_REQUIRE(value->val_type() <= format::ValueUnion::MAX, InvalidArgument,
             "the value has the unknown kind %d", static_cast<int>(value->val_type()));
  return value->val_type() == format::ValueUnion::Tensor
             ? read_layout(*value->val_as_Tensor()).error()
             : Error::Ok;
}

Error check_values(const Values* values, const char* what) {
  if (values == nullptr) return Error::Ok;
  for (flatbuffers::uoffset_t i = 0; i < values->size(); ++i) {
    const Error error = check_value(values->Get(i));
    if (error == Error::Ok) continue;
    runtime::add_error_context("%s %u", what, i);
    return error;
  }
  return Error::Ok;
}

Error check_case(const format::BundledMethodTestCase* test_case) {
  ET_REQUIRE(test_case != nullptr, InvalidArgument, "the test case is missing");
  ET_TRY(check_values(test_case->inputs(), "input"));
  return check_values(test_case->expected_outputs(), "expected output");
}

Error check_suite(const format::BundledMethodTestSuite* suite) {
  ET_REQUIRE(suite != nullptr && suite->method_name() != nullptr, InvalidArgument,
             "a suite of test cases has no method name");
  if (suite->test_cases() == nullptr) return Error::Ok;
  for (flatbuffers::uoffset_t i = 0; i < suite->test_cases()->size(); ++i) {
    const Error error = check_case(suite->test_cases()->Get(i));
    if (error == Error::Ok) continue;
    runtime::add_error_context("test case %u of method '%s'", i, suite->method_name()->c_str());
    return error;
  }
  return Error::Ok;
}

Error verify_tables(const uint8_t* data, size_t size) {
  ET_REQUIRE(size > kSmallestFile && size < FLATBUFFERS_MAX_BUFFER_SIZE, InvalidArgument,
             "it has %zu bytes, expected more than %zu and less than %zu", size, kSmallestFile,
             static_cast<size_t>(FLATBUFFERS_MAX_BUFFER_SIZE));
  ET_REQUIRE(format::BundledProgramBufferHasIdentifier(data), InvalidArgument,
             "expected the identifier %s, found '%.4s'", format::BundledProgramIdentifier(),
             reinterpret_cast<const char*>(data) + sizeof(flatbuffers::uoffset_t));
  flatbuffers::Verifier::Options options;
  options.max_size = FLATBUFFERS_MAX_BUFFER_SIZE;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(size);
  flatbuffers::Verifier verifier(data, size, options);
  ET_REQUIRE(format::VerifyBundledProgramBuffer(verifier), InvalidArgument,
             "its tables are damaged: an offset, length or string leaves them");
  return Error::Ok;
}

Error check_bundle(const format::BundledProgram& root) {
  ET_REQUIRE(root.version() <= kNewestVersion, InvalidArgument,
             "it has version %u of the format, this runtime reads up to %u", root.version(),
             kNewestVersion);
  ET_REQUIRE(root.program() != nullptr && root.program()->size() != 0, InvalidArgument,
             "it contains no program");
  if (root.method_test_suites() == nullptr) return Error::Ok;
  for (const format::BundledMethodTestSuite* suite : *root.method_test_suites())
    ET_TRY(check_suite(suite));
  return Error::Ok;
}

/// A test case of a checked bundle.
Result<const format::BundledMethodTestCase*> find_case(const uint8_t* data,
                                                       const std::string& method, int64_t index) {
  const auto* suites = format::GetBundledProgram(data)->method_test_suites();
  if (suites != nullptr) {
    for (const format::BundledMethodTestSuite* suite : *suites) {
      if (suite->method_name()->string_view() != method) continue;
      const size_t count = suite->test_cases() == nullptr ? 0 : suite->test_cases()->size();
      ET_REQUIRE(index >= 0 && static_cast<size_t>(index) < count, InvalidArgument,
                 "bundled program: method '%s' has %zu test cases, number %lld does not exist",
                 method.c_str(), count, static_cast<long long>(index));
      return suite->test_cases()->Get(static_cast<flatbuffers::uoffset_t>(index));
    }
  }
  return ET_ERROR(InvalidArgument, "bundled program: there are no test cases for method '%s'",
                  method.c_str());
}

Result<std::vector<BundledValue>> read_values(const Values* values) {
  std::vector<BundledValue> result;
  if (values == nullptr) return result;
  for (const format::Value* value : *values) {
    auto read = read_value(*value);
    if (!read.ok()) return read.error();
    result.push_back(std::move(*read));
  }
  return result;
}

}  // namespace

Result<Bundle> Bundle::read(const void* data, size_t size) {
  Error error = verify_tables(static_cast<const uint8_t*>(data), size);
  if (error == Error::Ok) error = check_bundle(*format::GetBundledProgram(data));
  if (error != Error::Ok) {
    runtime::add_error_context("bundled program");
    return error;
  }
  return of_checked(data);
}

Bundle Bundle::of_checked(const void* data) {
  Bundle bundle(static_cast<const uint8_t*>(data));
  bundle.program_ = to_span(format::GetBundledProgram(data)->program());
  return bundle;
}

Result<std::vector<BundledValue>> Bundle::inputs(const std::string& method,
                                                 int64_t test_case) const {
  const auto found = find_case(data_, method, test_case);
  if (!found.ok()) return found.error();
  return read_values((*found)->inputs());
}

const void* Bundle::input_bytes(const std::string& method, int64_t test_case, size_t input) const {
  const auto found = find_case(data_, method, test_case);
  if (!found.ok()) return nullptr;
  const Values* values = (*found)->inputs();
  if (values == nullptr || input >= values->size()) return nullptr;
  const format::Tensor* tensor =
      values->Get(static_cast<flatbuffers::uoffset_t>(input))->val_as_Tensor();
  return tensor == nullptr ? nullptr : to_span(tensor->data()).data();
}

Result<std::vector<BundledValue>> Bundle::expected_outputs(const std::string& method,
                                                           int64_t test_case) const {
  const auto found = find_case(data_, method, test_case);
  if (!found.ok()) return found.error();
  return read_values((*found)->expected_outputs());
}

}  // namespace executorch::bundled_program
