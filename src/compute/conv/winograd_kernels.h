/**
 * @file
 * The transforms around Winograd's products, one table per instruction set.
 *
 * Tiles of 2x2 outputs read 4x4 inputs d and become 16 products: with the 3x3 weight g,
 * out = A^T [(G g G^T) * (B^T d B)] A, where * multiplies position by position. Source: Lavin and
 * Gray, "Fast Algorithms for Convolutional Neural Networks", 2016, F(2x2, 3x3).
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/gemm/epilogue.h"

namespace executorch::compute {

constexpr int kWinogradPlanes = 16;  ///< positions of a transformed tile

/// A tile's 4x4 pixels, row by row, and where the transformed channels go: position p to planes +
/// p * plane_stride, in whole vectors.
struct WinogradInput {
  const float* pixels[kWinogradPlanes];
  int64_t channels;
  float* planes;
  int64_t plane_stride;
};

/// A tile's 16 products and the 2x2 pixels that it yields; null where the image has ended.
struct WinogradOutput {
  const float* planes;
  int64_t plane_stride;
  int64_t channels;
  float* pixels[4];
  const float* residuals[4];  ///< null when the epilogue has none
  const Epilogue* epilogue;   ///< its map is not applied
};

struct WinogradKernels {
  /// False when a value is not finite or so large that sums of products could overflow.
  bool (*transform_input)(const WinogradInput&);
  void (*transform_output)(const WinogradOutput&);
};

EXECUTORCH_DECLARE_ISA_TABLE(WinogradKernels, winograd_kernels);

}  // namespace executorch::compute
