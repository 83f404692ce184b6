// A loaded method as planners see it. Internal.
#pragma once

#include <executorch/runtime/executor/method_planner.h>

#include "runtime/executor/method_impl.h"

namespace executorch {
namespace runtime {
namespace internal {

/// Built for one planning, thrown away after it.
class LoadedMethodView final : public MethodView {
 public:
  LoadedMethodView(MethodImpl& method, size_t memory_limit, const char* cache_dir,
                   uint64_t cache_limit)
      : method_(method),
        memory_limit_(memory_limit),
        cache_dir_(cache_dir),
        cache_limit_(cache_limit) {}

  /// Collects instructions and values; MemoryAllocationFailed when there is no room.
  Error build();

  const char* method_name() const override { return method_.name(); }
  size_t num_values() const override { return method_.num_values; }
  EValue& value(size_t index) const override { return method_.values[index]; }
  const PlanValue& value_info(size_t index) const override { return values_[index]; }
  size_t num_chains() const override { return method_.chains.size(); }
  Span<const PlanInstruction> instructions(size_t chain) const override { return chains_[chain]; }
  size_t memory_limit() const override { return memory_limit_; }
  const char* cache_dir() const override { return cache_dir_; }
  uint64_t cache_limit() const override { return cache_limit_; }

 private:
  Error build_chain(size_t chain);
  void build_values();
  bool is_constant_value(size_t index) const;
  Error find_states();
  Error find_states_in(const ItemChain& chain, bool* written);
  void note_reads(const Item& item, const bool* written);
  static void note_writes(const MethodImpl& method, const Item& item, bool* written);

  MethodImpl& method_;
  size_t memory_limit_;
  const char* cache_dir_;
  uint64_t cache_limit_;
  GrowingAllocator heap_;
  PlanValue* values_ = nullptr;
  Span<const PlanInstruction>* chains_ = nullptr;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
