#include <executorch/runtime/core/device_memory_buffer.h>

namespace executorch::runtime {

Result<DeviceMemoryBuffer> DeviceMemoryBuffer::create(size_t size, etensor::DeviceType type,
                                                      etensor::DeviceIndex index,
                                                      size_t alignment) {
  DeviceAllocator* const allocator = get_device_allocator(type);
  if (allocator == nullptr) return Error::NotFound;
  const Result<void*> memory = allocator->allocate(size, index, alignment);
  if (!memory.ok()) return memory.error();
  return DeviceMemoryBuffer(*memory, size, allocator, index);
}

}  // namespace executorch::runtime
