#include "backends/cuda/delegate/cuda_delegate.h"

#include <new>
#include <utility>

#include <executorch/extension/cuda/caller_stream.h>

#include "backends/aoti/code/code_object.h"

namespace executorch::backends::cuda {
namespace {

using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;

/// What the exporter puts behind the digest of a code object to make its key.
constexpr std::string_view kCodeKeyEnd = "_so_blob";
constexpr size_t kDigestLength = 64;

/// The SHA-256 that a key of the program's data begins with; empty when it has none.
std::string digest_of(const std::string& key) {
  const std::string digest = key.substr(0, kDigestLength);
  const bool hexadecimal = digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  return hexadecimal && key.size() == kDigestLength + kCodeKeyEnd.size() &&
                 key.compare(kDigestLength, std::string::npos, kCodeKeyEnd) == 0
             ? digest
             : std::string();
}

Error load_code(const std::string& key, const NamedDataMap* data,
                std::shared_ptr<aoti::CodeObject>* code) {
  ET_REQUIRE(data != nullptr, NotFound,
             "the CUDA delegate needs the code object '%s' of the program's data, there is none",
             key.c_str());
  Result<FreeableBuffer> bytes = data->get_data(key);
  if (!bytes.ok()) {
    runtime::add_error_context("the code object '%s' of the CUDA delegate", key.c_str());
    return bytes.error();
  }
  aoti::CodeOptions options;
  options.shims = {reinterpret_cast<const void*>(&aoti::AOTI_SHIM(get_data_ptr)),
                   AOTI_TEXT(AOTI_SHIM_PREFIX)};
  options.sha256 = digest_of(key);
  std::unique_ptr<aoti::CodeObject> loaded;
  ET_TRY(aoti::CodeObject::load({static_cast<const uint8_t*>(bytes->data()), bytes->size()},
                                options, &loaded));
  *code = std::move(loaded);
  return Error::Ok;
}

}  // namespace

Error CudaDelegate::create(Span<const uint8_t> payload, const NamedDataMap* data,
                           const DelegateSettings& settings,
                           std::unique_ptr<CudaDelegate>* delegate) {
  std::unique_ptr<CudaDelegate> made(new (std::nothrow) CudaDelegate);
  ET_REQUIRE(made != nullptr, MemoryAllocationFailed, "no memory for a CUDA delegate");
  aoti::Manifest manifest;
  ET_TRY(aoti::read_manifest(payload, settings.method_name.c_str(), &manifest));
  int device = 0;
  ET_TRY(check_cuda(cudaGetDevice(&device), "the CUDA delegate cannot run here"));
  std::shared_ptr<aoti::CodeObject> code;
  ET_TRY(load_code(manifest.code_key, data, &code));
  made->stream_ = settings.stream;
  if (made->stream_ == nullptr) ET_TRY(Stream::make(&made->stream_));
  const CurrentStreamScope scope(made->stream_->get(), device);
  ET_TRY(scope.error());
  ET_TRY(aoti::Container::create(code, "cuda", &made->container_));
  ET_TRY(load_constants(manifest, data, settings.share_constants, *code, made->container_.get(),
                        &made->constants_));
  made->capture_graph_ = settings.capture_graph;
  *delegate = std::move(made);
  return Error::Ok;
}

CudaDelegate::~CudaDelegate() {
  if (stream_ == nullptr) return;
  // What was submitted may still read what goes now.
  cudaStreamSynchronize(stream_->get());
  const CurrentStreamScope scope(stream_->get(), -1);
  graph_.reset();
  container_.reset();
  constants_.clear();
}

Error CudaDelegate::check_arguments(Span<EValue*> arguments) {
  const size_t wanted = container_->num_inputs() + container_->num_outputs();
  ET_REQUIRE(arguments.size() == wanted, InvalidArgument,
             "the CUDA delegate takes %zu inputs and %zu outputs, it got %zu arguments",
             container_->num_inputs(), container_->num_outputs(), arguments.size());
  inputs_.clear();
  outputs_.clear();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool input = i < container_->num_inputs();
    const size_t index = input ? i : i - container_->num_inputs();
    const char* role = input ? "input" : "output";
    ET_REQUIRE(arguments[i]->isTensor(), InvalidArgument,
               "%s %zu of the CUDA delegate is no tensor", role, index);
    aten::Tensor& tensor = arguments[i]->toTensor();
    ET_TRY(check_device_tensor(tensor, role, index));
    if (input) {
      inputs_.push_back(&tensor);
    } else {
      outputs_.push_back(&tensor);
    }
  }
  return Error::Ok;
}

Error CudaDelegate::call(std::vector<TensorHandle> inputs, cudaStream_t stream,
                         std::vector<aoti::ShimTensor*>* outputs) {
  // The container deletes the handles of the inputs, whatever comes of it.
  std::vector<aoti::ShimTensor*> given;
  for (TensorHandle& input : inputs) given.push_back(input.release());
  outputs->assign(container_->num_outputs(), nullptr);
  return container_->run({given.data(), given.size()}, {outputs->data(), outputs->size()}, stream);
}

Error CudaDelegate::run_now(cudaStream_t stream) {
  std::vector<TensorHandle> inputs(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    ET_TRY(wrap(*inputs_[i], const_cast<void*>(inputs_[i]->const_data_ptr()), &inputs[i]));
  }
  std::vector<aoti::ShimTensor*> made;
  const Error error = call(std::move(inputs), stream, &made);
  const std::vector<TensorHandle> results(made.begin(), made.end());
  ET_TRY(error);
  for (size_t i = 0; i < results.size(); ++i) {
    ET_REQUIRE(results[i] != nullptr, Internal, "the generated code made no output %zu", i);
    ET_TRY(copy_result(results[i].get(), *outputs_[i], i));
  }
  return Error::Ok;
}

Error CudaDelegate::run_graph(cudaStream_t stream) {
  const Span<const aten::Tensor* const> inputs(inputs_.data(), inputs_.size());
  if (graph_ == nullptr) {
    std::unique_ptr<CapturedGraph> graph(new (std::nothrow) CapturedGraph);
    ET_REQUIRE(graph != nullptr, MemoryAllocationFailed, "no memory for a graph");
    std::vector<TensorHandle> handles;
    ET_TRY(graph->make_inputs(inputs, &handles));
    ET_TRY(graph->capture(stream, container_->num_outputs(),
                          [&](std::vector<aoti::ShimTensor*>* outputs) {
                            return call(std::move(handles), stream, outputs);
                          }));
    graph_ = std::move(graph);
  }
  ET_TRY(graph_->launch(inputs, stream));
  for (size_t i = 0; i < graph_->outputs().size(); ++i) {
    ET_TRY(copy_result(graph_->outputs()[i].get(), *outputs_[i], i));
  }
  return Error::Ok;
}

Error CudaDelegate::execute(Span<EValue*> arguments) {
  ET_TRY(check_arguments(arguments));
  const std::optional<cudaStream_t> callers = extension::cuda::getCallerStream();
  ET_REQUIRE(!(callers && capture_graph_), NotSupported,
             "a method of enable_cuda_graph_for_method runs on the delegate's own stream, not on "
             "one that the caller chose");
  int device = 0;
  ET_TRY(check_cuda(cudaGetDevice(&device), "the current CUDA device"));
  const CurrentStreamScope scope(callers.value_or(stream_->get()), device);
  ET_TRY(scope.error());
  if (!capture_graph_ || executions_ < kWarmUps) {
    ET_TRY(run_now(scope.get()));
    ++executions_;
    return Error::Ok;
  }
  return run_graph(scope.get());
}

}  // namespace executorch::backends::cuda
