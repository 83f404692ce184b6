/**
 * @file
 * Rows of the implicit matrix of a convolution: for each output pixel the inputs under the kernel's
 * window.
 */
#pragma once

#include <cstdint>

#include "compute/conv/image_kernels.h"

namespace executorch::compute {

/// Taps of the kernel in one dimension, for output positions that share them: all of an ordinary
/// convolution, every stride-th of a transposed one. Tap t of output position o reads input
/// position o * step + first + t * tap_step.
struct TapAxis {
  int64_t count;
  int64_t step;
  int64_t first;
  int64_t tap_step;
  int64_t in_size;
  int64_t out_size;
};

struct GatherArgs {
  const float* in;
  int64_t in_pixel_stride;
  int64_t channels;  ///< per group; group g reads channels [g * channels, …)
  TapAxis y, x;
  const ImageKernels* kernels;
};

/// Copies columns [first_k, first_k + k) of rows [first_row, first_row + rows) to `out`. Row
/// numbers count batch, y and x of the output; columns count kernel row, kernel column and channel.
/// Padding is zero. Up to 16 values behind a row may be overwritten.
void gather_rows(const GatherArgs& args, int64_t group, int64_t first_row, int64_t rows,
                 int64_t first_k, int64_t k, float* out, int64_t out_row_stride) noexcept;

}  // namespace executorch::compute
