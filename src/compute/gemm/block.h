/**
 * @file
 * A block of a matrix product that one thread computes: rows of A times panels of B, in register
 * tiles.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/gemm/kernels.h"

namespace executorch::compute {

struct BlockArgs {
  const TileKernels* kernels;
  const float* a;  ///< first row, at the first k of this block; rows of consecutive k
  int64_t a_row_stride;
  const float* b;        ///< first row of this block's k in panel 0
  int64_t panel_stride;  ///< floats from one panel to the next
  float* c;              ///< first row, column 0
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

/// Floats between rows of a copied block of A: no multiple of a cache way.
constexpr int64_t copied_row_stride(int64_t k) {
  return (k + 15) / 16 * 16 + 16;
}

/**
 * Where a product's rows of A come from. Returns rows [first_row, first_row + rows) of group
 * `group`, columns [first_k, first_k + k), each of consecutive k, `row_stride` apart: in place, or
 * copied to `copy`, which has room for rows * copied_row_stride(k) floats.
 */
struct RowSource {
  const float* (*fetch)(const void* context, int64_t group, int64_t first_row, int64_t rows,
                        int64_t first_k, int64_t k, float* copy, int64_t* row_stride);
  const void* context;
};

/// `groups` products side by side: group g yields columns [g * n, g * n + n) of C and of the
/// epilogue's operands.
struct Product {
  const TileKernels* kernels;
  int64_t m, n, k;
  int64_t groups = 1;
  RowSource rows{};
  const float* panels = nullptr;
  int64_t group_panels_stride = 0;  ///< floats from one group's panels to the next
  float* c = nullptr;
  int64_t c_row_stride = 0;
  const Epilogue* epilogue = nullptr;
};

/// Bytes of one thread's copy of a block of A.
size_t product_copy_bytes(const TileKernels& kernels, int64_t m, int64_t k) noexcept;

/// Computes on up to `slots` threads; `copies` has product_copy_bytes for each of them.
void multiply_product(const Product& product, char* copies, size_t slots) noexcept;

}  // namespace executorch::compute
