/**
 * @file
 * All operator rows of the CPU operator library, one table per source file. register.cpp registers
 * them.
 */
#pragma once

#include "kernels/support/registration.h"

namespace executorch {
namespace kernels {

Table elementwise_unary_rows();
Table elementwise_binary_rows();
Table numeric_rows();
Table complex_rows();
Table reduce_rows();
Table distance_rows();
Table scan_rows();
Table sort_rows();
Table search_rows();
Table random_rows();
Table distribution_rows();
Table copy_rows();
Table view_rows();
Table rearrange_rows();
Table join_split_rows();
Table pad_rows();
Table index_rows();
Table scatter_rows();
Table scatter_reduce_rows();
Table embedding_rows();
Table creation_rows();
Table matmul_rows();
Table fft_rows();
Table linalg_rows();
Table conv_rows();
Table conv_backward_rows();
Table max_pool_rows();
Table average_pool_rows();
Table fractional_pool_rows();
Table resize_rows();
Table column_rows();
Table grid_rows();
Table norm_rows();
Table batch_norm_rows();
Table norm_backward_rows();
Table softmax_rows();
Table dim_order_rows();

}  // namespace kernels
}  // namespace executorch
