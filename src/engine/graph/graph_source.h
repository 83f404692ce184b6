/**
 * @file
 * Work that one front end holds and another may make part of its graph: a delegate that shares the
 * engine with the operator library is planned together with the operators around it.
 */
#pragma once

#include <cstdint>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/export.h>

#include "engine/graph/graph.h"

namespace executorch::engine {

/// The work of one delegate call. Not to be used by two threads at once.
class GraphSource {
 public:
  virtual ~GraphSource() = default;

  /// Positions of what is read and of what is written among the arguments of the call.
  virtual runtime::Span<const int32_t> input_arguments() const = 0;
  virtual runtime::Span<const int32_t> output_arguments() const = 0;

  /// Adds the work to a graph. Values have the dims of their arguments in the order in which these
  /// lie in memory; a single number may have one dim or none. Constants that the graph then reads
  /// live as long as the source. After an error, which carries a text, the graph is half done.
  virtual runtime::Error add_to(Graph* graph, const std::vector<ValueId>& inputs,
                                std::vector<ValueId>* outputs) const = 0;

  /// The call will be run by itself: plans it as far as its sizes are known.
  virtual runtime::Error prepare() = 0;
};

/// The source behind a delegate's handle, null when there is none. Thread-safe, as all three.
EXECUTORCH_COMPUTE_API GraphSource* find_graph_source(const void* handle);
EXECUTORCH_COMPUTE_API void register_graph_source(const void* handle, GraphSource* source);
EXECUTORCH_COMPUTE_API void unregister_graph_source(const void* handle);

}  // namespace executorch::engine
