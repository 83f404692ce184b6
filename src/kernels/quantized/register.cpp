#include <iterator>

#include <executorch/runtime/platform/export.h>

#include "kernels/quantized/tables.h"

namespace executorch {
namespace kernels {
namespace {

constexpr Table (*kTables[])() = {
    quantize_rows,      dequantize_rows,          choose_parameters_rows,
    quantized_add_rows, quantized_embedding_rows, mixed_product_rows,
};

}  // namespace

/// The outcome of registering this library's operators, which happens when it is loaded. Referring
/// to it keeps the library from being dropped by linkers that drop libraries nobody names.
EXECUTORCH_EXPORT_SYMBOL Error quantized_operators_registration();

Error quantized_operators_registration() {
  static const Error result = register_tables("quantized operators", {kTables, std::size(kTables)});
  return result;
}

namespace {
[[maybe_unused]] const Error registered_at_load = quantized_operators_registration();
}  // namespace

}  // namespace kernels
}  // namespace executorch
