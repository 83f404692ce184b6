// Values of a method that are no tensors, and the order in which all are made.
#include <cstring>

#include <executorch/runtime/core/error_message.h>

#include "runtime/loading/method_loader.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;

Error MethodLoader::load_values() {
  const size_t count = plan_.values()->size();
  size_t num_tensors = 0;
  for (const auto* value : *plan_.values())
    num_tensors += value->val_type() == fb::KernelTypes::Tensor ? 1 : 0;

  // The only memory that the runtime itself takes from the application's allocator.
  method_.values = request_.memory->method_allocator()->allocateList<EValue>(count);
  ET_REQUIRE(method_.values != nullptr || count == 0, MemoryAllocationFailed,
             "the method allocator has no room for %zu values of %zu bytes", count, sizeof(EValue));
  method_.records = make_list<ValueRecord>(method_.heap, count);
  method_.tensors = method_.heap.allocateList<executorch::aten::TensorImpl>(num_tensors);
  method_.tensor_values = make_list<uint32_t>(method_.heap, num_tensors);
  ET_REQUIRE(
      method_.records != nullptr && method_.tensors != nullptr && method_.tensor_values != nullptr,
      MemoryAllocationFailed, "no memory for %zu values", count);

  for (size_t i = 0; i < count; ++i) {
    const Error error = load_value(i);
    if (error != Error::Ok) {
      add_error_context("values[%zu]", i);
      return error;
    }
    method_.num_values = i + 1;
  }
  ET_TRY(note_inputs_and_outputs());
  return note_arenas();
}

Error MethodLoader::load_value(size_t index) {
  const fb::EValue& table = *plan_.values()->Get(static_cast<uint32_t>(index));
  EValue* value = method_.values + index;
  switch (table.val_type()) {
    case fb::KernelTypes::Null:
      new (value) EValue();
      return Error::Ok;
    case fb::KernelTypes::Int:
      new (value) EValue(static_cast<int64_t>(table.val_as_Int()->int_val()));
      return Error::Ok;
    case fb::KernelTypes::Bool:
      new (value) EValue(table.val_as_Bool()->bool_val());
      return Error::Ok;
    case fb::KernelTypes::Double:
      new (value) EValue(table.val_as_Double()->double_val());
      return Error::Ok;
    case fb::KernelTypes::String:
      return load_string(index, *table.val_as_String());
    case fb::KernelTypes::IntList:
      return load_int_list(index, *table.val_as_IntList());
    case fb::KernelTypes::BoolList:
      return load_bool_list(index, *table.val_as_BoolList());
    case fb::KernelTypes::DoubleList:
      return load_double_list(index, *table.val_as_DoubleList());
    case fb::KernelTypes::Tensor:
      return load_tensor(index, *table.val_as_Tensor());
    case fb::KernelTypes::TensorList:
      return load_tensor_list<executorch::aten::Tensor>(index, *table.val_as_TensorList()->items());
    case fb::KernelTypes::OptionalTensorList:
      return load_tensor_list<std::optional<executorch::aten::Tensor>>(
          index, *table.val_as_OptionalTensorList()->items());
    default:
      return ET_ERROR(InvalidProgram, "unknown kind %d", static_cast<int>(table.val_type()));
  }
}

/// A list of values: their addresses, and room for what they hold when the list is read.
template <class T, class Items>
Error MethodLoader::box_items(size_t index, const Items& items, BoxedEvalueList<T>** list) {
  const size_t count = items.size();
  ET_REQUIRE(count <= INT32_MAX, InvalidProgram, "a list of %zu items", count);
  EValue** pointers = make_list<EValue*>(method_.heap, count);
  T* room = method_.heap.allocateList<T>(count == 0 ? 1 : count);
  void* storage = method_.heap.allocateInstance<BoxedEvalueList<T>>();
  ET_REQUIRE(pointers != nullptr && room != nullptr && storage != nullptr, MemoryAllocationFailed,
             "no memory for a list of %zu items", count);
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t item = items.Get(i);
    pointers[i] = item < 0 ? nullptr : method_.values + item;
  }
  method_.records[index].items = {pointers, count};
  *list = new (storage) BoxedEvalueList<T>(pointers, room, static_cast<int>(count));
  return Error::Ok;
}

