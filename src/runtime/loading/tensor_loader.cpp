// Tensors of a method: shape, and where the bytes are.
#include <cstring>

#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/executor/program_validation.h>

#include "runtime/loading/method_loader.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;
using executorch::aten::TensorImpl;

namespace {

etensor::Device device_of(const fb::Tensor& tensor) {
  const auto* extra = tensor.extra_tensor_info();
  if (extra == nullptr) return etensor::Device(etensor::DeviceType::CPU, 0);
  return etensor::Device(static_cast<etensor::DeviceType>(extra->device_type()),
                         static_cast<etensor::DeviceIndex>(extra->device_index()));
}

Error check_alignment(const void* data, size_t element_size) {
  ET_REQUIRE(reinterpret_cast<uintptr_t>(data) % element_size == 0, InvalidProgram,
             "its memory is not aligned to its elements of %zu bytes", element_size);
  return Error::Ok;
}

}  // namespace

Error MethodLoader::check_tensor_support(const fb::Tensor& tensor) {
  ET_TRY(validate_tensor(&tensor));
  ET_REQUIRE(tensor.storage_offset() == 0, NotSupported,
             "storage_offset is %d, only 0 is supported", tensor.storage_offset());
  const fb::TensorShapeDynamism dynamism = tensor.shape_dynamism();
  ET_REQUIRE(dynamism == fb::TensorShapeDynamism::STATIC ||
                 dynamism == fb::TensorShapeDynamism::DYNAMIC_BOUND,
             NotSupported,
             "shape_dynamism is %d: only STATIC (0) and DYNAMIC_BOUND (1) are supported",
             static_cast<int>(dynamism));
  const auto* extra = tensor.extra_tensor_info();
  if (extra == nullptr) return Error::Ok;
  ET_REQUIRE(extra->location() == fb::TensorDataLocation::SEGMENT ||
                 extra->location() == fb::TensorDataLocation::EXTERNAL,
             InvalidProgram, "data location %d is unknown", static_cast<int>(extra->location()));
  const fb::DeviceType device = extra->device_type();
  if (device == fb::DeviceType::CPU) return Error::Ok;
  ET_REQUIRE(device == fb::DeviceType::CUDA, InvalidProgram, "device type %d is unknown",
             static_cast<int>(device));
  ET_REQUIRE(get_device_allocator(static_cast<etensor::DeviceType>(device)) != nullptr,
             NotSupported, "it lies on %s:%d, and no library for that device is loaded",
             fb::EnumNameDeviceType(device), extra->device_index());
  return Error::Ok;
}

Error MethodLoader::load_tensor(size_t index, const fb::Tensor& table) {
  ET_TRY(check_tensor_support(table));
  const size_t rank = table.sizes()->size();
  const size_t element_size = serialized_element_size(table.scalar_type());
  auto nbytes = serialized_nbytes(table.sizes()->data(), rank, element_size);
  if (!nbytes.ok()) return nbytes.error();

  auto* sizes = method_.heap.allocateList<int32_t>(rank * 2);
  ET_REQUIRE(sizes != nullptr, MemoryAllocationFailed, "no memory for a shape");
  int32_t* strides = sizes + rank;
  if (rank > 0) std::memcpy(sizes, table.sizes()->data(), rank * sizeof(int32_t));
  compute_strides(sizes, table.dim_order()->data(), rank, strides);

  ValueRecord& record = method_.records[index];
  record.serialized = &table;
  record.storage = tensor_storage(table);
  record.max_nbytes = nbytes.get();
  ET_TRY(place_tensor(table, record));
  if (record.home != nullptr) ET_TRY(check_alignment(record.home, element_size));

  const etensor::Device device = device_of(table);
  // Nothing writes the dim order or, of a static tensor, the sizes.
  auto* dim_order = const_cast<uint8_t*>(table.dim_order()->data());
  auto* tensor = new (method_.tensors + method_.num_tensors) TensorImpl(
      static_cast<executorch::aten::ScalarType>(table.scalar_type()), static_cast<ssize_t>(rank),
      sizes, record.home, dim_order, strides,
      static_cast<TensorShapeDynamism>(table.shape_dynamism()), device.type(), device.index());
  method_.tensor_values[method_.num_tensors++] = static_cast<uint32_t>(index);
  if (table.shape_dynamism() != fb::TensorShapeDynamism::STATIC)
    tensor->set_size_bounds(table.sizes()->data());
  record.tensor = tensor;
  new (method_.values + index) EValue(executorch::aten::Tensor(tensor));
  return Error::Ok;
}

