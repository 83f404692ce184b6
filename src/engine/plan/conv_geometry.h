/**
 * @file
 * Sizes of convolutions as graphs have them, for the compute layer.
 */
#pragma once

#include "compute/conv/conv.h"
#include "engine/graph/graph.h"

namespace executorch::engine {

/// Dims by falling stride, as the digits of a number; those of size 1 are left out.
int64_t memory_order(const Dims& sizes, const Dims& strides);

/// An image of one column becomes one of one row: its memory is the same, and rows are what loops
/// are long in. True when it did: the weight's last two dims change places as well.
bool lay_down(compute::ConvShape* shape);

/// `Conv`: Convolution or QuantizedConvolution.
template <class Conv>
compute::ConvShape conv_shape(const Conv& op, const Dims& in, const Dims& weight) {
  const auto far_padding = [&](int d) {
    return op.far_padding[d] < 0 ? op.padding[d] : op.far_padding[d];
  };
  compute::ConvShape shape;
  shape.batch = in[0];
  shape.in_channels = in[1];
  shape.out_channels = op.transposed ? weight[1] * op.groups : weight[0];
  shape.in_width = in.back();
  shape.kernel_width = weight.back();
  if (in.rank == 4) {
    shape.in_height = in[2];
    shape.kernel_height = weight[2];
    shape.stride_height = op.stride[0];
    shape.dilation_height = op.dilation[0];
    shape.pad_top = op.padding[0];
    shape.pad_bottom = far_padding(0);
    shape.output_padding_height = op.output_padding[0];
  }
  shape.stride_width = op.stride[1];
  shape.dilation_width = op.dilation[1];
  shape.pad_left = op.padding[1];
  shape.pad_right = far_padding(1);
  shape.output_padding_width = op.output_padding[1];
  shape.groups = op.groups;
  shape.transposed = op.transposed;
  return shape;
}

}  // namespace executorch::engine