Error MethodLoader::load_int_list(size_t index, const fb::IntList& table) {
  BoxedEvalueList<int64_t>* list = nullptr;
  ET_TRY(box_items(index, *table.items(), &list));
  new (method_.values + index) EValue(list);
  return Error::Ok;
}

template <class T, class Items>
Error MethodLoader::load_tensor_list(size_t index, const Items& items) {
  BoxedEvalueList<T>* list = nullptr;
  ET_TRY(box_items(index, items, &list));
  new (method_.values + index) EValue(list);
  return Error::Ok;
}

Error MethodLoader::load_bool_list(size_t index, const fb::BoolList& table) {
  const size_t count = table.items()->size();
  // Copied, since a byte of the file may be neither 0 nor 1.
  bool* items = make_list<bool>(method_.heap, count);
  void* storage = method_.heap.allocateInstance<executorch::aten::ArrayRef<bool>>();
  ET_REQUIRE(items != nullptr && storage != nullptr, MemoryAllocationFailed,
             "no memory for a list of %zu items", count);
  for (uint32_t i = 0; i < count; ++i) items[i] = table.items()->Get(i) != 0;
  new (method_.values + index) EValue(new (storage) executorch::aten::ArrayRef<bool>(items, count));
  return Error::Ok;
}

Error MethodLoader::load_double_list(size_t index, const fb::DoubleList& table) {
  void* storage = method_.heap.allocateInstance<executorch::aten::ArrayRef<double>>();
  ET_REQUIRE(storage != nullptr, MemoryAllocationFailed, "no memory for a list");
  new (method_.values + index) EValue(new (storage) executorch::aten::ArrayRef<double>(
      table.items()->data(), table.items()->size()));
  return Error::Ok;
}

Error MethodLoader::load_string(size_t index, const fb::String& table) {
  void* storage = method_.heap.allocateInstance<executorch::aten::ArrayRef<char>>();
  ET_REQUIRE(storage != nullptr, MemoryAllocationFailed, "no memory for a string");
  const auto* text = table.string_val();
  new (method_.values + index)
      EValue(new (storage) executorch::aten::ArrayRef<char>(text->c_str(), text->size()));
  return Error::Ok;
}

Error MethodLoader::note_inputs_and_outputs() {
  const size_t count = method_.num_inputs();
  method_.input_set = make_list<bool>(method_.heap, count);
  ET_REQUIRE(method_.input_set != nullptr, MemoryAllocationFailed, "no memory for %zu inputs",
             count);
  method_.inputs_missing = count;
  for (size_t i = 0; i < count; ++i) {
    ValueRecord& record = method_.records[method_.input_value(i)];
    ET_REQUIRE(record.tensor == nullptr || !is_constant(record.storage), InvalidProgram,
               "inputs[%zu] is a constant, which an input would overwrite", i);
    record.input_index = static_cast<int32_t>(i);
  }
  for (size_t i = 0; i < method_.num_outputs(); ++i) {
    method_.records[method_.output_value(i)].output_index = static_cast<int32_t>(i);
  }
  return Error::Ok;
}

/// The part of each arena that tensors are planned into.
Error MethodLoader::note_arenas() {
  const uint32_t num_sizes = plan_.non_const_buffer_sizes()->size();
  const size_t count = num_sizes == 0 ? 0 : num_sizes - 1;
  auto* arenas = make_list<Span<uint8_t>>(method_.heap, count);
  ET_REQUIRE(arenas != nullptr, MemoryAllocationFailed, "no memory for %zu arenas", count);
  for (size_t i = 0; i < method_.num_values; ++i) {
    const ValueRecord& record = method_.records[i];
    if (record.tensor == nullptr || !is_planned(record.storage)) continue;
    const auto& allocation = *record.serialized->allocation_info();
    const size_t end = static_cast<size_t>(planned_offset(allocation)) + record.max_nbytes;
    Span<uint8_t>& arena = arenas[allocation.memory_id() - 1];
    auto* base =
        static_cast<uint8_t*>(record.home) - static_cast<size_t>(planned_offset(allocation));
    arena = {base, end > arena.size() ? end : arena.size()};
  }
  method_.arenas = {arenas, count};
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
