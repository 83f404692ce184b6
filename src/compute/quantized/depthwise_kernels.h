/**
 * @file
 * Depthwise convolution of bytes, one table per instruction set.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/quantized/sums_output.h"

namespace executorch::compute {

/// Kernels with more cells go through the matrix product.
constexpr int64_t kMaxDepthwiseTaps = 64;
constexpr int kMaxDepthwiseBlock = 64;

/// Neighbouring output pixels. Their taps are addresses of input pixels, channel 0, or of one that
/// holds the zero point throughout.
struct TapRun {
  const int8_t* first[kMaxDepthwiseTaps];  ///< of the first output pixel
  int64_t distance[kMaxDepthwiseTaps];     ///< to those of the next; zero for padding
  int64_t pixels;
  char* out;
};

struct ByteDepthwiseArgs {
  int64_t kernel_taps;
  int64_t taps;  ///< those rounded up to steps
  /// [block of channels][taps / step][registers of the block][register]
  const int8_t* weights;
  int64_t channels;
  int64_t out_pixel_stride;  ///< bytes
  SumsOutput output;         ///< static; tables padded to whole blocks
};

struct ByteDepthwiseKernels {
  int64_t block;  ///< channels computed together
  int64_t step;   ///< taps multiplied together
  int32_t offset;
  /// Channel of the block whose taps are at each place of `step` bytes.
  int8_t order[kMaxDepthwiseBlock];
  void (*compute)(const ByteDepthwiseArgs&, const TapRun* runs, int64_t count);
};
EXECUTORCH_DECLARE_ISA_TABLE(ByteDepthwiseKernels, byte_depthwise_kernels);

}  // namespace executorch::compute
