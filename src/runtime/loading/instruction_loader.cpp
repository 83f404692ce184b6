// Instructions of a method: operands, kernels, and what they may do to values.
#include <cstdio>
#include <cstring>

#include <executorch/runtime/core/error_message.h>

#include "runtime/executor/operand_checks.h"
#include "runtime/loading/method_loader.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;

namespace {

/// Longest operator name with overload, terminating zero included.
constexpr size_t kMaxOperatorName = 100;
/// Tensors that a kernel can be specialised for.
constexpr size_t kMaxKeyTensors = 16;

}  // namespace

Error MethodLoader::load_chains() {
  const size_t num_operators = plan_.operators() == nullptr ? 0 : plan_.operators()->size();
  auto* operators = make_list<LoadedOperator>(method_.heap, num_operators);
  auto* chains = make_list<ItemChain>(method_.heap, plan_.chains()->size());
  ET_REQUIRE(operators != nullptr && chains != nullptr, MemoryAllocationFailed,
             "no memory for its chains");
  operators_ = {operators, num_operators};
  method_.chains = {chains, plan_.chains()->size()};
  for (uint32_t c = 0; c < plan_.chains()->size(); ++c) {
    const Error error = load_chain(*plan_.chains()->Get(c), c, chains[c]);
    if (error != Error::Ok) return error;
  }
  if (num_missing_ > 0) return report_missing_operators();
  note_all_effects();
  ET_TRY(copy_views());
  return check_items();
}

Error MethodLoader::load_chain(const fb::Chain& table, size_t chain_index, ItemChain& chain) {
  const size_t count = table.instructions()->size();
  chain.items = make_list<Item>(method_.heap, count);
  ET_REQUIRE(chain.items != nullptr, MemoryAllocationFailed, "no memory for %zu instructions",
             count);
  chain.count = count;
  for (uint32_t i = 0; i < count; ++i) {
    Item& item = chain.items[i];
    item.source = i;
    item.name = "";
    const Error error = load_item(*table.instructions()->Get(i), item);
    if (error == Error::OperatorMissing) continue;
    if (error != Error::Ok) {
      add_item_context(item, chain_index, method_.name());
      return error;
    }
  }
  return Error::Ok;
}

Error MethodLoader::load_item(const fb::Instruction& table, Item& item) {
  switch (table.instr_args_type()) {
    case fb::InstructionArguments::KernelCall:
      return load_kernel_call(*table.instr_args_as_KernelCall(), item);
    case fb::InstructionArguments::DelegateCall: {
      const auto& call = *table.instr_args_as_DelegateCall();
      item.kind = Item::Kind::Delegate;
      item.delegate = static_cast<uint32_t>(call.delegate_index());
      item.name = method_.delegates[item.delegate].id;
      return load_arguments(*call.args(), item);
    }
    case fb::InstructionArguments::MoveCall: {
      const auto& move = *table.instr_args_as_MoveCall();
      item.kind = Item::Kind::Move;
      item.name = "move";
      auto* indices = make_list<int32_t>(method_.heap, 2);
      auto* args = make_list<EValue*>(method_.heap, 2);
      ET_REQUIRE(indices != nullptr && args != nullptr, MemoryAllocationFailed,
                 "no memory for a move");
      indices[0] = move.move_from();
      indices[1] = move.move_to();
      for (int i = 0; i < 2; ++i) args[i] = method_.values + indices[i];
      item.indices = {indices, size_t{2}};
      item.args = {args, size_t{2}};
      return Error::Ok;
    }
    case fb::InstructionArguments::JumpFalseCall:
    case fb::InstructionArguments::FreeCall: {
      const auto* jump = table.instr_args_as_JumpFalseCall();
      item.kind = jump != nullptr ? Item::Kind::JumpFalse : Item::Kind::Free;
      item.name = jump != nullptr ? "jump" : "free";
      item.destination =
          jump != nullptr ? static_cast<uint32_t>(jump->destination_instruction()) : 0;
      auto* index = make_list<int32_t>(method_.heap, 1);
      auto* arg = make_list<EValue*>(method_.heap, 1);
      ET_REQUIRE(index != nullptr && arg != nullptr, MemoryAllocationFailed,
                 "no memory for an instruction");
      *index = jump != nullptr ? jump->cond_value_index()
                               : table.instr_args_as_FreeCall()->value_index();
      *arg = method_.values + *index;
      item.indices = {index, size_t{1}};
      item.args = {arg, size_t{1}};
      return Error::Ok;
    }
    default:
      return ET_ERROR(InvalidProgram, "unknown instruction kind %d",
                      static_cast<int>(table.instr_args_type()));
  }
}

