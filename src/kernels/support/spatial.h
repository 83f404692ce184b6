/**
 * @file
 * Arguments that convolution and pooling share: one number for each spatial dimension, and layouts
 * of images.
 */
#pragma once

#include "kernels/support/tensors.h"

namespace executorch {
namespace kernels {

/// Bound for strides, paddings and the like, so that sums and products of two of them cannot
/// overflow.
constexpr int64_t kMaxSpatialArgument = int64_t{1} << 30;

/// Reads a list of one number, or of one for each of `count` dimensions, each in [low,
/// kMaxSpatialArgument].
Error read_spatial(IntList list, int count, int64_t low, const char* name, int64_t* values);

/// Number of positions of a window: of `kernel` cells `dilation` apart, moved by `stride` over a
/// padded size. With `ceil_mode` a last window may hang over, if it starts inside the input or the
/// padding before it. Negative or zero when the window does not fit.
int64_t window_positions(int64_t size, int64_t kernel, int64_t stride, int64_t padding,
                         int64_t dilation, bool ceil_mode);

/// InvalidArgument unless the tensor has these sizes.
Error check_sizes(const Tensor& tensor, const Sizes& expected, const char* name);

/// A tensor of four or five dimensions whose channels are adjacent in memory: NHWC, NDHWC.
bool is_channels_last(const Tensor& tensor);

}  // namespace kernels
}  // namespace executorch
