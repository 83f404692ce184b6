#include "runtime/program/table_checks.h"

#include <new>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/executor/program_validation.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;

namespace {

/// One method's values and what may rewrite them.
class ValueChecker {
 public:
  ValueChecker(const fb::ExecutionPlan& plan, const RewrittenValues& rewritten,
               ElementBudget& budget)
      : values_(*plan.values()), rewritten_(rewritten), budget_(budget) {}

  Error check(uint32_t index) {
    const auto* value = values_.Get(index);
    ET_REQUIRE(value != nullptr, InvalidProgram, "it is missing");
    const fb::KernelTypes kind = value->val_type();
    ET_REQUIRE(kind == fb::KernelTypes::Null || value->val() != nullptr, InvalidProgram,
               "a %s without content", kind_name(kind));
    switch (kind) {
      case fb::KernelTypes::Null:
      case fb::KernelTypes::Int:
      case fb::KernelTypes::Bool:
      case fb::KernelTypes::Double:
        return Error::Ok;
      case fb::KernelTypes::Tensor:
        return check_tensor(*value->val_as_Tensor());
      case fb::KernelTypes::String:
        ET_REQUIRE(value->val_as_String()->string_val() != nullptr, InvalidProgram,
                   "a String without text");
        return Error::Ok;
      case fb::KernelTypes::IntList:
        return check_list(value->val_as_IntList()->items(), fb::KernelTypes::Int, false);
      case fb::KernelTypes::DoubleList:
        return check_literals(value->val_as_DoubleList()->items());
      case fb::KernelTypes::BoolList:
        return check_literals(value->val_as_BoolList()->items());
      case fb::KernelTypes::TensorList:
        return check_list(value->val_as_TensorList()->items(), fb::KernelTypes::Tensor, false);
      case fb::KernelTypes::OptionalTensorList:
        return check_list(value->val_as_OptionalTensorList()->items(), fb::KernelTypes::Tensor,
                          true);
      default:
        return ET_ERROR(InvalidProgram, "unknown kind %d", static_cast<int>(kind));
    }
  }

 private:
  Error check_tensor(const fb::Tensor& tensor) {
    const Error error = validate_tensor(&tensor);
    // An input without an upper bound states sizes that say nothing. The rest of the program may be
    // of use without the method that has it, which is refused when it is loaded.
    const bool sizes_may_lie = tensor.shape_dynamism() != fb::TensorShapeDynamism::STATIC &&
                               tensor.allocation_info() == nullptr && tensor.sizes() != nullptr &&
                               tensor.dim_order() != nullptr;
    return sizes_may_lie ? Error::Ok : error;
  }

  template <class Items>
  Error check_literals(const Items* items) {
    ET_REQUIRE(items != nullptr, InvalidProgram, "a list without items");
    ET_REQUIRE(is_aligned(*items), InvalidProgram, "the items of a list are not aligned");
    ET_REQUIRE(budget_.take(items->size()), InvalidProgram, "a list longer than the file");
    return Error::Ok;
  }

  template <class Items>
  Error check_list(const Items* items, fb::KernelTypes expected, bool optional) {
    ET_TRY(check_literals(items));
    for (uint32_t i = 0; i < items->size(); ++i) {
      const int64_t item = items->Get(i);
      if (optional && item == -1) continue;
      ET_REQUIRE(item >= 0 && item < values_.size(), InvalidProgram,
                 "list item %u: value %lld does not exist, the method has %u values", i,
                 static_cast<long long>(item), values_.size());
      const auto* value = values_.Get(static_cast<uint32_t>(item));
      ET_REQUIRE(value != nullptr, InvalidProgram, "list item %u: value %lld is missing", i,
                 static_cast<long long>(item));
      const fb::KernelTypes kind = value->val_type();
      const bool fits = kind == expected || (optional && kind == fb::KernelTypes::Null);
      ET_REQUIRE(fits || rewritten_.contains(static_cast<size_t>(item)), InvalidProgram,
                 "list item %u: value %lld is %s, expected %s", i, static_cast<long long>(item),
                 kind_name(kind), kind_name(expected));
    }
    return Error::Ok;
  }

