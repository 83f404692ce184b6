/**
 * @file
 * Reductions and scans over tensors of any type, shape and stride. Floating sums are blocked (a
 * fixed tree that depends on the shape and layout only), integers wrap. Results do not depend on
 * the number of threads.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

enum class ReduceOp : uint8_t {
  Sum,
  Prod,
  Max,  ///< NaN wins
  Min,  ///< NaN wins
  Any,  ///< 0 or 1; NaN counts as true
  All,
};

/// The input: strides in elements.
struct ReduceSource {
  const void* data;
  DType dtype;
  int rank;
  const int64_t* sizes;
  const int64_t* strides;
};

/// An output: one stride per dimension of the source, in elements; those of reduced dimensions are
/// ignored.
struct ReduceTarget {
  void* data = nullptr;
  DType dtype = DType::f32;
  const int64_t* strides = nullptr;
};

/// A reduction of the dimensions whose bit is set in `dims`.
struct ReduceCall {
  ReduceOp op;
  ReduceSource in;
  uint32_t dims;
  /// What each element is converted to first, and what is computed in. A real type.
  ComputeType compute;
  /// Values; without data when only positions are wanted.
  ReduceTarget out;
  /// Max and Min: the position of the first such value (of the first NaN, if any) in row-major
  /// order of the reduced dimensions. Its dtype is i64.
  ReduceTarget indices = {};
  /// Results are divided by this before they are converted: the count, for a mean.
  double divisor = 1;
};

/**
 * Runs the reduction on the thread pool. An empty reduction gives the identity (Sum 0, Prod 1, Any
 * 0, All 1); callers refuse empty Max and Min. Types without conversion from or to the compute type
 * are the caller's to refuse. Allocates nothing.
 */
EXECUTORCH_COMPUTE_API void reduce(const ReduceCall& call);

/// Variance over `dims`, in double whatever the types: the mean first, then the squares of the
/// differences, so that a large mean costs no digits. Divides by max(0, count - correction). Either
/// output may be absent.
struct VarianceCall {
  ReduceSource in;
  uint32_t dims;
  double correction;
  bool square_root;  ///< the standard deviation instead
  ReduceTarget variance;
  ReduceTarget mean;
};
EXECUTORCH_COMPUTE_API void variance(const VarianceCall& call);

enum class ScanOp : uint8_t {
  Sum,
  Prod,
  LogSumExp,  ///< the logarithm of the sum of the exponentials
};

/// Running results along one dimension, computed in `compute` (f64, or i64 but for LogSumExp).
struct ScanCall {
  ScanOp op;
  ReduceSource in;
  int dim;
  ComputeType compute;
  /// Has the source's sizes.
  ReduceTarget out;
};
EXECUTORCH_COMPUTE_API void scan(const ScanCall& call);

/// Running maximum or minimum along one dimension. Among equal elements the last one is the
/// extremum, and once there is a NaN, the last NaN.
struct ExtremumScanCall {
  bool largest;
  ReduceSource in;
  int dim;
  ComputeType compute;  ///< f64 or i64
  /// Both have the source's sizes; the positions along the dimension are i64.
  ReduceTarget values;
  ReduceTarget indices;
};
EXECUTORCH_COMPUTE_API void scan_extremum(const ExtremumScanCall& call);

}  // namespace executorch::compute
