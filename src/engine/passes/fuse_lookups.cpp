// Bytes that become real numbers, go through operations on each by itself and become bytes again:
// there are only 256 cases, which are computed now.
#include <algorithm>
#include <numeric>

#include "engine/passes/passes.h"

namespace executorch::engine {
namespace {

constexpr int64_t kBytes = 256;
constexpr int kMostNodes = 32;

class LookupFusion {
 public:
  explicit LookupFusion(Graph* graph) : graph_(*graph), uses_(*graph) {}

  Error run() {
    for (Node& node : graph_.nodes) {
      if (node.as<Quantize>() == nullptr) continue;
      Chain chain;
      chain.sizes = graph_.value(node.outputs[0]).sizes;
      if (!follow(node.inputs[0], &chain) || chain.source == kNoValue) continue;
      ValueId table;
      ET_TRY(tabulate(node, chain, &table));
      node.operation = Lookup{};
      node.inputs = {chain.source, table};
    }
    remove_unused(&graph_);
    return Error::Ok;
  }

 private:
  struct Chain {
    Dims sizes;
    ValueId source = kNoValue;   ///< the bytes that all depends on
    std::vector<int32_t> nodes;  ///< in an order in which they may run
    int left = kMostNodes;
  };

  /// Adds what computes the value. False when that is not a function of one byte.
  bool follow(ValueId value, Chain* chain) const {
    const int32_t at = uses_.producer(value);
    if (at < 0) return graph_.is_constant(value) && numel(graph_.value(value).sizes) == 1;
    if (std::find(chain->nodes.begin(), chain->nodes.end(), at) != chain->nodes.end()) return true;
    if (chain->left-- == 0 || !(graph_.value(value).sizes == chain->sizes)) return false;
    const Node& node = graph_.nodes[static_cast<size_t>(at)];
    if (node.as<Dequantize>() != nullptr) {
      if (chain->source != kNoValue && chain->source != node.inputs[0]) return false;
      chain->source = node.inputs[0];
    } else {
      if (node.as<Elementwise>() == nullptr) return false;
      for (const ValueId input : node.inputs) {
        if (!follow(input, chain)) return false;
      }
    }
    chain->nodes.push_back(at);
    return true;
  }

  /// Runs the chain on all bytes; the result is a constant of the graph.
  Error tabulate(const Node& last, const Chain& chain, ValueId* table) {
    int8_t bytes[kBytes];
    std::iota(bytes, bytes + kBytes, static_cast<int8_t>(-128));
    auto* const results = static_cast<int8_t*>(graph_.owned->allocate(kBytes));
    ET_REQUIRE(results != nullptr, MemoryAllocationFailed, "no memory for a table of bytes");
    Dims sizes, one;
    sizes.push(kBytes);
    one.push(1);

    Graph cases;
    cases.owned = graph_.owned;
    std::vector<std::pair<ValueId, ValueId>> known{
        {chain.source, cases.add_constant(DType::i8, sizes, contiguous_strides(sizes), bytes)}};
    const auto add = [&](const Node& node) {
      Node copy{node.operation, {}, {}};
      for (const ValueId input : node.inputs) {
        const auto found = std::find_if(known.begin(), known.end(),
                                        [&](const auto& pair) { return pair.first == input; });
        const Value& value = graph_.value(input);
        copy.inputs.push_back(
            found != known.end()
                ? found->second
                : cases.add_constant(value.dtype, one, contiguous_strides(one), value.data));
      }
      const ValueId output = cases.add_computed(graph_.value(node.outputs[0]).dtype, sizes);
      copy.outputs.push_back(output);
      known.emplace_back(node.outputs[0], output);
      cases.nodes.push_back(std::move(copy));
      return output;
    };
    for (const int32_t node : chain.nodes) add(graph_.nodes[static_cast<size_t>(node)]);
    cases.results.push_back({add(last), 0, contiguous_strides(sizes)});
    cases.externals.push_back({});
    void* const outputs[] = {results};
    ET_TRY(run_on_constants(cases, outputs));
    *table = graph_.add_constant(DType::i8, sizes, contiguous_strides(sizes), results);
    return Error::Ok;
  }

  Graph& graph_;
  const Uses uses_;
};

}  // namespace

Error fuse_lookups(Graph* graph) {
  return LookupFusion(graph).run();
}

}  // namespace executorch::engine
