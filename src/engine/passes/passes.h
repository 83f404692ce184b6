/**
 * @file
 * Rewrites of a graph before it is lowered. Each keeps the values of all results within rounding;
 * those that move elements only keep the bits.
 */
#pragma once

#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

#include "engine/graph/graph.h"

namespace executorch::engine {

using runtime::Error;

/// Who uses what. Valid until the graph changes.
class Uses {
 public:
  explicit Uses(const Graph& graph);
  /// Node that computes the value, -1 for sources.
  int32_t producer(ValueId value) const { return producers_[static_cast<size_t>(value)]; }
  /// Inputs and results that name the value.
  int32_t count(ValueId value) const { return static_cast<int32_t>(consumers(value).size()); }
  /// Nodes that read the value, -1 for a result; a node is listed once per input.
  runtime::Span<const int32_t> consumers(ValueId value) const {
    const size_t first = first_[static_cast<size_t>(value)];
    return {consumers_.data() + first, first_[static_cast<size_t>(value) + 1] - first};
  }

 private:
  std::vector<int32_t> producers_;
  std::vector<size_t> first_;  ///< of each value's consumers, and the end of all
  std::vector<int32_t> consumers_;
};

/// Replaces values by others in all inputs and results.
class Replacements {
 public:
  explicit Replacements(const Graph& graph) : to_(graph.values.size(), kNoValue) {}
  void add(ValueId from, ValueId to) { to_[static_cast<size_t>(from)] = to; }
  ValueId resolve(ValueId value) const {
    while (static_cast<size_t>(value) < to_.size() && to_[static_cast<size_t>(value)] != kNoValue) {
      value = to_[static_cast<size_t>(value)];
    }
    return value;
  }
  void apply(Graph* graph) const;

 private:
  std::vector<ValueId> to_;
};

/// Drops nodes whose outputs nothing uses.
void remove_unused(Graph* graph);

/// Views of views become one view; copies, multiplications by one and other work without effect
/// disappear.
void simplify(Graph* graph);

/// Plans and runs a graph whose operands are constants. `outputs`: addresses of its externals.
Error run_on_constants(Graph& graph, void* const* outputs);

/// Computes what depends on constants alone.
Error fold_constants(Graph* graph);

/// A batch norm behind a convolution goes into its weight; any other becomes a multiplication and
/// an addition.
Error fold_batch_norm(Graph* graph);

/// x * sigmoid(x), the RMS norm's chain, softmax guarded against masked rows, attention.
void fuse_patterns(Graph* graph);

/// Functions of one quantised byte become tables.
Error fuse_lookups(Graph* graph);

/// Bias, residual and activation go into the product or convolution before them.
void fuse_epilogues(Graph* graph);

/// Chains of elementwise nodes become one node each.
void fuse_elementwise(Graph* graph);

}  // namespace executorch::engine
