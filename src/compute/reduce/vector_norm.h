/**
 * @file
 * Norms of vectors that come in blocks, norms over dimensions, and distances between rows.
 */
#pragma once

#include "compute/reduce/reduce.h"

namespace executorch::compute {

/// The p-norm: 0 counts what is not zero, an infinity takes the largest or smallest magnitude.
struct NormCall {
  ReduceSource in;
  uint32_t dims;
  double p;
  /// Computed in double whatever its type.
  ReduceTarget out;
};
/// Runs on the thread pool. The norm of nothing is 0, but infinite for p = -infinity.
EXECUTORCH_COMPUTE_API void vector_norm(const NormCall& call);

/// p-norms of the differences of rows. T: float, double; p >= 0.
template <class T>
struct DistanceCall {
  double p;
  int64_t length;   ///< of the rows
  int64_t batches;  ///< out[b][i][j] is the distance of rows a[b][i] and b[b][j]
  int64_t a_rows;
  int64_t b_rows;
  const T* a;
  int64_t a_batch_step;  ///< in elements, 0 to use one batch for all
  const T* b;
  int64_t b_batch_step;
  T* out;
};
template <class T>
EXECUTORCH_COMPUTE_API void distances(const DistanceCall<T>& call);

/// Distances of each of `rows` rows to those behind it, row by row: rows * (rows - 1) / 2 results.
template <class T>
EXECUTORCH_COMPUTE_API void distances_within(double p, int64_t rows, int64_t length, const T* in,
                                             T* out);

}  // namespace executorch::compute