  const flatbuffers::Vector<flatbuffers::Offset<fb::EValue>>& values_;
  const RewrittenValues& rewritten_;
  ElementBudget& budget_;
};

/// One method's instructions.
class InstructionChecker {
 public:
  InstructionChecker(const fb::ExecutionPlan& plan, const RewrittenValues& rewritten,
                     ElementBudget& budget)
      : plan_(plan), rewritten_(rewritten), budget_(budget) {}

  Error check(const fb::Instruction* instruction, size_t chain_size) {
    ET_REQUIRE(instruction != nullptr && instruction->instr_args() != nullptr, InvalidProgram,
               "it is empty");
    switch (instruction->instr_args_type()) {
      case fb::InstructionArguments::KernelCall:
        return check_kernel_call(*instruction->instr_args_as_KernelCall());
      case fb::InstructionArguments::DelegateCall:
        return check_delegate_call(*instruction->instr_args_as_DelegateCall());
      case fb::InstructionArguments::MoveCall:
        return check_move(*instruction->instr_args_as_MoveCall());
      case fb::InstructionArguments::JumpFalseCall:
        return check_jump(*instruction->instr_args_as_JumpFalseCall(), chain_size);
      case fb::InstructionArguments::FreeCall:
        return check_free(*instruction->instr_args_as_FreeCall());
      default:
        return ET_ERROR(InvalidProgram, "unknown instruction kind %d",
                        static_cast<int>(instruction->instr_args_type()));
    }
  }

 private:
  Error check_value(const char* what, int32_t index) {
    ET_REQUIRE(index >= 0 && static_cast<uint32_t>(index) < plan_.values()->size(), InvalidProgram,
               "%s: value %d does not exist, the method has %u values", what, index,
               plan_.values()->size());
    return Error::Ok;
  }

  Error check_arguments(const flatbuffers::Vector<int32_t>* args) {
    ET_REQUIRE(args != nullptr, InvalidProgram, "its arguments are missing");
    ET_REQUIRE(budget_.take(args->size()), InvalidProgram, "an argument list longer than the file");
    for (uint32_t i = 0; i < args->size(); ++i) ET_TRY(check_value("argument", args->Get(i)));
    return Error::Ok;
  }

  Error check_kernel_call(const fb::KernelCall& call) {
    const size_t count = plan_.operators() == nullptr ? 0 : plan_.operators()->size();
    ET_REQUIRE(call.op_index() >= 0 && static_cast<size_t>(call.op_index()) < count, InvalidProgram,
               "operator %d does not exist, the method names %zu", call.op_index(), count);
    return check_arguments(call.args());
  }

  Error check_delegate_call(const fb::DelegateCall& call) {
    const size_t count = plan_.delegates()->size();
    ET_REQUIRE(call.delegate_index() >= 0 && static_cast<size_t>(call.delegate_index()) < count,
               InvalidProgram, "delegate %d does not exist, the method has %zu",
               call.delegate_index(), count);
    return check_arguments(call.args());
  }

  Error check_move(const fb::MoveCall& move) {
    ET_TRY(check_value("move_from", move.move_from()));
    ET_TRY(check_value("move_to", move.move_to()));
    const fb::KernelTypes from = kind(move.move_from());
    const fb::KernelTypes to = kind(move.move_to());
    ET_REQUIRE(from == to || to == fb::KernelTypes::Null || is_rewritten(move.move_from()),
               InvalidProgram, "a %s is moved to a %s", kind_name(from), kind_name(to));
    return Error::Ok;
  }

