#include "engine/plan/plan.h"

#include <algorithm>
#include <utility>

#include <executorch/runtime/core/event_tracer_hooks_delegate.h>

#include "engine/passes/passes.h"
#include "engine/plan/lowering.h"
#include "threadpool/parallel.h"

namespace executorch::engine {

Plan::Plan() = default;
Plan::~Plan() = default;

Error Plan::reserve_scratch() {
  size_t bytes = 0;
  for (const auto& step : steps_) bytes = std::max(bytes, step->scratch_bytes());
  scratch_threads_ = threadpool::pool_thread_count();
  if (scratch_.holds(bytes)) return Error::Ok;
  MemoryBlock block = MemoryBlock::allocate(bytes);
  ET_REQUIRE(block.holds(bytes), MemoryAllocationFailed, "no memory for %zu bytes of scratch",
             bytes);
  scratch_ = std::move(block);
  return Error::Ok;
}

Error Plan::run(void* const* slots, void* user, runtime::EventTracer* tracer) {
  if (threadpool::pool_thread_count() != scratch_threads_) ET_TRY(reserve_scratch());
  for (const Slot& slot : slots_)
    addresses_[static_cast<size_t>(slot.storage)] = static_cast<char*>(slots[slot.slot]);
  const RunContext context{addresses_.data(), scratch_.data(), scratch_.size(), user};
  if (tracer != nullptr) return run_traced(context, tracer);
  for (const auto& step : steps_) ET_TRY(step->run(context));
  return Error::Ok;
}

Error Plan::run_traced(const RunContext& context, runtime::EventTracer* tracer) {
  // Numbered, since events of one name are taken for repetitions.
  for (size_t i = trace_texts_.size(); i < steps_.size(); ++i) {
    trace_texts_.push_back({"#" + std::to_string(i + 1) + " " + steps_[i]->describe(),
                            "{\"bytes\": " + std::to_string(operand_bytes_[i]) + "}"});
  }
  for (size_t i = 0; i < steps_.size(); ++i) {
    const TraceText& text = trace_texts_[i];
    const auto event = runtime::event_tracer_start_profiling_delegate(
        tracer, text.name.c_str(), runtime::kUnsetDelegateDebugIntId);
    const Error error = steps_[i]->run(context);
    runtime::event_tracer_end_profiling_delegate(tracer, event, text.metadata.data(),
                                                 text.metadata.size());
    ET_TRY(error);
  }
  return Error::Ok;
}

size_t Plan::packed_bytes() const {
  size_t bytes = 0;
  for (const Weight& weight : weights_) bytes += weight.packed->size();
  return bytes;
}

size_t Plan::shared_bytes() const {
  size_t bytes = 0;
  for (const Weight& weight : weights_)
    bytes += weight.packed->shared() ? weight.packed->size() : 0;
  return bytes;
}

void Plan::release_constants() {
  constants_->keep(addresses_.data(), addresses_.size());
}

bool Plan::shares_weights_with(const Plan& other) const {
  for (const Weight& weight : weights_) {
    for (const Weight& theirs : other.weights_) {
      if (weight.packed == theirs.packed) return true;
    }
  }
  return false;
}

bool Plan::Weight::made_from(const WeightSpec& other) const {
  return spec.source != nullptr && spec.source == other.source &&
         spec.source_bytes == other.source_bytes && spec.packed_bytes == other.packed_bytes &&
         spec.scales == other.scales && spec.extra == other.extra &&
         spec.extra_bytes == other.extra_bytes &&
         std::equal(scale.begin(), scale.end(), other.scale) &&
         std::equal(spec.layout, spec.layout + WeightSpec::kLayoutNumbers, other.layout);
}

std::shared_ptr<const PackedWeight> Plan::find_weight(const WeightSpec& spec) const {
  for (const Weight& weight : weights_) {
    if (weight.made_from(spec)) return weight.packed;
  }
  return nullptr;
}

size_t Plan::memory_bytes() const {
  return arena_.size() + scratch_.size() + packed_bytes() +
         (constants_ != nullptr ? constants_->total() : 0);
}

std::vector<std::string> Plan::describe() const {
  std::vector<std::string> lines;
  for (const auto& step : steps_) lines.push_back(step->describe());
  return lines;
}

Error make_plan(Graph graph, const PlanOptions& options, std::unique_ptr<Plan>* plan) {
  graph.owned->set_limit(options.memory_limit);
  remove_unused(&graph);
  simplify(&graph);
  ET_TRY(fold_constants(&graph));
  ET_TRY(fold_batch_norm(&graph));
  simplify(&graph);
  ET_TRY(fuse_lookups(&graph));
  fuse_patterns(&graph);
  fuse_epilogues(&graph);
  fuse_elementwise(&graph);
  remove_unused(&graph);
  Error error = Lowering(graph, options, true).run(plan);
  if (error == Error::MemoryAllocationFailed && options.memory_limit != SIZE_MAX) {
    error = Lowering(graph, options, false).run(plan);
  }
  ET_TRY(error);
  (*plan)->release_constants();
  return Error::Ok;
}

}  // namespace executorch::engine
