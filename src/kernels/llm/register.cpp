#include <iterator>

#include <executorch/runtime/platform/export.h>

#include "kernels/llm/tables.h"

namespace executorch {
namespace kernels {
namespace {

constexpr Table (*kTables[])() = {
    attention_rows, cache_rows, delta_rule_rows, hadamard_rows, model_part_rows,
};

}  // namespace

/// The outcome of registering this library's operators, which happens when it is loaded. Referring
/// to it keeps the library from being dropped by linkers that drop libraries nobody names.
EXECUTORCH_EXPORT_SYMBOL Error llm_operators_registration();

Error llm_operators_registration() {
  static const Error result = register_tables("LLM operators", {kTables, std::size(kTables)});
  return result;
}

namespace {
[[maybe_unused]] const Error registered_at_load = llm_operators_registration();
}  // namespace

}  // namespace kernels
}  // namespace executorch
