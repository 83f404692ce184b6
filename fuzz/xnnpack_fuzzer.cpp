// Input: the payload of an XNNPACK delegate. It is loaded, and run on zeros by itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/runtime.h>
#include <schema/xnnpack_generated.h>

#include "run_methods.h"

namespace executorch::fuzz {
namespace {

using runtime::EValue;

/// Gives each constant that a payload names a few kilobytes.
class SomeData final : public runtime::NamedDataMap {
 public:
  runtime::Result<const runtime::TensorLayout> get_tensor_layout(std::string_view) const override {
    return runtime::Error::NotFound;
  }
  runtime::Result<runtime::FreeableBuffer> get_data(std::string_view) const override {
    return runtime::FreeableBuffer(bytes_.data(), bytes_.size(), nullptr);
  }
  runtime::Error load_data_into(std::string_view, void*, size_t) const override {
    return runtime::Error::NotFound;
  }
  runtime::Result<uint32_t> get_num_keys() const override { return 0u; }
  runtime::Result<const char*> get_key(uint32_t) const override {
    return runtime::Error::InvalidArgument;
  }

 private:
  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(16384, 0x3c);
};

aten::ScalarType type_of(fb_xnnpack::XNNDatatype type) {
  switch (type) {
    case fb_xnnpack::XNNDatatype::xnn_datatype_fp16:
      return aten::ScalarType::Half;
    case fb_xnnpack::XNNDatatype::xnn_datatype_bf16:
      return aten::ScalarType::BFloat16;
    case fb_xnnpack::XNNDatatype::xnn_datatype_qint8:
      return aten::ScalarType::Char;
    case fb_xnnpack::XNNDatatype::xnn_datatype_int32:
      return aten::ScalarType::Int;
    default:
      return aten::ScalarType::Float;
  }
}

const fb_xnnpack::XNNTensorValue* tensor_of(const fb_xnnpack::XValue& value) {
  const auto* quantized = value.xvalue_union_as_XNNQuantizedTensorValue();
  return quantized != nullptr ? quantized->tensor_value() : value.xvalue_union_as_XNNTensorValue();
}

/// Tensors for the arguments of a payload that was loaded, so that its tables are sound.
bool make_arguments(const fb_xnnpack::XNNGraph& graph, std::vector<extension::TensorPtr>* tensors) {
  tensors->resize(graph.num_externs());
  for (const fb_xnnpack::XValue* value : *graph.xvalues()) {
    const fb_xnnpack::XNNTensorValue* tensor = tensor_of(*value);
    if (tensor->flags() == 0) continue;
    std::vector<aten::SizesType> sizes;
    uint64_t bytes = 4;
    for (uint32_t d = 0; d < tensor->num_dims(); ++d) {
      const uint32_t size = tensor->dims()->Get(d);
      if (size > kMemoryLimit || (bytes *= size) > kMemoryLimit) return false;
      sizes.push_back(static_cast<aten::SizesType>(size));
    }
    (*tensors)[tensor->external_id()] = extension::zeros(
        sizes, type_of(tensor->datatype()), aten::TensorShapeDynamism::DYNAMIC_BOUND);
  }
  return true;
}

/// The tables that the backend reads, wherever the header says that they lie.
const fb_xnnpack::XNNGraph* graph_of(const uint8_t* blob) {
  uint32_t offset = 0;
  if (std::memcmp(blob + 4, "XH00", 4) == 0) std::memcpy(&offset, blob + 10, sizeof(offset));
  // Only aligned ones are looked into here; the backend copies others.
  return offset % 16 == 0 ? fb_xnnpack::GetXNNGraph(blob + offset) : nullptr;
}

void run_payload(const uint8_t* blob, size_t size) {
  const runtime::BackendInterface* backend = runtime::get_backend_class("XnnpackBackend");
  extension::MallocMemoryAllocator allocator;
  const SomeData data;
  runtime::BackendInitContext init(&allocator, nullptr, "forward", &data, {}, kMemoryLimit);
  runtime::FreeableBuffer processed(blob, size, nullptr);
  const auto handle = backend->init(init, &processed, {});
  if (!handle.ok()) return;
  std::vector<extension::TensorPtr> tensors;
  const fb_xnnpack::XNNGraph* graph = graph_of(blob);
  if (graph != nullptr && make_arguments(*graph, &tensors)) {
    std::vector<EValue> values;
    for (const auto& tensor : tensors)
      values.push_back(tensor != nullptr ? EValue(*tensor) : EValue());
    std::vector<EValue*> arguments;
    for (EValue& value : values) arguments.push_back(&value);
    runtime::BackendExecutionContext context;
    (void)backend->execute(context, handle.get(), {arguments.data(), arguments.size()});
  }
  backend->destroy(handle.get());
}

}  // namespace
}  // namespace executorch::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  executorch::runtime::runtime_init();
  void* copy = nullptr;
  if (posix_memalign(&copy, 64, size + 1) != 0) return 0;
  std::memcpy(copy, data, size);
  executorch::fuzz::run_payload(static_cast<const uint8_t*>(copy), size);
  std::free(copy);
  return 0;
}
