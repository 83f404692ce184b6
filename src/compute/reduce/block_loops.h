/**
 * @file
 * Reductions of one contiguous block of a compute type: what reduce() is made of.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

/// Elements that a reduction handles at a time; partial results are combined in a tree above that.
constexpr int64_t kReduceBlock = 1024;

/// Block reductions by compute type, in the order f32, f64, i32, i64.
struct BlockReductions {
  /// *result = combination of `n` >= 1 values. In the order of ReduceOp: Sum, Prod, Max, Min.
  void (*reduce[4][kRealComputeTypeCount])(void* result, const void* values, int64_t n);
  /// The same for each of `rows` rows, `step` elements apart, into successive results.
  void (*rows[4][kRealComputeTypeCount])(void* results, const void* first_row, int64_t step,
                                         int64_t rows, int64_t n);
  /// Maxima and minima of rows of bytes, unsigned or signed, which lie `step` apart; n >= 1.
  void (*byte_rows[2][2])(int32_t* results, const void* first_row, int64_t step, int64_t rows,
                          int64_t n);
  /// Combines `rows` rows, `step` elements apart, into `columns` results, which hold earlier ones
  /// already where `more` is set. One row after the other. In the order of `reduce`.
  void (*columns[4][kRealComputeTypeCount])(void* results, const void* first_row, int64_t step,
                                            int64_t rows, int64_t columns, bool more);
  /// Updates n columns with a row: where it has a larger (smaller) value or the first NaN, best =
  /// value and index = position. Max, Min.
  void (*track[2][kRealComputeTypeCount])(void* best, int64_t* index, const void* row, int64_t n,
                                          int64_t position);
  /// First i with values[i] == *wanted, or the first NaN when that is wanted; n when there is none.
  int64_t (*find[kRealComputeTypeCount])(const void* values, int64_t n, const void* wanted);
  /// Sum of (values[i] - center)^2.
  double (*square_sum)(const double* values, int64_t n, double center);
};
EXECUTORCH_DECLARE_ISA_TABLE(BlockReductions, block_reductions);

}  // namespace executorch::compute
