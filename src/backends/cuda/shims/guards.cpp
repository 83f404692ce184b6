// The device and the stream of this thread, for a while.
#include <memory>
#include <new>

#include "backends/cuda/shims/cuda_table.h"
#include "backends/cuda/shims/current_stream.h"
#include "backends/cuda/shims/memory.h"

namespace executorch::backends::cuda {

struct DeviceGuard {
  int previous = 0;
};

struct StreamGuard {
  DeviceGuard device;
  int index = 0;
  cudaStream_t previous = nullptr;
};

namespace {

Error enter_device(int index, DeviceGuard* guard) {
  int device = 0;
  ET_TRY(resolve_device(index, &device));
  ET_TRY(check_cuda(cudaGetDevice(&guard->previous), "the current CUDA device"));
  return check_cuda(cudaSetDevice(device), "making a CUDA device current");
}

Error leave_device(const DeviceGuard& guard) {
  return check_cuda(cudaSetDevice(guard.previous), "going back to a CUDA device");
}

template <class Guard>
Error make_guard(std::unique_ptr<Guard>* guard) {
  guard->reset(new (std::nothrow) Guard);
  ET_REQUIRE(*guard != nullptr, MemoryAllocationFailed, "no memory for a guard");
  return Error::Ok;
}

}  // namespace
}  // namespace executorch::backends::cuda

namespace executorch::backends::aoti {

using namespace cuda;

extern "C" {

Status AOTI_SHIM(create_cuda_guard)(int32_t device_index, DeviceGuard** guard) {
  AOTI_REQUIRE(guard != nullptr);
  std::unique_ptr<DeviceGuard> made;
  AOTI_TRY(make_guard(&made));
  AOTI_TRY(enter_device(device_index, made.get()));
  *guard = made.release();
  return status_of(Error::Ok);
}

Status AOTI_SHIM(delete_cuda_guard)(DeviceGuard* guard) {
  AOTI_REQUIRE(guard != nullptr);
  const std::unique_ptr<DeviceGuard> owner(guard);
  return status_of(leave_device(*guard));
}

Status AOTI_SHIM(cuda_guard_set_index)(DeviceGuard* guard, int32_t device_index) {
  AOTI_REQUIRE(guard != nullptr);
  int device = 0;
  AOTI_TRY(resolve_device(device_index, &device));
  return status_of(check_cuda(cudaSetDevice(device), "making a CUDA device current"));
}

Status AOTI_SHIM(create_cuda_stream_guard)(void* stream, int32_t device_index,
                                           StreamGuard** guard) {
  AOTI_REQUIRE(stream != nullptr && guard != nullptr);
  std::unique_ptr<StreamGuard> made;
  AOTI_TRY(make_guard(&made));
  AOTI_TRY(resolve_device(device_index, &made->index));
  AOTI_TRY(enter_device(made->index, &made->device));
  made->previous = peek_current_stream(made->index);
  set_current_stream(made->index, static_cast<cudaStream_t>(stream));
  *guard = made.release();
  return status_of(Error::Ok);
}

Status AOTI_SHIM(delete_cuda_stream_guard)(StreamGuard* guard) {
  AOTI_REQUIRE(guard != nullptr);
  const std::unique_ptr<StreamGuard> owner(guard);
  set_current_stream(guard->index, guard->previous);
  return status_of(leave_device(guard->device));
}

Status AOTI_SHIM(get_current_cuda_stream)(int32_t device_index, void** stream) {
  AOTI_REQUIRE(stream != nullptr);
  int device = 0;
  AOTI_TRY(resolve_device(device_index, &device));
  cudaStream_t found = nullptr;
  AOTI_TRY(current_stream(device, &found));
  *stream = found;
  return status_of(Error::Ok);
}

}  // extern "C"

}  // namespace executorch::backends::aoti