Error MethodLoader::load_arguments(const flatbuffers::Vector<int32_t>& indices, Item& item) {
  const size_t count = indices.size();
  auto* args = make_list<EValue*>(method_.heap, count);
  ET_REQUIRE(args != nullptr, MemoryAllocationFailed, "no memory for %zu arguments", count);
  for (uint32_t i = 0; i < count; ++i) args[i] = method_.values + indices.Get(i);
  item.args = {args, count};
  item.indices = {indices.data(), count};
  return Error::Ok;
}

Error MethodLoader::load_kernel_call(const fb::KernelCall& call, Item& item) {
  item.kind = Item::Kind::Kernel;
  const auto index = static_cast<uint32_t>(call.op_index());
  ET_TRY(load_operator(index));
  item.name = operators_[index].name;
  item.signature = operators_[index].signature;
  ET_TRY(load_arguments(*call.args(), item));
  return resolve_kernel(item);
}

/// Name and signature of an entry of the method's operator table, on first use.
Error MethodLoader::load_operator(uint32_t index) {
  LoadedOperator& loaded = operators_[index];
  if (loaded.name != nullptr) return Error::Ok;
  const auto& table = *plan_.operators()->Get(index);
  const bool has_overload = table.overload() != nullptr && table.overload()->size() > 0;
  const size_t length = table.name()->size() + (has_overload ? 1 + table.overload()->size() : 0);
  ET_REQUIRE(length < kMaxOperatorName, Internal,
             "operators[%u]: a name of %zu characters, at most %zu are supported", index, length,
             kMaxOperatorName - 1);
  char* name = method_.heap.allocateList<char>(length + 1);
  ET_REQUIRE(name != nullptr, MemoryAllocationFailed, "no memory for a name");
  std::snprintf(name, length + 1, "%s%s%s", table.name()->c_str(), has_overload ? "." : "",
                has_overload ? table.overload()->c_str() : "");
  loaded.name = name;
  auto signature = find_signature(name);
  if (!signature.ok()) return signature.error();
  loaded.signature = signature.get();
  return Error::Ok;
}

Error MethodLoader::resolve_kernel(Item& item) {
  TensorMeta metas[kMaxKeyTensors];
  size_t num_tensors = 0;
  for (const EValue* value : item.args) {
    if (!value->isTensor() || num_tensors == kMaxKeyTensors) continue;
    const auto* tensor = value->payload.as_tensor.unsafeGetTensorImpl();
    auto* dim_order = const_cast<executorch::aten::DimOrderType*>(tensor->dim_order().data());
    metas[num_tensors++] =
        TensorMeta(tensor->scalar_type(), {dim_order, static_cast<size_t>(tensor->dim())});
  }
  auto kernel = get_op_function_from_registry(item.name, {metas, num_tensors}, request_.kernels);
  if (kernel.ok()) {
    item.kernel = kernel.get();
    return Error::Ok;
  }
  if (kernel.error() == Error::OperatorMissing) note_missing_operator(item.name);
  return kernel.error();
}

namespace {

/// Adds an item to a list in `text` unless it is there already. A list that is full stays as it is.
void append_once(char* text, size_t capacity, const char* separator, const char* item) {
  const size_t used = std::strlen(text);
  const size_t length = std::strlen(item);
  const size_t gap = std::strlen(separator);
  for (const char* found = std::strstr(text, item); found != nullptr;
       found = std::strstr(found + 1, item)) {
    const bool starts = found == text || std::strncmp(found - gap, separator, gap) == 0;
    if (starts && (found[length] == '\0' || std::strncmp(found + length, separator, gap) == 0))
      return;
  }
  if (used + gap + length + 1 > capacity) return;
  std::snprintf(text + used, capacity - used, "%s%s", used == 0 ? "" : separator, item);
}

}  // namespace

