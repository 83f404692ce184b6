#include <cstring>

#include <executorch/runtime/kernel/operator_table.h>

namespace executorch {
namespace runtime {
namespace {

struct Component {
  const char* prefix;
  const char* hint;
};

constexpr const char* kCpuOperators =
    "the CPU operators (link executorch::kernels; in Python, import executorch.runtime)";
constexpr const char* kQuantized =
    "the quantized operators (link executorch::kernels_quantized; in Python, import "
    "executorch.kernels.quantized)";
constexpr const char* kLlm =
    "the LLM operators (link executorch::kernels_llm; in Python, import "
    "executorch.extension.llm.custom_ops.custom_ops)";

constexpr Component components[] = {
    {"aten::", kCpuOperators},
    {"dim_order_ops::", kCpuOperators},
    {"et_copy::", kCpuOperators},
    {"quantized_decomposed::", kQuantized},
    {"llama::", kLlm},
    {"preprocess::", kLlm},
    {"executorch_prim::", "the runtime, in a later version than this one"},
};

}  // namespace

const char* operator_component_hint(const char* name) {
  if (name == nullptr) return nullptr;
  for (const Component& component : components) {
    if (std::strncmp(name, component.prefix, std::strlen(component.prefix)) == 0) {
      return component.hint;
    }
  }
  return nullptr;
}

}  // namespace runtime
}  // namespace executorch
