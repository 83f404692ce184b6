// Collects a planner's changes and applies them. Internal.
#pragma once

#include <executorch/runtime/executor/method_planner.h>

#include "runtime/executor/method_impl.h"

namespace executorch {
namespace runtime {
namespace internal {

class RecordingPlanEditor final : public PlanEditor {
 public:
  explicit RecordingPlanEditor(MethodImpl& method) : method_(method) {}
  ~RecordingPlanEditor();

  /// MemoryAllocationFailed when there is no room.
  Error build();

  Error replace(size_t chain, Span<const size_t> instructions,
                std::unique_ptr<PlannedStep> step) override;
  Error drop(size_t chain, Span<const size_t> instructions) override;
  void note(const char* format, ...) override ET_PRINTF_FORMAT(2, 3);

  /// Bytes that the steps hold.
  size_t memory_bytes() const;

  /// Rewrites the method's chains; the method then owns the steps.
  Error apply();

 private:
  struct StepNode {
    std::unique_ptr<PlannedStep> step;
    const char* label;
    StepNode* next;
  };

  struct NoteNode {
    const char* text;
    NoteNode* next;
  };

  struct ChainEdits {
    bool* taken;
    /// The step that runs in place of an instruction.
    StepNode** steps;
    /// How many jumps, and how many destinations of jumps, come before an instruction.
    uint32_t* jumps_before;
    uint32_t* destinations_before;
  };

  Error check(size_t chain, Span<const size_t> instructions, bool as_one) const;
  Error apply_to(size_t chain);
  Error collect_report();
  const char* make_label(const ItemChain& chain, Span<const size_t> instructions,
                         const PlannedStep& step);
  void add_note(const char* text);

  MethodImpl& method_;
  GrowingAllocator heap_;
  ChainEdits* edits_ = nullptr;
  StepNode* first_step_ = nullptr;
  StepNode* last_step_ = nullptr;
  NoteNode* first_note_ = nullptr;
  NoteNode* last_note_ = nullptr;
  size_t num_steps_ = 0;
  size_t num_notes_ = 0;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
