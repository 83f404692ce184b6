// For tests that look for leaks: how many tensors of the shim library there are.
#include "backends/aoti/tensor/shim_tensor.h"

extern "C" __attribute__((visibility("default"))) size_t fake_cuda_live_tensors() {
  return executorch::backends::aoti::live_tensors();
}
