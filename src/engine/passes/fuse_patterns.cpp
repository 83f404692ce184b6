// Chains that exporters leave of one operation: x * sigmoid(x), the RMS norm, the softmax guarded
// against rows that are masked throughout, attention.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/passes/passes.h"

namespace executorch::engine {
namespace {

class PatternFusion {
 public:
  explicit PatternFusion(Graph* graph) : graph_(*graph) {}

  void run() {
    for (const auto pattern :
         {&PatternFusion::silu, &PatternFusion::guarded_softmax, &PatternFusion::rms_norm}) {
      const Uses uses(graph_);
      uses_ = &uses;
      for (size_t i = 0; i < graph_.nodes.size(); ++i) (this->*pattern)(&graph_.nodes[i]);
      remove_unused(&graph_);
    }
    attention();
    simplify(&graph_);
  }

 private:
  const Node* producer(ValueId value) const {
    const int32_t at = uses_->producer(value);
    return at < 0 ? nullptr : &graph_.nodes[static_cast<size_t>(at)];
  }

  const Elementwise* elementwise(const Node* node, ElementwiseOp op) const {
    const Elementwise* found = node != nullptr ? node->as<Elementwise>() : nullptr;
    return found != nullptr && found->op == op ? found : nullptr;
  }

  /// The operands of a commutative node of two, the one that satisfies `is` first.
  template <class F>
  static bool ordered(const Node& node, F is, ValueId* first, ValueId* second) {
    for (const int side : {0, 1}) {
      if (!is(node.inputs[static_cast<size_t>(side)])) continue;
      *first = node.inputs[static_cast<size_t>(side)];
      *second = node.inputs[static_cast<size_t>(1 - side)];
      return true;
    }
    return false;
  }

  bool is_f32(ValueId value) const { return graph_.value(value).dtype == DType::f32; }

  void silu(Node* node) {
    if (elementwise(node, ElementwiseOp::Mul) == nullptr || !is_f32(node->outputs[0])) return;
    ValueId gate, x;
    const auto is_gate = [&](ValueId value) {
      return elementwise(producer(value), ElementwiseOp::Sigmoid) != nullptr &&
             uses_->count(value) == 1;
    };
    if (!ordered(*node, is_gate, &gate, &x) || producer(gate)->inputs[0] != x) return;
    node->operation = Elementwise{ElementwiseOp::Silu, DType::f32, 0};
    node->inputs = {x};
  }

  // where(not any(not (x == -inf)), 0, softmax(x))
  void guarded_softmax(Node* node) {
    if (elementwise(node, ElementwiseOp::Where) == nullptr) return;
    double zero;
    if (!graph_.constant_number(as_number(node->inputs[1]), &zero) || zero != 0.0) return;
    const int32_t softmax_at = uses_->producer(node->inputs[2]);
    if (softmax_at < 0 || uses_->count(node->inputs[2]) != 1) return;
    Node& softmax = graph_.nodes[static_cast<size_t>(softmax_at)];
    if (softmax.as<Softmax>() == nullptr || !is_masked_rows(node->inputs[0], softmax)) return;
    softmax.as<Softmax>()->zero_masked_rows = true;
    node->operation = Reshape{};
    node->inputs = {softmax.outputs[0]};
  }

  bool is_masked_rows(ValueId condition, const Node& softmax) const {
    const Node* none = producer(condition);
    if (elementwise(none, ElementwiseOp::LogicalNot) == nullptr) return false;
    const Node* any = producer(none->inputs[0]);
    const Reduce* reduce = any != nullptr ? any->as<Reduce>() : nullptr;
    if (reduce == nullptr || reduce->op != compute::ReduceOp::Any) return false;
    if (reduce->dims != 1u << softmax.as<Softmax>()->dim) return false;
    if (graph_.value(any->outputs[0]).sizes.rank != graph_.value(any->inputs[0]).sizes.rank)
      return false;
    const Node* open = producer(any->inputs[0]);
    if (elementwise(open, ElementwiseOp::LogicalNot) == nullptr) return false;
    const Node* equal = producer(open->inputs[0]);
    double number;
    return elementwise(equal, ElementwiseOp::Eq) != nullptr &&
           equal->inputs[0] == softmax.inputs[0] &&
           graph_.constant_number(equal->inputs[1], &number) &&
           number == -std::numeric_limits<double>::infinity();
  }

  /// A constant that repeats one number counts as that number.
  ValueId as_number(ValueId value) {
    const Value constant = graph_.value(value);
    if (constant.source != Source::Constant) return value;
    for (int d = 0; d < constant.sizes.rank; ++d) {
      if (constant.sizes[d] != 1 && constant.strides[d] != 0) return value;
    }
    return graph_.add_constant(constant.dtype, {}, {}, constant.data);
  }

