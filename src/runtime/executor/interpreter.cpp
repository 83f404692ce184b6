// Runs a method's items.
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>

#include "runtime/executor/method_impl.h"
#include "runtime/executor/operand_checks.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace {

/// Names of the spans that the profiling tools know.
constexpr const char* kKernelSpan = "OPERATOR_CALL";
constexpr const char* kDelegateSpan = "DELEGATE_CALL";

/// Calls a kernel inside the spans that the profiling tools know: the instruction's, and one with
/// the operator's name without its namespace ("native_call_add.out"). Primitive operators have the
/// first only.
void call_kernel(EventTracer* tracer, const Item& item, KernelRuntimeContext& context) {
  EventTracerProfileOpScope instruction(tracer, kKernelSpan);
  constexpr const char* primitive = "executorch_prim::";
  if (tracer == nullptr || std::strncmp(item.name, primitive, std::strlen(primitive)) == 0) {
    item.kernel(context, item.args);
    return;
  }
  const char* separator = std::strstr(item.name, "::");
  char label[128];
  std::snprintf(label, sizeof(label), "native_call_%s",
                separator == nullptr ? item.name : separator + 2);
  EventTracerProfileOpScope named(tracer, label);
  item.kernel(context, item.args);
}

/// True, or false, or an error when the value is no condition. A tensor is true when all of its
/// elements are.
Result<bool> read_condition(const EValue& value) {
  if (value.isBool()) return static_cast<bool>(value.payload.copyable_union.as_bool);
  if (!value.isTensor()) {
    return ET_ERROR(InvalidProgram, "the condition is %s, expected Bool or Tensor",
                    tag_name(value.tag));
  }
  const auto& tensor = value.payload.as_tensor;
  if (tensor.scalar_type() != executorch::aten::ScalarType::Bool) {
    return ET_ERROR(InvalidProgram,
                    "the condition is a tensor of element type %d, expected Bool (11)",
                    static_cast<int>(tensor.scalar_type()));
  }
  const auto count = static_cast<size_t>(tensor.numel());
  if (count == 0) return true;
  if (tensor.const_data_ptr() == nullptr)
    return ET_ERROR(InvalidArgument, "the condition has no memory");
  return std::memchr(tensor.const_data_ptr(), 0, count) == nullptr;
}

}  // namespace

Error MethodImpl::begin() {
  ET_REQUIRE(inputs_missing == 0, InvalidArgument, "%zu of %zu inputs of %.100s were never set",
             inputs_missing, num_inputs(), name());
  for (size_t i = 0; i < num_outputs(); ++i) {
    const ValueRecord& record = records[output_value(i)];
    const bool has_memory = record.tensor == nullptr ||
                            record.storage != TensorStorage::Unplanned || record.max_nbytes == 0 ||
                            record.home != nullptr || record.input_index >= 0 || record.replaced;
    ET_REQUIRE(has_memory, InvalidArgument,
               "output %zu of %.100s has no memory: call set_output_data_ptr()", i, name());
  }
  for (const uint32_t index : restored) {
    const ValueRecord& record = records[index];
    record.tensor->set_data(record.home);
    values[index] = EValue(executorch::aten::Tensor(record.tensor));
  }
  return Error::Ok;
}

Error MethodImpl::execute() {
  ET_REQUIRE(at_start(), InvalidState,
             "%.100s is being executed step by step: finish it, then call reset_execution()",
             name());
  event_tracer_create_event_block(tracer, "Execute");
  EventTracerProfileMethodScope scope(tracer, "Method::execute");
  clear_error_message();
  ET_TRY(begin());
  for (current_chain = 0; current_chain < chains.size(); ++current_chain) {
    current_item = 0;
    while (current_item < chains[current_chain].count) {
      const Error error = run_item();
      if (error != Error::Ok) {
        rewind();
        return error;
      }
    }
  }
  trace_outputs();
  rewind();
  return Error::Ok;
}

Error MethodImpl::step() {
  if (at_end()) return Error::EndOfMethod;
  if (at_start()) {
    clear_error_message();
    ET_TRY(begin());
  }
  if (current_item < chains[current_chain].count) {
    const Error error = run_item();
    if (error != Error::Ok) {
      rewind();
      return error;
    }
  }
  while (current_chain < chains.size() && current_item >= chains[current_chain].count) {
    current_item = 0;
    ++current_chain;
  }
  if (at_end()) trace_outputs();
  return Error::Ok;
}

