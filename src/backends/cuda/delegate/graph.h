/**
 * @file
 * A CUDA graph of a method's work: captured once, then launched with one call.
 */
#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>

#include "backends/cuda/delegate/tensors.h"

namespace executorch::backends::cuda {

/// Executions before a capture: generated code sets itself up in the first ones.
constexpr int kWarmUps = 3;

class CapturedGraph {
 public:
  CapturedGraph() = default;
  ~CapturedGraph();
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  bool captured() const { return executable_ != nullptr; }

  /// Makes memory for inputs like these, which captured work reads, and handles over it.
  Error make_inputs(runtime::Span<const aten::Tensor* const> inputs,
                    std::vector<TensorHandle>* handles);

  /// Captures what `work` submits to the stream; `work` writes the results' handles, which the
  /// graph keeps.
  template <class Work>
  Error capture(cudaStream_t stream, size_t num_outputs, const Work& work) {
    ET_TRY(check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed),
                      "the begin of a capture"));
    std::vector<aoti::ShimTensor*> outputs(num_outputs, nullptr);
    const Error error = work(&outputs);
    for (aoti::ShimTensor* output : outputs) outputs_.emplace_back(output);
    return finish(stream, error);
  }

  /// Brings the inputs to the graph's memory and launches it. InvalidArgument when they have other
  /// sizes than those captured.
  Error launch(runtime::Span<const aten::Tensor* const> inputs, cudaStream_t stream);

  /// Where the results are after a launch.
  const std::vector<TensorHandle>& outputs() const { return outputs_; }

 private:
  Error finish(cudaStream_t stream, Error error);

  struct Input {
    void* data = nullptr;
    std::vector<aten::SizesType> sizes;
    size_t nbytes = 0;
  };

  std::vector<Input> inputs_;
  std::vector<TensorHandle> outputs_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace executorch::backends::cuda
