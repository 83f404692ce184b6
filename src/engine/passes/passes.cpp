#include "engine/passes/passes.h"

#include <algorithm>

namespace executorch::engine {

Uses::Uses(const Graph& graph)
    : producers_(graph.values.size(), -1), consumers_(graph.values.size()) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId output : graph.nodes[i].outputs)
      producers_[static_cast<size_t>(output)] = static_cast<int32_t>(i);
    for (const ValueId input : graph.nodes[i].inputs) {
      consumers_[static_cast<size_t>(input)].push_back(static_cast<int32_t>(i));
    }
  }
  for (const Result& result : graph.results)
    consumers_[static_cast<size_t>(result.value)].push_back(-1);
}

void Replacements::apply(Graph* graph) const {
  for (Node& node : graph->nodes) {
    for (ValueId& input : node.inputs) input = resolve(input);
  }
  for (Result& result : graph->results) result.value = resolve(result.value);
}

void remove_unused(Graph* graph) {
  std::vector<bool> used(graph->values.size(), false);
  for (const Result& result : graph->results) used[static_cast<size_t>(result.value)] = true;
  std::vector<Node> kept;
  for (size_t i = graph->nodes.size(); i-- > 0;) {
    Node& node = graph->nodes[i];
    const bool needed = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
      return used[static_cast<size_t>(output)];
    });
    if (!needed) continue;
    for (const ValueId input : node.inputs) used[static_cast<size_t>(input)] = true;
    kept.push_back(std::move(node));
  }
  std::reverse(kept.begin(), kept.end());
  graph->nodes = std::move(kept);
}

}  // namespace executorch::engine