void MethodLoader::note_missing_operator(const char* name) {
  ++num_missing_;
  append_once(missing_, sizeof(missing_), ", ", name);
  const char* hint = operator_component_hint(name);
  if (hint != nullptr) append_once(missing_hints_, sizeof(missing_hints_), "; ", hint);
}

Error MethodLoader::report_missing_operators() {
  const bool has_hints = missing_hints_[0] != '\0';
  return ET_ERROR(OperatorMissing,
                  "%zu instructions need operators that this process lacks: %s%s%s", num_missing_,
                  missing_, has_hints ? ". Look in " : "", missing_hints_);
}

void MethodLoader::note_all_effects() {
  for (const ItemChain& chain : method_.chains) {
    for (size_t i = 0; i < chain.count; ++i) note_effects(chain.items[i]);
  }
}

/// Which values an instruction writes, replaces or frees.
void MethodLoader::note_effects(const Item& item) {
  ValueRecord* records = method_.records;
  switch (item.kind) {
    case Item::Kind::Move:
      records[item.indices[1]].replaced = true;
      records[item.indices[1]].written = true;
      return;
    case Item::Kind::Free:
      records[item.indices[0]].freed = true;
      records[item.indices[0]].written = true;
      return;
    case Item::Kind::JumpFalse:
    case Item::Kind::Step:
      return;
    case Item::Kind::Delegate:
    case Item::Kind::Kernel:
      break;
  }
  const CallSignature* signature = item.signature;
  const bool knows_writes = signature != nullptr && signature->knows_writes;
  for (size_t i = 0; i < item.indices.size(); ++i) {
    ValueRecord& record = records[item.indices[i]];
    const bool is_return_slot = signature != nullptr && i >= signature->arguments.size();
    const bool writes = !knows_writes || is_return_slot || signature->arguments[i].written;
    if (!writes) continue;
    record.written = true;
    for (EValue* element : record.items) {
      if (element != nullptr) records[element - method_.values].written = true;
    }
    // A kernel of unknown behaviour may put its result into its last value, as the primitive
    // operators do.
    const bool may_replace = signature == nullptr
                                 ? item.kind == Item::Kind::Kernel && i + 1 == item.indices.size()
                                 : is_return_slot && signature->replaces_return_slot;
    if (may_replace) record.replaced = true;
  }
}

Error MethodLoader::check_items() {
  for (size_t c = 0; c < method_.chains.size(); ++c) {
    ItemChain& chain = method_.chains[c];
    for (size_t i = 0; i < chain.count; ++i) {
      Item& item = chain.items[i];
      if (item.kind != Item::Kind::Kernel && item.kind != Item::Kind::Delegate) continue;
      const Error error = check_operands_at_load(method_, item);
      if (error != Error::Ok) {
        add_item_context(item, c, method_.name());
        return error;
      }
    }
  }
  return Error::Ok;
}

/// Values whose tensor or memory an execution replaces start each one as they were loaded. Steps
/// have taken over the effects of the instructions that they stand for.
Error MethodLoader::list_restored_values() {
  for (size_t i = 0; i < method_.num_values; ++i) {
    method_.records[i].replaced = false;
    method_.records[i].freed = false;
  }
  note_all_effects();
  auto* restored = make_list<uint32_t>(method_.heap, method_.num_values);
  ET_REQUIRE(restored != nullptr, MemoryAllocationFailed, "no memory for %zu values",
             method_.num_values);
  size_t count = 0;
  for (size_t i = 0; i < method_.num_values; ++i) {
    const ValueRecord& record = method_.records[i];
    if (record.tensor != nullptr && (record.replaced || record.freed))
      restored[count++] = static_cast<uint32_t>(i);
  }
  method_.restored = {restored, count};
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
