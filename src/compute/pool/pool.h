/**
 * @file
 * Pooling over one to three spatial dimensions, channels last (NHWC) or first (NCHW). Padded
 * positions count for nothing in a maximum and as zeros in an average. Each result is computed by
 * one thread in a fixed order.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

namespace executorch::compute {

/// One spatial dimension, in elements. The output size is given, since PyTorch's ceil mode is the
/// caller's business.
struct PoolAxis {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t pad = 0;
};

/// Dimensions that an operation lacks keep their defaults.
struct PoolShape {
  int64_t batch = 1, channels = 1;
  PoolAxis z, y, x;
  bool channels_last = true;
  /// Windows are the input's cells [floor(i*in/out), ceil((i+1)*in/out)); kernel, stride, dilation
  /// and padding are ignored.
  bool adaptive = false;

  int64_t in_cells() const { return z.in * y.in * x.in; }
  int64_t out_cells() const { return z.out * y.out * x.out; }
};

/// Largest value of each window; NaN wins, as in eager. `indices`, or null, receives the position
/// in the channel's cells ((z * y.in + y) * x.in + x), laid out as the output. A window outside the
/// image yields the smallest value. T: float, double, int8_t, int16_t, int32_t, int64_t, uint8_t.
template <class T>
EXECUTORCH_COMPUTE_API void max_pool(const PoolShape& shape, const T* in, T* out,
                                     int64_t* indices) noexcept;

/// How an average is divided: by the window's cells (padding included or not), or by a given
/// number. Adaptive windows have no padding.
struct AverageDivisor {
  bool count_include_pad = true;
  int64_t override_value = 0;               ///< 0: none
  int64_t pad_bottom = -1, pad_right = -1;  ///< padding on the far side, -1: as on the near side
};

/// T: float, double.
template <class T>
EXECUTORCH_COMPUTE_API void avg_pool(const PoolShape& shape, const AverageDivisor& divisor,
                                     const T* in, T* out) noexcept;

/// The same for whole numbers: sums wrap, quotients are rounded towards zero.
EXECUTORCH_COMPUTE_API void avg_pool_integers(const PoolShape& shape, const AverageDivisor& divisor,
                                              const int64_t* in, int64_t* out) noexcept;

/// Gradient of avg_pool(): hands each output's share to the cells of its window. Both channels
/// first. T: float, double, int64_t.
template <class T>
EXECUTORCH_COMPUTE_API void avg_pool_backward(const PoolShape& shape, const AverageDivisor& divisor,
                                              const T* grad_out, T* grad_in) noexcept;

/// Maximum over windows with given corners: for each plane the first z of every output z, then the
/// first y and x likewise. Kernel sizes are the shape's; all windows lie inside the input. Channels
/// first. T: float, double.
template <class T>
EXECUTORCH_COMPUTE_API void max_pool_at(const PoolShape& shape, const int64_t* corners, const T* in,
                                        T* out, int64_t* indices) noexcept;

/// Moves each of `from_cells` values per plane to its place among `to_cells` cleared ones: adds it
/// there or, with `add` false, stores it. False when a place is outside the plane. T: float,
/// double, int64_t.
template <class T>
[[nodiscard]] EXECUTORCH_COMPUTE_API bool scatter_to_places(int64_t planes, int64_t from_cells,
                                                            int64_t to_cells, const T* values,
                                                            const int64_t* places, bool add,
                                                            T* out) noexcept;

}  // namespace executorch::compute
