/**
 * @file
 * Matrix products of types without a tuned kernel: double, integers (wrapping) and complex numbers.
 * Blocked for the cache and threaded over rows; each value is summed over k in ascending order.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/cpu.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

/// A strided matrix; strides in elements.
struct PlainMatrix {
  const void* data;
  int64_t row_stride;
  int64_t column_stride;
};

/// True for the types that plain_matmul() knows: f64, i32, i64, c64, c128.
constexpr bool plain_matmul_supported(DType dtype) {
  return dtype == DType::f64 || dtype == DType::i32 || dtype == DType::i64 || dtype == DType::c64 ||
         dtype == DType::c128;
}

/// C[m,n] = A[m,k] * B[k,n] with C row-major and dense, no overlap. Sizes may be zero.
EXECUTORCH_COMPUTE_API void plain_matmul(DType dtype, int64_t m, int64_t n, int64_t k,
                                         const PlainMatrix& a, const PlainMatrix& b, void* c);

}  // namespace executorch::compute
