// Finds runs of instructions that the engine understands and puts a planned step in the place of
// each.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/executor/method_planner.h>
#include <executorch/runtime/platform/log.h>

#include "engine/graph/graph_source.h"
#include "kernels/planner/cpu_planner.h"
#include "kernels/planner/planned_run.h"

namespace executorch {
namespace kernels {
namespace {

using runtime::InstructionKind;
using runtime::MethodPlanner;
using runtime::PlanEditor;

bool starts_with(const char* text, const char* start) {
  return std::strncmp(text, start, std::strlen(start)) == 0;
}

/// Numbers that come out of a tensor's elements, such as the position of a token, change with each
/// run: a plan that depended on one would serve one run.
class TensorNumbers {
 public:
  explicit TensorNumbers(const MethodView& view) : known_(view.num_values(), false) {
    // Again until nothing is added: a loop's later instructions come before its earlier ones.
    while (add_all(view)) {
    }
  }

  /// Whether the kernel takes one.
  bool taken_by(const PlanInstruction& instruction) const {
    if (instruction.kind != InstructionKind::Kernel) return false;
    const size_t count = ValueTable::first_output(instruction);
    for (size_t i = 0; i < count && i < instruction.values.size(); ++i) {
      const int32_t id = instruction.values[i];
      if (id >= 0 && known_[static_cast<size_t>(id)]) return true;
    }
    return false;
  }

 private:
  bool add_all(const MethodView& view) {
    bool added = false;
    for (size_t chain = 0; chain < view.num_chains(); ++chain) {
      for (const PlanInstruction& instruction : view.instructions(chain)) {
        if (instruction.kind != InstructionKind::Kernel || instruction.values.empty()) continue;
        const bool read = std::strcmp(instruction.name, "aten::_local_scalar_dense") == 0;
        const bool derived =
            starts_with(instruction.name, "executorch_prim::") && taken_by(instruction);
        const int32_t result = instruction.values[instruction.values.size() - 1];
        if ((!read && !derived) || result < 0 || view.value(static_cast<size_t>(result)).isTensor())
          continue;
        added = added || !known_[static_cast<size_t>(result)];
        known_[static_cast<size_t>(result)] = true;
      }
    }
    return added;
  }

  std::vector<bool> known_;
};

class RunFinder {
 public:
  RunFinder(const MethodView& view, PlanEditor& editor)
      : view_(view),
        editor_(editor),
        table_(std::make_shared<const ValueTable>(view)),
        tensor_numbers_(view) {}

  Error plan_all() {
    for (size_t chain = 0; chain < view_.num_chains(); ++chain) ET_TRY(plan_chain(chain));
    return Error::Ok;
  }

 private:
  struct Range {
    size_t first;
    size_t last;  ///< behind the end
  };

  Error plan_chain(size_t chain) {
    const auto instructions = view_.instructions(chain);
    taken_.assign(instructions.size(), false);
    std::vector<bool> destination(instructions.size() + 1, false);
    for (const PlanInstruction& instruction : instructions) {
      if (instruction.kind == InstructionKind::JumpFalse &&
          instruction.destination <= instructions.size()) {
        destination[instruction.destination] = true;
      }
    }
    size_t first = 0;
    while (first < instructions.size()) {
      size_t last = first;
      Translator translator(*table_);
      bool understood = true;
      while (last < instructions.size() && (last == first || !destination[last]) &&
             !tensor_numbers_.taken_by(instructions[last])) {
        understood = translator.add(instructions[last]);
        if (!understood) break;
        ++last;
      }
      // What was translated to find the end serves again, unless it is half done. A run that cannot
      // leave its results as others need them is cut until it can.
      Translator* translated = understood ? &translator : nullptr;
      while (last > first && !plan_range(chain, {first, last}, translated)) {
        last = first + (last - first) / 2;
        translated = nullptr;
      }
      first = last > first ? last : first + 1;
    }
    return prepare_delegates(instructions);
  }

  // Delegates that run by themselves.
  Error prepare_delegates(Span<const PlanInstruction> instructions) const {
    for (size_t i = 0; i < instructions.size(); ++i) {
      if (instructions[i].kind != InstructionKind::Delegate || taken_[i]) continue;
      engine::GraphSource* const source = engine::find_graph_source(instructions[i].delegate);
      if (source != nullptr) ET_TRY(source->prepare());
    }
    return Error::Ok;
  }

  // Reads of everything but the range, outputs and states.
  std::vector<int32_t> outside(size_t chain, Range range) const {
    std::vector<int32_t> ids;
    for (size_t c = 0; c < view_.num_chains(); ++c) {
      const auto instructions = view_.instructions(c);
      for (size_t i = 0; i < instructions.size(); ++i) {
        if (c == chain && i >= range.first && i < range.last) continue;
        table_->collect_reads(instructions[i], &ids);
      }
    }
    for (size_t id = 0; id < view_.num_values(); ++id) {
      const PlanValue& info = view_.value_info(id);
      if (info.output_index >= 0 || info.state) ids.push_back(static_cast<int32_t>(id));
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
  }

  bool plan_range(size_t chain, Range range, Translator* translated) {
    const auto instructions = view_.instructions(chain);
    Run run;
    run.instructions.assign(instructions.begin() + range.first, instructions.begin() + range.last);
    run.outside = outside(chain, range);
    auto step =
        std::make_unique<PlannedRun>(table_, std::move(run), view_.memory_limit() - held_,
                                     engine::CacheFolder{view_.cache_dir(), view_.cache_limit()});
    if (step->prepare(translated) != Error::Ok) {
      editor_.note("instructions %zu to %zu run one by one: %s", range.first, range.last - 1,
                   runtime::last_error_message());
      return false;
    }
    held_ += std::min(step->memory_bytes(), view_.memory_limit() - held_);
    std::vector<size_t> replaced;
    for (size_t i = range.first; i < range.last; ++i) replaced.push_back(i);
    for (const std::string& line : step->steps()) editor_.note("  %s", line.c_str());
    const Error error = editor_.replace(chain, Span<const size_t>(replaced.data(), replaced.size()),
                                        std::move(step));
    for (const size_t i : replaced) taken_[i] = error == Error::Ok;
    return error == Error::Ok;
  }

  const MethodView& view_;
  PlanEditor& editor_;
  std::shared_ptr<const ValueTable> table_;
  TensorNumbers tensor_numbers_;
  std::vector<bool> taken_;  ///< instructions of the chain that a step stands for
  size_t held_ = 0;          ///< bytes of the steps made so far
};

class CpuPlanner final : public MethodPlanner {
 public:
  const char* name() const override { return "CPU graph engine"; }
  Error plan(const MethodView& view, PlanEditor& editor) override {
    return RunFinder(view, editor).plan_all();
  }
};

const bool kRegistered = [] {
  const Error error = runtime::register_method_planner(&cpu_planner());
  if (error != Error::Ok)
    ET_LOG(Error, "The CPU planner was not registered: %s", runtime::last_error_message());
  return error == Error::Ok;
}();

}  // namespace

runtime::MethodPlanner& cpu_planner() {
  static CpuPlanner planner;
  return planner;
}

}  // namespace kernels
}  // namespace executorch
