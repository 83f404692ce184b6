/**
 * @file
 * What convolution and its gradient share: the arguments of a call, checked.
 */
#pragma once

#include "compute/conv/plain_conv.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"
#include "kernels/support/spatial.h"

namespace executorch {
namespace kernels {

/// The spatial arguments of a call, one entry per spatial dimension of the input.
struct Geometry {
  int dims = 0;
  int64_t stride[compute::kSpatial] = {1, 1, 1};
  int64_t padding[compute::kSpatial] = {0, 0, 0};
  int64_t dilation[compute::kSpatial] = {1, 1, 1};
  int64_t output_padding[compute::kSpatial] = {0, 0, 0};
  int64_t groups = 1;
  bool transposed = false;
};

Error read_geometry(const Tensor& input, IntList stride, IntList padding, IntList dilation,
                    bool transposed, IntList output_padding, int64_t groups, Geometry* geometry);

/// Checks weight and bias against the input and yields the number of output channels.
Error check_weight(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                   const Geometry& geometry, int64_t* out_channels);

Error output_sizes(const Tensor& input, const Tensor& weight, const Geometry& geometry,
                   int64_t out_channels, Sizes* sizes);

/// Half types are computed in float, small integers in int32.
constexpr ScalarType plain_conv_type(ScalarType dtype) {
  if (is_floating(dtype)) return accumulation_type(dtype);
  return dtype == ScalarType::Long ? ScalarType::Long : ScalarType::Int;
}

compute::PlainConv plain_conv_of(const Sizes& input, const Sizes& weight, const Sizes& output,
                                 const Geometry& geometry);

}  // namespace kernels
}  // namespace executorch
