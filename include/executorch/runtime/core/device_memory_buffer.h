/**
 * @file
 * Device memory with an owner.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/export.h>

namespace executorch::runtime {

/// Owns memory of a device and returns it when destroyed. Movable, not copyable, not thread-safe.
class DeviceMemoryBuffer final {
 public:
  /**
   * Allocates `size` bytes through the registered allocator of the device type.
   *
   * @retval NotFound No allocator is registered for `type`; otherwise the allocator's own error.
   */
  EXECUTORCH_API static Result<DeviceMemoryBuffer> create(
      size_t size, etensor::DeviceType type, etensor::DeviceIndex index = 0,
      size_t alignment = DeviceAllocator::kDefaultAlignment);

  /// An empty buffer.
  DeviceMemoryBuffer() = default;

  DeviceMemoryBuffer(DeviceMemoryBuffer&& other) noexcept { take(other); }

  DeviceMemoryBuffer& operator=(DeviceMemoryBuffer&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }

  DeviceMemoryBuffer(const DeviceMemoryBuffer&) = delete;
  DeviceMemoryBuffer& operator=(const DeviceMemoryBuffer&) = delete;

  ~DeviceMemoryBuffer() { release(); }

  /// Device address; the host may not be able to read it.
  void* data() const { return ptr_; }

  /// Bytes.
  size_t size() const { return size_; }

  /// Address and size in the form that HierarchicalAllocator takes.
  Span<uint8_t> as_span() const { return {static_cast<uint8_t*>(ptr_), size_}; }

 private:
  DeviceMemoryBuffer(void* ptr, size_t size, DeviceAllocator* allocator,
                     etensor::DeviceIndex device_index)
      : ptr_(ptr), size_(size), allocator_(allocator), device_index_(device_index) {}

  void release() {
    if (ptr_ != nullptr && allocator_ != nullptr) allocator_->deallocate(ptr_, device_index_);
    ptr_ = nullptr;
  }

  void take(DeviceMemoryBuffer& other) {
    ptr_ = other.ptr_;
    size_ = other.size_;
    allocator_ = other.allocator_;
    device_index_ = other.device_index_;
    other.ptr_ = nullptr;
    other.size_ = 0;
    other.allocator_ = nullptr;
  }

  void* ptr_ = nullptr;
  size_t size_ = 0;
  DeviceAllocator* allocator_ = nullptr;
  etensor::DeviceIndex device_index_ = 0;
};

}  // namespace executorch::runtime
