/**
 * @file
 * Loops over images beside the matrix product: depthwise rows and transposes, one table per
 * instruction set.
 */
#pragma once

#include <cstdint>

#include "compute/conv/window_run.h"
#include "compute/cpu/isa.h"
#include "compute/gemm/epilogue.h"

namespace executorch::compute {

/// Taller depthwise kernels go through the matrix product.
constexpr int64_t kMaxDepthwiseRows = 32;

/// An input row under one row of the kernel.
struct TapRow {
  const float* in;  ///< pixel 0, channel 0
  int64_t kernel_row;
};

/// One output row of a depthwise convolution: the kernel rows that lie inside the image, and where
/// it goes.
struct DepthwiseLine {
  TapRow taps[kMaxDepthwiseRows];
  int64_t tap_count;
  float* out;
  const float* residual;  ///< null when there is none; pixels residual_stride apart
};

/// What the rows of a depthwise convolution have in common.
struct DepthwiseArgs {
  int64_t in_width, in_pixel_stride;
  int64_t kernel_height, kernel_width, stride, dilation, pad_left;
  /// [channel vectors][kernel_height][kernel_width][lanes], the last vector padded with zeros
  const float* weights;
  int64_t channels;
  int64_t out_width, out_pixel_stride;
  const Epilogue* epilogue;
};

struct ImageKernels {
  int64_t lanes;  ///< channels per vector of depthwise weights
  /// Neighbouring lines together, channels outermost, so that input rows stay in the first cache
  /// from line to line.
  void (*depthwise)(const DepthwiseArgs&, const DepthwiseLine* lines, int64_t count);
  void (*copy_windows)(const WindowRun<float, float>&);
  /// out[i * out_stride + j] = in[j * in_stride + i] for i < rows, j < columns.
  void (*transpose)(const float* in, int64_t in_stride, float* out, int64_t out_stride,
                    int64_t rows, int64_t columns);
};

EXECUTORCH_DECLARE_ISA_TABLE(ImageKernels, image_kernels);

}  // namespace executorch::compute
