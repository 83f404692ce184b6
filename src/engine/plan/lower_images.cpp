// Convolution, batch norm and pooling: channels innermost, so that regions of them exchange no
// transposes.
#include <cmath>

#include "compute/conv/conv.h"
#include "engine/plan/constants.h"
#include "engine/plan/lowering.h"
#include "engine/steps/image_steps.h"

namespace executorch::engine {
namespace {

class ConvolutionPacker final : public WeightPacker {
 public:
  ConvolutionPacker(const compute::ConvPlan& plan, const float* weight, const float* scale)
      : plan_(plan), weight_(weight), scale_(scale) {}
  void pack(float* packed) const override { compute::conv_pack(plan_, weight_, scale_, packed); }

 private:
  const compute::ConvPlan& plan_;
  const float* weight_;
  const float* scale_;
};

compute::ConvShape conv_shape(const Convolution& op, const Dims& in, const Dims& weight) {
  compute::ConvShape shape;
  const bool planar = in.rank == 4;
  shape.batch = in[0];
  shape.in_channels = in[1];
  shape.out_channels = weight[0];
  shape.in_width = in.back();
  shape.kernel_width = weight.back();
  if (planar) {
    shape.in_height = in[2];
    shape.kernel_height = weight[2];
    shape.stride_height = op.stride[0];
    shape.dilation_height = op.dilation[0];
    shape.pad_top = shape.pad_bottom = op.padding[0];
  }
  shape.stride_width = op.stride[1];
  shape.dilation_width = op.dilation[1];
  shape.pad_left = shape.pad_right = op.padding[1];
  shape.groups = op.groups;
  return shape;
}

}  // namespace

// The weight in row-major order: in place where it lies so, else in `copy`.
Error Lowering::dense_weight(ValueId value, MemoryBlock* copy, const float** data) const {
  const Value& weight = graph_.value(value);
  ET_REQUIRE(weight.source == Source::Constant && weight.data != nullptr, NotSupported,
             "a convolution whose weight is computed");
  *data = static_cast<const float*>(weight.data);
  if (is_contiguous(weight.sizes, weight.strides)) return Error::Ok;
  const size_t bytes = static_cast<size_t>(numel(weight.sizes)) * sizeof(float);
  *copy = MemoryBlock::allocate(bytes);
  ET_REQUIRE(copy->holds(bytes), MemoryAllocationFailed, "no memory for %zu bytes of a weight",
             bytes);
  copy_constant(weight, copy->data());
  *data = reinterpret_cast<const float*>(copy->data());
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const Convolution& op) {
  const ValueId in = node.inputs[0], weight = node.inputs[1], out = node.outputs[0];
  const Dims& in_sizes = graph_.value(in).sizes;
  const Dims& out_sizes = graph_.value(out).sizes;
  compute::ConvPlan conv;
  const compute::ConvShape shape = conv_shape(op, in_sizes, graph_.value(weight).sizes);
  ET_REQUIRE(compute::conv_plan(shape, compute::active_isa(), &conv), InvalidArgument,
             "no convolution of %s with a weight of %s", to_text(in_sizes).c_str(),
             to_text(graph_.value(weight).sizes).c_str());

  MemoryBlock copy;
  const float* data;
  ET_TRY(dense_weight(weight, &copy, &data));
  const WeightSpec spec{
      data,
      static_cast<size_t>(numel(graph_.value(weight).sizes)) * sizeof(float),
      op.scale,
      op.scale != nullptr ? static_cast<size_t>(shape.out_channels) : 0,
      {'c', static_cast<int64_t>(conv.isa), static_cast<int64_t>(conv.algorithm), shape.in_channels,
       shape.out_channels, shape.kernel_height, shape.kernel_width, shape.groups},
      conv.packed_bytes};
  ET_TRY(check_budget(conv.packed_bytes, "weights"));
  const float* packed;
  ET_TRY(pack_weight(spec, ConvolutionPacker(conv, data, op.scale), &packed));

  const Placement from = with_strides(in, channels_last_strides(in_sizes));
  const Dims strides = channels_last_strides(out_sizes);
  const Placement to = place_output(
      out, strides, [&](const Dims& wished) { return same_strides(out_sizes, wished, strides); });
  ConvolutionOperands operands{};
  operands.in = byte_place(in, from);
  operands.out = byte_place(out, to);
  operands.packed = packed;
  std::vector<Placement> touched{from, to};
  size_t next = 2;
  if (op.bias) {
    const ValueId bias = node.inputs[next++];
    const Placement bias_place = contiguous(bias);
    operands.bias = byte_place(bias, bias_place);
    touched.push_back(bias_place);
  }
  if (op.residual) {
    const ValueId residual = node.inputs[next++];
    const Placement residual_place = with_strides(residual, strides);
    operands.residual = byte_place(residual, residual_place);
    touched.push_back(residual_place);
  }
  emit(make_convolution_step(conv, op.epilogue, operands), touched);
  return Error::Ok;
}

// Passes have turned batch norms with constant statistics into scales and shifts.
Error Lowering::lower(const Node&, const BatchNorm&) {
  return ET_ERROR(NotSupported, "a batch norm whose statistics are computed");
}

Error Lowering::lower(const Node& node, const MaxPool& op) {
  const ValueId in = node.inputs[0], out = node.outputs[0];
  const Dims& in_sizes = graph_.value(in).sizes;
  const Dims& out_sizes = graph_.value(out).sizes;
  const Placement from = with_strides(in, channels_last_strides(in_sizes));
  const Dims strides = channels_last_strides(out_sizes);
  const Placement to = place_output(
      out, strides, [&](const Dims& wished) { return same_strides(out_sizes, wished, strides); });
  compute::PoolShape shape;
  shape.batch = in_sizes[0];
  shape.channels = in_sizes[1];
  shape.in_height = in_sizes[2];
  shape.in_width = in_sizes[3];
  shape.out_height = out_sizes[2];
  shape.out_width = out_sizes[3];
  shape.kernel_height = op.kernel[0];
  shape.kernel_width = op.kernel[1];
  shape.stride_height = op.stride[0];
  shape.stride_width = op.stride[1];
  shape.pad_height = op.padding[0];
  shape.pad_width = op.padding[1];
  shape.dilation_height = op.dilation[0];
  shape.dilation_width = op.dilation[1];
  emit(make_max_pool_step(shape, byte_place(in, from), byte_place(out, to)), {from, to});
  return Error::Ok;
}

}  // namespace executorch::engine
