/**
 * @file
 * How a running method is bounded or stopped.
 */
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace executorch {
namespace runtime {

/// Instructions that one execution may run before it is taken for endless.
constexpr uint64_t kDefaultInstructionBudget = 10'000'000;

/**
 * Limits of an execution, looked at before each instruction (or planned step, which counts as one).
 * An instruction that has begun is not interrupted. Set with Method::set_run_control(); the object
 * must outlive its use and may be shared by several methods.
 */
struct RunControl {
  /// Execution fails with Error::OutOfResources once this time has passed. The default never
  /// passes.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  /// Execution fails with Error::InvalidState once this is true. May be set from any thread, or by
  /// a signal handler.
  std::atomic<bool> stop{false};

  /// Execution fails with Error::InvalidProgram after so many instructions, counted over all
  /// chains.
  uint64_t instruction_budget = kDefaultInstructionBudget;
};

}  // namespace runtime
}  // namespace executorch
