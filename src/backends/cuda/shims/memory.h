/**
 * @file
 * Memory of the host and of devices: what the common shims ask their library for, and scratch.
 * Device memory comes and goes, and is copied, in the order of the current stream.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "backends/aoti/shims/common/common_table.h"
#include "backends/cuda/runtime/cuda_error.h"

namespace executorch::backends::cuda {

using aoti::Device;
using aoti::DeviceType;
using aoti::ShimTensor;
using aoti::Storage;
using aoti::ViewSpec;
using executorch::aten::ScalarType;

/// A row-major tensor with memory of its own.
Error make_tensor(runtime::Span<const int64_t> sizes, ScalarType dtype, const Device& device,
                  ShimTensor** tensor);

/// Device memory that is given back, in the stream's order, at the end of its scope.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Error allocate(size_t nbytes, cudaStream_t stream);
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace executorch::backends::cuda
