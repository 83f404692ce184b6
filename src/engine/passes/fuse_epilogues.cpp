// Activation, residual and bias that follow a product or convolution go into it.
#include <cmath>
#include <limits>

#include "engine/passes/passes.h"

namespace executorch::engine {
namespace {

// The epilogue that an elementwise node of one operand is, if it is one.
bool activation_of(const Graph& graph, const Node& node, Epilogue* epilogue) {
  const Elementwise* op = node.as<Elementwise>();
  if (op == nullptr || op->common != DType::f32 || graph.value(node.outputs[0]).dtype != DType::f32)
    return false;
  switch (op->op) {
    case ElementwiseOp::Relu:
      epilogue->activation = Activation::Relu;
      return true;
    case ElementwiseOp::Gelu:
      epilogue->activation = Activation::Gelu;
      return true;
    case ElementwiseOp::GeluTanh:
      epilogue->activation = Activation::GeluTanh;
      return true;
    case ElementwiseOp::Silu:
      epilogue->activation = Activation::Silu;
      return true;
    case ElementwiseOp::Sigmoid:
      epilogue->activation = Activation::Sigmoid;
      return true;
    case ElementwiseOp::Tanh:
      epilogue->activation = Activation::Tanh;
      return true;
    case ElementwiseOp::Clamp: {
      double low, high;
      if (!graph.constant_number(node.inputs[1], &low) ||
          !graph.constant_number(node.inputs[2], &high))
        return false;
      if (std::isnan(low) || std::isnan(high) || low > high) return false;
      *epilogue = {Activation::Clamp, static_cast<float>(low), static_cast<float>(high)};
      return true;
    }
    default:
      return false;
  }
}

// What a product and a convolution have in common.
struct Accumulator {
  explicit Accumulator(Node* node) : node(node) {
    if (MatMul* product = node->as<MatMul>()) {
      epilogue = &product->epilogue;
      bias = &product->bias;
      residual = &product->residual;
      plain_sum = product->beta == 1.0f;
    } else if (Convolution* convolution = node->as<Convolution>()) {
      epilogue = &convolution->epilogue;
      bias = &convolution->bias;
      residual = &convolution->residual;
      plain_sum = true;
    }
  }
  explicit operator bool() const { return epilogue != nullptr; }

  Node* node;
  Epilogue* epilogue = nullptr;
  bool* bias = nullptr;
  bool* residual = nullptr;
  bool plain_sum = false;
};

class EpilogueFusion {
 public:
  explicit EpilogueFusion(Graph* graph) : graph_(*graph), uses_(*graph) {}

  /// False when there was nothing to fuse.
  bool run() {
    bool changed = false;
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      changed = take_activation(i) || take_addition(i) || changed;
    return changed;
  }

 private:
  // The product or convolution that gives `value` to the node at `reader` alone, seen through
  // changes of sizes.
  int32_t accumulator_of(ValueId value) const {
    int32_t at = uses_.producer(value);
    while (at >= 0) {
      if (uses_.count(value) != 1) return -1;
      const Node& node = graph_.nodes[static_cast<size_t>(at)];
      if (node.as<Reshape>() == nullptr)
        return node.as<MatMul>() != nullptr || node.as<Convolution>() != nullptr ? at : -1;
      value = node.inputs[0];
      at = uses_.producer(value);
    }
    return -1;
  }

  bool take_activation(size_t i) {
    Node& node = graph_.nodes[i];
    Epilogue epilogue;
    if (!activation_of(graph_, node, &epilogue)) return false;
    const ValueId in = node.inputs[0];
    const int32_t at = accumulator_of(in);
    if (at < 0 || !(graph_.value(in).sizes == graph_.value(node.outputs[0]).sizes)) return false;
    Accumulator target(&graph_.nodes[static_cast<size_t>(at)]);
    if (target.epilogue->activation != Activation::None) return false;
    *target.epilogue = epilogue;
    // The activated value takes the place of the plain one.
    node.operation = Reshape{};
    node.inputs.resize(1);
    return true;
  }

