// Convolution, batch norm and pooling: channels innermost, so that regions of them exchange no
// transposes.
#include <algorithm>
#include <utility>

#include "compute/conv/conv.h"
#include "engine/plan/constants.h"
#include "engine/plan/conv_geometry.h"
#include "engine/plan/lowering.h"
#include "engine/steps/image_steps.h"

namespace executorch::engine {
namespace {

size_t bytes_of(const Value& weight) {
  return static_cast<size_t>(numel(weight.sizes)) * sizeof(float);
}

/// `laid_down`: lay_down() has exchanged height and width of the convolution.
compute::ConvWeight weight_of(const Value& value, bool transposed, bool laid_down) {
  const Dims& strides = value.strides;
  compute::ConvWeight weight{static_cast<const float*>(value.data), strides[0], strides[1],
                             value.sizes.rank == 4 ? strides[2] : 0, strides.back()};
  if (transposed) std::swap(weight.out_stride, weight.in_stride);
  if (laid_down) std::swap(weight.row_stride, weight.column_stride);
  return weight;
}

class ConvolutionPacker final : public WeightPacker {
 public:
  ConvolutionPacker(const compute::ConvPlan& plan, const compute::ConvWeight& weight,
                    const float* scale)
      : plan_(plan), weight_(weight), scale_(scale) {}

  bool pack(float* packed) const override {
    compute::conv_pack(plan_, weight_, scale_, packed);
    return true;
  }

