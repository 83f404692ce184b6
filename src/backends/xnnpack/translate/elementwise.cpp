// Elementwise nodes. They work on quantised values through the numbers that these stand for.
#include "backends/xnnpack/translate/graph_builder.h"

namespace executorch::backends::xnnpack {
namespace {

template <ElementwiseOp op>
Error unary(GraphBuilder& b, const Node& node) {
  Shown x;
  ET_TRY(b.floats(node.inputs[0], &x));
  ET_TRY(b.elementwise(op, {x}, &x));
  return b.write(node, x);
}

Error binary_result(GraphBuilder& b, const Node& node, ElementwiseOp op, Shown* result) {
  Shown left, right;
  ET_TRY(b.floats(node.inputs[0], &left));
  ET_TRY(b.floats(node.inputs[1], &right));
  return b.elementwise(op, {left, right}, result);
}

template <ElementwiseOp op>
Error binary(GraphBuilder& b, const Node& node) {
  constexpr bool kSum =
      op == ElementwiseOp::Add || op == ElementwiseOp::Sub || op == ElementwiseOp::Mul;
  if (kSum && is_quantized_sum(b, node)) return quantized_sum(b, node, op);
  Shown result;
  ET_TRY(binary_result(b, node, op, &result));
  return b.write(node, result);
}

// These have no bounds.
template <ElementwiseOp op>
Error extremum(GraphBuilder& b, const Node& node) {
  Shown result;
  ET_TRY(binary_result(b, node, op, &result));
  Node unbounded = node;
  unbounded.low = -__builtin_inff();
  unbounded.high = __builtin_inff();
  return b.write(unbounded, result);
}

// The bounds are applied as to every result.
Error clamp(GraphBuilder& b, const Node& node) {
  if (is_requantization(b, node)) return requantize(b, node);
  Shown x;
  ET_TRY(b.floats(node.inputs[0], &x));
  return b.write(node, x);
}

// Between types. What is to be quantised row by row stays as it is: its reader does that.
Error convert(GraphBuilder& b, const Node& node) {
  if (is_requantization(b, node)) return requantize(b, node);
  Shown x;
  ET_TRY(b.floats(node.inputs[0], &x));
  if (b.value(node.outputs[0]).quantized_as<PerToken>() == nullptr) return b.write(node, x);
  b.set(node.outputs[0], x);
  return Error::Ok;
}

Error copy(GraphBuilder& b, const Node& node) {
  return b.write_moved(node, b.shown(node.inputs[0]));
}

// x * clamp(x + 3, 0, 6) / 6, rounded once.
Error hardswish(GraphBuilder& b, const Node& node) {
  Shown x, gate;
  ET_TRY(b.floats(node.inputs[0], &x));
  x.value = b.cast(x.value, DType::f32);
  ET_TRY(b.elementwise(ElementwiseOp::Add, x, 3, &gate));
  const Shown low = b.number(gate, 0), high = b.number(gate, 6);
  ET_TRY(b.elementwise(ElementwiseOp::Clamp, {gate, low, high}, &gate));
  ET_TRY(b.elementwise(ElementwiseOp::Mul, {x, gate}, &x));
  ET_TRY(b.elementwise(ElementwiseOp::Div, x, 6, &x));
  return b.write(node, x);
}

Error leaky_relu(GraphBuilder& b, const Node& node) {
  Shown x;
  ET_TRY(b.floats(node.inputs[0], &x));
  const double slope = static_cast<double>(node.as<Parameter>().number);
  ET_TRY(b.elementwise(ElementwiseOp::LeakyRelu, x, slope, &x));
  return b.write(node, x);
}

Error elu(GraphBuilder& b, const Node& node) {
  Shown x;
  ET_TRY(b.floats(node.inputs[0], &x));
  const Shown alpha = b.number(x, static_cast<double>(node.as<Parameter>().number));
  ET_TRY(b.elementwise(ElementwiseOp::Elu, {x, alpha, b.number(x, 1), b.number(x, 1)}, &x));
  return b.write(node, x);
}

const TranslateRow kRows[] = {
    {NodeKind::Abs, unary<ElementwiseOp::Abs>},
    {NodeKind::Negate, unary<ElementwiseOp::Neg>},
    {NodeKind::Square, unary<ElementwiseOp::Square>},
    {NodeKind::SquareRoot, unary<ElementwiseOp::Sqrt>},
    {NodeKind::ReciprocalSquareRoot, unary<ElementwiseOp::Rsqrt>},
    {NodeKind::Exp, unary<ElementwiseOp::Exp>},
    {NodeKind::Log, unary<ElementwiseOp::Log>},
    {NodeKind::Sin, unary<ElementwiseOp::Sin>},
    {NodeKind::Cos, unary<ElementwiseOp::Cos>},
    {NodeKind::Tanh, unary<ElementwiseOp::Tanh>},
    {NodeKind::Sigmoid, unary<ElementwiseOp::Sigmoid>},
    {NodeKind::Gelu, unary<ElementwiseOp::Gelu>},
    {NodeKind::Floor, unary<ElementwiseOp::Floor>},
    {NodeKind::Ceiling, unary<ElementwiseOp::Ceil>},
    {NodeKind::Hardswish, hardswish},
    {NodeKind::LeakyReLU, leaky_relu},
    {NodeKind::ELU, elu},
    // One slope per channel, which is the last dimension.
    {NodeKind::PReLU, binary<ElementwiseOp::LeakyRelu>},
    {NodeKind::Clamp, clamp},
    {NodeKind::Convert, convert},
    {NodeKind::Copy, copy},
    {NodeKind::Add, binary<ElementwiseOp::Add>},
    {NodeKind::Subtract, binary<ElementwiseOp::Sub>},
    {NodeKind::Multiply, binary<ElementwiseOp::Mul>},
    {NodeKind::Div, binary<ElementwiseOp::Div>},
    {NodeKind::Minimum, extremum<ElementwiseOp::Minimum>},
    {NodeKind::Maximum, extremum<ElementwiseOp::Maximum>},
};

}  // namespace

runtime::Span<const TranslateRow> elementwise_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace executorch::backends::xnnpack