Error MethodLoader::place_tensor(const fb::Tensor& table, ValueRecord& record) {
  const char* key = nullptr;
  if (record.storage == TensorStorage::ExternalConstant ||
      record.storage == TensorStorage::PlannedExternal) {
    key = table.extra_tensor_info()->fully_qualified_name()->c_str();
    ET_TRY(check_external_layout(table, key, record.max_nbytes));
  }
  switch (record.storage) {
    case TensorStorage::Unplanned:
    case TensorStorage::ViewCopy:
      return Error::Ok;
    case TensorStorage::Constant: {
      auto data = program_.get_constant_buffer_data(table.data_buffer_idx(), record.max_nbytes);
      if (!data.ok()) return data.error();
      record.home = const_cast<void*>(data.get());
      return Error::Ok;
    }
    case TensorStorage::ExternalConstant:
      record.home = const_cast<void*>(find_external_constant(key)->data->data());
      return Error::Ok;
    case TensorStorage::Planned:
      return place_planned(table, record);
    case TensorStorage::PlannedInitial:
    case TensorStorage::PlannedExternal:
      ET_TRY(place_planned(table, record));
      return copy_initial_value(table, record);
  }
  return Error::Internal;
}

Error MethodLoader::place_planned(const fb::Tensor& table, ValueRecord& record) {
  const auto& allocation = *table.allocation_info();
  const uint32_t num_arenas = plan_.non_const_buffer_sizes()->size();
  ET_REQUIRE(allocation.memory_id() >= 1 && allocation.memory_id() < num_arenas, InvalidArgument,
             "it is planned into arena %u, the method has arenas 1 to %d", allocation.memory_id(),
             static_cast<int>(num_arenas) - 1);
  ET_REQUIRE(request_.memory->planned_memory() != nullptr, InvalidArgument,
             "it is planned into arena %u, but no planned memory was given",
             allocation.memory_id());
  const uint64_t offset = planned_offset(allocation);
  ET_REQUIRE(offset <= SIZE_MAX, MemoryAllocationFailed,
             "its offset %llu is beyond the address space",
             static_cast<unsigned long long>(offset));
  const uint32_t arena = allocation.memory_id() - 1;
  auto address = request_.memory->planned_memory()->get_offset_address(
      arena, static_cast<size_t>(offset), record.max_nbytes);
  if (!address.ok()) return address.error();
  const Span<const etensor::Device> devices = request_.memory->planned_buffer_devices();
  const etensor::Device device = device_of(table);
  const bool same_device =
      arena < devices.size() ? devices[arena].type() == device.type() : device.is_cpu();
  ET_REQUIRE(same_device, InvalidProgram,
             "it lies on another device than arena %u, into which it is planned",
             allocation.memory_id());
  record.home = address.get();
  return Error::Ok;
}

Error MethodLoader::copy_initial_value(const fb::Tensor& table, const ValueRecord& record) {
  if (record.max_nbytes == 0) return Error::Ok;
  const etensor::Device device = device_of(table);
  void* destination = record.home;
  if (!device.is_cpu()) {
    destination = method_.scratch.allocate(record.max_nbytes, alignof(std::max_align_t));
    ET_REQUIRE(destination != nullptr, MemoryAllocationFailed,
               "no memory for an initial value of %zu bytes", record.max_nbytes);
  }
  if (record.storage == TensorStorage::PlannedExternal) {
    const char* key = table.extra_tensor_info()->fully_qualified_name()->c_str();
    std::memcpy(destination, find_external_constant(key)->data->data(), record.max_nbytes);
  } else {
    ET_TRY(program_.load_initial_value(table.data_buffer_idx(), record.max_nbytes, destination));
  }
  if (device.is_cpu()) return Error::Ok;
  const Error error =
      get_device_allocator(device.type())
          ->copy_host_to_device(record.home, destination, record.max_nbytes, device.index());
  method_.scratch.reset();
  return error;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
