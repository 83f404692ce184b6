#include "kernels/planner/value_table.h"

namespace executorch {
namespace kernels {

using runtime::InstructionKind;

ValueTable::ValueTable(const MethodView& view) {
  for (size_t i = 0; i < view.num_values(); ++i) {
    EValue& value = view.value(i);
    values_.push_back(&value);
    infos_.push_back(view.value_info(i));
    if (value.isTensor()) {
      tensors_.emplace(value.payload.as_tensor.unsafeGetTensorImpl(), static_cast<int32_t>(i));
    }
  }
}

Location ValueTable::location(int32_t id) const {
  const PlanValue& info = this->info(id);
  Location location;
  location.arena = info.arena;
  location.offset = info.arena_offset;
  location.bytes = info.max_nbytes;
  location.value = id;
  return location;
}

int32_t ValueTable::find(const aten::Tensor& tensor) const {
  const auto found = tensors_.find(tensor.unsafeGetTensorImpl());
  return found == tensors_.end() ? -1 : found->second;
}

bool ValueTable::list_items(int32_t id, std::vector<int32_t>* items) const {
  const EValue& list = value(id);
  items->clear();
  if (list.isTensorList()) {
    const auto tensors = list.tryToTensorList();
    if (!tensors.ok()) return false;
    for (const aten::Tensor& tensor : tensors.get()) items->push_back(find(tensor));
  } else if (list.isListOptionalTensor()) {
    const auto tensors = list.tryToListOptionalTensor();
    if (!tensors.ok()) return false;
    for (const auto& tensor : tensors.get())
      items->push_back(tensor.has_value() ? find(*tensor) : -1);
  } else {
    return false;
  }
  return true;
}

size_t ValueTable::first_output(const PlanInstruction& instruction) {
  if (instruction.kind == InstructionKind::Delegate) return instruction.num_inputs;
  if (instruction.kind != InstructionKind::Kernel || instruction.schema == nullptr)
    return instruction.values.size();
  for (size_t i = 0; i < instruction.schema->num_arguments; ++i) {
    if (instruction.schema->arguments[i].out) return i;
  }
  return instruction.values.size();
}

void ValueTable::collect_reads(const PlanInstruction& instruction,
                               std::vector<int32_t>* ids) const {
  if (instruction.kind == InstructionKind::Free) return;
  size_t count = first_output(instruction);
  if (count > instruction.values.size()) count = instruction.values.size();
  std::vector<int32_t> items;
  for (size_t i = 0; i < count; ++i) {
    const int32_t id = instruction.values[i];
    if (id < 0) continue;
    if (list_items(id, &items)) {
      for (const int32_t item : items) {
        if (item >= 0) ids->push_back(item);
      }
    } else {
      ids->push_back(id);
    }
  }
}

}  // namespace kernels
}  // namespace executorch
