#include "runtime/plan/plan_view.h"

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include "runtime/executor/operand_use.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;

namespace {

InstructionKind plan_kind(Item::Kind kind) {
  switch (kind) {
    case Item::Kind::Delegate:
      return InstructionKind::Delegate;
    case Item::Kind::Move:
      return InstructionKind::Move;
    case Item::Kind::JumpFalse:
      return InstructionKind::JumpFalse;
    case Item::Kind::Free:
      return InstructionKind::Free;
    case Item::Kind::Kernel:
    case Item::Kind::Step:
      break;
  }
  return InstructionKind::Kernel;
}

/// Whether the kernel is the one that a library registered with the schema: not the application's
/// own for this load, no override, and not one for particular tensors.
bool calls_library_kernel(const Item& item) {
  if (item.kind != Item::Kind::Kernel || item.signature == nullptr) return false;
  const OperatorRow* const row = find_operator_row(item.name);
  return row != nullptr && row->function == item.kernel;
}

}  // namespace

Error LoadedMethodView::build() {
  values_ = make_list<PlanValue>(heap_, method_.num_values);
  chains_ = make_list<Span<const PlanInstruction>>(heap_, method_.chains.size());
  ET_REQUIRE(values_ != nullptr && chains_ != nullptr, MemoryAllocationFailed,
             "no memory for a plan");
  for (size_t c = 0; c < method_.chains.size(); ++c) ET_TRY(build_chain(c));
  build_values();
  return find_states();
}

Error LoadedMethodView::build_chain(size_t index) {
  const ItemChain& chain = method_.chains[index];
  auto* instructions = make_list<PlanInstruction>(heap_, chain.count);
  ET_REQUIRE(instructions != nullptr, MemoryAllocationFailed, "no memory for a plan");
  for (size_t i = 0; i < chain.count; ++i) {
    const Item& item = chain.items[i];
    const bool is_call = item.kind == Item::Kind::Kernel || item.kind == Item::Kind::Delegate;
    instructions[i].kind = plan_kind(item.kind);
    instructions[i].name = is_call ? item.name : nullptr;
    instructions[i].values = item.indices;
    instructions[i].destination = item.destination;
    const LoadedDelegate* const delegate =
        item.kind == Item::Kind::Delegate ? &method_.delegates[item.delegate] : nullptr;
    instructions[i].delegate = delegate == nullptr ? nullptr : delegate->handle;
    instructions[i].num_inputs = delegate == nullptr ? SIZE_MAX : delegate->num_inputs;
    instructions[i].schema = calls_library_kernel(item) ? item.signature->schema : nullptr;
  }
  chains_[index] = {instructions, chain.count};
  return Error::Ok;
}

void LoadedMethodView::build_values() {
  for (size_t i = 0; i < method_.num_values; ++i) {
    const ValueRecord& record = method_.records[i];
    PlanValue& value = values_[i];
    value.input_index = record.input_index;
    value.output_index = record.output_index;
    value.constant = is_constant_value(i);
    value.state = record.tensor != nullptr && is_planned(record.storage) &&
                  record.storage != TensorStorage::Planned;
    value.dynamic_shape = record.serialized != nullptr &&
                          record.serialized->shape_dynamism() != fb::TensorShapeDynamism::STATIC;
    value.arena = -1;
    value.arena_offset = 0;
    value.max_nbytes = record.max_nbytes;
    if (record.tensor != nullptr && is_planned(record.storage)) {
      value.arena = static_cast<int32_t>(record.serialized->allocation_info()->memory_id()) - 1;
      value.arena_offset = planned_offset(*record.serialized->allocation_info());
    }
  }
}

bool LoadedMethodView::is_constant_value(size_t index) const {
  const ValueRecord& record = method_.records[index];
  if (record.input_index >= 0 || record.replaced) return false;
  if (record.tensor != nullptr) return is_constant(record.storage);
  if (record.written) return false;
  for (const EValue* element : record.items) {
    if (element != nullptr && !is_constant_value(static_cast<size_t>(element - method_.values)))
      return false;
  }
  return true;
}

/// A planned tensor is state if, in the order of the program, it may be read before this run has
/// written it.
Error LoadedMethodView::find_states() {
  bool* written = make_list<bool>(heap_, method_.num_values);
  ET_REQUIRE(written != nullptr, MemoryAllocationFailed, "no memory for a plan");
  for (size_t i = 0; i < method_.num_inputs(); ++i) written[method_.input_value(i)] = true;
  for (const ItemChain& chain : method_.chains) ET_TRY(find_states_in(chain, written));
  return Error::Ok;
}

Error LoadedMethodView::find_states_in(const ItemChain& chain, bool* written) {
  // How many forward jumps lead over an instruction: one that is jumped over may not have run.
  auto* jumped_over = make_list<int32_t>(heap_, chain.count + 1);
  ET_REQUIRE(jumped_over != nullptr, MemoryAllocationFailed, "no memory for a plan");
  for (size_t i = 0; i < chain.count; ++i) {
    const Item& item = chain.items[i];
    if (item.kind != Item::Kind::JumpFalse || item.destination <= i) continue;
    ++jumped_over[i + 1];
    --jumped_over[item.destination];
  }
  int32_t depth = 0;
  for (size_t i = 0; i < chain.count; ++i) {
    depth += jumped_over[i];
    note_reads(chain.items[i], written);
    if (depth == 0) note_writes(method_, chain.items[i], written);
  }
  return Error::Ok;
}

void LoadedMethodView::note_reads(const Item& item, const bool* written) {
  for_each_operand(method_, item, [&](size_t index, Use use) {
    const ValueRecord& record = method_.records[index];
    if (use != Use::Write && !written[index] && record.tensor != nullptr &&
        is_planned(record.storage) && !record.shows_own_run)
      values_[index].state = true;
  });
}

void LoadedMethodView::note_writes(const MethodImpl& method, const Item& item, bool* written) {
  for_each_operand(method, item, [&](size_t index, Use use) {
    if (use != Use::Read) written[index] = true;
  });
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
