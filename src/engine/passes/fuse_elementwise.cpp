// Elementwise nodes of equal sizes that feed each other become one node, run block by block.
#include <algorithm>

#include "engine/passes/passes.h"
#include "engine/steps/elementwise_step.h"

namespace executorch::engine {
namespace {

constexpr size_t kMaxProgram = 20;
constexpr size_t kMaxInputs = 14;

class ElementwiseFusion {
 public:
  explicit ElementwiseFusion(Graph* graph)
      : graph_(*graph), uses_(*graph), group_of_(graph->nodes.size(), -1) {}

  void run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (can_fuse(graph_.nodes[i])) place(static_cast<int32_t>(i));
    }
    std::vector<Node> kept;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const int32_t group = group_of_[i];
      if (group < 0 || groups_[static_cast<size_t>(group)].size() == 1) {
        kept.push_back(graph_.nodes[i]);
      } else if (groups_[static_cast<size_t>(group)].back() == static_cast<int32_t>(i)) {
        kept.push_back(fused(groups_[static_cast<size_t>(group)]));
      }
    }
    graph_.nodes = std::move(kept);
  }

 private:
  using Group = std::vector<int32_t>;  // nodes, ascending

  bool can_fuse(const Node& node) const {
    const Elementwise* op = node.as<Elementwise>();
    if (op == nullptr || numel(sizes_of(node)) == 0) return false;
    if (!fusable(op->op, op->common, graph_.value(node.outputs[0]).dtype, op->unrounded))
      return false;
    return op->common != DType::boolean ||
           std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](ValueId input) { return graph_.value(input).dtype == DType::boolean; });
  }

  const Dims& sizes_of(const Node& node) const { return graph_.value(node.outputs[0]).sizes; }

  // Joins the groups of the node's operands where the whole may run at the node's place.
  void place(int32_t node) {
    Group joined{node};
    std::vector<int32_t> taken;
    for (const ValueId input : graph_.nodes[static_cast<size_t>(node)].inputs) {
      const int32_t producer = uses_.producer(input);
      const int32_t group = producer >= 0 ? group_of_[static_cast<size_t>(producer)] : -1;
      if (group < 0 || std::find(taken.begin(), taken.end(), group) != taken.end()) continue;
      if (!(sizes_of(graph_.nodes[static_cast<size_t>(producer)]) ==
            sizes_of(graph_.nodes[static_cast<size_t>(node)]))) {
        continue;
      }
      Group candidate = joined;
      candidate.insert(candidate.end(), groups_[static_cast<size_t>(group)].begin(),
                       groups_[static_cast<size_t>(group)].end());
      std::sort(candidate.begin(), candidate.end());
      if (!may_run_together(candidate)) continue;
      joined = std::move(candidate);
      taken.push_back(group);
    }
    for (const int32_t group : taken) groups_[static_cast<size_t>(group)].clear();
    const int32_t id = static_cast<int32_t>(groups_.size());
    for (const int32_t member : joined) group_of_[static_cast<size_t>(member)] = id;
    groups_.push_back(std::move(joined));
  }

  // The group runs where its last node stands: nothing before that may read its values.
  bool may_run_together(const Group& group) const {
    if (group.size() > kMaxProgram) return false;
    std::vector<ValueId> inputs;
    for (const int32_t member : group) {
      const Node& node = graph_.nodes[static_cast<size_t>(member)];
      for (const ValueId input : node.inputs) {
        const bool inside = std::binary_search(group.begin(), group.end(), uses_.producer(input));
        if (!inside && std::find(inputs.begin(), inputs.end(), input) == inputs.end())
          inputs.push_back(input);
      }
      for (const int32_t consumer : uses_.consumers(node.outputs[0])) {
        if (consumer < 0 || consumer > group.back()) continue;
        if (!std::binary_search(group.begin(), group.end(), consumer)) return false;
      }
    }
    return inputs.size() <= kMaxInputs;
  }

  Node fused(const Group& group) const {
    FusedElementwise program;
    Node result;
    std::vector<std::pair<ValueId, int16_t>> computed;
    for (const int32_t member : group) {
      const Node& node = graph_.nodes[static_cast<size_t>(member)];
      const Elementwise& op = *node.as<Elementwise>();
      const ValueId out = node.outputs[0];
      FusedElementwise::Instruction instruction{
          op.op, op.common, op.unrounded, graph_.value(out).dtype, {}};
      for (size_t i = 0; i < node.inputs.size(); ++i)
        instruction.operands[i] = operand(node.inputs[i], computed, &result);
      computed.emplace_back(out, static_cast<int16_t>(program.program.size()));
      program.program.push_back(instruction);
    }
    for (const auto& [value, index] : computed) {
      const auto consumers = uses_.consumers(value);
      const bool leaves = std::any_of(consumers.begin(), consumers.end(), [&](int32_t consumer) {
        return !std::binary_search(group.begin(), group.end(), consumer);
      });
      if (!leaves) continue;
      program.results.push_back(index);
      result.outputs.push_back(value);
    }
    result.operation = std::move(program);
    return result;
  }

  static int16_t operand(ValueId value, const std::vector<std::pair<ValueId, int16_t>>& computed,
                         Node* result) {
    for (const auto& [known, index] : computed) {
      if (known == value) return static_cast<int16_t>(-1 - index);
    }
    const auto found = std::find(result->inputs.begin(), result->inputs.end(), value);
    if (found == result->inputs.end()) {
      result->inputs.push_back(value);
      return static_cast<int16_t>(result->inputs.size() - 1);
    }
    return static_cast<int16_t>(found - result->inputs.begin());
  }

  Graph& graph_;
  Uses uses_;
  std::vector<int32_t> group_of_;
  std::vector<Group> groups_;
};

}  // namespace

void fuse_elementwise(Graph* graph) {
  ElementwiseFusion(graph).run();
}

}  // namespace executorch::engine