 private:
  const compute::ConvPlan& plan_;
  const compute::ConvWeight weight_;
  const float* scale_;
};

template <class Pool>
compute::PoolShape pool_shape(const Pool& op, const Dims& in, const Dims& out) {
  compute::PoolShape shape;
  shape.batch = in[0];
  shape.channels = in[1];
  compute::PoolAxis* axes[] = {&shape.y, &shape.x};
  for (size_t d = 0; d < 2; ++d) {
    axes[d]->in = in[d + 2];
    axes[d]->out = out[d + 2];
    axes[d]->kernel = op.kernel[d];
    axes[d]->stride = op.stride[d];
    axes[d]->pad = op.padding[d];
  }
  return shape;
}

}  // namespace

// Weights are packed from where they lie; one with gaps or repeats is copied first.
Error Lowering::dense_weight(ValueId value, Value* weight) {
  *weight = graph_.value(value);
  ET_REQUIRE(weight->source == Source::Constant && weight->data != nullptr, NotSupported,
             "a convolution whose weight is computed");
  if (is_dense(weight->sizes, weight->strides)) return Error::Ok;
  void* copy = graph_.owned->allocate(bytes_of(*weight));
  ET_REQUIRE(copy != nullptr, MemoryAllocationFailed, "no memory for %zu bytes of a weight",
             bytes_of(*weight));
  copy_constant(*weight, copy);
  weight->data = copy;
  weight->strides = contiguous_strides(weight->sizes);
  return Error::Ok;
}

Placement Lowering::channels_last(ValueId value) {
  return with_strides(value, channels_last_strides(graph_.value(value).sizes));
}

Placement Lowering::place_output_channels_last(ValueId value) {
  const Dims& sizes = graph_.value(value).sizes;
  const Dims strides = channels_last_strides(sizes);
  return place_output(value, strides,
                      [&](const Dims& wished) { return same_strides(sizes, wished, strides); });
}

// Turns to Winograd's algorithm where it pays, as long as the weights of the whole plan grow little
// by it.
void Lowering::prefer_winograd(const Value& weight, const float* scale, compute::ConvPlan* conv) {
  compute::ConvPlan winograd = *conv;
  if (weight.dtype != DType::f32) return;
  if (!compute::conv_prefer_winograd(&winograd, static_cast<const float*>(weight.data), scale))
    return;
  const size_t growth = winograd.packed_bytes - conv->packed_bytes;
  if (growth > winograd_growth_left_ || !fits_budget(winograd.packed_bytes)) return;
  winograd_growth_left_ -= growth;
  *conv = winograd;
}

Lowering::Pixels Lowering::pixels(ValueId value) {
  const Dims& sizes = graph_.value(value).sizes;
  const int64_t stride = pixel_stride(sizes, place(value).strides);
  if (stride > 0) return {place(value), stride};
  return {channels_last(value), sizes[1]};
}

Lowering::Pixels Lowering::place_output_pixels(ValueId value) {
  const Dims& sizes = graph_.value(value).sizes;
  const Placement placed =
      place_output(value, channels_last_strides(sizes),
                   [&](const Dims& wished) { return pixel_stride(sizes, wished) > 0; });
  const int64_t stride = pixel_stride(sizes, placed.strides);
  return {placed, stride > 0 ? stride : sizes[1]};
}

Error Lowering::lower(const Node& node, const Convolution& op) {
  const ValueId in = node.inputs[0], weight = node.inputs[1], out = node.outputs[0];
  const Pixels from = pixels(in), to = place_output_pixels(out);
  const Dims& in_sizes = graph_.value(in).sizes;
  compute::ConvPlan conv;
  compute::ConvShape shape = conv_shape(op, in_sizes, graph_.value(weight).sizes);
  shape.in_pixel_stride = from.stride;
  shape.out_pixel_stride = to.stride;
  const bool laid_down = lay_down(&shape);
  ET_REQUIRE(compute::conv_plan(shape, compute::active_isa(), &conv), InvalidArgument,
             "no convolution of %s with a weight of %s", to_text(in_sizes).c_str(),
             to_text(graph_.value(weight).sizes).c_str());

  Value dense;
  ET_TRY(dense_weight(weight, &dense));
  prefer_winograd(dense, op.scale, &conv);
  const WeightSpec spec{
      dense.data,
      bytes_of(dense),
      op.scale,
      op.scale != nullptr ? static_cast<size_t>(shape.out_channels) : 0,
      {'c', static_cast<int64_t>(conv.isa), static_cast<int64_t>(conv.algorithm), shape.in_channels,
       shape.out_channels, shape.kernel_height, shape.kernel_width, shape.groups,
       memory_order(dense.sizes, dense.strides), shape.stride_height, shape.stride_width,
       shape.dilation_height, shape.dilation_width},
      conv.packed_bytes};
  ET_TRY(check_budget(conv.packed_bytes, "weights"));
  const float* packed;
  const compute::ConvWeight source = weight_of(dense, op.transposed, laid_down);
  ET_TRY(pack_weight(spec, ConvolutionPacker(conv, source, op.scale), &packed));

  ConvolutionOperands operands{};
  operands.in = byte_place(in, from.place);
  operands.out = byte_place(out, to.place);
  operands.packed = packed;
  std::vector<Placement> touched{from.place, to.place};
  size_t next = 2;
  if (op.bias) {
    const ValueId bias = node.inputs[next++];
    const Placement bias_place = contiguous(bias);
    operands.bias = byte_place(bias, bias_place);
    touched.push_back(bias_place);
  }
  if (op.residual) {
    const ValueId residual = node.inputs[next++];
    const Pixels added = pixels(residual);
    operands.residual = byte_place(residual, added.place);
    operands.residual_pixel_stride = added.stride;
    touched.push_back(added.place);
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
  const DType dtype = graph_.value(in).dtype;
  ET_REQUIRE(dtype == DType::f32 || dtype == DType::i8, NotSupported, "a max pool of %s",
             dtype_text(dtype));
  const Placement from = channels_last(in);
  const Placement to = place_output_channels_last(out);
  compute::PoolShape shape = pool_shape(op, graph_.value(in).sizes, graph_.value(out).sizes);
  shape.y.dilation = op.dilation[0];
  shape.x.dilation = op.dilation[1];
  const bool indexed = node.outputs.size() > 1 && uses_[static_cast<size_t>(node.outputs[1])] > 0;
  if (!indexed) {
    emit(make_max_pool_step(dtype, shape, byte_place(in, from), byte_place(out, to), {}),
         {from, to});
    return Error::Ok;
  }
  const ValueId index = node.outputs[1];
  const Placement indices = place_output_channels_last(index);
  emit(make_max_pool_step(dtype, shape, byte_place(in, from), byte_place(out, to),
                          byte_place(index, indices)),
       {from, to, indices});
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const AveragePool& op) {
  const ValueId in = node.inputs[0], out = node.outputs[0];
  const Placement from = channels_last(in);
  const Placement to = place_output_channels_last(out);
  const auto shape = pool_shape(op, graph_.value(in).sizes, graph_.value(out).sizes);
  emit(make_average_pool_step(shape, op.divisor, byte_place(in, from), byte_place(out, to)),
       {from, to});
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const ResizeBilinear& op) {
  const ValueId in = node.inputs[0], out = node.outputs[0];
  const Placement from = channels_last(in);
  const Placement to = place_output_channels_last(out);
  const Dims& in_sizes = graph_.value(in).sizes;
  const Dims& out_sizes = graph_.value(out).sizes;
  compute::ResizeShape shape;
  shape.outer = in_sizes[0];
  shape.inner = in_sizes[1];
  shape.y = {in_sizes[2], out_sizes[2]};
  shape.x = {in_sizes[3], out_sizes[3]};
  shape.align_corners = op.align_corners;
  emit(make_resize_step(shape, byte_place(in, from), byte_place(out, to)), {from, to});
  return Error::Ok;
}

}  // namespace executorch::engine
