/**
 * @file
 * Softmax and normalisation over dense memory, in single and double precision. Sums are taken in
 * vector lanes, in a fixed order, and the variance in a second pass over data in cache; results do
 * not depend on the number of threads. Nothing here allocates. T: float, double.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

namespace executorch::compute {

/// Memory seen as [outer, count, inner], row-major: any dense tensor with `count` indices of the
/// dimension in question.
struct DenseAxis {
  int64_t outer;
  int64_t count;
  int64_t inner;
};

enum class SoftmaxKind { Softmax, LogSoftmax };

/// Along the middle dimension. `out` may be `in`. A line of -infinity, or one with NaN or
/// +infinity, gives NaN.
template <class T>
EXECUTORCH_COMPUTE_API void softmax(SoftmaxKind kind, const DenseAxis& axis, const T* in, T* out);

/**
 * Normalises each of `rows` rows of `n` values to mean 0 and variance 1, then multiplies by
 * `weight` and adds `bias` (n values each, or null). Mean and 1 / sqrt(variance + eps) of each row
 * go to `mean` and `rstd` unless null. `out` may be `in`.
 */
template <class T>
EXECUTORCH_COMPUTE_API void layer_norm(int64_t rows, int64_t n, const T* in, const T* weight,
                                       const T* bias, double eps, T* out, T* mean, T* rstd);

/// Divides each row by the root of its mean square plus eps, then multiplies by `weight` (n values
/// or null).
template <class T>
EXECUTORCH_COMPUTE_API void rms_norm(int64_t rows, int64_t n, const T* in, const T* weight,
                                     double eps, T* out);

/// out = in * scale[c] + shift[c] for the middle index c. `out` may be `in`.
template <class T>
EXECUTORCH_COMPUTE_API void scale_shift(const DenseAxis& axis, const T* in, const T* scale,
                                        const T* shift, T* out);

/// Mean and biased variance of `n` adjacent values; 0 and NaN of none.
template <class T>
struct Moments {
  T mean;
  T variance;
};
template <class T>
EXECUTORCH_COMPUTE_API Moments<T> moments(const T* in, int64_t n);

/// Mean and biased variance of each index of the middle dimension over the two others.
template <class T>
EXECUTORCH_COMPUTE_API void channel_moments(const DenseAxis& axis, const T* in, T* mean,
                                            T* variance);

/// Loops over single rows, for fused steps.
template <class T>
struct NormRowLoops {
  void (*softmax)(const T* in, T* out, int64_t n);
  void (*log_softmax)(const T* in, T* out, int64_t n);
  /// The same of `rows` adjacent rows.
  void (*softmax_rows)(const T* in, T* out, int64_t rows, int64_t n);
  void (*log_softmax_rows)(const T* in, T* out, int64_t rows, int64_t n);
  /// The same down `n` rows `stride` apart, for `width` adjacent columns.
  void (*softmax_columns)(const T* in, T* out, int64_t n, int64_t stride, int64_t width);
  void (*log_softmax_columns)(const T* in, T* out, int64_t n, int64_t stride, int64_t width);
  /// The parts of a softmax: the largest value (-infinity of none; NaN wins), and out = exp(in -
  /// max), whose sum is returned.
  T (*max)(const T* in, int64_t n);
  T (*exp_sum)(const T* in, T* out, int64_t n, T max);
  T (*sum)(const T* in, int64_t n);
  T (*square_sum)(const T* in, int64_t n, T center);
  /// out = (in - mean) * rstd * weight + bias; weight and bias may be null.
  void (*normalize)(const T* in, T* out, int64_t n, T mean, T rstd, const T* weight, const T* bias);
  /// out = in * scale + shift, with single values or one per element.
  void (*scale_shift)(const T* in, T* out, int64_t n, T scale, T shift);
  void (*scale_shift_each)(const T* in, T* out, int64_t n, const T* scale, const T* shift);
};
struct NormLoops {
  NormRowLoops<float> f32;
  NormRowLoops<double> f64;
};
EXECUTORCH_DECLARE_ISA_TABLE(NormLoops, norm_loops);

/// The row loops of the active instruction set.
template <class T>
const NormRowLoops<T>& norm_row_loops() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return norm_loops().f32;
  } else {
    return norm_loops().f64;
  }
}

}  // namespace executorch::compute
