#include "runtime/plan/plan_editor.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace {

/// Longest line of a plan's report.
constexpr size_t kMaxLine = 512;

}  // namespace

RecordingPlanEditor::~RecordingPlanEditor() {
  for (StepNode* node = first_step_; node != nullptr; node = node->next) node->step.reset();
}

Error RecordingPlanEditor::build() {
  edits_ = make_list<ChainEdits>(heap_, method_.chains.size());
  ET_REQUIRE(edits_ != nullptr, MemoryAllocationFailed, "no memory for a plan");
  for (size_t c = 0; c < method_.chains.size(); ++c) {
    const ItemChain& chain = method_.chains[c];
    ChainEdits& edits = edits_[c];
    edits.taken = make_list<bool>(heap_, chain.count);
    edits.steps = make_list<StepNode*>(heap_, chain.count);
    edits.jumps_before = make_list<uint32_t>(heap_, chain.count + 1);
    edits.destinations_before = make_list<uint32_t>(heap_, chain.count + 2);
    ET_REQUIRE(edits.taken != nullptr && edits.steps != nullptr && edits.jumps_before != nullptr &&
                   edits.destinations_before != nullptr,
               MemoryAllocationFailed, "no memory for a plan");
    for (size_t i = 0; i < chain.count; ++i) {
      const bool is_jump = chain.items[i].kind == Item::Kind::JumpFalse;
      edits.jumps_before[i + 1] = edits.jumps_before[i] + (is_jump ? 1 : 0);
      if (is_jump) ++edits.destinations_before[chain.items[i].destination + 1];
    }
    for (size_t i = 0; i <= chain.count; ++i)
      edits.destinations_before[i + 1] += edits.destinations_before[i];
  }
  return Error::Ok;
}

/// `as_one`: the instructions become one, so that no jump may lead out of or into their midst.
Error RecordingPlanEditor::check(size_t chain, Span<const size_t> instructions, bool as_one) const {
  ET_REQUIRE(chain < method_.chains.size(), InvalidArgument, "plan: chain %zu does not exist",
             chain);
  ET_REQUIRE(instructions.size() > 0, InvalidArgument, "plan: no instructions given");
  const ItemChain& items = method_.chains[chain];
  const ChainEdits& edits = edits_[chain];
  for (size_t i = 0; i < instructions.size(); ++i) {
    const size_t index = instructions[i];
    ET_REQUIRE(index < items.count && (i == 0 || index > instructions[i - 1]), InvalidArgument,
               "plan: instruction %zu is out of order or does not exist", index);
    const Item::Kind kind = items.items[index].kind;
    ET_REQUIRE(kind == Item::Kind::Kernel || kind == Item::Kind::Delegate, InvalidArgument,
               "plan: instruction %zu is no call", index);
    ET_REQUIRE(!edits.taken[index], InvalidArgument, "plan: instruction %zu was taken before",
               index);
  }
  if (!as_one) return Error::Ok;
  const size_t first = instructions[0];
  const size_t last = instructions[instructions.size() - 1];
  const bool has_jump = edits.jumps_before[last] != edits.jumps_before[first];
  const bool is_entered =
      edits.destinations_before[last + 1] != edits.destinations_before[first + 1];
  ET_REQUIRE(!has_jump && !is_entered, InvalidArgument,
             "plan: a jump leads out of or into instructions %zu to %zu", first, last);
  return Error::Ok;
}

Error RecordingPlanEditor::replace(size_t chain, Span<const size_t> instructions,
                                   std::unique_ptr<PlannedStep> step) {
  ET_REQUIRE(step != nullptr, InvalidArgument, "plan: no step given");
  ET_TRY(check(chain, instructions, true));
  auto* node = make_list<StepNode>(heap_, 1);
  const char* label = make_label(method_.chains[chain], instructions, *step);
  ET_REQUIRE(node != nullptr && label != nullptr, MemoryAllocationFailed, "no memory for a plan");
  node->step = std::move(step);
  node->label = label;
  (last_step_ == nullptr ? first_step_ : last_step_->next) = node;
  last_step_ = node;
  ++num_steps_;
  ChainEdits& edits = edits_[chain];
  for (const size_t index : instructions) edits.taken[index] = true;
  edits.steps[instructions[instructions.size() - 1]] = node;
  add_note(label);
  return Error::Ok;
}