  // x * rsqrt(mean(x * x) + epsilon) * weight
  void rms_norm(Node* node) {
    if (elementwise(node, ElementwiseOp::Mul) == nullptr || !is_f32(node->outputs[0])) return;
    ValueId factor, x;
    double epsilon;
    const auto is_factor = [&](ValueId value) {
      return elementwise(producer(value), ElementwiseOp::Rsqrt) != nullptr;
    };
    if (!ordered(*node, is_factor, &factor, &x) ||
        !is_mean_square(producer(factor)->inputs[0], x, &epsilon))
      return;
    node->operation = RmsNorm{epsilon, false};
    node->inputs = {x};
    take_weight(node);
  }

  bool is_mean_square(ValueId value, ValueId x, double* epsilon) const {
    const Node* add = producer(value);
    if (elementwise(add, ElementwiseOp::Add) == nullptr) return false;
    ValueId mean, constant;
    const auto is_mean = [&](ValueId v) {
      return producer(v) != nullptr && producer(v)->as<Reduce>() != nullptr;
    };
    if (!ordered(*add, is_mean, &mean, &constant) || !graph_.constant_number(constant, epsilon))
      return false;
    const Node* reduce = producer(mean);
    const Dims& sizes = graph_.value(x).sizes;
    const Reduce& op = *reduce->as<Reduce>();
    if (op.op != compute::ReduceOp::Sum || op.dims != 1u << (sizes.rank - 1)) return false;
    if (op.divisor != static_cast<double>(sizes.back()) ||
        graph_.value(mean).sizes.rank != sizes.rank)
      return false;
    const Node* square = producer(reduce->inputs[0]);
    return elementwise(square, ElementwiseOp::Mul) != nullptr && square->inputs[0] == x &&
           square->inputs[1] == x;
  }

  // A multiplication by a constant row behind the norm joins it.
  void take_weight(Node* norm) {
    const ValueId normed = norm->outputs[0];
    if (uses_->count(normed) != 1 || uses_->consumers(normed)[0] < 0) return;
    Node& next = graph_.nodes[static_cast<size_t>(uses_->consumers(normed)[0])];
    if (elementwise(&next, ElementwiseOp::Mul) == nullptr) return;
    const Dims& sizes = graph_.value(normed).sizes;
    const ValueId weight = next.inputs[next.inputs[0] == normed ? 1 : 0];
    const Value& row = graph_.value(weight);
    if (weight == normed || row.source != Source::Constant || row.dtype != DType::f32) return;
    if (row.sizes.rank == 0 || row.sizes.back() != sizes.back() || numel(row.sizes) != sizes.back())
      return;
    if (!(graph_.value(next.outputs[0]).sizes == sizes)) return;
    norm->as<RmsNorm>()->weight = true;
    norm->inputs.push_back(weight);
    norm->outputs = next.outputs;
    next.operation = Reshape{};
    next.inputs.clear();
    next.outputs = {normed};
  }

  // ---- softmax(scale * query key + mask) value

  void attention() {
    const auto is_softmax = [](const Node& node) { return node.as<Softmax>() != nullptr; };
    if (!std::any_of(graph_.nodes.begin(), graph_.nodes.end(), is_softmax)) return;
    const Uses uses(graph_);
    uses_ = &uses;
    std::vector<Node> nodes;
    for (const Node& node : graph_.nodes) {
      if (node.as<MatMul>() == nullptr || !rewrite_attention(node, &nodes)) nodes.push_back(node);
    }
    graph_.nodes = std::move(nodes);
  }

  /// The value before changes of sizes that nothing else uses.
  ValueId before_reshapes(ValueId value) const {
    const Node* node = producer(value);
    while (node != nullptr && node->as<Reshape>() != nullptr && uses_->count(value) == 1) {
      value = node->inputs[0];
      node = producer(value);
    }
    return value;
  }

  /// Takes a multiplication by a number off the value; the value before it.
  ValueId before_scale(ValueId value, float* scale) const {
    const ValueId scaled = before_reshapes(value);
    const Node* node = producer(scaled);
    double number;
    if (elementwise(node, ElementwiseOp::Mul) == nullptr || uses_->count(scaled) != 1) return value;
    if (!graph_.constant_number(node->inputs[1], &number)) return value;
    if (!(graph_.value(node->inputs[0]).sizes == graph_.value(scaled).sizes)) return value;
    *scale *= static_cast<float>(number);
    return node->inputs[0];
  }

  static bool plain(const MatMul& op) {
    return !op.bias && !op.residual && op.epilogue.activation == Activation::None;
  }

