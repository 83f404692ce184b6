/**
 * @file
 * Reductions and scans over tensors of any type, shape and stride. Floating sums are blocked (a fixed tree that
 * depends on the shape only), half types accumulate in f32, integers in i64 with wrapping. Results do not depend on the
 * number of threads.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

enum class ReduceOp : uint8_t {
  Sum,
  Prod,
  Max,   ///< NaN wins
  Min,   ///< NaN wins
  Any,   ///< 0 or 1; NaN counts as true
  All,
  ArgMax,  ///< index of the first largest value; the first NaN wins
  ArgMin,
  SumOfSquares,  ///< of the differences from `center`
  count,
};

/// The input of a reduction: strides in elements.
struct ReduceSource {
  const void* data;
  DType dtype;
  int rank;
  const int64_t* sizes;
  const int64_t* strides;
};

/**
 * A reduction of the dimensions whose bit is set in `dims`. The outputs have the remaining dimensions, in the
 * source's order; `out_strides` has one entry per dimension of the source, those of reduced dimensions are ignored.
 */
struct ReduceCall {
  ReduceOp op;
  ReduceSource in;
  uint32_t dims;
  /// Type that each element is converted to first and that values are computed in.
  ComputeType compute;
  /// Values: any type that has a cast from the compute type; null for ArgMax and ArgMin when only indices are wanted.
  void* out;
  DType out_dtype;
  const int64_t* out_strides;
  /// Positions for ArgMax and ArgMin (in row-major order of the reduced dimensions); also for Max and Min when set.
  int64_t* indices = nullptr;
  const int64_t* index_strides = nullptr;
  /// Sum and Prod results are multiplied by this before they are stored (mean: 1 / count as a division).
  double divisor = 1;
};

/// True when the reduction exists for the compute type.
EXECUTORCH_COMPUTE_API bool reduce_supported(ReduceOp op, ComputeType compute);

/// Runs the reduction on the thread pool. An empty reduction gives the identity (Sum 0, Prod 1, Any 0, All 1); callers
/// refuse empty Max, Min and positions. Allocates nothing.
EXECUTORCH_COMPUTE_API void reduce(const ReduceCall& call);

/// Mean and variance over `dims`; either output may be null. Two passes over rows in cache, so that a large mean costs
/// no digits. The variance divides by max(0, count - correction). Strides as in ReduceCall; `mean` and `variance`
/// share them unless given.
struct VarianceCall {
  ReduceSource in;
  uint32_t dims;
  ComputeType compute;  ///< f32 or f64
  double correction;
  bool square_root;  ///< standard deviation instead
  void* variance;
  const int64_t* variance_strides;
  void* mean;
  const int64_t* mean_strides;
  DType out_dtype;
};
EXECUTORCH_COMPUTE_API void variance(const VarianceCall& call);

/// Running sum along one dimension: out has the source's sizes.
struct ScanCall {
  ReduceSource in;
  int dim;
  ComputeType compute;
  void* out;
  DType out_dtype;
  const int64_t* out_strides;
};
EXECUTORCH_COMPUTE_API void cumulative_sum(const ScanCall& call);

/// Sum of `n` contiguous floats and their largest value, for callers that have rows (softmax, norms).
struct RowLoops {
  float (*sum_f32)(const float* values, int64_t n);
  float (*max_f32)(const float* values, int64_t n);
  /// Sum of (values[i] - center)^2.
  float (*square_sum_f32)(const float* values, int64_t n, float center);
  /// out[i] = exp(in[i] - shift), returns the sum.
  float (*exp_sum_f32)(float* out, const float* in, int64_t n, float shift);
};
EXECUTORCH_DECLARE_ISA_TABLE(RowLoops, row_loops);

}  // namespace executorch::compute