Error RecordingPlanEditor::drop(size_t chain, Span<const size_t> instructions) {
  ET_TRY(check(chain, instructions, false));
  for (const size_t index : instructions) edits_[chain].taken[index] = true;
  return Error::Ok;
}

void RecordingPlanEditor::note(const char* format, ...) {
  char line[kMaxLine];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  char* copy = method_.heap.allocateList<char>(std::strlen(line) + 1);
  if (copy == nullptr) return;
  std::strcpy(copy, line);
  add_note(copy);
}

void RecordingPlanEditor::add_note(const char* text) {
  auto* node = make_list<NoteNode>(heap_, 1);
  // A report that lacks a line is better than a method that does not load.
  if (node == nullptr) return;
  node->text = text;
  (last_note_ == nullptr ? first_note_ : last_note_->next) = node;
  last_note_ = node;
  ++num_notes_;
}

/// "<description> [instructions 3, 4, 7]"
const char* RecordingPlanEditor::make_label(const ItemChain& chain, Span<const size_t> instructions,
                                            const PlannedStep& step) {
  char line[kMaxLine];
  int used = std::snprintf(line, sizeof(line), "%.300s [instructions", step.description());
  for (size_t i = 0; i < instructions.size() && used < static_cast<int>(kMaxLine) - 24; ++i) {
    used += std::snprintf(line + used, sizeof(line) - static_cast<size_t>(used), "%s %u",
                          i == 0 ? "" : ",", chain.items[instructions[i]].source);
  }
  std::snprintf(line + used, sizeof(line) - static_cast<size_t>(used), "%s]",
                used < static_cast<int>(kMaxLine) - 24 ? "" : ", …");
  char* label = method_.heap.allocateList<char>(std::strlen(line) + 1);
  if (label != nullptr) std::strcpy(label, line);
  return label;
}

size_t RecordingPlanEditor::memory_bytes() const {
  size_t total = 0;
  for (const StepNode* node = first_step_; node != nullptr; node = node->next)
    total += node->step->memory_bytes();
  return total;
}

Error RecordingPlanEditor::apply() {
  auto** steps = make_list<PlannedStep*>(method_.heap, num_steps_);
  ET_REQUIRE(steps != nullptr, MemoryAllocationFailed, "no memory for a plan");
  ET_TRY(collect_report());
  for (size_t c = 0; c < method_.chains.size(); ++c) ET_TRY(apply_to(c));
  method_.plan_bytes += memory_bytes();
  size_t count = 0;
  for (StepNode* node = first_step_; node != nullptr; node = node->next)
    steps[count++] = node->step.release();
  method_.steps = {steps, count};
  return Error::Ok;
}

Error RecordingPlanEditor::collect_report() {
  auto** lines = make_list<const char*>(method_.heap, num_notes_);
  ET_REQUIRE(lines != nullptr, MemoryAllocationFailed, "no memory for a plan");
  size_t count = 0;
  for (const NoteNode* node = first_note_; node != nullptr; node = node->next)
    lines[count++] = node->text;
  method_.report = {lines, count};
  return Error::Ok;
}

/// Closes the gaps, and points jumps to where their destinations have moved.
Error RecordingPlanEditor::apply_to(size_t index) {
  ItemChain& chain = method_.chains[index];
  const ChainEdits& edits = edits_[index];
  auto* moved_to = make_list<uint32_t>(heap_, chain.count + 1);
  ET_REQUIRE(moved_to != nullptr, MemoryAllocationFailed, "no memory for a plan");
  uint32_t kept = 0;
  for (size_t i = 0; i < chain.count; ++i) {
    moved_to[i] = kept;
    const StepNode* node = edits.steps[i];
    if (edits.taken[i] && node == nullptr) continue;
    Item item = chain.items[i];
    if (node != nullptr) {
      item.kind = Item::Kind::Step;
      item.step = node->step.get();
      item.name = node->label;
      item.check_operands = false;
    }
    chain.items[kept++] = item;
  }
  moved_to[chain.count] = kept;
  chain.count = kept;
  redirect_jumps(chain, moved_to);
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
