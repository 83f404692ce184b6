// What depends on constants alone is computed once: views by strides, the rest by a plan of its own.
#include <algorithm>

#include "engine/plan/lowering.h"
#include "engine/plan/passes.h"

namespace executorch::engine {
namespace {

// Views of constants are constants in another layout. False when the strides cannot express it.
bool view_constant(const Graph& graph, const Node& node, Dims* strides, int64_t* offset) {
  const Value& in = graph.value(node.inputs[0]);
  const Value& out = graph.value(node.outputs[0]);
  *strides = in.strides;
  *offset = 0;
  if (const Permute* permute = node.as<Permute>()) {
    for (int d = 0; d < in.sizes.rank; ++d) (*strides)[d] = in.strides[permute->dims[d]];
    return true;
  }
  if (node.as<Reshape>() != nullptr) return reshaped_strides(in.sizes, in.strides, out.sizes, strides);
  if (node.as<Expand>() != nullptr) return broadcast_strides(in.sizes, in.strides, out.sizes, strides);
  if (const Slice* slice = node.as<Slice>()) {
    *offset = slice->start * in.strides[slice->dim];
    (*strides)[slice->dim] *= slice->step;
    return true;
  }
  return false;
}

void make_constant(Value* value, const Dims& strides, const void* data) {
  value->source = Source::Constant;
  value->strides = strides;
  value->data = data;
}

// Runs one node by itself; its outputs become constants.
Error compute_node(Graph* graph, const Node& node) {
  Graph single;
  single.owned = graph->owned;
  Node copy{node.operation, {}, {}};
  for (const ValueId input : node.inputs) {
    const Value& value = graph->value(input);
    copy.inputs.push_back(single.add_constant(value.dtype, value.sizes, value.strides, value.data));
  }
  std::vector<void*> outputs;
  for (const ValueId output : node.outputs) {
    const Value& value = graph->value(output);
    const ValueId id = single.add_computed(value.dtype, value.sizes);
    copy.outputs.push_back(id);
    const size_t bytes = static_cast<size_t>(numel(value.sizes) * element_bytes(value.dtype));
    outputs.push_back(graph->owned->allocate(bytes));
    ET_REQUIRE(outputs.back() != nullptr, MemoryAllocationFailed, "no memory for %zu bytes of a constant", bytes);
    single.results.push_back({id, static_cast<int32_t>(single.externals.size()), contiguous_strides(value.sizes)});
    single.externals.push_back({});
  }
  single.nodes.push_back(std::move(copy));
  const PlanOptions options;
  std::unique_ptr<Plan> plan;
  ET_TRY(Lowering(single, options, false).run(&plan));
  ET_TRY(plan->run(outputs.data(), nullptr));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    Value& value = graph->value(node.outputs[i]);
    make_constant(&value, contiguous_strides(value.sizes), outputs[i]);
  }
  return Error::Ok;
}

}  // namespace

Error fold_constants(Graph* graph) {
  std::vector<Node> kept;
  for (Node& node : graph->nodes) {
    const bool constant = std::all_of(node.inputs.begin(), node.inputs.end(),
                                      [&](ValueId input) { return graph->is_constant(input); });
    const Foreign* foreign = node.as<Foreign>();
    if (!constant || node.inputs.empty() || (foreign != nullptr && !foreign->call->foldable())) {
      kept.push_back(std::move(node));
      continue;
    }
    Dims strides;
    int64_t offset;
    if (view_constant(*graph, node, &strides, &offset)) {
      const Value& in = graph->value(node.inputs[0]);
      const char* data = static_cast<const char*>(in.data);
      if (data != nullptr) data += offset * element_bytes(in.dtype);
      make_constant(&graph->value(node.outputs[0]), strides, data);
    } else {
      ET_TRY(compute_node(graph, node));
    }
  }
  graph->nodes = std::move(kept);
  return Error::Ok;
}

}  // namespace executorch::engine
