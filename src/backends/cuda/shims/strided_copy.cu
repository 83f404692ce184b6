#include "backends/cuda/shims/strided_copy.h"

namespace executorch::backends::cuda {

Error copy_on_device(cudaStream_t stream, const StridedCopy& copy, int64_t numel) {
  return for_each_index(stream, numel, copy);
}

}  // namespace executorch::backends::cuda
