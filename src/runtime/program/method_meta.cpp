#include <executorch/runtime/executor/method_meta.h>

#include <cstdio>
#include <cstring>

#include <executorch/runtime/core/error_message.h>
#include <schema/program_generated.h>

#include "runtime/program/serialized_tensor.h"
#include "runtime/program/table_checks.h"

namespace executorch {
namespace runtime {

namespace fb = executorch_flatbuffer;

namespace {

Result<Tag> tag_of(const fb::EValue& value) {
  switch (value.val_type()) {
    case fb::KernelTypes::Null:
      return Tag::None;
    case fb::KernelTypes::Int:
      return Tag::Int;
    case fb::KernelTypes::Double:
      return Tag::Double;
    case fb::KernelTypes::Bool:
      return Tag::Bool;
    case fb::KernelTypes::String:
      return Tag::String;
    case fb::KernelTypes::Tensor:
      return Tag::Tensor;
    case fb::KernelTypes::IntList:
      return Tag::ListInt;
    case fb::KernelTypes::DoubleList:
      return Tag::ListDouble;
    case fb::KernelTypes::BoolList:
      return Tag::ListBool;
    case fb::KernelTypes::TensorList:
      return Tag::ListTensor;
    case fb::KernelTypes::OptionalTensorList:
      return Tag::ListOptionalTensor;
    default:
      return ET_ERROR(InvalidProgram, "a value of unknown kind %d",
                      static_cast<int>(value.val_type()));
  }
}

/// The value behind an input or output; null, with a text, if there is none.
const fb::EValue* find_value(const fb::ExecutionPlan& plan, const char* what,
                             const flatbuffers::Vector<int32_t>& list, size_t index) {
  if (index >= list.size()) {
    set_error_message("%s %zu does not exist, the method has %u", what, index, list.size());
    return nullptr;
  }
  return plan.values()->Get(static_cast<uint32_t>(list.Get(static_cast<uint32_t>(index))));
}

std::string_view name_of(const fb::Tensor& tensor) {
  const auto* extra = tensor.extra_tensor_info();
  if (extra == nullptr || extra->fully_qualified_name() == nullptr) return {};
  return {extra->fully_qualified_name()->c_str(), extra->fully_qualified_name()->size()};
}

/// The table of the tensor behind an input or output; null, with a text, if it is no tensor.
const fb::Tensor* find_tensor(const fb::ExecutionPlan& plan, const char* what,
                              const flatbuffers::Vector<int32_t>& list, size_t index) {
  const fb::EValue* value = find_value(plan, what, list, index);
  if (value == nullptr) return nullptr;
  const fb::Tensor* tensor = value->val_as_Tensor();
  if (tensor == nullptr) {
    set_error_message("%s %zu is %s, not a tensor", what, index,
                      internal::kind_name(value->val_type()));
  }
  return tensor;
}

const fb::Tensor* attribute_of(const fb::EValue& value) {
  const fb::Tensor* tensor = value.val_as_Tensor();
  const bool named = tensor != nullptr && tensor->extra_tensor_info() != nullptr &&
                     tensor->extra_tensor_info()->fully_qualified_name() != nullptr;
  return named ? tensor : nullptr;
}

const char* backend_of(const fb::ExecutionPlan& plan, uint32_t delegate) {
  return plan.delegates()->Get(delegate)->id()->c_str();
}

/// True if an earlier delegate has the same backend.
bool is_repeated(const fb::ExecutionPlan& plan, uint32_t delegate) {
  for (uint32_t i = 0; i < delegate; ++i) {
    if (std::strcmp(backend_of(plan, i), backend_of(plan, delegate)) == 0) return true;
  }
  return false;
}

}  // namespace

Result<TensorInfo> TensorInfo::create(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
                                      executorch::aten::ScalarType scalar_type,
                                      bool is_memory_planned, std::string_view name,
                                      bool is_dynamic) {
  const size_t element_size =
      internal::serialized_element_size(static_cast<fb::ScalarType>(scalar_type));
  if (element_size == 0)
    return ET_ERROR(InvalidArgument, "unknown element type %d", static_cast<int>(scalar_type));
  auto nbytes = internal::serialized_nbytes(sizes.data(), sizes.size(), element_size);
  if (!nbytes.ok()) return Error::InvalidArgument;
  return TensorInfo(sizes, dim_order, scalar_type, is_memory_planned, name, nbytes.get(),
                    is_dynamic);
}

const char* MethodMeta::name() const {
  return plan_->name()->c_str();
}

size_t MethodMeta::num_inputs() const {
  return plan_->inputs()->size();
}

size_t MethodMeta::num_outputs() const {
  return plan_->outputs()->size();
}

Result<Tag> MethodMeta::input_tag(size_t index) const {
  const fb::EValue* value = find_value(*plan_, "input", *plan_->inputs(), index);
  if (value == nullptr) return Error::InvalidArgument;
  return tag_of(*value);
}

Result<Tag> MethodMeta::output_tag(size_t index) const {
  const fb::EValue* value = find_value(*plan_, "output", *plan_->outputs(), index);
  if (value == nullptr) return Error::InvalidArgument;
  return tag_of(*value);
}

namespace {

struct TensorFacts {
  Span<const int32_t> sizes;
  Span<const uint8_t> dim_order;
  executorch::aten::ScalarType type;
  bool planned;
  bool dynamic;
};

TensorFacts facts_of(const fb::Tensor& tensor) {
  return {{tensor.sizes()->data(), tensor.sizes()->size()},
          {tensor.dim_order()->data(), tensor.dim_order()->size()},
          static_cast<executorch::aten::ScalarType>(tensor.scalar_type()),
          tensor.allocation_info() != nullptr || tensor.data_buffer_idx() != 0,
          tensor.shape_dynamism() != fb::TensorShapeDynamism::STATIC};
}

}  // namespace

Result<TensorInfo> MethodMeta::input_tensor_meta(size_t index) const {
  const fb::Tensor* tensor = find_tensor(*plan_, "input", *plan_->inputs(), index);
  if (tensor == nullptr) return Error::InvalidArgument;
  const TensorFacts facts = facts_of(*tensor);
  return TensorInfo::create(facts.sizes, facts.dim_order, facts.type, facts.planned,
                            name_of(*tensor), facts.dynamic);
}

Result<TensorInfo> MethodMeta::output_tensor_meta(size_t index) const {
  const fb::Tensor* tensor = find_tensor(*plan_, "output", *plan_->outputs(), index);
  if (tensor == nullptr) return Error::InvalidArgument;
  const TensorFacts facts = facts_of(*tensor);
  return TensorInfo::create(facts.sizes, facts.dim_order, facts.type, facts.planned,
                            name_of(*tensor), facts.dynamic);
}

size_t MethodMeta::num_attributes() const {
  size_t count = 0;
  for (const auto* value : *plan_->values()) count += attribute_of(*value) != nullptr ? 1 : 0;
  return count;
}

Result<TensorInfo> MethodMeta::attribute_tensor_meta(size_t index) const {
  size_t seen = 0;
  for (const auto* value : *plan_->values()) {
    const fb::Tensor* tensor = attribute_of(*value);
    if (tensor == nullptr || seen++ != index) continue;
    const TensorFacts facts = facts_of(*tensor);
    return TensorInfo::create(facts.sizes, facts.dim_order, facts.type, facts.planned,
                              name_of(*tensor), facts.dynamic);
  }
  return ET_ERROR(InvalidArgument, "attribute %zu does not exist, the method has %zu", index, seen);
}

size_t MethodMeta::num_memory_planned_buffers() const {
  const size_t size = plan_->non_const_buffer_sizes()->size();
  return size == 0 ? 0 : size - 1;
}

Result<int64_t> MethodMeta::memory_planned_buffer_size(size_t index) const {
  if (index >= num_memory_planned_buffers()) {
    return ET_ERROR(InvalidArgument, "planned buffer %zu does not exist, the method has %zu", index,
                    num_memory_planned_buffers());
  }
  return static_cast<int64_t>(
      plan_->non_const_buffer_sizes()->Get(static_cast<uint32_t>(index + 1)));
}

Result<etensor::Device> MethodMeta::memory_planned_buffer_device(size_t index) const {
  if (index >= num_memory_planned_buffers()) {
    return ET_ERROR(InvalidArgument, "planned buffer %zu does not exist, the method has %zu", index,
                    num_memory_planned_buffers());
  }
  if (plan_->non_const_buffer_device() != nullptr) {
    for (const auto* entry : *plan_->non_const_buffer_device()) {
      if (static_cast<size_t>(entry->buffer_idx()) != index + 1) continue;
      return etensor::Device(static_cast<etensor::DeviceType>(entry->device_type()),
                             static_cast<etensor::DeviceIndex>(entry->device_index()));
    }
  }
  return etensor::Device(etensor::DeviceType::CPU, 0);
}

bool MethodMeta::uses_backend(const char* backend_name) const {
  if (backend_name == nullptr) return false;
  for (uint32_t i = 0; i < plan_->delegates()->size(); ++i) {
    if (std::strcmp(backend_of(*plan_, i), backend_name) == 0) return true;
  }
  return false;
}

size_t MethodMeta::num_backends() const {
  size_t count = 0;
  for (uint32_t i = 0; i < plan_->delegates()->size(); ++i) count += is_repeated(*plan_, i) ? 0 : 1;
  return count;
}

Result<const char*> MethodMeta::get_backend_name(size_t index) const {
  size_t seen = 0;
  for (uint32_t i = 0; i < plan_->delegates()->size(); ++i) {
    if (is_repeated(*plan_, i)) continue;
    if (seen++ == index) return backend_of(*plan_, i);
  }
  return ET_ERROR(InvalidArgument, "backend %zu does not exist, the method uses %zu", index, seen);
}

size_t MethodMeta::num_instructions() const {
  size_t count = 0;
  for (const auto* chain : *plan_->chains()) count += chain->instructions()->size();
  return count;
}

size_t MethodMeta::num_operators() const {
  return plan_->operators() == nullptr ? 0 : plan_->operators()->size();
}

Error MethodMeta::get_operator_name(size_t index, char* buffer, size_t size) const {
  ET_REQUIRE(index < num_operators(), InvalidArgument,
             "operator %zu does not exist, the method names %zu", index, num_operators());
  ET_REQUIRE(buffer != nullptr && size > 0, InvalidArgument, "no room for an operator's name");
  const auto& op = *plan_->operators()->Get(static_cast<uint32_t>(index));
  const bool has_overload = op.overload() != nullptr && op.overload()->size() > 0;
  std::snprintf(buffer, size, "%s%s%s", op.name()->c_str(), has_overload ? "." : "",
                has_overload ? op.overload()->c_str() : "");
  return Error::Ok;
}

size_t MethodMeta::num_operator_calls(size_t index) const {
  size_t count = 0;
  for (const auto* chain : *plan_->chains()) {
    for (const auto* instruction : *chain->instructions()) {
      const auto* call = instruction->instr_args_as_KernelCall();
      if (call != nullptr && static_cast<size_t>(call->op_index()) == index) ++count;
    }
  }
  return count;
}

}  // namespace runtime
}  // namespace executorch
