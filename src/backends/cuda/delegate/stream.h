/**
 * @file
 * Streams that delegates own, and the stream of one execution.
 */
#pragma once

#include <memory>

#include <cuda_runtime_api.h>

#include "backends/cuda/runtime/cuda_error.h"

namespace executorch::backends::cuda {

/// A stream that waits for CUDA's default stream and is waited for by it, as copies of the runtime
/// use that one.
class Stream {
 public:
  static Error make(std::shared_ptr<Stream>* stream);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  Stream() = default;
  cudaStream_t stream_ = nullptr;
};

/// Makes a stream the thread's current one, in the shim library, for a scope.
class CurrentStreamScope {
 public:
  /// A null stream is CUDA's default stream.
  CurrentStreamScope(cudaStream_t stream, int device);
  ~CurrentStreamScope();
  CurrentStreamScope(const CurrentStreamScope&) = delete;
  CurrentStreamScope& operator=(const CurrentStreamScope&) = delete;

  Error error() const { return error_; }
  cudaStream_t get() const { return stream_; }

 private:
  Error error_ = Error::Ok;
  cudaStream_t stream_ = nullptr;
  struct StreamGuard* guard_ = nullptr;
};

}  // namespace executorch::backends::cuda
