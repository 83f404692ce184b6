#include "backends/cuda/runtime/cuda_error.h"

namespace executorch::backends::cuda {

Error check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return Error::Ok;
  // The runtime remembers an error until it is asked.
  cudaGetLastError();
  const char* text = cudaGetErrorString(status);
  switch (status) {
    case cudaErrorInsufficientDriver:
      return ET_ERROR(NotSupported,
                      "%s: the NVIDIA driver is missing or older than CUDA %d.%d needs", what,
                      CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    case cudaErrorNoDevice:
      return ET_ERROR(NotSupported, "%s: this machine has no CUDA device", what);
    case cudaErrorMemoryAllocation:
      return ET_ERROR(MemoryAllocationFailed, "%s: %s", what, text);
    default:
      return ET_ERROR(Internal, "%s: %s (CUDA error %d)", what, text, static_cast<int>(status));
  }
}

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

DeviceScope::DeviceScope(int index) {
  if (index < 0) return;
  int current = 0;
  error_ = check_cuda(cudaGetDevice(&current), "the current CUDA device");
  if (error_ != Error::Ok || current == index) return;
  error_ = check_cuda(cudaSetDevice(index), "making a CUDA device current");
  if (error_ == Error::Ok) previous_ = current;
}

DeviceScope::~DeviceScope() {
  if (previous_ >= 0) cudaSetDevice(previous_);
}

}  // namespace executorch::backends::cuda
