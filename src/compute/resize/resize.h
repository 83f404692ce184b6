/**
 * @file
 * Resizing of one to three spatial dimensions. Each dimension is a table of taps: which input
 * positions make an output position, with which weights; dimensions are resized one after the
 * other. The caller provides memory for tables and intermediate rows.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

namespace executorch::compute {

enum class Interpolation : uint8_t {
  nearest,        ///< floor(i * in / out)
  nearest_exact,  ///< floor((i + 1/2) * in / out)
  linear,
  cubic,
  lanczos,  ///< antialiased only
};

/// Sizes in elements; `scale` is output by input as given, 0: from the sizes.
struct ResizeAxis {
  int64_t in = 1, out = 1;
  double scale = 0;
};

/// Memory is [outer, z, y, x, inner]. Dimensions that an operation lacks keep their defaults.
struct ResizeShape {
  int64_t outer = 1, inner = 1;
  ResizeAxis z, y, x;
  Interpolation interpolation = Interpolation::linear;
  bool align_corners = false;
  bool antialias = false;  ///< the filter covers all input positions of an output position

  bool is_nearest() const {
    return interpolation == Interpolation::nearest || interpolation == Interpolation::nearest_exact;
  }
};

/// Bytes of scratch memory for resize(), resize_backward() and resize_nearest(), with the threads
/// of the pool; SIZE_MAX when they cannot be counted.
EXECUTORCH_COMPUTE_API size_t resize_scratch_bytes(const ResizeShape& shape) noexcept;

/// When the pool has grown since, as many threads take part as there is scratch for. T: float,
/// double. No nearest.
template <class T>
EXECUTORCH_COMPUTE_API void resize(const ResizeShape& shape, const T* in, T* out, void* scratch,
                                   size_t scratch_bytes) noexcept;

/// Gradient of resize() and of resize_nearest(); `inner` is 1. T: float, double.
template <class T>
EXECUTORCH_COMPUTE_API void resize_backward(const ResizeShape& shape, const T* grad_out, T* grad_in,
                                            void* scratch) noexcept;

EXECUTORCH_COMPUTE_API size_t resize_bytes_scratch_bytes(const ResizeShape& shape) noexcept;

/// Two-dimensional resizing of bytes in fixed point, as eager has it: weights of 16 bits, rows
/// rounded to bytes before columns are resized. No nearest.
EXECUTORCH_COMPUTE_API void resize_bytes(const ResizeShape& shape, const uint8_t* in, uint8_t* out,
                                         void* scratch) noexcept;

/// Copies elements of any type.
EXECUTORCH_COMPUTE_API void resize_nearest(const ResizeShape& shape, size_t element_size,
                                           const void* in, void* out, void* scratch) noexcept;

}  // namespace executorch::compute
