// Convolutions, pooling and resizing. The payload has images as [N, H, W, C].
#include <cinttypes>
#include <utility>

#include "backends/xnnpack/translate/graph_builder.h"
#include "engine/steps/step.h"

namespace executorch::backends::xnnpack {
namespace {

using engine::numel;
using engine::to_text;

/// Sizes of windows up to here cannot overflow in the arithmetic on them.
constexpr int64_t kMost = int64_t{1} << 30;

Error check_window(const int64_t (&numbers)[2], int64_t least, const char* what) {
  for (const int64_t number : numbers) {
    ET_REQUIRE(least <= number && number <= kMost, InvalidProgram,
               "its %s is %" PRId64 ", at least %" PRId64 " is expected", what, number, least);
  }
  return Error::Ok;
}

Error check_padding(const Padding& padding) {
  for (const int64_t side : {padding.top, padding.right, padding.bottom, padding.left}) {
    ET_REQUIRE(side <= kMost, InvalidProgram, "its padding of %" PRId64 " is too large", side);
  }
  return Error::Ok;
}

struct Window {
  int64_t near, far, kernel, stride, dilation;
};

template <class Shape>
Window window_of(const Shape& shape, int d) {
  const Padding& p = shape.padding;
  return {d == 0 ? p.top : p.left, d == 0 ? p.bottom : p.right, shape.kernel[d], shape.stride[d],
          shape.dilation[d]};
}

/// Positions of the window; below 1 when it does not fit.
int64_t positions(int64_t in, const Window& w) {
  const int64_t room = in + w.near + w.far - w.dilation * (w.kernel - 1) - 1;
  return room < 0 ? 0 : room / w.stride + 1;
}

Error write_image(GraphBuilder& b, const Node& node, ValueId image) {
  return b.write(node, Shown{image, Order::image()});
}

/// Adds a node from image to image; one without elements needs no work.
Error add_image(GraphBuilder& b, engine::Operation operation, std::vector<ValueId> inputs,
                DType dtype, const Dims& sizes, ValueId* result) {
  ET_REQUIRE(sizes[2] > 0 && sizes[3] > 0, InvalidProgram, "%s have no room for its window",
             to_text(b.graph().value(inputs[0]).sizes).c_str());
  if (numel(sizes) == 0) {
    *result = b.empty(dtype, sizes);
    return Error::Ok;
  }
  ET_REQUIRE(numel(b.graph().value(inputs[0]).sizes) > 0, NotSupported,
             "an image of %s has no elements", to_text(b.graph().value(inputs[0]).sizes).c_str());
  return b.add(std::move(operation), std::move(inputs), dtype, sizes, result);
}

/// Sizes of an image of the payload as [N, C, H, W].
Error image_sizes(const GraphBuilder& b, ValueIndex id, Dims* sizes) {
  const Dims found = b.sizes(id);
  ET_REQUIRE(found.rank == 4, InvalidProgram, "its input has %d dimensions, 4 are expected",
             found.rank);
  for (const int d : {0, 3, 1, 2}) sizes->push(found[d]);
  return Error::Ok;
}

// ---- Convolution

/// The filter as the engine has it: [O, I / groups, H, W], transposed [I, O / groups, H, W].
ValueId arrange_filter(GraphBuilder& b, NodeKind kind, int64_t groups, ValueId filter) {
  switch (kind) {
    case NodeKind::DepthwiseConv2d:
      return b.permute(filter, {3, 0, 1, 2});
    case NodeKind::ConvTranspose2d: {
      if (groups == 1) return b.permute(filter, {3, 0, 1, 2});
      const Dims sizes = b.graph().value(filter).sizes;
      Dims split, joined;
      for (const int64_t size : {groups, sizes[0] / groups, sizes[1], sizes[2], sizes[3]})
        split.push(size);
      for (const int64_t size : {groups * sizes[3], sizes[0] / groups, sizes[1], sizes[2]})
        joined.push(size);
      return b.reshape(b.permute(b.reshape(filter, split), {0, 4, 1, 2, 3}), joined);
    }
    default:
      return b.permute(filter, {0, 3, 1, 2});
  }
}

Error check_convolution(const ConvolutionShape& shape) {
  ET_TRY(check_window(shape.kernel, 1, "kernel"));
  ET_TRY(check_window(shape.stride, 1, "stride"));
  ET_TRY(check_window(shape.dilation, 1, "dilation"));
  ET_TRY(check_window(shape.adjustment, 0, "adjustment"));
  ET_REQUIRE(shape.groups > 0 && shape.group_inputs > 0 && shape.group_outputs > 0, InvalidProgram,
             "%" PRId64 " groups of %" PRId64 " inputs and %" PRId64 " outputs", shape.groups,
             shape.group_inputs, shape.group_outputs);
  return check_padding(shape.padding);
}

Error check_filter(const GraphBuilder& b, const Node& node, int64_t channels) {
  const ConvolutionShape& shape = node.as<ConvolutionShape>();
  const int64_t outputs = shape.groups * shape.group_outputs;
  const bool depthwise = node.kind == NodeKind::DepthwiseConv2d;
  Dims expected;
  for (const int64_t size : {depthwise ? 1 : outputs, shape.kernel[0], shape.kernel[1],
                             depthwise ? outputs : shape.group_inputs})
    expected.push(size);
  const Dims& found = b.value(node.inputs[1]).dims;
  ET_REQUIRE(found == expected, InvalidProgram, "its filter has sizes of %s, %s are expected",
             to_text(found).c_str(), to_text(expected).c_str());
  ET_REQUIRE(channels == shape.groups * shape.group_inputs, InvalidProgram,
             "its input has %" PRId64 " channels, %" PRId64 " are expected", channels,
             shape.groups * shape.group_inputs);
  ET_REQUIRE(b.value(node.inputs[1]).constant, NotSupported, "its filter is no constant");
  return Error::Ok;
}

/// Zeros around the image that another node adds are padding of the convolution.
ValueIndex take_padding(GraphBuilder& b, ValueIndex input, ConvolutionShape* shape) {
  const Node* before = b.producer(input);
  if (before == nullptr || before->kind != NodeKind::StaticConstantPad) return input;
  const PadShape& pad = before->as<PadShape>();
  if (pad.value != 0 || pad.before.rank != 4) return input;
  for (const int d : {0, 3}) {
    if (pad.before[d] != 0 || pad.after[d] != 0) return input;
  }
  shape->padding.top += pad.before[1];
  shape->padding.bottom += pad.after[1];
  shape->padding.left += pad.before[2];
  shape->padding.right += pad.after[2];
  return before->inputs[0];
}

/// Sizes of the result; those of the image are known to fit.
Dims convolved(const Node& node, const ConvolutionShape& shape, const Dims& in) {
  Dims sizes = in;
  sizes[1] = shape.groups * shape.group_outputs;
  for (int d = 0; d < 2; ++d) {
    const Window w = window_of(shape, d);
    sizes[2 + d] = node.kind == NodeKind::ConvTranspose2d
                       ? w.stride * (in[2 + d] - 1) + shape.adjustment[d] +
                             w.dilation * (w.kernel - 1) + 1 - w.near - w.far
                       : positions(in[2 + d], w);
  }
  return sizes;
}

Error add_bias(GraphBuilder& b, ValueIndex id, int64_t channels, std::vector<ValueId>* inputs) {
  Shown bias;
  ET_TRY(b.floats(id, &bias));
  const Dims& sizes = b.graph().value(bias.value).sizes;
  ET_REQUIRE(numel(sizes) == channels, InvalidProgram,
             "its bias has sizes of %s, %" PRId64 " numbers are expected", to_text(sizes).c_str(),
             channels);
  Dims columns;
  columns.push(channels);
  inputs->push_back(b.reshape(b.cast(b.plain(bias), DType::f32), columns));
  return Error::Ok;
}

template <class Convolution>
void set_window(const ConvolutionShape& shape, bool transposed, Convolution* op) {
  for (int d = 0; d < 2; ++d) {
    const Window w = window_of(shape, d);
    op->stride[d] = w.stride;
    op->dilation[d] = w.dilation;
    op->padding[d] = w.near;
    op->far_padding[d] = w.far;
    op->output_padding[d] = shape.adjustment[d];
  }
  op->groups = shape.groups;
  op->transposed = transposed;
}

Error quantized_convolution(GraphBuilder& b, const Node& node, ValueIndex input,
                            const ConvolutionShape& shape, const Dims& sizes) {
  engine::QuantizedConvolution op{};
  set_window(shape, node.kind == NodeKind::ConvTranspose2d, &op);
  const ValueId filter = b.plain(node.inputs[1]);
  QuantizedOperands operands;
  ET_TRY(quantized_operands(b, node, input, 3, Order::image(),
                            arrange_filter(b, node.kind, shape.groups, filter), sizes[1],
                            &operands));
  op.product = operands.product;
  ValueId image;
  ET_TRY(add_image(b, op, std::move(operands.inputs), operands.result, sizes, &image));
  return write_product(b, node, Shown{image, Order::image()});
}

Error convolution(GraphBuilder& b, const Node& node) {
  ConvolutionShape shape = node.as<ConvolutionShape>();
  ET_TRY(check_convolution(shape));
  const bool transposed = node.kind == NodeKind::ConvTranspose2d;
  ValueIndex input = node.inputs[0];
  if (!transposed) input = take_padding(b, input, &shape);
  ET_TRY(check_padding(shape.padding));
  Dims in;
  ET_TRY(image_sizes(b, input, &in));
  ET_TRY(check_filter(b, node, in[1]));
  const Dims sizes = convolved(node, shape, in);
  if (is_quantized_product(b, node)) return quantized_convolution(b, node, input, shape, sizes);

  ValueId image;
  Shown filter;
  ET_TRY(b.image(input, &image));
  ET_TRY(b.floats(node.inputs[1], &filter));
  filter.value = b.cast(b.plain(filter), DType::f32);
  engine::Convolution op{};
  set_window(shape, transposed, &op);
  std::vector<ValueId> inputs{image, arrange_filter(b, node.kind, shape.groups, filter.value)};
  if (node.inputs[2] != kNone) {
    ET_TRY(add_bias(b, node.inputs[2], sizes[1], &inputs));
    op.bias = true;
  }
  ET_TRY(add_image(b, op, std::move(inputs), DType::f32, sizes, &image));
  return write_image(b, node, image);
}

// ---- Pooling

Error pooled(GraphBuilder& b, const Node& node, const PoolingShape& shape, ValueId* image,
             Dims* sizes) {
  ET_TRY(check_window(shape.kernel, 1, "window"));
  ET_TRY(check_window(shape.stride, 1, "stride"));
  ET_TRY(check_window(shape.dilation, 1, "dilation"));
  ET_TRY(check_padding(shape.padding));
  ET_TRY(b.image(node.inputs[0], image));
  *sizes = b.graph().value(*image).sizes;
  for (int d = 0; d < 2; ++d) (*sizes)[2 + d] = positions((*sizes)[2 + d], window_of(shape, d));
  return Error::Ok;
}

engine::MaxPool max_pool_of(const PoolingShape& shape) {
  engine::MaxPool op{};
  for (int d = 0; d < 2; ++d) {
    const Window w = window_of(shape, d);
    op.kernel[d] = w.kernel;
    op.stride[d] = w.stride;
    op.padding[d] = w.near;
    op.dilation[d] = w.dilation;
  }
  return op;
}

/// Both ends are bytes of one scale.
bool keeps_scale(const GraphBuilder& b, const Node& node) {
  if (!is_requantization(b, node)) return false;
  const auto* from = b.value(node.inputs[0]).quantized_as<PerTensor>();
  const auto* to = b.value(node.outputs[0]).quantized_as<PerTensor>();
  return from->scale == to->scale && from->zero_point == to->zero_point;
}

Error max_pooling(GraphBuilder& b, const Node& node) {
  const PoolingShape& shape = node.as<PoolingShape>();
  ValueId image;
  Dims sizes;
  ET_TRY(pooled(b, node, shape, &image, &sizes));
  if (keeps_scale(b, node)) {
    image = b.arranged(b.shown(node.inputs[0]), Order::image());
    ET_TRY(add_image(b, max_pool_of(shape), {image}, DType::i8, sizes, &image));
    return b.write_moved(node, Shown{image, Order::image()});
  }
  ET_TRY(add_image(b, max_pool_of(shape), {image}, DType::f32, sizes, &image));
  return write_image(b, node, image);
}

// Also where in its window the largest value lies.
Error arg_max_pooling(GraphBuilder& b, const Node& node) {
  const PoolingShape& shape = node.as<PoolingShape>();
  ValueId image;
  Dims sizes;
  ET_TRY(pooled(b, node, shape, &image, &sizes));
  ET_TRY(add_image(b, max_pool_of(shape), {image}, DType::f32, sizes, &image));
  ValueId index;
  if (numel(sizes) > 0) {
    index = b.graph().add_computed(DType::i64, sizes);
    b.graph().nodes.back().outputs.push_back(index);
  } else {
    index = b.empty(DType::i64, sizes);
  }
  b.set(node.outputs[1], Shown{b.cast(index, DType::i32), Order::image()});
  return write_image(b, node, image);
}

// The average is that of the cells inside the image.
Error average_pooling(GraphBuilder& b, const Node& node) {
  PoolingShape shape = node.as<PoolingShape>();
  shape.dilation[0] = shape.dilation[1] = 1;
  ValueId image;
  Dims sizes;
  ET_TRY(pooled(b, node, shape, &image, &sizes));
  engine::AveragePool op{};
  for (int d = 0; d < 2; ++d) {
    const Window w = window_of(shape, d);
    op.kernel[d] = w.kernel;
    op.stride[d] = w.stride;
    op.padding[d] = w.near;
  }
  op.divisor.count_include_pad = false;
  ET_TRY(add_image(b, op, {image}, DType::f32, sizes, &image));
  return write_image(b, node, image);
}

Error global_average_pooling(GraphBuilder& b, const Node& node) {
  Dims sizes;
  ET_TRY(image_sizes(b, node.inputs[0], &sizes));
  const int64_t pixels = sizes[2] * sizes[3];
  const bool bytes = is_requantization(b, node) && pixels > 0;
  sizes[2] = sizes[3] = 1;
  ValueId image;
  if (bytes) {
    const engine::QuantizedMean op{
        quant_params(*b.value(node.inputs[0]).quantized_as<PerTensor>()),
        quantized_output(node, *b.value(node.outputs[0]).quantized_as<PerTensor>())};
    image = b.arranged(b.shown(node.inputs[0]), Order::image());
    ET_TRY(b.add(op, {image}, DType::i8, sizes, &image));
  } else {
    constexpr uint32_t kPixelDims = 1u << 2 | 1u << 3;
    const engine::Reduce op{compute::ReduceOp::Sum, kPixelDims, static_cast<double>(pixels)};
    ET_TRY(b.image(node.inputs[0], &image));
    ET_TRY(b.add(op, {image}, DType::f32, sizes, &image));
  }
  Shown result{image, Order::image()};
  if ((node.flags & kKeepDims) == 0) {
    Dims flat;
    flat.push(sizes[0]);
    flat.push(sizes[1]);
    result = {b.reshape(image, flat)};
  }
  if (!bytes) return b.write(node, result);
  b.set(node.outputs[0], result);
  return Error::Ok;
}

Error resize_bilinear(GraphBuilder& b, const Node& node) {
  const ResizeShape& shape = node.as<ResizeShape>();
  ValueId image;
  ET_TRY(b.image(node.inputs[0], &image));
  Dims sizes = b.graph().value(image).sizes;
  sizes[2] = shape.height;
  sizes[3] = shape.width;
  const engine::ResizeBilinear op{(node.flags & kAlignCorners) != 0};
  ET_TRY(add_image(b, op, {image}, DType::f32, sizes, &image));
  return write_image(b, node, image);
}

const TranslateRow kRows[] = {
    {NodeKind::Conv2d, convolution},
    {NodeKind::DepthwiseConv2d, convolution},
    {NodeKind::ConvTranspose2d, convolution},
    {NodeKind::MaxPooling2d, max_pooling},
    {NodeKind::ArgMaxPooling2d, arg_max_pooling},
    {NodeKind::AvgPooling2d, average_pooling},
    {NodeKind::GlobalAvgPooling2d, global_average_pooling},
    {NodeKind::StaticResizeBilinear2D, resize_bilinear},
};

}  // namespace

runtime::Span<const TranslateRow> image_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace executorch::backends::xnnpack
