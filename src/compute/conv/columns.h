/**
 * @file
 * The explicit matrix of a convolution: a column for each cell of the small grid, holding what its
 * window sees of the large one.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

namespace executorch::compute {

constexpr int kSpatial = 3;

/// Cells of a small grid see windows of a large one: large = small * stride + tap * dilation -
/// padding, per dimension. Dimensions that an operation lacks come first and keep their defaults.
struct WindowGrid {
  int64_t large[kSpatial] = {1, 1, 1};
  int64_t small[kSpatial] = {1, 1, 1};
  int64_t kernel[kSpatial] = {1, 1, 1};
  int64_t stride[kSpatial] = {1, 1, 1};
  int64_t padding[kSpatial] = {0, 0, 0};
  int64_t dilation[kSpatial] = {1, 1, 1};

  int64_t large_cells() const { return large[0] * large[1] * large[2]; }
  int64_t small_cells() const { return small[0] * small[1] * small[2]; }
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

/// Writes columns [first, first + count) of `channels` planes, as rows of `count` elements: row
/// (channel * taps + tap). Padding is zero bytes. Any element size up to 16.
EXECUTORCH_COMPUTE_API void image_to_columns(const WindowGrid& grid, int64_t channels,
                                             size_t element_size, const void* image, int64_t first,
                                             int64_t count, void* columns) noexcept;

/// The adjoint: adds columns to the planes they come from. T: float, double, uint32_t, uint64_t
/// (integers wrap).
template <class T>
EXECUTORCH_COMPUTE_API void add_columns_to_image(const WindowGrid& grid, int64_t channels,
                                                 const T* columns, int64_t first, int64_t count,
                                                 T* image) noexcept;

}  // namespace executorch::compute
