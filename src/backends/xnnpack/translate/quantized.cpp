// Nodes whose operands are quantised: sums and products of 8-bit numbers.
#include <algorithm>
#include <cmath>

#include "backends/xnnpack/translate/graph_builder.h"
#include "engine/steps/step.h"

namespace executorch::backends::xnnpack {
namespace {

using engine::to_text;

constexpr float kInfinity = __builtin_inff();

const PerTensor* static_scale(const Value& value) {
  return value.datatype == Datatype::qint8 ? value.quantized_as<PerTensor>() : nullptr;
}

bool has_bytes(Datatype datatype) {
  return datatype == Datatype::qint8 || datatype == Datatype::qcint8;
}

bool has_half_bytes(Datatype datatype) {
  return datatype == Datatype::qcint4 || datatype == Datatype::qbint4;
}

/// The scales of a weight as a constant of the graph, and the length of their groups, 0 for none.
ValueId weight_scales(GraphBuilder& b, const Value& weight, int64_t* group) {
  Dims sizes;
  *group = 0;
  if (const auto* groups = weight.quantized_as<PerGroup>()) {
    *group = groups->group_size;
    sizes.push(weight.dims[0]);
    sizes.push(weight.dims[1] / groups->group_size);
    return b.graph().add_constant(DType::bf16, sizes, engine::contiguous_strides(sizes),
                                  groups->scales.data());
  }
  const auto* channels = weight.quantized_as<PerChannel>();
  const auto* tensor = weight.quantized_as<PerTensor>();
  sizes.push(channels != nullptr ? static_cast<int64_t>(channels->scales.size()) : 1);
  const void* data = channels != nullptr ? channels->scales.data() : &tensor->scale;
  return b.graph().add_constant(DType::f32, sizes, engine::contiguous_strides(sizes), data);
}

}  // namespace

engine::QuantizedOutput quantized_output(const Node& node, const PerTensor& scale) {
  const auto quantized = [&](float bound) {
    const float shifted =
        std::nearbyint(bound / scale.scale) + static_cast<float>(scale.zero_point);
    return static_cast<int32_t>(std::clamp(shifted, -128.0f, 127.0f));
  };
  return {quant_params(scale), quantized(node.low), quantized(node.high)};
}

bool is_quantized_sum(const GraphBuilder& b, const Node& node) {
  return static_scale(b.value(node.inputs[0])) != nullptr &&
         static_scale(b.value(node.inputs[1])) != nullptr &&
         static_scale(b.value(node.outputs[0])) != nullptr;
}

Error quantized_sum(GraphBuilder& b, const Node& node, ElementwiseOp op) {
  std::vector<ValueId> inputs;
  Dims sizes;
  Shown result;
  ET_TRY(b.arrange({b.shown(node.inputs[0]), b.shown(node.inputs[1])}, &inputs, &sizes,
                   &result.order));
  const engine::QuantizedElementwise sum{
      op, quant_params(*static_scale(b.value(node.inputs[0]))),
      quant_params(*static_scale(b.value(node.inputs[1]))),
      quantized_output(node, *static_scale(b.value(node.outputs[0])))};
  ET_TRY(b.add(sum, std::move(inputs), DType::i8, sizes, &result.value));
  b.set(node.outputs[0], result);
  return Error::Ok;
}

bool is_requantization(const GraphBuilder& b, const Node& node) {
  return static_scale(b.value(node.inputs[0])) != nullptr &&
         static_scale(b.value(node.outputs[0])) != nullptr;
}

Error requantize(GraphBuilder& b, const Node& node) {
  Shown x = b.shown(node.inputs[0]);
  const Dims sizes = b.graph().value(x.value).sizes;
  const engine::Requantize op{quant_params(*static_scale(b.value(node.inputs[0]))),
                              quantized_output(node, *static_scale(b.value(node.outputs[0])))};
  ET_TRY(b.add(op, {x.value}, DType::i8, sizes, &x.value));
  b.set(node.outputs[0], x);
  return Error::Ok;
}

bool is_quantized_product(const GraphBuilder& b, const Node& node) {
  const Value& input = b.value(node.inputs[0]);
  const Value& filter = b.value(node.inputs[1]);
  const bool dynamic = input.quantized_as<PerToken>() != nullptr;
  if (!filter.constant || (!dynamic && static_scale(input) == nullptr)) return false;
  if (has_half_bytes(filter.datatype)) return node.kind == NodeKind::FullyConnected;
  const auto* channels = filter.quantized_as<PerChannel>();
  const int outputs_dim = node.kind == NodeKind::DepthwiseConv2d ? 3 : 0;
  const bool along_outputs = channels == nullptr || channels->dim == outputs_dim;
  return has_bytes(filter.datatype) && along_outputs && (node.flags & kTransposeWeights) == 0;
}

Error quantized_operands(GraphBuilder& b, const Node& node, ValueIndex input, int dims,
                         const Order& order, ValueId weight, int64_t outputs,
                         QuantizedOperands* operands) {
  const Value& filter = b.value(node.inputs[1]);
  engine::QuantizedProduct& product = operands->product;
  std::vector<ValueId>& inputs = operands->inputs;
  if (const PerTensor* scale = static_scale(b.value(input))) {
    product.input = quant_params(*scale);
    inputs.push_back(b.arranged(b.shown(input), order));
  } else {
    product.dynamic = true;
    inputs.resize(2);
    ET_TRY(b.quantized_rows(input, dims, order, &inputs[0], &inputs[1]));
  }
  product.bits =
      has_half_bytes(filter.datatype) ? engine::WeightBits::Int4 : engine::WeightBits::Int8;
  inputs.push_back(weight);
  inputs.push_back(weight_scales(b, filter, &operands->group));
  if (node.inputs[2] != kNone) {
    const Shown& bias = b.shown(node.inputs[2]);
    const DType expected = product.dynamic ? DType::f32 : DType::i32;
    ET_REQUIRE(b.graph().is_constant(bias.value) &&
                   engine::numel(b.graph().value(bias.value).sizes) == outputs,
               InvalidProgram, "its bias is no constant of %lld numbers",
               static_cast<long long>(outputs));
    ET_REQUIRE(b.dtype(bias) == expected, NotSupported, "its bias is %s, %s is expected",
               engine::dtype_text(b.dtype(bias)), engine::dtype_text(expected));
    Dims columns;
    columns.push(outputs);
    inputs.push_back(b.reshape(bias.value, columns));
    product.bias = true;
  }
  const PerTensor* scale = static_scale(b.value(node.outputs[0]));
  operands->result = scale != nullptr ? DType::i8 : DType::f32;
  if (scale != nullptr) {
    product.output = quantized_output(node, *scale);
  } else if (node.low > -kInfinity || node.high < kInfinity) {
    product.epilogue = {engine::Activation::Clamp, node.low, node.high};
  }
  return Error::Ok;
}

Error write_product(GraphBuilder& b, const Node& node, Shown result) {
  if (b.dtype(result) == DType::i8) {
    b.set(node.outputs[0], result);
    return Error::Ok;
  }
  Node unbounded = node;
  unbounded.low = -kInfinity;
  unbounded.high = kInfinity;
  return b.write(unbounded, result);
}

Error quantized_linear(GraphBuilder& b, const Node& node) {
  const Value& filter = b.value(node.inputs[1]);
  Dims sizes = b.sizes(node.inputs[0]);
  const bool fits = filter.dims.rank == 2 && sizes.rank > 0 && sizes.back() == filter.dims[1] &&
                    sizes.back() > 0 && (node.flags & kTransposeWeights) == 0;
  ET_REQUIRE(fits, InvalidProgram, "no product of %s and a filter of %s", to_text(sizes).c_str(),
             to_text(filter.dims).c_str());
  QuantizedOperands operands;
  ET_TRY(quantized_operands(b, node, node.inputs[0], 1, Order::plain(),
                            b.shown(node.inputs[1]).value, filter.dims[0], &operands));
  const engine::QuantizedLinear op{operands.product, operands.group};
  sizes[sizes.rank - 1] = filter.dims[0];
  Shown result;
  ET_TRY(b.add(op, std::move(operands.inputs), operands.result, sizes, &result.value));
  return write_product(b, node, result);
}

}  // namespace executorch::backends::xnnpack
