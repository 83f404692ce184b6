// Tensors whose bytes lie in data files.
#include <cstring>
#include <functional>
#include <string_view>

#include <executorch/runtime/core/error_message.h>

#include "runtime/loading/method_loader.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;

namespace {

bool is_external(const fb::EValue& value) {
  const auto* tensor = value.val_as_Tensor();
  if (tensor == nullptr) return false;
  const TensorStorage storage = tensor_storage(*tensor);
  return storage == TensorStorage::ExternalConstant || storage == TensorStorage::PlannedExternal;
}

const char* external_key(const fb::Tensor& tensor) {
  const auto* name = tensor.extra_tensor_info()->fully_qualified_name();
  return name == nullptr ? nullptr : name->c_str();
}

/// A power of two with room to spare.
size_t slot_count(size_t entries) {
  size_t slots = 4;
  while (slots < entries * 2) slots *= 2;
  return slots;
}

}  // namespace

/// Loads each key once, whatever number of tensors use it.
Error MethodLoader::load_external_constants() {
  size_t count = 0;
  for (const auto* value : *plan_.values()) count += is_external(*value) ? 1 : 0;
  if (count == 0) return Error::Ok;
  const size_t slots = slot_count(count);
  auto* table = make_list<uint32_t>(method_.heap, slots);
  auto* constants = make_list<ExternalConstant>(method_.heap, count);
  ET_REQUIRE(table != nullptr && constants != nullptr, MemoryAllocationFailed,
             "no memory for %zu external tensors", count);
  external_slots_ = {table, slots};

  size_t loaded = 0;
  for (uint32_t i = 0; i < plan_.values()->size(); ++i) {
    if (!is_external(*plan_.values()->Get(i))) continue;
    const char* key = external_key(*plan_.values()->Get(i)->val_as_Tensor());
    ET_REQUIRE(key != nullptr, InvalidProgram, "values[%u]: the tensor is external but has no name",
               i);
    if (find_external_constant(key) != nullptr) continue;
    // Counted before it is loaded, so that it is released whatever happens next.
    constants[loaded] = {key, nullptr};
    method_.external_constants = {constants, loaded + 1};
    const Error error = load_external_constant(key, &constants[loaded]);
    if (error != Error::Ok) {
      add_error_context("values[%u]", i);
      return error;
    }
    size_t slot = std::hash<std::string_view>()(key) & (slots - 1);
    while (table[slot] != 0) slot = (slot + 1) & (slots - 1);
    table[slot] = static_cast<uint32_t>(++loaded);
  }
  return Error::Ok;
}

Error MethodLoader::load_external_constant(const char* key, ExternalConstant* constant) {
  ET_REQUIRE(request_.external_data != nullptr, InvalidState,
             "tensor '%.200s' lies in a data file (.ptd), but none was given", key);
  auto data = request_.external_data->get_data(key);
  if (!data.ok()) {
    if (data.error() == Error::NotFound)
      return ET_ERROR(NotFound, "no data file has the key '%.200s'", key);
    add_error_context("key '%.200s'", key);
    return data.error();
  }
  void* room = method_.heap.allocateInstance<FreeableBuffer>();
  ET_REQUIRE(room != nullptr, MemoryAllocationFailed, "no memory for the data of '%.200s'", key);
  constant->data = new (room) FreeableBuffer(std::move(data.get()));
  return Error::Ok;
}

const ExternalConstant* MethodLoader::find_external_constant(const char* key) const {
  const size_t mask = external_slots_.size() - 1;
  for (size_t slot = std::hash<std::string_view>()(key) & mask; external_slots_[slot] != 0;
       slot = (slot + 1) & mask) {
    const ExternalConstant& constant = method_.external_constants[external_slots_[slot] - 1];
    if (std::strcmp(constant.key, key) == 0) return &constant;
  }
  return nullptr;
}

/// The data file must describe the very tensor that the program expects.
Error MethodLoader::check_external_layout(const fb::Tensor& tensor, const char* key,
                                          size_t nbytes) {
  auto layout = request_.external_data->get_tensor_layout(key);
  if (!layout.ok()) {
    add_error_context("layout of key '%.200s'", key);
    return layout.error();
  }
  const size_t rank = tensor.sizes()->size();
  ET_REQUIRE(static_cast<int>(layout->scalar_type()) == static_cast<int>(tensor.scalar_type()),
             InvalidExternalData,
             "key '%.200s': the data file has element type %d, the program expects %s", key,
             static_cast<int>(layout->scalar_type()), fb::EnumNameScalarType(tensor.scalar_type()));
  ET_REQUIRE(layout->sizes().size() == rank && layout->dim_order().size() == rank,
             InvalidExternalData,
             "key '%.200s': the data file has %zu dimensions, the program expects %zu", key,
             layout->sizes().size(), rank);
  for (size_t d = 0; d < rank; ++d) {
    ET_REQUIRE(layout->sizes()[d] == tensor.sizes()->Get(d), InvalidExternalData,
               "key '%.200s': dimension %zu has size %d in the data file, the program expects %d",
               key, d, layout->sizes()[d], tensor.sizes()->Get(d));
    ET_REQUIRE(layout->dim_order()[d] == tensor.dim_order()->Get(d), InvalidExternalData,
               "key '%.200s': dim_order[%zu] is %d in the data file, the program expects %d", key,
               d, layout->dim_order()[d], tensor.dim_order()->Get(d));
  }
  const ExternalConstant* constant = find_external_constant(key);
  ET_REQUIRE(constant != nullptr && constant->data != nullptr && constant->data->size() >= nbytes,
             InvalidExternalData, "key '%.200s': the data file has %zu bytes, the tensor needs %zu",
             key,
             constant == nullptr || constant->data == nullptr ? size_t{0} : constant->data->size(),
             nbytes);
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
