/**
 * @file
 * A loaded method of a program.
 */
#pragma once

#include <cstddef>
#include <string_view>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/load_options.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/merged_data_map.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/run_control.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {

class KernelRuntimeContext;
class Program;

/// Arguments of one instruction: pointers to values of the method.
using InstructionArgs = Span<EValue*>;

namespace internal {
class MethodImpl;
class MethodLoader;
}  // namespace internal

/**
 * A method, ready to run: set inputs, execute, read outputs. Made by Program::load_method().
 *
 * The program, the data maps and the allocators that it was loaded with must outlive it. One thread
 * at a time; several methods of one program may run at once if they share no planned memory.
 * execute() takes no lock and allocates nothing once it has seen a shape.
 *
 * Functions that return an error leave a text for it: see error_message.h.
 */
class EXECUTORCH_API Method final {
 public:
  /// Leaves `rhs` without a method: its functions then answer InvalidState, or 0.
  Method(Method&& rhs) noexcept : impl_(rhs.impl_) { rhs.impl_ = nullptr; }
  ~Method();

  /**
   * Sets one input. A tensor is copied into planned memory, permuted if its dim order is another
   * than the method's; where the method has no memory planned for it, the method keeps the pointer,
   * and the bytes must stay in place and unchanged until execution is over. Numbers and strings
   * must equal what the program was exported with.
   *
   * @retval InvalidArgument Index out of range; wrong kind, element type or value; a tensor without
   * memory; another dim order where the tensor would be used in place.
   * @retval NotSupported Rank or a size that the method does not allow.
   * @retval InvalidState Called in the midst of an execution by step().
   */
  ET_NODISCARD Error set_input(const EValue& input_evalue, size_t input_idx);

  /// Sets all inputs; the count must be exact (InvalidArgument). Stops at the first error.
  ET_NODISCARD Error set_inputs(const executorch::aten::ArrayRef<EValue>& input_evalues);

  /**
   * Gives memory to an output that has none planned. It must stay valid until it is replaced.
   *
   * @param[in] size Bytes of the buffer: at least those of the output's largest shape.
   * @retval InvalidState The output has planned memory or is a constant.
   * @retval InvalidArgument Index out of range, no tensor, or buffer null or too small.
   */
  ET_NODISCARD Error set_output_data_ptr(void* buffer, size_t size, size_t output_idx);

  /// Copies all outputs; tensors share the method's memory. Entries beyond outputs_size() become
  /// None.
  /// @retval InvalidArgument `length` is less than outputs_size(), or the array is null.
  ET_NODISCARD Error get_outputs(EValue* output_evalues, size_t length);

  /// Copies all inputs; tensors share the method's memory. Prefer MethodMeta for what a method
  /// expects.
  ET_DEPRECATED ET_NODISCARD Error get_inputs(EValue* input_evalues, size_t length);

  /// A tensor that the program names, such as a mutable buffer. Shares the method's memory.
  /// NotFound if absent.
  ET_NODISCARD Result<executorch::aten::Tensor> get_attribute(std::string_view name);

  /**
   * Runs the method on the inputs that are set. After an error the method is ready for the next
   * call.
   *
   * @retval InvalidState An execution by step() has begun: finish it and call reset_execution().
   * @retval InvalidArgument An input was never set, or an operand has no memory.
   * @retval OutOfResources The deadline of the run control has passed.
   * @retval InvalidProgram The instruction budget is used up, or a value is of another kind than an
   * operator needs.
   * @returns Else the error of the kernel or delegate.
   */
  ET_NODISCARD Error execute();

  /// Runs one instruction (or planned step). EndOfMethod once all have run.
  ET_EXPERIMENTAL ET_NODISCARD Error step();
  ET_DEPRECATED ET_NODISCARD Error experimental_step();

  /// True between the first step() and the last, false after an error.
  ET_EXPERIMENTAL ET_NODISCARD bool in_progress() const;

  /// Makes the method ready again after step() returned EndOfMethod. InvalidState before that.
  ET_EXPERIMENTAL ET_NODISCARD Error reset_execution();
  ET_DEPRECATED ET_NODISCARD Error experimental_reset_execution();

  MethodMeta method_meta() const;
  size_t inputs_size() const;
  size_t outputs_size() const;

  /// An output by index; aborts if it is out of range.
  const EValue& get_output(size_t i) const;
  ET_DEPRECATED const EValue& get_input(size_t i) const;
  ET_DEPRECATED EValue& mutable_input(size_t i);
  ET_DEPRECATED EValue& mutable_output(size_t i);

  EventTracer* get_event_tracer();

  /// Deadline, stop flag and instruction budget of later executions; null for the defaults. Not
  /// owned.
  void set_run_control(const RunControl* control);

  /// Starts the random numbers of later executions from this seed; without it they come from the
  /// system's entropy.
  void set_random_seed(uint64_t seed);

  /// Lines that say what was planned at load; empty without a plan. Valid for the life of the
  /// method.
  Span<const char* const> plan_report() const;
  /// Bytes that planned steps hold beyond the program and the arenas.
  size_t plan_memory_bytes() const;

 private:
  friend class Program;
  friend class internal::MethodLoader;

  explicit Method(internal::MethodImpl* impl) : impl_(impl) {}
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  Method& operator=(Method&&) = delete;

  internal::MethodImpl* impl_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Method;
}  // namespace executor
}  // namespace torch
