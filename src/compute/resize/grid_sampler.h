/**
 * @file
 * Sampling images at given places, in PyTorch's contiguous layout.
 */
#pragma once

#include <cstdint>

#include <executorch/runtime/platform/export.h>

namespace executorch::compute {

enum class GridFilter : uint8_t { linear, nearest, cubic };
/// What lies beyond the border: zeros, the border's value, or the image mirrored.
enum class GridPadding : uint8_t { zeros, border, reflection };

struct GridSampler {
  int64_t batch = 1, channels = 1;
  int dims = 2;                 ///< 2 or 3; no cubic filter in 3
  int64_t size[3] = {1, 1, 1};  ///< depth (1 in two dimensions), height, width of the input
  int64_t points = 1;           ///< of the output, per image
  GridFilter filter = GridFilter::linear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;
};

/// grid: [batch, points, dims], x first; -1 and 1 are the image's ends: the centres of the corner
/// pixels with align_corners, else their outer edges. NaN counts as -1. T: float, double.
template <class T>
EXECUTORCH_COMPUTE_API void grid_sample(const GridSampler& sampler, const T* in, const T* grid,
                                        T* out) noexcept;

}  // namespace executorch::compute
