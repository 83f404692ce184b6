#include <iterator>

#include <executorch/runtime/platform/export.h>

#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

constexpr Table (*kTables[])() = {
    elementwise_unary_rows,
    elementwise_binary_rows,
    numeric_rows,
    complex_rows,
    reduce_rows,
    distance_rows,
    scan_rows,
    sort_rows,
    search_rows,
    random_rows,
    distribution_rows,
    copy_rows,
    view_rows,
    rearrange_rows,
    join_split_rows,
    pad_rows,
    index_rows,
    scatter_rows,
    scatter_reduce_rows,
    embedding_rows,
    creation_rows,
    matmul_rows,
    fft_rows,
    linalg_rows,
    conv_rows,
    conv_backward_rows,
    max_pool_rows,
    average_pool_rows,
    fractional_pool_rows,
    resize_rows,
    column_rows,
    grid_rows,
    norm_rows,
    batch_norm_rows,
    norm_backward_rows,
    softmax_rows,
    dim_order_rows,
};

}  // namespace

/// The outcome of registering this library's operators, which happens when it is loaded. Referring
/// to it keeps the library from being dropped by linkers that drop libraries nobody names.
EXECUTORCH_KERNELS_API Error cpu_operators_registration();

Error cpu_operators_registration() {
  static const Error result = register_tables("CPU operators", {kTables, std::size(kTables)});
  return result;
}

namespace {
[[maybe_unused]] const Error registered_at_load = cpu_operators_registration();
}  // namespace

}  // namespace kernels
}  // namespace executorch
