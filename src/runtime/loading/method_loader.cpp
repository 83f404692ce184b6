#include "runtime/loading/method_loader.h"
#include "runtime/loading/shared_data_map.h"

#include <cstdlib>
#include <memory>
#include <new>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {
namespace internal {

size_t plan_limit(const MethodImpl& method, const LoadOptions& options) {
  const size_t held = method.held_bytes();
  const size_t left = options.memory_limit > held ? options.memory_limit - held : 0;
  return options.plan_memory_limit < left ? options.plan_memory_limit : left;
}

namespace fb = executorch_flatbuffer;

Result<Method> MethodLoader::load(const Program& program, const fb::ExecutionPlan& plan,
                                  const LoadRequest& request) {
  std::unique_ptr<MethodImpl> method(
      new (std::nothrow) MethodImpl(&program, &plan, request.memory, request.tracer));
  if (method == nullptr) return ET_ERROR(MemoryAllocationFailed, "no memory for a method");
  MethodLoader loader(program, request, *method);
  const Error error = loader.load_all();
  if (error != Error::Ok) return error;
  return Method(method.release());
}

Error MethodLoader::load_all() {
  ET_TRY(check_memory_limit());
  ET_TRY(check_arena_devices());
  ET_TRY(load_external_constants());
  ET_TRY(load_values());
  ET_TRY(load_delegates());
  ET_TRY(load_chains());
  ET_TRY(plan_method(method_, request_.options));
  return list_restored_values();
}

Error MethodLoader::check_memory_limit() {
  uint64_t total = 0;
  const auto& sizes = *plan_.non_const_buffer_sizes();
  for (uint32_t i = 1; i < sizes.size(); ++i) {
    ET_REQUIRE(checked_add(total, static_cast<uint64_t>(sizes.Get(i)), &total), InvalidProgram,
               "the sizes of its arenas overflow");
  }
  ET_REQUIRE(total <= request_.options.memory_limit, MemoryAllocationFailed,
             "its arenas need %llu bytes, the limit is %zu", static_cast<unsigned long long>(total),
             request_.options.memory_limit);
  return Error::Ok;
}

Error MethodLoader::check_arena_devices() {
  const auto* devices = plan_.non_const_buffer_device();
  if (devices == nullptr) return Error::Ok;
  for (const auto* entry : *devices) {
    if (entry->device_type() == fb::DeviceType::CPU) continue;
    ET_REQUIRE(
        get_device_allocator(static_cast<etensor::DeviceType>(entry->device_type())) != nullptr,
        NotSupported, "arena %d lies on %s:%d, and no library for that device is loaded",
        entry->buffer_idx(), fb::EnumNameDeviceType(entry->device_type()), entry->device_index());
    ET_REQUIRE(request_.memory->has_device_memory(), InvalidArgument,
               "arena %d lies on %s:%d, but the given planned memory carries no devices",
               entry->buffer_idx(), fb::EnumNameDeviceType(entry->device_type()),
               entry->device_index());
  }
  return Error::Ok;
}

MethodImpl::~MethodImpl() {
  for (size_t i = steps.size(); i > 0; --i) delete steps[i - 1];
  for (LoadedDelegate& delegate : delegates) {
    if (delegate.initialized) delegate.backend->destroy(delegate.handle);
    if (delegate.blob != nullptr) delegate.blob->~FreeableBuffer();
  }
  for (size_t i = 0; i < num_values; ++i) values[i].~EValue();
  for (ExternalConstant& constant : external_constants) {
    if (constant.data != nullptr) constant.data->~FreeableBuffer();
  }
  if (shared_data != nullptr) shared_data->~SharedDataMap();
  if (merged_data != nullptr) merged_data->~MergedDataMap();
  std::free(view_memory);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
