/**
 * @file
 * Products of few rows with a matrix that is met as it lies in memory, each byte once, whatever its
 * type: the memory is the bound.
 */
#pragma once

#include <cstdint>

#include <executorch/runtime/platform/export.h>

#include "compute/elementwise/types.h"
#include "compute/gemm/epilogue.h"

namespace executorch::compute {

/// C[m,n] = epilogue(A[m,k] * B[k,n]). Strides in elements.
struct FewRowsProduct {
  int64_t m = 0, n = 0, k = 0;
  const float* a = nullptr;  ///< rows of consecutive k
  int64_t a_row_stride = 0;
  DType b_type = DType::f32;
  const void* b = nullptr;
  int64_t b_row_stride = 0;
  int64_t b_column_stride = 0;
  float* c = nullptr;
  int64_t c_row_stride = 0;
  Epilogue epilogue{};
};

constexpr int64_t kMostFewRows = 16;

/// True where few_rows_product() has loops for a matrix of this type and these strides on the
/// active instruction set: f32, bf16 and i8 everywhere, f16 where it converts them; rows or columns
/// of consecutive elements; at most kMostFewRows rows.
EXECUTORCH_COMPUTE_API bool few_rows_product_supported(const FewRowsProduct& product) noexcept;

/// Computes with the pool. Sums over k are in ascending order where rows of B are consecutive, else
/// in vector lanes. No scratch; C may be the epilogue's residual, and overlaps no other operand.
EXECUTORCH_COMPUTE_API void few_rows_product(const FewRowsProduct& product) noexcept;

}  // namespace executorch::compute
