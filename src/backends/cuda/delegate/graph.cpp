#include "backends/cuda/delegate/graph.h"

#include <algorithm>

namespace executorch::backends::cuda {

using runtime::Span;

CapturedGraph::~CapturedGraph() {
  outputs_.clear();
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
  if (graph_ != nullptr) cudaGraphDestroy(graph_);
  for (const Input& input : inputs_) cudaFree(input.data);
}

Error CapturedGraph::make_inputs(Span<const aten::Tensor* const> inputs,
                                 std::vector<TensorHandle>* handles) {
  for (const Input& input : inputs_) cudaFree(input.data);
  inputs_.clear();
  for (const aten::Tensor* tensor : inputs) {
    Input& input = inputs_.emplace_back();
    input.sizes.assign(tensor->sizes().begin(), tensor->sizes().end());
    input.nbytes = tensor->nbytes();
    if (input.nbytes > 0) {
      ET_TRY(check_cuda(cudaMalloc(&input.data, input.nbytes), "memory for a graph's inputs"));
    }
    ET_TRY(wrap(*tensor, input.data, &handles->emplace_back()));
  }
  return Error::Ok;
}

Error CapturedGraph::finish(cudaStream_t stream, Error error) {
  // A capture that was begun is ended also when the work failed.
  const Error ended = check_cuda(cudaStreamEndCapture(stream, &graph_), "the end of a capture");
  if (error == Error::Ok) error = ended;
  if (error == Error::Ok) {
    // Results that the graph allocates are replaced at the next launch.
    error = check_cuda(
        cudaGraphInstantiate(&executable_, graph_, cudaGraphInstantiateFlagAutoFreeOnLaunch),
        "the instantiation of a graph");
  }
  if (error != Error::Ok) outputs_.clear();
  return error;
}

Error CapturedGraph::launch(Span<const aten::Tensor* const> inputs, cudaStream_t stream) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    const auto sizes = inputs[i]->sizes();
    ET_REQUIRE(std::equal(sizes.begin(), sizes.end(), input.sizes.begin(), input.sizes.end()),
               InvalidArgument,
               "input %zu of a captured graph has other sizes than those it was captured with; "
               "leave the method out of enable_cuda_graph_for_method for sizes that change",
               i);
    if (input.nbytes == 0) continue;
    ET_TRY(check_cuda(cudaMemcpyAsync(input.data, inputs[i]->const_data_ptr(), input.nbytes,
                                      cudaMemcpyDeviceToDevice, stream),
                      "a copy to a graph's input"));
  }
  return check_cuda(cudaGraphLaunch(executable_, stream), "the launch of a graph");
}

}  // namespace executorch::backends::cuda
