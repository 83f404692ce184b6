/**
 * @file
 * Turns a payload into an engine graph for the sizes that its inputs have.
 *
 * A payload keeps images with channels last and brackets them with transposes; the engine chooses
 * layouts by itself and has images as [N, C, H, W]. So a value of the payload is a value of the
 * graph and the order in which it shows its dims: transposes change the order alone, and nodes
 * that do not care work on the dims as they are.
 */
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "backends/xnnpack/payload/payload.h"
#include "engine/graph/graph.h"

namespace executorch::backends::xnnpack {

using engine::DType;
using engine::ElementwiseOp;
using engine::Graph;
using engine::kMaxRank;
using engine::kNoValue;
using engine::ValueId;

/// Dim d of a payload's value is dim order[d] of the graph's.
struct Order {
  int8_t dims[kMaxRank];

  static Order plain() {
    Order order;
    for (int d = 0; d < kMaxRank; ++d) order.dims[d] = static_cast<int8_t>(d);
    return order;
  }
  /// [N, H, W, C] in the payload, [N, C, H, W] in the graph.
  static Order image() {
    Order order = plain();
    order.dims[1] = 2;
    order.dims[2] = 3;
    order.dims[3] = 1;
    return order;
  }
  int operator[](int d) const { return dims[d]; }
};

/// A value of the payload in the graph.
struct Shown {
  ValueId value = kNoValue;
  Order order = Order::plain();
};

class GraphBuilder {
 public:
  /// Builds into `graph`, which must outlive the builder. Constants of the payload must outlive the
  /// graph.
  GraphBuilder(const Payload& payload, Graph* graph);

  /// Adds all nodes. `inputs`: the payload's inputs in order, with their dims in memory order.
  /// Errors name the node.
  Error build(const std::vector<ValueId>& inputs);

  // ---- For the functions that translate one kind of node each.

  Graph& graph() { return graph_; }
  const Payload& payload() const { return payload_; }
  const Value& value(ValueIndex id) const { return payload_.values[static_cast<size_t>(id)]; }
  /// Sizes as the payload has them.
  Dims sizes(ValueIndex id) const { return sizes(shown(id)); }
  Dims sizes(const Shown& shown) const;
  DType dtype(const Shown& shown) const { return graph_.value(shown.value).dtype; }
  const Shown& shown(ValueIndex id) const { return shown_[static_cast<size_t>(id)]; }
  /// The node that computes the value; null for constants and inputs.
  const Node* producer(ValueIndex id) const { return producers_[static_cast<size_t>(id)]; }

  /// The real numbers that a value stands for: itself, or dequantised.
  Error floats(ValueIndex id, Shown* floats);
  /// The value with its dims in the payload's order.
  ValueId plain(const Shown& shown) { return arranged(shown, Order::plain()); }
  ValueId plain(ValueIndex id) { return plain(shown(id)); }
  /// The value with its dims in the given order.
  ValueId arranged(const Shown& shown, const Order& order);
  /// The image [N, C, H, W] of a value [N, H, W, C], in single precision.
  Error image(ValueIndex id, ValueId* image);

  ValueId reshape(ValueId value, const Dims& sizes);
  ValueId permute(ValueId value, std::initializer_list<int8_t> dims);
  ValueId cast(ValueId value, DType dtype);
  /// Brings operands of an elementwise node to one order, with as many dims as the result has.
  /// Gives that order and the result's sizes in it.
  Error arrange(const std::vector<Shown>& operands, std::vector<ValueId>* inputs, Dims* sizes,
                Order* order);
  /// The operation on arranged operands, in their common type.
  Error elementwise(ElementwiseOp op, std::vector<Shown> operands, Shown* result);
  Error elementwise(ElementwiseOp op, const Shown& a, double number, Shown* result);
  /// A value without elements.
  ValueId empty(DType dtype, const Dims& sizes);
  /// A number of the operand's type.
  Shown number(const Shown& like, double number);

  /// A new node, whose result must have a size that memory can hold.
  Error add(engine::Operation operation, std::vector<ValueId> inputs, DType dtype,
            const Dims& sizes, ValueId* result);
  /// Makes floats the node's result, within the node's bounds and in the type that the payload
  /// declares: rounded, or quantised.
  Error write(const Node& node, Shown result);
  /// The rows of a value as 8-bit numbers, and the scale and zero point of each.
  /// `rows` has its dims in the given order, which leaves the last `dims` among themselves.
  Error quantized_rows(ValueIndex id, int dims, const Order& order, ValueId* rows,
                       ValueId* parameters);
  /// Makes elements that were only moved the node's result.
  Error write_moved(const Node& node, const Shown& result);
  void set(ValueIndex id, const Shown& shown) { shown_[static_cast<size_t>(id)] = shown; }

 private:
  Error build_node(const Node& node);
  Error dequantize(ValueIndex id, Shown* floats);
  Error quantize(const Node& node, const PerTensor& scale, Shown* shown);
  Error quantize_unsigned(const PerTensor& scale, Shown* shown);

  const Payload& payload_;
  Graph& graph_;
  std::vector<Shown> shown_;
  std::vector<const Node*> producers_;
  struct Rows {
    ValueId source;
    int dims;
    ValueId rows, parameters;
  };
  std::vector<Rows> quantized_rows_;
};

/// The graph's type for a payload's; values that are quantised as they are read stay floats.
DType graph_dtype(Datatype datatype);

/// How a node's result is quantised: its scale, and the node's bounds.
engine::QuantizedOutput quantized_output(const Node& node, const PerTensor& scale);
inline engine::QuantParams quant_params(const PerTensor& scale) {
  return {scale.scale, scale.zero_point};
}

/// Translates a node. Errors carry a text.
using TranslateNode = Error (*)(GraphBuilder& builder, const Node& node);
struct TranslateRow {
  NodeKind kind;
  TranslateNode translate;
};

// quantized.cpp: nodes whose operands are quantised. False when floats must do it.
bool is_quantized_sum(const GraphBuilder& builder, const Node& node);
Error quantized_sum(GraphBuilder& builder, const Node& node, ElementwiseOp op);
bool is_requantization(const GraphBuilder& builder, const Node& node);
Error requantize(GraphBuilder& builder, const Node& node);
bool is_quantized_product(const GraphBuilder& builder, const Node& node);
/// What a product of these operands reads: the input with its dims in an order, quantised in rows
/// of the last `dims` when it is dynamic; weight, scales and bias.
struct QuantizedOperands {
  engine::QuantizedProduct product;
  int64_t group = 0;
  std::vector<ValueId> inputs;
  DType result;  ///< i8 or f32
};
Error quantized_operands(GraphBuilder& builder, const Node& node, ValueIndex input, int dims,
                         const Order& order, ValueId weight, int64_t outputs,
                         QuantizedOperands* operands);
/// Makes such a product, which is within the node's bounds, its result.
Error write_product(GraphBuilder& builder, const Node& node, Shown result);
Error quantized_linear(GraphBuilder& builder, const Node& node);

// One table per file.
runtime::Span<const TranslateRow> elementwise_translations();
runtime::Span<const TranslateRow> image_translations();
runtime::Span<const TranslateRow> product_translations();
runtime::Span<const TranslateRow> view_translations();

}  // namespace executorch::backends::xnnpack
