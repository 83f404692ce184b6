/**
 * @file
 * A plan: the steps that compute a graph's results, and their memory.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/export.h>

#include "engine/graph/graph.h"
#include "engine/graph/memory_block.h"
#include "engine/steps/step.h"
#include "engine/weights/weight_cache.h"

namespace executorch::runtime {
class EventTracer;
}

namespace executorch::engine {

struct PlanOptions {
  /// Most bytes of packed weights, folded constants, intermediate and scratch memory. Over it
  /// weights stay unpacked; when that is not enough, make_plan() fails with MemoryAllocationFailed
  /// and both numbers.
  size_t memory_limit = SIZE_MAX;
  /// Write results into the caller's tensors only after everything has been read: for slots that
  /// share bytes in ways the graph does not tell.
  bool stage_results = false;
  /// Folder to share packed weights with other processes through, null for none. Read by
  /// make_plan() only.
  const char* cache_dir = nullptr;
  /// Most bytes of that folder's files together, see LoadOptions::cache_limit.
  uint64_t cache_limit = UINT64_MAX;
  /// A plan of the same program constants for other sizes, whose packed weights serve again; may be
  /// null.
  const class Plan* earlier = nullptr;
};

class EXECUTORCH_COMPUTE_API Plan {
 public:
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// Runs all steps. `slots` holds the addresses of the graph's externals. Allocates nothing
  /// without a tracer, to which each step is an event of its own: its number and description, with
  /// {"bytes": n} as metadata, the bytes of its operands. Not to be called by two threads at once.
  Error run(void* const* slots, void* user, runtime::EventTracer* tracer = nullptr);

  /// Bytes held: intermediate values and scratch, folded constants, packed weights (shared ones
  /// included).
  size_t memory_bytes() const;
  size_t packed_bytes() const;
  /// Those of them that lie in files, mapped by all processes that use them.
  size_t shared_bytes() const;
  /// A packed weight is held by both plans.
  bool shares_weights_with(const Plan& other) const;
  /// One line per step.
  std::vector<std::string> describe() const;
  /// Frees constants made with the graph or while planning that no step reads.
  void release_constants();
  size_t num_steps() const { return steps_.size(); }

 private:
  friend class Lowering;
  Plan();
  Error reserve_scratch();
  Error run_traced(const struct RunContext& context, runtime::EventTracer* tracer);

  struct Slot {
    int32_t storage;
    int32_t slot;
  };
  struct Weight {
    /// What it was packed from; without a source where that may change under the same address.
    WeightSpec spec;
    std::vector<float> scale;
    std::shared_ptr<const PackedWeight> packed;
    bool made_from(const WeightSpec& other) const;
  };
  std::shared_ptr<const PackedWeight> find_weight(const WeightSpec& spec) const;

  std::vector<std::unique_ptr<Step>> steps_;
  /// Of each step: bytes of its operands, each counted once.
  std::vector<int64_t> operand_bytes_;
  /// What a tracer is told of each step; made when one is there.
  struct TraceText {
    std::string name;
    std::string metadata;
  };
  std::vector<TraceText> trace_texts_;
  std::vector<char*> addresses_;
  std::vector<Slot> slots_;
  MemoryBlock arena_;
  MemoryBlock scratch_;
  size_t scratch_threads_ = 0;
  std::vector<Weight> weights_;
  std::shared_ptr<ConstantMemory> constants_;
};

/// Plans a graph. The graph is consumed. Errors carry a text.
EXECUTORCH_COMPUTE_API Error make_plan(Graph graph, const PlanOptions& options,
                                       std::unique_ptr<Plan>* plan);

}  // namespace executorch::engine
