/**
 * @file
 * One delegated part of a loaded CUDA program.
 */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/span.h>

#include "backends/aoti/container/container.h"
#include "backends/cuda/delegate/constants.h"
#include "backends/cuda/delegate/graph.h"
#include "backends/cuda/delegate/stream.h"

namespace executorch::backends::cuda {

struct DelegateSettings {
  std::string method_name;
  bool share_constants = false;
  bool capture_graph = false;
  /// The stream to run on; null: one of the delegate's own.
  std::shared_ptr<Stream> stream;
};

/// Used by one thread at a time.
class CudaDelegate {
 public:
  /// Loads generated code and constants. Nothing is left behind on failure.
  static Error create(runtime::Span<const uint8_t> payload, const runtime::NamedDataMap* data,
                      const DelegateSettings& settings, std::unique_ptr<CudaDelegate>* delegate);

  ~CudaDelegate();
  CudaDelegate(const CudaDelegate&) = delete;
  CudaDelegate& operator=(const CudaDelegate&) = delete;

  /// Runs on the caller's stream, or else on the delegate's; does not wait for it.
  Error execute(runtime::Span<runtime::EValue*> arguments);

  size_t num_inputs() const { return container_->num_inputs(); }

 private:
  CudaDelegate() = default;
  Error check_arguments(runtime::Span<runtime::EValue*> arguments);
  Error run_now(cudaStream_t stream);
  Error run_graph(cudaStream_t stream);
  Error call(std::vector<TensorHandle> inputs, cudaStream_t stream,
             std::vector<aoti::ShimTensor*>* outputs);

  // In the order of their making: the container goes before its constants, and before the stream.
  std::shared_ptr<Stream> stream_;
  Constants constants_;
  std::unique_ptr<aoti::Container> container_;
  bool capture_graph_ = false;
  int executions_ = 0;
  std::unique_ptr<CapturedGraph> graph_;
  // Of the current execution.
  std::vector<const aten::Tensor*> inputs_;
  std::vector<aten::Tensor*> outputs_;
};

}  // namespace executorch::backends::cuda