  Error check_jump(const fb::JumpFalseCall& jump, size_t chain_size) {
    const int32_t condition = jump.cond_value_index();
    ET_TRY(check_value("condition", condition));
    ET_REQUIRE(kind(condition) == fb::KernelTypes::Bool ||
                   kind(condition) == fb::KernelTypes::Tensor || is_rewritten(condition),
               InvalidProgram, "the condition, value %d, is %s, expected Bool or Tensor", condition,
               kind_name(kind(condition)));
    const int32_t destination = jump.destination_instruction();
    ET_REQUIRE(destination >= 0 && static_cast<size_t>(destination) <= chain_size, InvalidProgram,
               "jump to instruction %d, the chain has %zu", destination, chain_size);
    return Error::Ok;
  }

  Error check_free(const fb::FreeCall& call) {
    const int32_t index = call.value_index();
    ET_TRY(check_value("value", index));
    ET_REQUIRE(kind(index) == fb::KernelTypes::Tensor || is_rewritten(index), InvalidProgram,
               "value %d is freed, but is %s, expected Tensor", index, kind_name(kind(index)));
    return Error::Ok;
  }

  fb::KernelTypes kind(int32_t index) const {
    return plan_.values()->Get(static_cast<uint32_t>(index))->val_type();
  }
  bool is_rewritten(int32_t index) const { return rewritten_.contains(static_cast<size_t>(index)); }

  const fb::ExecutionPlan& plan_;
  const RewrittenValues& rewritten_;
  ElementBudget& budget_;
};

}  // namespace

const char* kind_name(fb::KernelTypes kind) {
  return kind == fb::KernelTypes::NONE ? "of no kind" : fb::EnumNameKernelTypes(kind);
}

Error RewrittenValues::collect(const fb::ExecutionPlan& plan) {
  const size_t num_values = plan.values()->size();
  flags_ = new (std::nothrow) bool[num_values + 1]();
  ET_REQUIRE(flags_ != nullptr, MemoryAllocationFailed, "no memory for %zu flags", num_values);
  if (plan.chains() == nullptr) return Error::Ok;
  const auto mark = [&](int32_t index) {
    if (index >= 0 && static_cast<size_t>(index) < num_values) flags_[index] = true;
  };
  for (const auto* chain : *plan.chains()) {
    if (chain == nullptr || chain->instructions() == nullptr) continue;
    for (const auto* instruction : *chain->instructions()) {
      if (instruction == nullptr) continue;
      const auto* move = instruction->instr_args_as_MoveCall();
      if (move != nullptr) mark(move->move_to());
      const auto* call = instruction->instr_args_as_KernelCall();
      if (call != nullptr && call->args() != nullptr && call->args()->size() > 0) {
        mark(call->args()->Get(call->args()->size() - 1));
      }
    }
  }
  return Error::Ok;
}

Error check_values(const fb::ExecutionPlan& plan, ElementBudget& budget) {
  ET_REQUIRE(plan.values() != nullptr, InvalidProgram, "values are missing");
  RewrittenValues rewritten;
  ET_TRY(rewritten.collect(plan));
  ValueChecker checker(plan, rewritten, budget);
  for (uint32_t i = 0; i < plan.values()->size(); ++i) {
    const Error error = checker.check(i);
    if (error != Error::Ok) {
      add_error_context("values[%u]", i);
      return error;
    }
  }
  return Error::Ok;
}

Error check_chains(const fb::ExecutionPlan& plan, ElementBudget& budget) {
  const auto* chains = plan.chains();
  ET_REQUIRE(chains != nullptr && chains->size() > 0, InvalidProgram, "chains are missing");
  RewrittenValues rewritten;
  ET_TRY(rewritten.collect(plan));
  InstructionChecker checker(plan, rewritten, budget);
  for (uint32_t c = 0; c < chains->size(); ++c) {
    const auto* chain = chains->Get(c);
    ET_REQUIRE(chain != nullptr && chain->instructions() != nullptr, InvalidProgram,
               "chains[%u] has no list of instructions", c);
    const size_t count = chain->instructions()->size();
    for (uint32_t i = 0; i < count; ++i) {
      const Error error = checker.check(chain->instructions()->Get(i), count);
      if (error != Error::Ok) {
        add_error_context("chains[%u].instructions[%u]", c, i);
        return error;
      }
    }
  }
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
