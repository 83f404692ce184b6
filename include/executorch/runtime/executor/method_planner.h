/**
 * @file
 * The interface through which an operator library may rewrite a method's instruction list while it
 * is loaded. The runtime itself knows no operator; a planner replaces instructions that it
 * understands by steps of its own (folded constants, packed weights, fused chains). Instructions
 * that no planner takes run as they are.
 *
 * A planner is registered once per process, when its library loads. It is asked for every method
 * after all values, delegates and operators have been resolved and checked. Planning is off for a
 * load with EXECUTORCH_PLAN=off in the environment, or with LoadOptions::plan false.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_table.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {

enum class InstructionKind : uint8_t { Kernel, Delegate, Move, JumpFalse, Free };

/// One instruction of a chain, as the program has it. What its members point to lives as long as
/// the method.
struct PlanInstruction {
  InstructionKind kind;
  /// Operator with overload ("aten::add.out") or backend id; null for the other kinds.
  const char* name;
  /// Value indices: the arguments of a call; {from, to} of a move; {condition} of a jump; {value}
  /// of a free.
  Span<const int32_t> values;
  /// JumpFalse: index of the destination in the same chain; may equal the number of instructions.
  size_t destination;
  /// Kernel: its parsed schema. Null when it was registered without one, or when the call goes to
  /// another kernel than the one registered with it: the application's own for this load, an
  /// override, or one for particular tensors.
  const OperatorSchema* schema;
  /// Delegate: what its backend knows it by, and how many arguments, the first ones, it only reads;
  /// SIZE_MAX when that is unknown.
  void* delegate = nullptr;
  size_t num_inputs = SIZE_MAX;
};

/// What the program says of a value beside the EValue itself.
struct PlanValue {
  /// Position among the method's inputs or outputs, -1 when it is none.
  int32_t input_index;
  int32_t output_index;
  /// Nothing writes it after loading: not an input, no instruction, no delegate. Its bytes lie in
  /// the program's or an external data file's segments, or it is a literal. Stays valid as long as
  /// the method.
  bool constant;
  /// A tensor in planned memory whose bytes may be read before this run wrote them: a mutable
  /// buffer.
  bool state;
  /// The shape may change from run to run, within the serialized bound.
  bool dynamic_shape;
  /// Planned place: arena index and byte offset, or -1 for a tensor without planned memory.
  int32_t arena;
  uint64_t arena_offset;
  /// Bytes of the serialized (largest) shape.
  uint64_t max_nbytes;
};

/// The loaded method as a planner sees it. EValue references stay valid, and in place, for the life
/// of the method; data pointers of inputs and outputs without planned memory are set later and may
/// change from run to run.
class MethodView {
 public:
  virtual ~MethodView() = default;
  virtual const char* method_name() const = 0;
  virtual size_t num_values() const = 0;
  virtual EValue& value(size_t index) const = 0;
  virtual const PlanValue& value_info(size_t index) const = 0;
  virtual size_t num_chains() const = 0;
  virtual Span<const PlanInstruction> instructions(size_t chain) const = 0;
  /// Most bytes that the plan may hold beyond the program and the application's arenas; SIZE_MAX
  /// when unbounded. Over it, a planner leaves instructions as they are.
  virtual size_t memory_limit() const = 0;
  /// Folder to share packed weights through, null for none; see LoadOptions::cache_dir.
  virtual const char* cache_dir() const { return nullptr; }
  /// Most bytes of that folder's files together; see LoadOptions::cache_limit.
  virtual uint64_t cache_limit() const { return UINT64_MAX; }
};

/// Code that runs in place of one or more instructions. Owned by the method, destroyed with it.
class PlannedStep {
 public:
  virtual ~PlannedStep() = default;
  /// Must leave every value that later instructions, outputs or the next run read as the replaced
  /// instructions would have left it, tensor sizes included. Allocates nothing for a shape that it
  /// has seen.
  virtual Error execute(KernelRuntimeContext& context) = 0;
  /// One line for reports: what the step does, e.g. "conv 3x3 + batch norm + relu, packed 36 KB".
  virtual const char* description() const = 0;
  /// Bytes held beyond the program: packed weights, intermediate memory.
  virtual size_t memory_bytes() const = 0;
};

/// Collects what a planner wants changed. Nothing is changed when plan() returns an error.
class PlanEditor {
 public:
  virtual ~PlanEditor() = default;
  /// Runs `step` at the place of the last of `instructions` (ascending, of one chain, all calls
  /// of kernels or delegates, without a jump or a jump destination between first and last); the others are dropped.
  /// Instructions left standing in between run before the step.
  virtual Error replace(size_t chain, Span<const size_t> instructions,
                        std::unique_ptr<PlannedStep> step) = 0;
  /// Drops instructions whose results are known at load: the planner has written them into their
  /// values.
  virtual Error drop(size_t chain, Span<const size_t> instructions) = 0;
  /// A line for the plan's report.
  virtual void note(const char* format, ...) = 0;
};

/// Stateless but for process-wide caches; plan() may run in several threads at once.
class MethodPlanner {
 public:
  virtual ~MethodPlanner() = default;
  virtual const char* name() const = 0;
  /// An error fails the load; a method that the planner does not understand is not an error.
  virtual Error plan(const MethodView& view, PlanEditor& editor) = 0;
};

/// Adds a planner, asked after those registered before. It must live as long as the process.
/// Thread-safe.
ET_NODISCARD EXECUTORCH_API Error register_method_planner(MethodPlanner* planner);

}  // namespace runtime
}  // namespace executorch
