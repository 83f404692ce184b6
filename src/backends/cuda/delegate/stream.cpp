#include "backends/cuda/delegate/stream.h"

#include <new>

#include "backends/cuda/shims/cuda_table.h"

namespace executorch::backends::cuda {

Error Stream::make(std::shared_ptr<Stream>* stream) {
  std::shared_ptr<Stream> made(new (std::nothrow) Stream);
  ET_REQUIRE(made != nullptr, MemoryAllocationFailed, "no memory for a stream");
  ET_TRY(check_cuda(cudaStreamCreateWithFlags(&made->stream_, cudaStreamDefault),
                    "a new CUDA stream"));
  *stream = std::move(made);
  return Error::Ok;
}

Stream::~Stream() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

CurrentStreamScope::CurrentStreamScope(cudaStream_t stream, int device)
    // The shims take no null stream; this is another name of the default one.
    : stream_(stream != nullptr ? stream : cudaStreamLegacy) {
  error_ = static_cast<Error>(aoti::AOTI_SHIM(create_cuda_stream_guard)(stream_, device, &guard_));
}

CurrentStreamScope::~CurrentStreamScope() {
  if (guard_ != nullptr) aoti::AOTI_SHIM(delete_cuda_stream_guard)(guard_);
}

}  // namespace executorch::backends::cuda
