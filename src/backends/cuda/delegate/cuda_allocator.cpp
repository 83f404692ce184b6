#include "backends/cuda/delegate/cuda_allocator.h"

#include <algorithm>

#include <cuda_runtime_api.h>

#include <executorch/extension/cuda/caller_stream.h>

#include "backends/cuda/runtime/cuda_error.h"

namespace executorch::backends::cuda {
namespace {

using runtime::Error;
using runtime::Result;
using runtime::etensor::DeviceIndex;

/// What cudaMalloc() guarantees.
constexpr size_t kAlignment = 256;

Error check_index(DeviceIndex index) {
  ET_REQUIRE(index >= -1, InvalidArgument, "there is no CUDA device %d", static_cast<int>(index));
  return Error::Ok;
}

Error copy(void* dst, const void* src, size_t nbytes, DeviceIndex index, cudaMemcpyKind kind) {
  ET_TRY(check_index(index));
  if (nbytes == 0) return Error::Ok;
  ET_REQUIRE(dst != nullptr && src != nullptr, InvalidArgument, "a copy of %zu bytes needs memory",
             nbytes);
  const DeviceScope scope(index);
  ET_TRY(scope.error());
  const std::optional<cudaStream_t> stream = extension::cuda::getCallerStream();
  if (!stream) return check_cuda(cudaMemcpy(dst, src, nbytes, kind), "a copy");
  ET_TRY(check_cuda(cudaMemcpyAsync(dst, src, nbytes, kind, *stream), "a copy"));
  if (kind != cudaMemcpyDeviceToHost) return Error::Ok;
  return check_cuda(cudaStreamSynchronize(*stream), "waiting for a copy");
}

}  // namespace

Result<void*> CudaAllocator::allocate(size_t nbytes, DeviceIndex index, size_t alignment) {
  const bool possible =
      alignment > 0 && (alignment & (alignment - 1)) == 0 && alignment <= kAlignment;
  ET_REQUIRE(possible, NotSupported, "CUDA memory is aligned to %zu bytes, %zu were asked for",
             kAlignment, alignment);
  Error error = check_index(index);
  if (error != Error::Ok) return error;
  const DeviceScope scope(index);
  if (scope.error() != Error::Ok) return scope.error();
  void* data = nullptr;
  error = check_cuda(cudaMalloc(&data, std::max<size_t>(nbytes, 1)), "device memory");
  if (error == Error::Ok) return data;
  runtime::add_error_context("%zu bytes", nbytes);
  return error == Error::NotSupported ? error : Error::MemoryAllocationFailed;
}

void CudaAllocator::deallocate(void* ptr, DeviceIndex index) {
  if (ptr == nullptr) return;
  const DeviceScope scope(index);
  cudaFree(ptr);
}

Error CudaAllocator::copy_host_to_device(void* dst, const void* src, size_t nbytes,
                                         DeviceIndex index) {
  return copy(dst, src, nbytes, index, cudaMemcpyHostToDevice);
}

Error CudaAllocator::copy_device_to_host(void* dst, const void* src, size_t nbytes,
                                         DeviceIndex index) {
  return copy(dst, src, nbytes, index, cudaMemcpyDeviceToHost);
}

}  // namespace executorch::backends::cuda
