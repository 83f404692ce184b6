/**
 * @file
 * Float loops of NHWC pooling over channels, one table per instruction set.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

namespace executorch::compute {

/// The input pixels of one output pixel: rows [y0, y1) in steps, columns [x0, x1) in steps.
struct PoolWindow {
  const float* in;           ///< first pixel of the window
  int64_t rows, row_stride;  ///< count, and floats from one to the next
  int64_t columns, column_stride;
};

struct PoolKernels {
  /// out[c] = the largest value, NaN first. The window holds a pixel.
  void (*max)(const PoolWindow& window, int64_t channels, float* out);
  /// out[c] = sum / divisor.
  void (*average)(const PoolWindow& window, int64_t channels, float divisor, float* out);
};

EXECUTORCH_DECLARE_ISA_TABLE(PoolKernels, pool_kernels);

}  // namespace executorch::compute
