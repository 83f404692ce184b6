/**
 * @file
 * Gradients of the normalisations. `grad` is the gradient of the output, `mean` and `rstd` are the
 * statistics that the forward pass used. `weight` may be null, and so may each result, which is
 * then not computed. Results do not overlap operands and do not depend on the number of threads.
 * T: float, double.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/norm/norm.h"

namespace executorch::compute {

template <class T>
struct NormGradient {
  const T* grad;
  const T* in;
  const T* mean;
  const T* rstd;
  const T* weight;
  T* grad_in;
  T* grad_weight;
  T* grad_bias;
};

/// `rows` rows of `n` values with statistics of their own; `n` weights.
template <class T>
EXECUTORCH_COMPUTE_API void layer_norm_backward(int64_t rows, int64_t n,
                                                const NormGradient<T>& call);

/// [batch, channels, pixels] in `groups` groups of channels; statistics per image and group.
template <class T>
EXECUTORCH_COMPUTE_API void group_norm_backward(int64_t batch, int64_t channels, int64_t pixels,
                                                int64_t groups, const NormGradient<T>& call);

/// Statistics and weights per channel, the middle dimension. `of_batch`: the statistics are those
/// of the input, so that they take part in the gradient.
template <class T>
EXECUTORCH_COMPUTE_API void batch_norm_backward(const DenseAxis& axis, bool of_batch,
                                                const NormGradient<T>& call);

template <class T>
struct NormGradientLoops {
  /// Sums of grad, and of grad * (in - mean).
  void (*sums)(const T* grad, const T* in, int64_t n, T mean, T* sum, T* product);
  /// out = grad * grad_scale + (in - mean) * in_scale + offset. `out` may be `grad`.
  void (*combine)(const T* grad, const T* in, int64_t n, T grad_scale, T mean, T in_scale, T offset,
                  T* out);
  void (*multiply)(const T* a, const T* b, int64_t n, T* out);
  /// products[i] += grad[i] * (in[i] - mean) * rstd; sums[i] += grad[i]
  void (*add_columns)(const T* grad, const T* in, int64_t n, T mean, T rstd, double* products,
                      double* sums);
};
struct NormGradientTables {
  NormGradientLoops<float> f32;
  NormGradientLoops<double> f64;
};
EXECUTORCH_DECLARE_ISA_TABLE(NormGradientTables, norm_gradient_loops);

}  // namespace executorch::compute
