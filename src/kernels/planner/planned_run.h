/**
 * @file
 * A run of instructions as one step of a method: keeps an engine plan per shape of what flows in.
 */
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/executor/method_planner.h>

#include "engine/plan/recent_plans.h"
#include "kernels/planner/translator.h"

namespace executorch {
namespace kernels {

using runtime::Error;

/// The instructions of a run, and the tensors that others read.
struct Run {
  std::vector<PlanInstruction> instructions;  ///< their spans lie in the method's memory
  std::vector<int32_t> outside;
};

class PlannedRun final : public runtime::PlannedStep {
 public:
  PlannedRun(std::shared_ptr<const ValueTable> table, Run run, size_t memory_limit,
             const engine::CacheFolder& cache);
  ~PlannedRun() override;

  /// Plans for the present shapes. `translated`: all instructions of the run and no others, or
  /// null; used up.
  Error prepare(Translator* translated);

  Error execute(runtime::KernelRuntimeContext& context) override;
  const char* description() const override { return description_.c_str(); }
  size_t memory_bytes() const override;
  /// The steps of the most recent plan.
  std::vector<std::string> steps() const;

 private:
  struct Plan;
  /// An instruction of the run, ready to be called.
  struct Call {
    runtime::OpFunction function;
    const runtime::BackendInterface* backend;  ///< of a delegate, whose handle it takes
    void* delegate;
    std::vector<EValue*> arguments;
  };
  Error make_plan(bool staged, std::unique_ptr<Plan>* plan);
  Error plan_translated(Translator& translator, bool understood, bool staged,
                        std::unique_ptr<Plan>* plan);
  Error find_plan(Plan** plan);
  bool matches(const Plan& plan) const;
  Error set_output_sizes(const Plan& plan);
  bool slots_share_bytes(const Plan& plan) const;
  Error prepare_calls();
  Error call_one(runtime::KernelRuntimeContext& context, Call& call);
  Error run_one_by_one(runtime::KernelRuntimeContext& context);

  std::shared_ptr<const ValueTable> table_;
  Run run_;
  size_t memory_limit_;
  std::optional<std::string> cache_dir_;
  uint64_t cache_limit_;
  engine::RecentPlans<Plan> plans_;
  std::vector<Call> calls_;  ///< for shapes without a plan; empty before the first
  std::string description_;
};

}  // namespace kernels
}  // namespace executorch
