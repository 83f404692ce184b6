/**
 * @file
 * Tensors of the runtime as handles of the shim library, and back.
 */
#pragma once

#include <memory>

#include <cuda_runtime_api.h>

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include "backends/cuda/runtime/cuda_error.h"
#include "backends/cuda/shims/cuda_table.h"

namespace executorch::backends::cuda {

struct DeleteTensor {
  void operator()(aoti::ShimTensor* tensor) const { aoti::AOTI_SHIM(delete_tensor_object)(tensor); }
};
/// A handle that is deleted by the shim library.
using TensorHandle = std::unique_ptr<aoti::ShimTensor, DeleteTensor>;

/// Refuses a tensor unless it is tagged as the device's and its memory can be reached there. `what`
/// is for the text: "input 2".
Error check_device_tensor(const aten::Tensor& tensor, const char* role, size_t index);

/// A handle over a tensor's memory, or over `data` with its sizes and strides.
Error wrap(const aten::Tensor& tensor, void* data, TensorHandle* handle);

/// Copies a result of generated code to a tensor of the method, which gets its sizes, in the order
/// of the current stream.
Error copy_result(aoti::ShimTensor* result, aten::Tensor& output, size_t index);

}  // namespace executorch::backends::cuda
