/**
 * @file
 * Errors of the CUDA runtime as ours.
 */
#pragma once

#include <cuda_runtime_api.h>

#include <executorch/runtime/core/error.h>

namespace executorch::backends::cuda {

using runtime::Error;

/**
 * Ok, or an error whose text says what failed and why, in CUDA's words.
 *
 * @retval NotSupported There is no driver, or no device.
 * @retval MemoryAllocationFailed The device's memory does not suffice.
 * @retval Internal Anything else.
 */
Error check_cuda(cudaError_t status, const char* what);

/// How many devices there are. 0 without a driver, which is no error.
int device_count();

/// Makes a device current for a scope. A negative index leaves the current one.
class DeviceScope {
 public:
  explicit DeviceScope(int index);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  /// Whether the device could be made current.
  Error error() const { return error_; }

 private:
  Error error_ = Error::Ok;
  int previous_ = -1;
};

}  // namespace executorch::backends::cuda
