/**
 * @file
 * What happens to a matrix product or convolution before it is stored.
 */
#pragma once

#include <cstdint>

namespace executorch::compute {

/// Applied in place to a run of freshly computed values of one row, while they are in cache.
struct RowMap {
  void (*apply)(const void* context, float* values, int64_t count) = nullptr;
  const void* context = nullptr;
};

/**
 * out = map(clamp(alpha * product + bias + beta * residual, lo, hi))
 *
 * ReLU is lo = 0, ReLU6 lo = 0 and hi = 6; NaN passes through. Everything is optional. `residual`
 * has the shape of the output and may be the output itself (beta * C of addmm); it must not overlap
 * it otherwise.
 */
struct Epilogue {
  const float* bias = nullptr;      ///< one value per column (output channel)
  const float* residual = nullptr;  ///< row-major
  int64_t residual_stride = 0;      ///< elements between rows of residual
  float alpha = 1.0f;
  float beta = 1.0f;
  float lo = -__builtin_inff();
  float hi = __builtin_inff();
  RowMap map;
};

}  // namespace executorch::compute
