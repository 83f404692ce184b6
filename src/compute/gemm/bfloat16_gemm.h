/**
 * @file
 * Matrix product of bfloat16 matrices, summed in float by the instruction for pairs (VDPBF16PS,
 * BFDOT), at twice the rate of floats: C[m,n] = epilogue(A[m,k] * B[k,n]).
 *
 * The instruction takes subnormal numbers for zero. Pairs are added in ascending order of k, so
 * results depend neither on thread count nor on blocking. Nothing allocates: the caller passes
 * scratch memory. Threads come from the process's pool.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

#include "compute/gemm/epilogue.h"

namespace executorch::compute {

/// Strides in elements.
struct Bfloat16Matrix {
  const uint16_t* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
};

/// `count` products of equal sizes; operands advance by a stride in elements each time. The
/// epilogue is shared, but for its residual.
struct Bfloat16Gemm {
  int64_t m = 0, n = 0, k = 0;
  Bfloat16Matrix a{};  ///< rows of consecutive k
  Bfloat16Matrix b{};  ///< rows or columns of consecutive elements
  float* c = nullptr;
  int64_t c_row_stride = 0;
  Epilogue epilogue{};
  int64_t count = 1;
  int64_t a_stride = 0;
  int64_t b_stride = 0;
  int64_t c_stride = 0;
  int64_t residual_stride = 0;
};

/// True where the active instruction set has the instruction.
EXECUTORCH_COMPUTE_API bool bfloat16_gemm_supported() noexcept;

EXECUTORCH_COMPUTE_API size_t bfloat16_gemm_scratch_bytes(int64_t count, int64_t m, int64_t n,
                                                          int64_t k) noexcept;

/// Computes. C overlaps no operand but the epilogue's residual.
EXECUTORCH_COMPUTE_API void bfloat16_gemm(const Bfloat16Gemm& args, void* scratch,
                                          size_t bytes) noexcept;

}  // namespace executorch::compute
