#include "backends/cuda/shims/current_stream.h"

#include <vector>

namespace executorch::backends::cuda {
namespace {

struct DeviceStreams {
  cudaStream_t set = nullptr;
  cudaStream_t own = nullptr;
};

/// By device.
class ThreadStreams {
 public:
  ~ThreadStreams() {
    // At the end of the process the runtime may be gone, which it says by an error that does not
    // matter here.
    for (const DeviceStreams& streams : streams_) {
      if (streams.own != nullptr) cudaStreamDestroy(streams.own);
    }
  }

  DeviceStreams& of(int device) {
    const size_t place = static_cast<size_t>(device);
    if (place >= streams_.size()) streams_.resize(place + 1);
    return streams_[place];
  }

 private:
  std::vector<DeviceStreams> streams_;
};

ThreadStreams& thread_streams() {
  thread_local ThreadStreams streams;
  return streams;
}

}  // namespace

Error resolve_device(int index, int* device) {
  if (index < 0) return check_cuda(cudaGetDevice(device), "the current CUDA device");
  const int count = device_count();
  ET_REQUIRE(index < count, InvalidArgument, "CUDA device %d was asked for, there are %d", index,
             count);
  *device = index;
  return Error::Ok;
}

Error current_stream(int device, cudaStream_t* stream) {
  DeviceStreams& streams = thread_streams().of(device);
  if (streams.set == nullptr && streams.own == nullptr) {
    const DeviceScope scope(device);
    ET_TRY(scope.error());
    ET_TRY(check_cuda(cudaStreamCreateWithFlags(&streams.own, cudaStreamDefault),
                      "a new CUDA stream"));
  }
  *stream = streams.set != nullptr ? streams.set : streams.own;
  return Error::Ok;
}

cudaStream_t peek_current_stream(int device) {
  return thread_streams().of(device).set;
}

void set_current_stream(int device, cudaStream_t stream) {
  thread_streams().of(device).set = stream;
}

}  // namespace executorch::backends::cuda
