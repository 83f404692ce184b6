/**
 * @file
 * The CUDA stream that an application chooses for the delegates that it runs on a thread. The
 * choice lies in one shared library, so that every delegate of a process sees it. Needs no CUDA
 * headers: a stream is declared here as CUDA declares it.
 */
#pragma once

#include <optional>

#include <executorch/extension/cuda/export.h>

struct CUstream_st;
/// As in CUDA's headers. Null is CUDA's default stream.
using cudaStream_t = CUstream_st*;

namespace executorch {
namespace extension {
namespace cuda {

/// The stream of the innermost guard on this thread, nothing when there is none. A null stream is a
/// choice as any other.
EXECUTORCH_EXTENSION_CUDA_API std::optional<cudaStream_t> getCallerStream();

/**
 * Chooses a stream for what runs on this thread as long as the guard lives; then the previous
 * choice holds again. The stream stays the caller's and must outlive the guard. Guards are
 * destroyed on the thread that made them, the last one first.
 */
class EXECUTORCH_EXTENSION_CUDA_API CallerStreamGuard {
 public:
  explicit CallerStreamGuard(cudaStream_t stream);
  ~CallerStreamGuard();
  CallerStreamGuard(const CallerStreamGuard&) = delete;
  CallerStreamGuard& operator=(const CallerStreamGuard&) = delete;

 private:
  std::optional<cudaStream_t> previous_;
};

}  // namespace cuda
}  // namespace extension
}  // namespace executorch
