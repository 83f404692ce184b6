// Views that cannot share their tensor's bytes get memory of their own; hidden ones an instruction
// that copies the elements as well.
#include <cstddef>
#include <cstdlib>
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

/// What copies of views may take: no exporter's program comes near.
constexpr size_t kMostCopiesOfAll = 256;
constexpr size_t kMostCopiesOfAChain = size_t{1} << 20;

/// Bytes for a view, with those that align the next one.
size_t room_of(const ValueRecord& record) {
  constexpr size_t kAlignment = alignof(std::max_align_t);
  if (record.max_nbytes > SIZE_MAX - kAlignment) return SIZE_MAX;
  return (record.max_nbytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Of the arenas and the inputs, which views show.
size_t given_bytes(const MethodImpl& method) {
  size_t total = method.held_bytes();
  for (size_t i = 0; i < method.num_inputs(); ++i) {
    const size_t nbytes = method.records[method.input_value(i)].max_nbytes;
    if (!checked_add(total, nbytes, &total)) return SIZE_MAX;
  }
  return total;
}

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
    for (size_t i = 0; i < chain.count; ++i) mark_copying_view(chain.items[i]);
  }
  HiddenViews views(method_);
  ET_TRY(views.find());
  for (size_t i = 0; i < method_.num_values; ++i)
    method_.records[i].shows_own_run = views.shows_own_run(i);
  ET_TRY(place_views(views));
  if (views.empty()) return Error::Ok;
  for (size_t c = 0; c < method_.chains.size(); ++c) ET_TRY(insert_copies(views, c));
  note_all_effects();
  return Error::Ok;
}

/// A view operator copies where a dim order is not that of row-major elements.
void MethodLoader::mark_copying_view(const Item& item) {
  constexpr size_t kSelf = 0;
  constexpr size_t kOut = 2;
  if (item.kind != Item::Kind::Kernel || std::strcmp(item.name, prim::kView) != 0 ||
      item.args.size() != kOut + 1 || !item.args[kSelf]->isTensor() || !item.args[kOut]->isTensor())
    return;
  if (is_row_major(*item.args[kSelf]) && is_row_major(*item.args[kOut])) return;
  ValueRecord& record = method_.records[item.indices[kOut]];
  const bool given_by_caller =
      record.input_index >= 0 ||
      (record.storage == TensorStorage::Unplanned && record.output_index >= 0);
  if (given_by_caller || is_constant(record.storage) || !record.tensor->device().is_cpu()) return;
  record.storage = TensorStorage::ViewCopy;
}

/// Gives the views that are copies memory of their own. It is zero, and taken from the system when
/// it is touched, which a plan may make unnecessary.
Error MethodLoader::place_views(const HiddenViews& views) {
  const auto is_copy = [&](size_t value) {
    return method_.records[value].storage == TensorStorage::ViewCopy ||
           views.base(value) != kNoValue;
  };
  size_t total = 0;
  bool fits = true;
  for (size_t i = 0; i < method_.num_values; ++i) {
    if (is_copy(i)) fits = fits && checked_add(total, room_of(method_.records[i]), &total);
  }
  if (total == 0 && fits) return Error::Ok;
  size_t held = 0;
  ET_REQUIRE(fits && checked_add(total, method_.held_bytes(), &held) &&
                 held <= request_.options.memory_limit &&
                 total / kMostCopiesOfAll <= given_bytes(method_),
             MemoryAllocationFailed,
             "views that cannot share memory need %zu bytes beside inputs and arenas of %zu, the "
             "limit is %zu",
             total, given_bytes(method_), request_.options.memory_limit);
  method_.view_memory = std::calloc(total, 1);
  ET_REQUIRE(method_.view_memory != nullptr, MemoryAllocationFailed,
             "no memory for views of %zu bytes", total);
  method_.plan_bytes += total;
  auto* next = static_cast<uint8_t*>(method_.view_memory);
  for (size_t i = 0; i < method_.num_values; ++i) {
    if (!is_copy(i)) continue;
    ValueRecord& record = method_.records[i];
    record.home = next;
    record.tensor->set_data(next);
    next += room_of(record);
    if (is_constant(record.storage)) {
      ET_TRY(copy_constant(views.base(i), i));
    } else {
      record.storage = TensorStorage::ViewCopy;
    }
  }
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
  for (size_t i = 0; i < chain.count; ++i) {
    for_each_outdated_view(method_, views, chain.items[i], [&](uint32_t) { ++room; });
    ET_REQUIRE(room - chain.count <= kMostCopiesOfAChain, InvalidProgram,
               "more than %zu copies of views", kMostCopiesOfAChain);
  }
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
