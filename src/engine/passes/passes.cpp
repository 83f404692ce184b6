#include "engine/passes/passes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace executorch::engine {

Uses::Uses(const Graph& graph)
    : producers_(graph.values.size(), -1), first_(graph.values.size() + 1, 0) {
  // Counts, then where each value's consumers end, then, filled from behind, where they begin.
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId output : graph.nodes[i].outputs)
      producers_[static_cast<size_t>(output)] = static_cast<int32_t>(i);
    for (const ValueId input : graph.nodes[i].inputs) ++first_[static_cast<size_t>(input)];
  }
  for (const Result& result : graph.results) ++first_[static_cast<size_t>(result.value)];
  for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  consumers_.resize(first_.back());
  for (const Result& result : graph.results)
    consumers_[--first_[static_cast<size_t>(result.value)]] = -1;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    for (const ValueId input : graph.nodes[i].inputs)
      consumers_[--first_[static_cast<size_t>(input)]] = static_cast<int32_t>(i);
  }
}

void Replacements::apply(Graph* graph) const {
  for (Node& node : graph->nodes) {
    for (ValueId& input : node.inputs) input = resolve(input);
  }
  for (Result& result : graph->results) result.value = resolve(result.value);
}

void remove_unused(Graph* graph) {
  std::vector<bool> used(graph->values.size(), false), kept(graph->nodes.size());
  for (const Result& result : graph->results) used[static_cast<size_t>(result.value)] = true;
  for (size_t i = graph->nodes.size(); i-- > 0;) {
    const Node& node = graph->nodes[i];
    kept[i] = std::any_of(node.outputs.begin(), node.outputs.end(),
                          [&](ValueId output) { return used[static_cast<size_t>(output)]; });
    if (!kept[i]) continue;
    for (const ValueId input : node.inputs) used[static_cast<size_t>(input)] = true;
  }
  size_t count = 0;
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    if (!kept[i]) continue;
    if (count != i) graph->nodes[count] = std::move(graph->nodes[i]);
    ++count;
  }
  graph->nodes.erase(graph->nodes.begin() + static_cast<std::ptrdiff_t>(count), graph->nodes.end());
}

}  // namespace executorch::engine
