// Views that cannot share their tensor's bytes get memory of their own; hidden ones an instruction
// that copies the elements as well.
#include <cstring>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>

#include "kernels/prim/prim_ops.h"
#include "runtime/loading/hidden_views.h"
#include "runtime/loading/method_loader.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace {

bool is_row_major(const EValue& value) {
  const executorch::aten::Tensor& tensor = value.payload.as_tensor;
  return is_contiguous_dim_order(tensor.dim_order().data(), static_cast<size_t>(tensor.dim()));
}

/// Calls visit(view) for the views of what the item may write, more than once where it names a
/// value again.
template <class Visit>
void for_each_outdated_view(const MethodImpl& method, const HiddenViews& views, const Item& item,
                            Visit visit) {
  for_each_operand(method, item, [&](size_t value, Use use) {
    if (use == Use::Read || item.kind == Item::Kind::Free) return;
    for (uint32_t view = views.first_view(value); view != kNoValue; view = views.next_view(view))
      visit(view);
  });
}

}  // namespace

Error MethodLoader::copy_views() {
  for (const ItemChain& chain : method_.chains) {
    for (size_t i = 0; i < chain.count; ++i) ET_TRY(prepare_view(chain.items[i]));
  }
  HiddenViews views(method_);
  ET_TRY(views.find());
  for (size_t i = 0; i < method_.num_values; ++i) {
    method_.records[i].shows_own_run = views.shows_own_run(i);
    if (views.base(i) == kNoValue) continue;
    ET_TRY(give_own_memory(i));
    if (is_constant(method_.records[i].storage)) ET_TRY(copy_constant(views.base(i), i));
  }
  if (views.empty()) return Error::Ok;
  for (size_t c = 0; c < method_.chains.size(); ++c) ET_TRY(insert_copies(views, c));
  note_all_effects();
  return Error::Ok;
}

/// A view operator copies where a dim order is not that of row-major elements.
Error MethodLoader::prepare_view(const Item& item) {
  constexpr size_t kSelf = 0;
  constexpr size_t kOut = 2;
  if (item.kind != Item::Kind::Kernel || std::strcmp(item.name, prim::kView) != 0 ||
      item.args.size() != kOut + 1 || !item.args[kSelf]->isTensor() || !item.args[kOut]->isTensor())
    return Error::Ok;
  if (is_row_major(*item.args[kSelf]) && is_row_major(*item.args[kOut])) return Error::Ok;
  const auto index = static_cast<size_t>(item.indices[kOut]);
  const ValueRecord& record = method_.records[index];
  const bool given_by_caller =
      record.input_index >= 0 ||
      (record.storage == TensorStorage::Unplanned && record.output_index >= 0);
  const bool stays = given_by_caller || is_constant(record.storage) ||
                     record.storage == TensorStorage::ViewCopy || !record.tensor->device().is_cpu();
  return stays ? Error::Ok : give_own_memory(index);
}

Error MethodLoader::give_own_memory(size_t index) {
  ValueRecord& record = method_.records[index];
  size_t total = 0;
  ET_REQUIRE(checked_add(method_.held_bytes(), record.max_nbytes, &total) &&
                 total <= request_.options.memory_limit,
             MemoryAllocationFailed,
             "views that cannot share memory need more than the limit of %zu bytes",
             request_.options.memory_limit);
  record.home = method_.heap.allocate(record.max_nbytes);
  ET_REQUIRE(record.home != nullptr, MemoryAllocationFailed, "no memory for a view of %zu bytes",
             record.max_nbytes);
  std::memset(record.home, 0, record.max_nbytes);
  record.tensor->set_data(record.home);
  if (!is_constant(record.storage)) record.storage = TensorStorage::ViewCopy;
  method_.plan_bytes += record.max_nbytes;
  return Error::Ok;
}

Error MethodLoader::copy_constant(size_t base, size_t view) {
  EValue* stack[] = {&method_.values[base], &method_.values[view], &method_.values[view]};
  return prim::copy_elements({stack, size_t{3}});
}

/// Makes the item that gives `view` the elements of `base`, as if it belonged to instruction
/// `source`.
Error MethodLoader::make_copy(size_t base, size_t view, uint32_t source, Item* item) {
  auto kernel = get_op_function_from_registry(prim::kCopyElements);
  if (!kernel.ok()) return kernel.error();
  auto signature = find_signature(prim::kCopyElements);
  if (!signature.ok()) return signature.error();
  auto* indices = make_list<int32_t>(method_.heap, 3);
  auto* args = make_list<EValue*>(method_.heap, 3);
  ET_REQUIRE(indices != nullptr && args != nullptr, MemoryAllocationFailed, "no memory for a view");
  const size_t values[] = {base, view, view};
  for (size_t i = 0; i < 3; ++i) {
    indices[i] = static_cast<int32_t>(values[i]);
    args[i] = method_.values + values[i];
  }
  *item = Item();
  item->kind = Item::Kind::Kernel;
  item->source = source;
  item->name = prim::kCopyElements;
  item->args = {args, size_t{3}};
  item->indices = {indices, size_t{3}};
  item->kernel = kernel.get();
  item->signature = signature.get();
  return Error::Ok;
}

/// Adds the copies to a chain: behind each instruction that may write a viewed tensor, and of what
/// is there from the start before the first instruction of all.
Error MethodLoader::insert_copies(const HiddenViews& views, size_t chain_index) {
  ItemChain& chain = method_.chains[chain_index];
  const bool first = chain_index == 0;
  size_t room = chain.count + (first ? views.num_initial() : 0);
  for (size_t i = 0; i < chain.count; ++i)
    for_each_outdated_view(method_, views, chain.items[i], [&](uint32_t) { ++room; });
  if (room == chain.count) return Error::Ok;
  auto* items = make_list<Item>(method_.heap, room);
  auto* moved_to = make_list<uint32_t>(method_.heap, chain.count + 1);
  auto* last_writer = make_list<size_t>(method_.heap, method_.num_values);
  ET_REQUIRE(
      room <= UINT32_MAX && items != nullptr && moved_to != nullptr && last_writer != nullptr,
      MemoryAllocationFailed, "no memory for %zu instructions", room);
  uint32_t used = 0;
  Error error = Error::Ok;
  const auto add_copy = [&](uint32_t view, uint32_t source) {
    if (error == Error::Ok) error = make_copy(views.base(view), view, source, &items[used++]);
  };
  for (uint32_t view = 0; first && view < method_.num_values; ++view) {
    if (views.shows_initial(view)) add_copy(view, 0);
  }
  for (size_t i = 0; i < chain.count; ++i) {
    moved_to[i] = used;
    const Item& item = items[used++] = chain.items[i];
    for_each_outdated_view(method_, views, item, [&](uint32_t view) {
      if (last_writer[view] == i + 1) return;
      last_writer[view] = i + 1;
      add_copy(view, item.source);
    });
  }
  ET_TRY(error);
  moved_to[chain.count] = used;
  chain.items = items;
  chain.count = used;
  redirect_jumps(chain, moved_to);
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
