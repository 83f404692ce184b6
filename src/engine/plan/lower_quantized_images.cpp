// Convolutions and means of quantised images.
#include <algorithm>
#include <iterator>
#include <utility>

#include "compute/quantized/conv.h"
#include "engine/plan/column_tables.h"
#include "engine/plan/conv_geometry.h"
#include "engine/plan/lowering.h"
#include "engine/steps/quantized_steps.h"

namespace executorch::engine {
namespace {

class ByteConvolutionPacker final : public WeightPacker {
 public:
  ByteConvolutionPacker(const compute::ByteConvPlan& plan, const Value& weight,
                        const int64_t (&strides)[4])
      : plan_(plan), weight_(weight), strides_(strides) {}
  bool pack(float* packed) const override {
    compute::byte_conv_pack(plan_, static_cast<const int8_t*>(weight_.data), strides_, packed);
    return true;
  }

 private:
  const compute::ByteConvPlan& plan_;
  const Value& weight_;
  const int64_t (&strides_)[4];
};

}  // namespace

// Packs the weight of a convolution, whose dims are [.., .., height, width] or [.., .., width].
Error Lowering::pack_byte_convolution(const Value& weight, const compute::ByteConvPlan& plan,
                                      bool lain_down, const void** packed) {
  ET_REQUIRE(weight.source == Source::Constant && weight.data != nullptr, NotSupported,
             "a quantised convolution whose weight is computed");
  ET_REQUIRE(weight.dtype == DType::i8, NotSupported, "a quantised convolution with a weight of %s",
             dtype_text(weight.dtype));
  ET_REQUIRE(is_dense(weight.sizes, weight.strides), NotSupported, "a quantised weight with gaps");
  const compute::ConvShape& s = plan.conv.shape;
  const bool planar = weight.sizes.rank == 4;
  int64_t strides[4] = {weight.strides[0], weight.strides[1], planar ? weight.strides[2] : 0,
                        weight.strides.back()};
  if (lain_down) std::swap(strides[2], strides[3]);
  const int64_t layout[] = {'b',
                            static_cast<int64_t>(plan.conv.isa),
                            plan.depthwise,
                            s.in_channels,
                            s.out_channels,
                            s.kernel_height,
                            s.kernel_width,
                            s.groups,
                            s.transposed,
                            strides[0],
                            strides[1],
                            strides[2],
                            strides[3]};
  WeightSpec spec{weight.data, static_cast<size_t>(numel(weight.sizes)),
                  nullptr,     0,
                  {},          plan.packed_bytes,
                  nullptr,     0};
  std::copy(std::begin(layout), std::end(layout), spec.layout);
  ET_TRY(check_budget(plan.packed_bytes, "weights"));
  const float* bytes;
  ET_TRY(pack_weight(spec, ByteConvolutionPacker(plan, weight, strides), &bytes));
  *packed = bytes;
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const QuantizedConvolution& op) {
  const QuantizedProduct& product = op.product;
  const size_t first = product.dynamic ? 2 : 1;
  const ValueId x = node.inputs[0], out = node.outputs[0];
  const Value& weight = graph_.value(node.inputs[first]);
  const Dims& sizes = graph_.value(x).sizes;
  ET_TRY(check_quantized(product, graph_.value(out).dtype));
  const Pixels from = pixels(x), to = place_output_pixels(out);
  compute::ConvShape conv = conv_shape(op, sizes, weight.sizes);
  conv.in_pixel_stride = from.stride;
  conv.out_pixel_stride = to.stride;
  const bool lain_down = lay_down(&conv);
  QuantizedConvolutionShape shape;
  ET_REQUIRE(product.bits == WeightBits::Int8 &&
                 compute::byte_conv_plan(conv, compute::active_isa(), product.dynamic, &shape.plan),
             InvalidArgument, "no quantised convolution of %s with a weight of %s",
             to_text(sizes).c_str(), to_text(weight.sizes).c_str());
  ET_TRY(pack_byte_convolution(weight, shape.plan, lain_down, &shape.packed));

  const Value* bias = product.bias ? &graph_.value(node.inputs[first + 2]) : nullptr;
  const ColumnSource columns{product, graph_.value(node.inputs[first + 1]), bias,
                             graph_.value(out).dtype};
  const ColumnPlaces places{shape.plan.groups,
                            shape.plan.matrix.n,
                            shape.plan.padded,
                            compute::byte_conv_sums(shape.plan, shape.packed),
                            compute::byte_conv_sums_stride(shape.plan),
                            shape.plan.offset};
  ET_TRY(fill_tables(columns, places, &shape.tables));
  shape.output = output_of(columns);
  shape.output.weight_sums = shape.tables.sums;
  shape.zero_point = product.input.zero_point;

  std::vector<Placement> touched{from.place, to.place};
  QuantizedProductOperands operands{byte_place(x, from.place), byte_place(out, to.place), {}};
  if (product.dynamic) {
    const Placement ranges = contiguous(node.inputs[1]);
    operands.row_params = byte_place(node.inputs[1], ranges);
    touched.push_back(ranges);
  }
  emit(make_quantized_convolution_step(std::move(shape), operands), touched);
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const QuantizedMean& op) {
  const ValueId in = node.inputs[0], out = node.outputs[0];
  const Dims& sizes = graph_.value(in).sizes;
  ET_TRY(check_quantized(op.from));
  ET_TRY(check_quantized(op.to));
  const Pixels from = pixels(in);
  const Placement to = place_output_contiguous(out);
  compute::MeanArgs args{};
  args.pixels = sizes[2] * sizes[3];
  args.channels = sizes[1];
  args.pixel_stride = from.stride;
  args.zero_point = op.from.zero_point;
  args.factor = op.from.scale / (static_cast<float>(args.pixels) * op.to.params.scale);
  const compute::QuantizedLoopParams bounds({}, {}, op.to);
  args.low = bounds.low;
  args.high = bounds.high;
  args.out_zero_point = op.to.params.zero_point;
  emit(make_quantized_mean_step(sizes[0], args, byte_place(in, from.place), byte_place(out, to)),
       {from.place, to});
  return Error::Ok;
}

}  // namespace executorch::engine
