#include <executorch/extension/cuda/caller_stream.h>

namespace executorch {
namespace extension {
namespace cuda {
namespace {

std::optional<cudaStream_t>& chosen() {
  thread_local std::optional<cudaStream_t> stream;
  return stream;
}

}  // namespace

std::optional<cudaStream_t> getCallerStream() {
  return chosen();
}

CallerStreamGuard::CallerStreamGuard(cudaStream_t stream) : previous_(chosen()) {
  chosen() = stream;
}

CallerStreamGuard::~CallerStreamGuard() {
  chosen() = previous_;
}

}  // namespace cuda
}  // namespace extension
}  // namespace executorch
