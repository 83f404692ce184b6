// What depends on constants alone is computed once: views by strides, the rest by a plan of its
// own.
#include <algorithm>
#include <cstring>

#include "engine/plan/lowering.h"
#include "engine/passes/passes.h"

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
  if (node.as<Reshape>() != nullptr)
    return reshaped_strides(in.sizes, in.strides, out.sizes, strides);
  if (node.as<Expand>() != nullptr)
    return broadcast_strides(in.sizes, in.strides, out.sizes, strides);
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

class Folder {
 public:
  explicit Folder(Graph* graph) : graph_(*graph) {}

  /// Runs one node by itself; its outputs become constants.
  Error compute(const Node& node);

 private:
  struct Bytes {
    const void* data;
    size_t size;
  };

  /// Layers often compute the same, a mask for instance: then one copy serves all.
  const void* kept_once(const void* data, size_t size) {
    for (const Bytes& earlier : computed_) {
      if (earlier.size == size && std::memcmp(earlier.data, data, size) == 0) return earlier.data;
    }
    computed_.push_back({data, size});
    return data;
  }

  Graph& graph_;
  std::vector<Bytes> computed_;
};

Error Folder::compute(const Node& node) {
  Graph single;
  single.owned = graph_.owned;
  Node copy{node.operation, {}, {}};
  for (const ValueId input : node.inputs) {
    const Value& value = graph_.value(input);
    copy.inputs.push_back(single.add_constant(value.dtype, value.sizes, value.strides, value.data));
  }
  std::vector<void*> outputs;
  std::vector<size_t> sizes;
  for (const ValueId output : node.outputs) {
    const Value& value = graph_.value(output);
    const ValueId id = single.add_computed(value.dtype, value.sizes);
    copy.outputs.push_back(id);
    sizes.push_back(static_cast<size_t>(numel(value.sizes) * element_bytes(value.dtype)));
    outputs.push_back(graph_.owned->allocate(sizes.back()));
    ET_REQUIRE(outputs.back() != nullptr, MemoryAllocationFailed,
               "no memory for %zu bytes of a constant", sizes.back());
    single.results.push_back(
        {id, static_cast<int32_t>(single.externals.size()), contiguous_strides(value.sizes)});
    single.externals.push_back({});
  }
  single.nodes.push_back(std::move(copy));
  ET_TRY(run_on_constants(single, outputs.data()));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    Value& value = graph_.value(node.outputs[i]);
    make_constant(&value, contiguous_strides(value.sizes), kept_once(outputs[i], sizes[i]));
  }
  return Error::Ok;
}

}  // namespace

Error run_on_constants(Graph& graph, void* const* outputs) {
  const PlanOptions options;
  std::unique_ptr<Plan> plan;
  ET_TRY(Lowering(graph, options, false).run(&plan));
  return plan->run(outputs, nullptr);
}

Error fold_constants(Graph* graph) {
  Folder folder(graph);
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
      ET_TRY(folder.compute(node));
    }
  }
  graph->nodes = std::move(kept);
  return Error::Ok;
}

}  // namespace executorch::engine
