// Random tensors. Each device has a stream of numbers: a key from the system's entropy, and how far
// it has come.
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "backends/cuda/shims/cuda_table.h"
#include "backends/cuda/shims/current_stream.h"
#include "backends/cuda/shims/launches.h"
#include "backends/cuda/shims/memory.h"

namespace executorch::backends::cuda {
namespace {

struct NumberStream {
  uint64_t key = 0;
  unsigned long long* taken = nullptr;  ///< on the device
};

/// By device. The device's part lives as long as the process.
Error number_stream(int device, cudaStream_t stream, NumberStream* numbers) {
  static std::mutex mutex;
  static auto& all = *new std::vector<NumberStream>;
  const std::lock_guard<std::mutex> lock(mutex);
  const size_t place = static_cast<size_t>(device);
  if (place >= all.size()) all.resize(place + 1);
  NumberStream& own = all[place];
  if (own.taken == nullptr) {
    void* taken = nullptr;
    ET_TRY(check_cuda(cudaMalloc(&taken, sizeof *own.taken), "the state of random numbers"));
    cudaError_t status = cudaMemsetAsync(taken, 0, sizeof *own.taken, stream);
    // Other streams use it as well.
    if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
    if (status != cudaSuccess) {
      cudaFree(taken);
      return check_cuda(status, "the state of random numbers");
    }
    std::random_device entropy;
    own.key = static_cast<uint64_t>(entropy()) << 32 | entropy();
    own.taken = static_cast<unsigned long long*>(taken);
  }
  *numbers = own;
  return Error::Ok;
}

/// A draw is on its way: the device's stream of numbers, and where the first of its numbers will be
/// written.
struct Draw {
  cudaStream_t stream = nullptr;
  NumberStream numbers;
  Scratch first;

  Error prepare(int device) {
    ET_TRY(current_stream(device, &stream));
    ET_TRY(number_stream(device, stream, &numbers));
    return first.allocate(sizeof(unsigned long long), stream);
  }
  TakeDraws take(int64_t numel, int64_t per_draw) const {
    const int64_t draws = (numel + per_draw - 1) / per_draw;
    return {numbers.taken, first.as<unsigned long long>(), static_cast<unsigned long long>(draws)};
  }
};

Error fill_uniform(ShimTensor* tensor) {
  if (tensor->numel() == 0) return Error::Ok;
  Draw draw;
  ET_TRY(draw.prepare(tensor->device().index));
  const TakeDraws take = draw.take(tensor->numel(), 4);
  if (tensor->dtype() == ScalarType::Float) {
    const UniformFloat body{static_cast<float*>(tensor->data()), tensor->numel(), draw.numbers.key,
                            take.first};
    return launch_random(draw.stream, take, body);
  }
  const UniformBFloat16 body{static_cast<uint16_t*>(tensor->data()), tensor->numel(),
                             draw.numbers.key, take.first};
  return launch_random(draw.stream, take, body);
}

Error rand(runtime::Span<const int64_t> size, int32_t dtype, const Device& device,
           ShimTensor** result) {
  const bool known = dtype == static_cast<int32_t>(ScalarType::Float) ||
                     dtype == static_cast<int32_t>(ScalarType::BFloat16);
  ET_REQUIRE(known, NotSupported, "rand makes float32 and bfloat16 numbers, not element type %d",
             dtype);
  const DeviceScope scope(device.index);
  ET_TRY(scope.error());
  ShimTensor* made = nullptr;
  ET_TRY(make_tensor(size, static_cast<ScalarType>(dtype), device, &made));
  const Error error = fill_uniform(made);
  if (error != Error::Ok) {
    delete made;
    return error;
  }
  *result = made;
  return Error::Ok;
}

Error randint(ShimTensor* out, int64_t low, int64_t high, runtime::Span<const int64_t> size) {
  ET_REQUIRE(high > low, InvalidArgument, "randint draws from [%lld, %lld), which is empty",
             static_cast<long long>(low), static_cast<long long>(high));
  ET_REQUIRE(out->dtype() == ScalarType::Long && out->is_contiguous() &&
                 out->device().type == DeviceType::cuda,
             NotSupported, "randint fills contiguous int64 tensors on a CUDA device");
  bool same = size.size() == out->rank();
  for (size_t d = 0; same && d < out->rank(); ++d) same = size[d] == out->sizes()[d];
  ET_REQUIRE(same, InvalidArgument, "randint's size is not that of its output");
  if (out->numel() == 0) return Error::Ok;
  const DeviceScope scope(out->device().index);
  ET_TRY(scope.error());
  Draw draw;
  ET_TRY(draw.prepare(out->device().index));
  const TakeDraws take = draw.take(out->numel(), 2);
  const UniformInteger body{static_cast<int64_t*>(out->data()),
                            out->numel(),
                            draw.numbers.key,
                            take.first,
                            low,
                            static_cast<uint64_t>(high) - static_cast<uint64_t>(low)};
  return launch_random(draw.stream, take, body);
}

}  // namespace
}  // namespace executorch::backends::cuda

namespace executorch::backends::aoti {

using namespace cuda;

extern "C" {

Status AOTI_SHIM(cuda_rand)(const int64_t* size, int64_t size_length, int32_t* dtype, int32_t*,
                            int32_t* device, int32_t device_index, int32_t*, ShimTensor** result) {
  AOTI_REQUIRE(result != nullptr && size_length >= 0);
  AOTI_REQUIRE(size != nullptr || size_length == 0);
  AOTI_REQUIRE(device == nullptr || *device == static_cast<int32_t>(DeviceType::cuda));
  int number = 0;
  AOTI_TRY(resolve_device(device_index, &number));
  const Device where{DeviceType::cuda, number};
  const int32_t type = dtype != nullptr ? *dtype : static_cast<int32_t>(ScalarType::Float);
  return status_of(rand({size, static_cast<size_t>(size_length)}, type, where, result));
}

Status AOTI_SHIM(cuda_randint_low_out)(ShimTensor* out, int64_t low, int64_t high,
                                       const int64_t* size, int64_t size_length) {
  AOTI_REQUIRE(out != nullptr && size_length >= 0);
  AOTI_REQUIRE(size != nullptr || size_length == 0);
  return status_of(randint(out, low, high, {size, static_cast<size_t>(size_length)}));
}

}  // extern "C"

}  // namespace executorch::backends::aoti
