/**
 * @file
 * Memory of devices beside the CPU, and the registry of who provides it.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {

/// Memory of one type of device. Implementations live as long as the process and are thread-safe.
class DeviceAllocator {
 public:
  static constexpr size_t kDefaultAlignment = MemoryAllocator::kDefaultAlignment;

  virtual ~DeviceAllocator() = default;

  /// `nbytes` on device number `index` at a multiple of `alignment`, a power of two.
  virtual Result<void*> allocate(size_t nbytes, etensor::DeviceIndex index,
                                 size_t alignment = kDefaultAlignment) = 0;

  /// Releases what allocate() returned for the same index.
  virtual void deallocate(void* ptr, etensor::DeviceIndex index) = 0;

  virtual Error copy_host_to_device(void* dst, const void* src, size_t nbytes,
                                    etensor::DeviceIndex index) = 0;

  virtual Error copy_device_to_host(void* dst, const void* src, size_t nbytes,
                                    etensor::DeviceIndex index) = 0;

  virtual etensor::DeviceType device_type() const = 0;
};

/// The allocator of each device type. Thread-safe.
class EXECUTORCH_API DeviceAllocatorRegistry {
 public:
  /// The only instance; never destroyed.
  static DeviceAllocatorRegistry& instance();

  /// Adds an allocator, which must live as long as the process. Null, an unknown device type and a
  /// second allocator for a type are refused with a logged message; the first one stays.
  void register_allocator(DeviceAllocator* alloc);

  /// Null, with an error text, when no library provided one.
  DeviceAllocator* get_allocator(etensor::DeviceType type);

 private:
  DeviceAllocatorRegistry() = default;
  DeviceAllocatorRegistry(const DeviceAllocatorRegistry&) = delete;
  DeviceAllocatorRegistry& operator=(const DeviceAllocatorRegistry&) = delete;
};

/// DeviceAllocatorRegistry::instance().register_allocator()
EXECUTORCH_API void register_device_allocator(DeviceAllocator* alloc);

/// DeviceAllocatorRegistry::instance().get_allocator()
EXECUTORCH_API DeviceAllocator* get_device_allocator(etensor::DeviceType type);

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::DeviceAllocator;
using ::executorch::runtime::DeviceAllocatorRegistry;
using ::executorch::runtime::get_device_allocator;
using ::executorch::runtime::register_device_allocator;
}  // namespace executor
}  // namespace torch
