#include "runtime/executor/method_inputs.h"

#include <cmath>
#include <cstring>

#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "runtime/executor/tensor_copy.h"

namespace executorch {
namespace runtime {
namespace internal {

using executorch::aten::Tensor;
using executorch::aten::TensorImpl;

namespace {

/// A dim order as text, "(0, 2, 1)".
struct DimOrderText {
  char text[64] = "()";
  explicit DimOrderText(executorch::aten::ArrayRef<uint8_t> dim_order) {
    size_t used = 0;
    for (size_t i = 0; i < dim_order.size() && used + 6 < sizeof(text); ++i) {
      used += static_cast<size_t>(std::snprintf(text + used, sizeof(text) - used, "%s%d",
                                                i == 0 ? "(" : ", ", dim_order[i]));
    }
    if (dim_order.size() > 0) std::snprintf(text + used, sizeof(text) - used, ")");
  }
};

/// Strides of a tensor that was given; contiguous if it does not say.
const int32_t* strides_of(const Tensor& tensor, int32_t* room) {
  const TensorImpl* impl = tensor.unsafeGetTensorImpl();
  if (impl->strides().data() != nullptr) return impl->strides().data();
  uint8_t order[kMaxRank];
  for (size_t d = 0; d < kMaxRank; ++d) order[d] = static_cast<uint8_t>(d);
  return compute_strides(impl->sizes().data(), order, static_cast<size_t>(impl->dim()), room)
             ? room
             : nullptr;
}

/// Rank and sizes must be what the program allows; each dimension on its own.
Error check_sizes(const Tensor& given, const ValueRecord& record) {
  const auto* expected = record.serialized->sizes();
  const auto rank = static_cast<size_t>(given.dim());
  ET_REQUIRE(rank == expected->size(), NotSupported, "%zu dimensions were given, expected %u", rank,
             expected->size());
  const bool is_static =
      record.serialized->shape_dynamism() == executorch_flatbuffer::TensorShapeDynamism::STATIC;
  for (uint32_t d = 0; d < rank; ++d) {
    const int32_t size = given.sizes()[d];
    const int32_t bound = expected->Get(d);
    ET_REQUIRE(size >= 0 && (is_static ? size == bound : size <= bound), NotSupported,
               "dimension %u has size %d, expected %s%d", d, size, is_static ? "" : "at most ",
               bound);
  }
  return Error::Ok;
}

Error copy_to_device(const Tensor& given, const ValueRecord& record, size_t nbytes) {
  const etensor::Device device = record.tensor->device();
  DeviceAllocator* allocator = get_device_allocator(device.type());
  ET_REQUIRE(allocator != nullptr, NotSupported, "no library for its device is loaded");
  return allocator->copy_host_to_device(record.home, given.const_data_ptr(), nbytes,
                                        device.index());
}

/// Planned memory: copied, in the arrangement that the program expects.
Error copy_into_plan(const Tensor& given, const ValueRecord& record, const Arrangement& from,
                     const Arrangement& to) {
  const size_t nbytes = record.tensor->nbytes();
  if (nbytes == 0) return Error::Ok;
  ET_REQUIRE(given.const_data_ptr() != nullptr, InvalidArgument, "the tensor has no memory");
  if (!record.tensor->device().is_cpu()) {
    ET_REQUIRE(same_arrangement(from, to), InvalidArgument,
               "its dim order %s is not that of the method, %s",
               DimOrderText(given.dim_order()).text, DimOrderText(record.tensor->dim_order()).text);
    return copy_to_device(given, record, nbytes);
  }
  if (same_arrangement(from, to)) {
    if (given.const_data_ptr() != record.home)
      std::memmove(record.home, given.const_data_ptr(), nbytes);
  } else {
    copy_rearranged(record.home, to, given.const_data_ptr(), from,
                    static_cast<size_t>(given.element_size()));
  }
  return Error::Ok;
}

/// No planned memory: the caller's is used.
Error use_in_place(const Tensor& given, ValueRecord& record, const Arrangement& from,
                   const Arrangement& to) {
  const size_t nbytes = record.tensor->nbytes();
  ET_REQUIRE(nbytes == 0 || given.const_data_ptr() != nullptr, InvalidArgument,
             "the tensor has no memory");
  ET_REQUIRE(same_arrangement(from, to), InvalidArgument,
             "it would be used in place, but its dim order %s is not that of the method, %s",
             DimOrderText(given.dim_order()).text, DimOrderText(record.tensor->dim_order()).text);
  record.home = const_cast<void*>(given.const_data_ptr());
  record.tensor->set_data(record.home);
  return Error::Ok;
}

Error set_tensor_input(MethodImpl& method, const Tensor& given, size_t index) {
  ValueRecord& record = method.records[index];
  ET_REQUIRE(record.tensor != nullptr, InvalidArgument, "a Tensor was given, expected %s",
             tag_name(method.values[index].tag));
  ET_REQUIRE(given.scalar_type() == record.tensor->scalar_type(), InvalidArgument,
             "a tensor of element type %s was given, expected %s",
             executorch_flatbuffer::EnumNameScalarType(
                 static_cast<executorch_flatbuffer::ScalarType>(given.scalar_type())),
             executorch_flatbuffer::EnumNameScalarType(record.serialized->scalar_type()));
  ET_REQUIRE(given.unsafeGetTensorImpl()->device().is_cpu() ||
                 record.tensor->device() == given.unsafeGetTensorImpl()->device(),
             InvalidArgument, "it lies on another device than the method expects");
  ET_TRY(check_sizes(given, record));
  int32_t room[kMaxRank];
  const int32_t* strides = strides_of(given, room);
  ET_REQUIRE(strides != nullptr, InvalidArgument, "its strides do not fit 32 bits");

  Tensor target(record.tensor);
  ET_TRY(resize_tensor(target, given.sizes()));
  const auto rank = static_cast<size_t>(given.dim());
  const Arrangement from{rank, given.sizes().data(), strides};
  const Arrangement to{rank, record.tensor->sizes().data(), record.tensor->strides().data()};
  ET_TRY(record.storage == TensorStorage::Unplanned ? use_in_place(given, record, from, to)
                                                    : copy_into_plan(given, record, from, to));
  // The last execution may have put another tensor here.
  method.values[index] = EValue(target);
  return Error::Ok;
}

bool doubles_agree(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= 1e-4 + 1e-5 * std::fabs(b);
}

/// Numbers and strings were built into the program when it was exported.
Error check_literal_input(const EValue& given, const EValue& expected) {
  ET_REQUIRE(given.tag == expected.tag, InvalidArgument, "a %s was given, expected %s",
             tag_name(given.tag), tag_name(expected.tag));
  if (given.isInt()) {
    const int64_t found = given.payload.copyable_union.as_int;
    const int64_t fixed = expected.payload.copyable_union.as_int;
    ET_REQUIRE(found == fixed, InvalidArgument,
               "%lld was given, but the program was exported for %lld",
               static_cast<long long>(found), static_cast<long long>(fixed));
    return Error::Ok;
  }
  if (given.isBool()) {
    const bool found = given.payload.copyable_union.as_bool;
    const bool fixed = expected.payload.copyable_union.as_bool;
    ET_REQUIRE(found == fixed, InvalidArgument, "%s was given, but the program was exported for %s",
               found ? "true" : "false", fixed ? "true" : "false");
    return Error::Ok;
  }
  if (given.isDouble()) {
    const double found = given.payload.copyable_union.as_double;
    const double fixed = expected.payload.copyable_union.as_double;
    ET_REQUIRE(doubles_agree(found, fixed), InvalidArgument,
               "%g was given, but the program was exported for %g", found, fixed);
    return Error::Ok;
  }
  if (given.isString()) {
    auto found = given.tryToString();
    auto fixed = expected.tryToString();
    ET_REQUIRE(found.ok() && fixed.ok() && found.get() == fixed.get(), InvalidArgument,
               "another string was given than the program was exported for");
    return Error::Ok;
  }
  ET_REQUIRE(given.isNone(), InvalidArgument, "inputs of kind %s cannot be set",
             tag_name(given.tag));
  return Error::Ok;
}

}  // namespace

Error set_method_input(MethodImpl& method, const EValue& value, size_t input) {
  ET_REQUIRE(method.at_start() || method.at_end(), InvalidState,
             "inputs cannot be set while %.100s is executed step by step", method.name());
  ET_REQUIRE(input < method.num_inputs(), InvalidArgument,
             "input %zu does not exist, %.100s has %zu", input, method.name(), method.num_inputs());
  const size_t index = method.input_value(input);
  const bool expects_tensor = method.records[index].tensor != nullptr;
  const Error error =
      value.isTensor() ? set_tensor_input(method, value.payload.as_tensor, index)
      : expects_tensor
          ? ET_ERROR(InvalidArgument, "a %s was given, expected Tensor", tag_name(value.tag))
          : check_literal_input(value, method.values[index]);
  if (error != Error::Ok) {
    add_error_context("input %zu of %.100s", input, method.name());
    return error;
  }
  if (!method.input_set[input]) {
    method.input_set[input] = true;
    --method.inputs_missing;
  }
  return Error::Ok;
}

Error set_method_output_memory(MethodImpl& method, void* buffer, size_t size, size_t output) {
  ET_REQUIRE(output < method.num_outputs(), InvalidArgument,
             "output %zu does not exist, %.100s has %zu", output, method.name(),
             method.num_outputs());
  const size_t index = method.output_value(output);
  ValueRecord& record = method.records[index];
  ET_REQUIRE(record.tensor != nullptr, InvalidArgument, "output %zu of %.100s is %s, not a Tensor",
             output, method.name(), tag_name(method.values[index].tag));
  ET_REQUIRE(record.storage == TensorStorage::Unplanned, InvalidState,
             "output %zu of %.100s has memory of its own", output, method.name());
  // The shape may grow to its bound in a later run, and kernels do not know the buffer's size.
  ET_REQUIRE(size >= record.max_nbytes, InvalidArgument,
             "output %zu of %.100s needs %zu bytes for its largest shape, the buffer has %zu",
             output, method.name(), record.max_nbytes, size);
  ET_REQUIRE(buffer != nullptr || record.max_nbytes == 0, InvalidArgument,
             "the buffer for output %zu of %.100s is null", output, method.name());
  record.home = buffer;
  record.tensor->set_data(buffer);
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
