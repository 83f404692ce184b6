// Views of views become one view, nodes without effect disappear.
#include <algorithm>
#include <vector>

#include "engine/passes/passes.h"

namespace executorch::engine {
namespace {

bool is_identity(const Permute& permute, int rank) {
  for (int d = 0; d < rank; ++d) {
    if (permute.dims[d] != d) return false;
  }
  return true;
}

// A permutation that only moves dims of size 1 is a change of sizes.
bool moves_nothing(const Permute& permute, const Dims& in) {
  int last = -1;
  for (int d = 0; d < in.rank; ++d) {
    if (in[permute.dims[d]] == 1) continue;
    if (permute.dims[d] < last) return false;
    last = permute.dims[d];
  }
  return true;
}

// The value that the node's output equals, or kNoValue.
ValueId same_as(const Graph& graph, const Node& node) {
  const ValueId in = node.inputs.empty() ? kNoValue : node.inputs[0];
  if (in == kNoValue) return kNoValue;
  const Value& input = graph.value(in);
  const Value& output = graph.value(node.outputs[0]);
  const bool same_sizes = input.sizes == output.sizes;
  if (const Permute* permute = node.as<Permute>())
    return is_identity(*permute, input.sizes.rank) ? in : kNoValue;
  if (node.as<Reshape>() != nullptr || node.as<Expand>() != nullptr)
    return same_sizes ? in : kNoValue;
  if (const Slice* slice = node.as<Slice>())
    return same_sizes && slice->start == 0 && slice->step == 1 ? in : kNoValue;
  const Elementwise* elementwise = node.as<Elementwise>();
  if (elementwise == nullptr || !same_sizes || input.dtype != output.dtype) return kNoValue;
  double number;
  switch (elementwise->op) {
    case ElementwiseOp::Copy:
      return elementwise->common == input.dtype ? in : kNoValue;
    case ElementwiseOp::Mul:
    case ElementwiseOp::Div:
      return elementwise->common == input.dtype && graph.constant_number(node.inputs[1], &number) &&
                     number == 1.0
                 ? in
                 : kNoValue;
    default:
      return kNoValue;
  }
}

// Merges a view with the view before it.
void merge_views(Graph* graph, const Uses& uses, Node* node) {
  const int32_t before = uses.producer(node->inputs[0]);
  if (before < 0) return;
  const Node& earlier = graph->nodes[static_cast<size_t>(before)];
  if (Permute* permute = node->as<Permute>()) {
    const Permute* first = earlier.as<Permute>();
    if (first == nullptr) return;
    Permute both{};
    for (int d = 0; d < graph->value(node->outputs[0]).sizes.rank; ++d)
      both.dims[d] = first->dims[permute->dims[d]];
    *permute = both;
    node->inputs[0] = earlier.inputs[0];
  } else if (node->as<Reshape>() != nullptr && earlier.as<Reshape>() != nullptr) {
    node->inputs[0] = earlier.inputs[0];
  } else if (node->as<Expand>() != nullptr && earlier.as<Expand>() != nullptr) {
    node->inputs[0] = earlier.inputs[0];
  }
}

bool same_view(const Graph& graph, const Node& a, const Node& b) {
  if (a.inputs[0] != b.inputs[0] || a.operation.index() != b.operation.index()) return false;
  const Dims& sizes = graph.value(a.outputs[0]).sizes;
  if (!(sizes == graph.value(b.outputs[0]).sizes)) return false;
  const Permute* permute = a.as<Permute>();
  return permute == nullptr ||
         std::equal(permute->dims, permute->dims + sizes.rank, b.as<Permute>()->dims);
}

// Views of one value under the same sizes are one view.
bool share_views(Graph* graph) {
  Replacements replacements(*graph);
  // The views of each value, the newest first, each with the one before it.
  std::vector<int32_t> newest(graph->values.size(), -1), before(graph->nodes.size(), -1);
  bool changed = false;
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    Node& node = graph->nodes[i];
    for (ValueId& input : node.inputs) input = replacements.resolve(input);
    if (node.as<Permute>() == nullptr && node.as<Reshape>() == nullptr &&
        node.as<Expand>() == nullptr)
      continue;
    int32_t& first = newest[static_cast<size_t>(node.inputs[0])];
    int32_t view = first;
    while (view >= 0 && !same_view(*graph, graph->nodes[static_cast<size_t>(view)], node))
      view = before[static_cast<size_t>(view)];
    if (view < 0) {
      before[i] = first;
      first = static_cast<int32_t>(i);
    } else {
      replacements.add(node.outputs[0], graph->nodes[static_cast<size_t>(view)].outputs[0]);
      changed = true;
    }
  }
  replacements.apply(graph);
  return changed;
}

}  // namespace

void simplify(Graph* graph) {
  for (bool changed = true; changed;) {
    changed = false;
    Uses uses(*graph);
    Replacements replacements(*graph);
    for (Node& node : graph->nodes) {
      for (ValueId& input : node.inputs) input = replacements.resolve(input);
      if (node.as<Permute>() != nullptr &&
          moves_nothing(*node.as<Permute>(), graph->value(node.inputs[0]).sizes)) {
        node.operation = Reshape{};
      }
      if (node.as<Permute>() != nullptr || node.as<Reshape>() != nullptr ||
          node.as<Expand>() != nullptr) {
        merge_views(graph, uses, &node);
      }
      const ValueId same = same_as(*graph, node);
      if (same == kNoValue) continue;
      replacements.add(node.outputs[0], same);
      changed = true;
    }
    replacements.apply(graph);
    changed = share_views(graph) || changed;
    remove_unused(graph);
  }
}

}  // namespace executorch::engine
