#include <executorch/runtime/core/device_allocator.h>

#include <atomic>

namespace executorch {
namespace runtime {
namespace {

constinit std::atomic<DeviceAllocator*> allocators[etensor::kNumDeviceTypes] = {};

/// The place of a device type, null when there is no such type.
std::atomic<DeviceAllocator*>* place_of(etensor::DeviceType type) {
  const auto index = static_cast<int>(type);
  const bool known = index >= 0 && static_cast<size_t>(index) < etensor::kNumDeviceTypes;
  return known ? &allocators[index] : nullptr;
}

}  // namespace

DeviceAllocatorRegistry& DeviceAllocatorRegistry::instance() {
  static DeviceAllocatorRegistry registry;
  return registry;
}

void DeviceAllocatorRegistry::register_allocator(DeviceAllocator* alloc) {
  if (alloc == nullptr) {
    ET_LOG(Error, "a null device allocator was registered; it is ignored");
    return;
  }
  const auto type = alloc->device_type();
  std::atomic<DeviceAllocator*>* const place = place_of(type);
  if (place == nullptr) {
    ET_LOG(Error, "an allocator for the unknown device type %d was registered; it is ignored",
           static_cast<int>(type));
    return;
  }
  DeviceAllocator* none = nullptr;
  if (!place->compare_exchange_strong(none, alloc) && none != alloc) {
    ET_LOG(Error, "device type %d has an allocator already; the second one is ignored",
           static_cast<int>(type));
  }
}

DeviceAllocator* DeviceAllocatorRegistry::get_allocator(etensor::DeviceType type) {
  const std::atomic<DeviceAllocator*>* const place = place_of(type);
  DeviceAllocator* const allocator = place == nullptr ? nullptr : place->load();
  if (allocator == nullptr) {
    set_error_message(
        "no library in this process provides memory of device type %d%s", static_cast<int>(type),
        type == etensor::DeviceType::CUDA ? " (CUDA: link executorch::backend_cuda)" : "");
  }
  return allocator;
}

void register_device_allocator(DeviceAllocator* alloc) {
  DeviceAllocatorRegistry::instance().register_allocator(alloc);
}

DeviceAllocator* get_device_allocator(etensor::DeviceType type) {
  return DeviceAllocatorRegistry::instance().get_allocator(type);
}

}  // namespace runtime
}  // namespace executorch
