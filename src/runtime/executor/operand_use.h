// What an instruction does with its operands. Internal.
#pragma once

#include "runtime/executor/method_impl.h"

namespace executorch {
namespace runtime {
namespace internal {

enum class Use : uint8_t {
  Read,
  Write,
  ReadWrite,
  Unknown,  ///< by code that does not say: read, written or both
};

inline Use use_of(const MethodImpl& method, const Item& item, size_t operand) {
  if (item.kind == Item::Kind::Move) return operand == 0 ? Use::Read : Use::Write;
  if (item.kind == Item::Kind::JumpFalse) return Use::Read;
  if (item.kind == Item::Kind::Free) return Use::Write;
  if (item.kind == Item::Kind::Delegate) {
    const size_t inputs = method.delegates[item.delegate].num_inputs;
    return inputs == SIZE_MAX ? Use::Unknown : operand < inputs ? Use::Read : Use::Write;
  }
  if (item.signature == nullptr || !item.signature->knows_writes) return Use::Unknown;
  if (operand >= item.signature->arguments.size()) return Use::Write;
  const ArgumentRule& rule = item.signature->arguments[operand];
  return rule.out ? Use::Write : rule.written ? Use::ReadWrite : Use::Read;
}

/// Calls visit(index of the value, use) for the operands of an item and the elements of those that
/// are lists.
template <class Visit>
void for_each_operand(const MethodImpl& method, const Item& item, Visit visit) {
  for (size_t operand = 0; operand < item.indices.size(); ++operand) {
    const auto index = static_cast<size_t>(item.indices[operand]);
    const Use use = use_of(method, item, operand);
    visit(index, use);
    for (const EValue* element : method.records[index].items) {
      if (element != nullptr) visit(static_cast<size_t>(element - method.values), use);
    }
  }
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