  bool rewrite_attention(const Node& outer, std::vector<Node>* nodes) {
    const MatMul& outer_op = *outer.as<MatMul>();
    const Dims out_sizes = graph_.value(outer.outputs[0]).sizes;
    if (!plain(outer_op) || outer_op.alpha != 1.0f || out_sizes.rank < 3 ||
        uses_->count(outer.inputs[0]) != 1) {
      return false;
    }
    const ValueId weights = before_reshapes(outer.inputs[0]);
    const Node* softmax = producer(weights);
    if (softmax == nullptr || softmax->as<Softmax>() == nullptr || uses_->count(weights) != 1)
      return false;
    const Dims score_sizes = graph_.value(weights).sizes;
    const int rank = score_sizes.rank;
    if (rank < 3 || softmax->as<Softmax>()->dim != rank - 1) return false;
    if (score_sizes[rank - 1] != graph_.value(outer.inputs[0]).sizes.back()) return false;
    if (score_sizes[rank - 2] != out_sizes[out_sizes.rank - 2]) return false;

    ValueId scores = softmax->inputs[0];
    if (uses_->count(scores) != 1) return false;
    ValueId mask = kNoValue;
    const Node* add = producer(scores);
    if (elementwise(add, ElementwiseOp::Add) != nullptr) {
      const auto is_scores = [&](ValueId value) { return product_behind(value) != nullptr; };
      ValueId sum;
      if (!ordered(*add, is_scores, &sum, &mask) || !usable_mask(mask, score_sizes)) return false;
      scores = sum;
      if (is_zero(mask)) mask = kNoValue;
    }
    const Node* inner = product_behind(scores);
    if (inner == nullptr || !plain(*inner->as<MatMul>())) return false;
    if (!(graph_.value(scores).sizes == score_sizes)) return false;

    Attention op{inner->as<MatMul>()->alpha, mask != kNoValue,
                 softmax->as<Softmax>()->zero_masked_rows};
    const ValueId query = before_scale(inner->inputs[0], &op.scale);
    const ValueId key = before_scale(inner->inputs[1], &op.scale);
    const auto with_last = [&](int64_t rows, int64_t columns) {
      Dims sizes = score_sizes;
      sizes[rank - 2] = rows;
      sizes[rank - 1] = columns;
      return sizes;
    };
    const int64_t depth = graph_.value(inner->inputs[0]).sizes.back();
    std::vector<ValueId> inputs{
        reshaped(query, with_last(score_sizes[rank - 2], depth), nodes),
        reshaped(key, with_last(depth, score_sizes[rank - 1]), nodes),
        reshaped(outer.inputs[1], with_last(score_sizes[rank - 1], out_sizes.back()), nodes)};
    if (mask != kNoValue) inputs.push_back(mask);
    const ValueId result =
        graph_.add_computed(DType::f32, with_last(score_sizes[rank - 2], out_sizes.back()));
    nodes->push_back({op, std::move(inputs), {result}});
    nodes->push_back({Reshape{}, {result}, outer.outputs});
    return true;
  }

  /// The product that gives the value, when it is used once on the way and has batches.
  const Node* product_behind(ValueId value) const {
    if (uses_->count(value) != 1) return nullptr;
    const ValueId product = before_reshapes(value);
    const Node* node = producer(product);
    if (node == nullptr || node->as<MatMul>() == nullptr || uses_->count(product) != 1)
      return nullptr;
    const Dims& before = graph_.value(product).sizes;
    const Dims& after = graph_.value(value).sizes;
    if (before.rank < 3 || after.rank < 3) return nullptr;
    return before.back() == after.back() && before[before.rank - 2] == after[after.rank - 2]
               ? node
               : nullptr;
  }

  bool usable_mask(ValueId mask, const Dims& score_sizes) const {
    const Value& value = graph_.value(mask);
    Dims strides;
    if (value.dtype != DType::f32 || value.sizes.rank == 0 ||
        value.sizes.back() != score_sizes.back())
      return false;
    return broadcast_strides(value.sizes, value.sizes, score_sizes, &strides);
  }

  /// A constant of zeros, as masks are that hide nothing.
  bool is_zero(ValueId value) const {
    const Value& constant = graph_.value(value);
    if (constant.source != Source::Constant || !is_dense(constant.sizes, constant.strides))
      return false;
    const float* const data = static_cast<const float*>(constant.data);
    return std::all_of(data, data + numel(constant.sizes), [](float x) { return x == 0.0f; });
  }

  ValueId reshaped(ValueId value, const Dims& sizes, std::vector<Node>* nodes) {
    if (graph_.value(value).sizes == sizes) return value;
    const ValueId view = graph_.add_computed(graph_.value(value).dtype, sizes);
    nodes->push_back({Reshape{}, {value}, {view}});
    return view;
  }

  Graph& graph_;
  const Uses* uses_ = nullptr;
};

}  // namespace

void fuse_patterns(Graph* graph) {
  PatternFusion(graph).run();
}

}  // namespace executorch::engine
