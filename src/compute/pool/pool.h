/**
 * @file
 * Pooling over images, NHWC or NCHW. Padded positions count for nothing in a maximum and as zeros
 * in an average.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

namespace executorch::compute {

/// Sizes in elements. The output size is given, since PyTorch's ceil mode is the caller's business.
struct PoolShape {
  int64_t batch = 1, channels = 1;
  int64_t in_height = 1, in_width = 1;
  int64_t out_height = 1, out_width = 1;
  int64_t kernel_height = 1, kernel_width = 1;
  int64_t stride_height = 1, stride_width = 1;
  int64_t pad_height = 0, pad_width = 0;
  int64_t dilation_height = 1, dilation_width = 1;
  bool channels_last = true;
};

/// Largest value of each window; NaN wins, as in eager. `indices`, or null, receives the position
/// in the channel's plane (y * in_width + x), laid out as the output. A window outside the image
/// yields the smallest value. T: float, double, int8_t, int16_t, int32_t, int64_t, uint8_t.
template <class T>
EXECUTORCH_COMPUTE_API void max_pool2d(const PoolShape& shape, const T* in, T* out,
                                       int64_t* indices) noexcept;

/// How an average is divided: by the window's cells (padding included or not), or by a given
/// number.
struct AverageDivisor {
  bool count_include_pad = true;
  int64_t override_value = 0;               ///< 0: none
  int64_t pad_bottom = -1, pad_right = -1;  ///< padding on the far side, -1: as on the near side
};

/// T: float, double.
template <class T>
EXECUTORCH_COMPUTE_API void avg_pool2d(const PoolShape& shape, const AverageDivisor& divisor,
                                       const T* in, T* out) noexcept;

/// Averages the input's cells [floor(i*in/out), ceil((i+1)*in/out)) per output cell; kernel, stride
/// and padding of the shape are ignored. An output of 1x1 is the mean of each plane. T: float,
/// double.
template <class T>
EXECUTORCH_COMPUTE_API void adaptive_avg_pool2d(const PoolShape& shape, const T* in,
                                                T* out) noexcept;

}  // namespace executorch::compute