  bool take_addition(size_t i) {
    Node& node = graph_.nodes[i];
    const Elementwise* op = node.as<Elementwise>();
    if (op == nullptr || op->op != ElementwiseOp::Add || op->common != DType::f32) return false;
    const Dims sizes = graph_.value(node.outputs[0]).sizes;
    if (graph_.value(node.outputs[0]).dtype != DType::f32) return false;
    // The later of two candidates takes the other as its residual.
    int32_t sides[2] = {accumulator_of(node.inputs[0]), accumulator_of(node.inputs[1])};
    const int first = sides[0] > sides[1] ? 0 : 1;
    for (const int side : {first, 1 - first}) {
      if (sides[side] >= 0 && add_to(i, sides[side], node.inputs[static_cast<size_t>(side)],
                                     node.inputs[static_cast<size_t>(1 - side)], sizes)) {
        return true;
      }
    }
    return false;
  }

  // Adds `other` to the accumulator at `at`, whose result is `sum` under the node's sizes.
  bool add_to(size_t i, int32_t at, ValueId sum, ValueId other, const Dims& sizes) {
    Node& target_node = graph_.nodes[static_cast<size_t>(at)];
    Accumulator target(&target_node);
    if (target.epilogue->activation != Activation::None || !(graph_.value(sum).sizes == sizes))
      return false;
    if (graph_.value(other).dtype != DType::f32) return false;
    const Dims product_sizes = graph_.value(target_node.outputs[0]).sizes;
    if (fits_bias(target, target_node, other, product_sizes)) {
      target_node.inputs.insert(target_node.inputs.begin() + 2, other);
      *target.bias = true;
    } else {
      if (*target.residual || !target.plain_sum || !available(other, at)) return false;
      const bool broadcast = numel(graph_.value(other).sizes) != numel(sizes);
      if (broadcast && !repeats_rows(other, sizes)) return false;
      ValueId residual = other;
      if (!(graph_.value(other).sizes == product_sizes))
        residual = new_view(other, product_sizes, sizes, at);
      if (residual == kNoValue) return false;
      graph_.nodes[static_cast<size_t>(at)].inputs.push_back(residual);
      *Accumulator(&graph_.nodes[static_cast<size_t>(at)]).residual = true;
    }
    Node& node = graph_.nodes[i];
    node.operation = Reshape{};
    node.inputs = {sum};
    return true;
  }

  bool fits_bias(const Accumulator& target, const Node& node, ValueId other,
                 const Dims& sizes) const {
    if (*target.bias || node.as<MatMul>() == nullptr || !graph_.is_constant(other)) return false;
    const Dims& bias = graph_.value(other).sizes;
    return numel(bias) == sizes.back() && bias.rank > 0 && bias.back() == sizes.back();
  }

  // Sources, and values computed before the accumulator.
  bool available(ValueId value, int32_t at) const { return uses_.producer(value) < at; }

  bool repeats_rows(ValueId other, const Dims& sizes) const {
    const Dims& from = graph_.value(other).sizes;
    return from.rank > 0 && from.back() == sizes.back();
  }

  // The other operand under the accumulator's sizes. Views of values must stand before it: they are
  // put there.
  ValueId new_view(ValueId other, const Dims& product_sizes, const Dims& sizes, int32_t at) {
    if (numel(graph_.value(other).sizes) != numel(sizes)) return kNoValue;
    const ValueId view = graph_.add_computed(DType::f32, product_sizes);
    views_.push_back({at, {Reshape{}, {other}, {view}}});
    return view;
  }

 public:
  struct View {
    int32_t before;
    Node node;
  };
  // Views to be inserted before the nodes they serve, ascending by construction order.
  std::vector<View> views_;

 private:
  Graph& graph_;
  Uses uses_;
};

}  // namespace

void fuse_epilogues(Graph* graph) {
  for (int round = 0; round < 3; ++round) {
    EpilogueFusion fusion(graph);
    if (!fusion.run()) return;
    if (!fusion.views_.empty()) {
      std::vector<Node> nodes;
      for (size_t i = 0; i < graph->nodes.size(); ++i) {
        for (auto& view : fusion.views_) {
          if (view.before == static_cast<int32_t>(i)) nodes.push_back(std::move(view.node));
        }
        nodes.push_back(std::move(graph->nodes[i]));
      }
      graph->nodes = std::move(nodes);
    }
    simplify(graph);
  }
}

}  // namespace executorch::engine
