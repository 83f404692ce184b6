#include "backends/cuda/shims/launches.h"

namespace executorch::backends::cuda {
namespace {

template <class Body>
Error take_and_fill(cudaStream_t stream, const TakeDraws& take, const Body& body) {
  ET_TRY(for_each_index(stream, 1, take));
  return for_each_index(stream, static_cast<int64_t>(take.count), body);
}

}  // namespace

Error launch_random(cudaStream_t stream, const TakeDraws& take, const UniformFloat& body) {
  return take_and_fill(stream, take, body);
}

Error launch_random(cudaStream_t stream, const TakeDraws& take, const UniformBFloat16& body) {
  return take_and_fill(stream, take, body);
}

Error launch_random(cudaStream_t stream, const TakeDraws& take, const UniformInteger& body) {
  return take_and_fill(stream, take, body);
}

}  // namespace executorch::backends::cuda
