/**
 * @file
 * A block of a matrix product that one thread computes: rows of A times panels of B, in register tiles.
 */
#pragma once

#include <cstdint>

#include "compute/gemm/kernels.h"

namespace executorch::compute {

struct BlockArgs {
  const GemmKernels* kernels;
  const float* a;  ///< first row, at the first k of this block; rows of consecutive k
  int64_t a_row_stride;
  const float* b;         ///< first row of this block's k in panel 0
  int64_t panel_stride;   ///< floats from one panel to the next
  float* c;               ///< first row, column 0
  int64_t c_row_stride;
  int64_t rows;
  int64_t k;
  int64_t first_column;  ///< a multiple of the panel width
  int64_t end_column;
  bool first_k;  ///< else sums start from C
  bool last_k;   ///< then the epilogue is applied
  const Epilogue* epilogue;
  const float* residual;  ///< of the first row, column 0; null when there is none
};

void multiply_block(const BlockArgs& block) noexcept;

/// Rows of A for which a block of k columns stays in the second cache, a multiple of the tile's rows.
int64_t rows_per_block(const GemmKernels& kernels, int64_t k) noexcept;

/// How many k a block takes at a time: all when few, else equal parts that keep a panel near the first cache.
int64_t k_per_block(int64_t k) noexcept;

/// Floats between rows of a copied block of A: no multiple of a cache way.
constexpr int64_t copied_row_stride(int64_t k) { return (k + 15) / 16 * 16 + 16; }

/// A grid of about equal tasks over the rows and panels of a product.
struct TaskGrid {
  int64_t row_blocks, rows_each;  ///< the last block may hold fewer rows
  int64_t column_groups, columns_each;
  int64_t tasks() const { return row_blocks * column_groups; }
};

/// Divides m x n x k for `threads`; `max_rows` bounds a block.
TaskGrid divide_product(const GemmKernels& kernels, int64_t m, int64_t n, int64_t k, int64_t max_rows,
                        int64_t threads) noexcept;

}  // namespace executorch::compute