Error MethodImpl::check_control() const {
  const uint64_t budget =
      control == nullptr ? kDefaultInstructionBudget : control->instruction_budget;
  ET_REQUIRE(executed < budget, InvalidProgram,
             "%.100s did not end within %" PRIu64 " instructions", name(), budget);
  if (control == nullptr) return Error::Ok;
  ET_REQUIRE(!control->stop.load(std::memory_order_relaxed), InvalidState,
             "%.100s was stopped by the application", name());
  ET_REQUIRE(control->deadline == std::chrono::steady_clock::time_point::max() ||
                 std::chrono::steady_clock::now() < control->deadline,
             OutOfResources, "%.100s did not end before its deadline", name());
  return Error::Ok;
}

Error MethodImpl::run_item() {
  ET_TRY(check_control());
  ++executed;
  const Item& item = chains[current_chain].items[current_item];
  EventTracerProfileInstructionScope scope(tracer, static_cast<ChainID>(current_chain),
                                           item.source);
  // One that fails without a text must not be given the text of an earlier failure.
  clear_error_message();
  const Error error = run(item);
  if (error == Error::Ok) return Error::Ok;
  if (last_error_message()[0] == '\0') set_error_message("failed with %s", to_string(error));
  add_item_context(item, current_chain, name());
  return error;
}

Error MethodImpl::run(const Item& item) {
  switch (item.kind) {
    case Item::Kind::Kernel:
      ET_TRY(run_kernel(item));
      break;
    case Item::Kind::Step:
      ET_TRY(run_step(item));
      break;
    case Item::Kind::Delegate:
      ET_TRY(run_delegate(item));
      break;
    case Item::Kind::Move:
      *item.args[1] = *item.args[0];
      break;
    case Item::Kind::JumpFalse:
      return run_jump(item);
    case Item::Kind::Free:
      ET_REQUIRE(item.args[0]->isTensor(), InvalidType, "it frees a %s, expected a Tensor",
                 tag_name(item.args[0]->tag));
      item.args[0]->payload.as_tensor.unsafeGetTensorImpl()->set_data(nullptr);
      break;
  }
  ++current_item;
  return Error::Ok;
}

Error MethodImpl::run_kernel(const Item& item) {
  if (item.check_operands) ET_TRY(check_operands_at_run(*this, item));
  KernelRuntimeContext context(tracer, temp);
  context.set_random_generator(&random);
  call_kernel(tracer, item, context);
  temp->reset();
  if (context.failure_state() != Error::Ok) return context.failure_state();
  if (tracer != nullptr && item.args.size() > 0) {
    event_tracer_log_evalue(tracer, *item.args[item.args.size() - 1]);
  }
  return Error::Ok;
}

Error MethodImpl::run_step(const Item& item) {
  KernelRuntimeContext context(tracer, temp);
  context.set_random_generator(&random);
  Error error = Error::Ok;
  {
    EventTracerProfileOpScope scope(tracer, kKernelSpan);
    EventTracerProfileOpScope label(tracer, item.name);
    error = item.step->execute(context);
  }
  temp->reset();
  if (error == Error::Ok) error = context.failure_state();
  if (error == Error::Ok && tracer != nullptr && item.args.size() > 0) {
    event_tracer_log_evalue(tracer, *item.args[item.args.size() - 1]);
  }
  return error;
}

Error MethodImpl::run_delegate(const Item& item) {
  if (item.check_operands) ET_TRY(check_operands_at_run(*this, item));
  const LoadedDelegate& delegate = delegates[item.delegate];
  BackendExecutionContext context(tracer, temp, name());
  Error error = Error::Ok;
  {
    EventTracerProfileOpScope scope(tracer, kDelegateSpan);
    error = delegate.backend->execute(context, delegate.handle, item.args);
  }
  temp->reset();
  if (error == Error::Ok && tracer != nullptr) {
    for (EValue* value : item.args) event_tracer_log_evalue(tracer, *value);
  }
  return error;
}

Error MethodImpl::run_jump(const Item& item) {
  auto condition = read_condition(*item.args[0]);
  if (!condition.ok()) return condition.error();
  current_item = condition.get() ? current_item + 1 : item.destination;
  return Error::Ok;
}

void MethodImpl::trace_outputs() {
  if (tracer == nullptr) return;
  for (size_t i = 0; i < num_outputs(); ++i)
    event_tracer_log_evalue_output(tracer, values[output_value(i)]);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
