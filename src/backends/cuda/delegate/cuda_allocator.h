/**
 * @file
 * CUDA memory for the runtime's planned tensors, and the copies at the edges of delegates.
 */
#pragma once

#include <executorch/runtime/core/device_allocator.h>

namespace executorch::backends::cuda {

/// Copies go to the stream that the caller chose on this thread, or else to CUDA's default stream;
/// those to the host are done when they return.
class CudaAllocator final : public runtime::DeviceAllocator {
 public:
  /// NotSupported when `alignment` is no power of two of at most 256, InvalidArgument when `index`
  /// is below -1.
  runtime::Result<void*> allocate(size_t nbytes, runtime::etensor::DeviceIndex index,
                                  size_t alignment) override;
  void deallocate(void* ptr, runtime::etensor::DeviceIndex index) override;
  runtime::Error copy_host_to_device(void* dst, const void* src, size_t nbytes,
                                     runtime::etensor::DeviceIndex index) override;
  runtime::Error copy_device_to_host(void* dst, const void* src, size_t nbytes,
                                     runtime::etensor::DeviceIndex index) override;
  runtime::etensor::DeviceType device_type() const override {
    return runtime::etensor::DeviceType::CUDA;
  }
};

}  // namespace executorch::backends::cuda
