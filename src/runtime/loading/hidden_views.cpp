#include "runtime/loading/hidden_views.h"

#include <algorithm>

#include <executorch/runtime/core/error_message.h>

#include "runtime/executor/tensor_copy.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace {

using executorch::aten::TensorImpl;

bool is_static(const ValueRecord& record) {
  return record.serialized->shape_dynamism() == executorch_flatbuffer::TensorShapeDynamism::STATIC;
}

Arrangement arrangement_of(const TensorImpl& tensor) {
  return {static_cast<size_t>(tensor.dim()), tensor.sizes().data(), tensor.strides().data()};
}

bool same_sizes(const Arrangement& a, const Arrangement& b) {
  return a.rank == b.rank && std::equal(a.sizes, a.sizes + a.rank, b.sizes);
}

bool is_row_major(const Arrangement& arrangement) {
  int64_t stride = 1;
  for (size_t d = arrangement.rank; d > 0; --d) {
    if (arrangement.sizes[d - 1] != 1 && arrangement.strides[d - 1] != stride) return false;
    stride *= arrangement.sizes[d - 1];
  }
  return true;
}

/// The bytes of `tensor`, read with the layout of `view`, give the same elements in the same order.
bool shares_bytes(const TensorImpl& tensor, const TensorImpl& view) {
  const Arrangement a = arrangement_of(tensor);
  const Arrangement b = arrangement_of(view);
  return (is_row_major(a) && is_row_major(b)) || (same_sizes(a, b) && same_arrangement(a, b));
}

}  // namespace

Error HiddenViews::find() {
  traces_ = make_list<Trace>(heap_, method_.num_values);
  ET_REQUIRE(traces_ != nullptr, MemoryAllocationFailed, "no memory for %zu values",
             method_.num_values);
  note_writers();
  note_last_input();
  bool any = false;
  for (size_t i = 0; i < method_.num_values && !any; ++i) any = is_candidate(i);
  if (!any) return Error::Ok;
  ET_TRY(assign_places());
  for (const ItemChain& chain : method_.chains) {
    for (size_t i = 0; i < chain.count; ++i) follow(chain.items[i]);
  }
  for (size_t i = 0; i < method_.num_outputs(); ++i) find_base(method_.output_value(i));
  return Error::Ok;
}

void HiddenViews::note_writers() {
  for (const ItemChain& chain : method_.chains) {
    for (size_t i = 0; i < chain.count; ++i) {
      if (chain.items[i].kind == Item::Kind::Free) continue;
      for_each_operand(method_, chain.items[i], [&](size_t value, Use use) {
        if (use == Use::Write || use == Use::ReadWrite) traces_[value].written = true;
      });
    }
  }
}

void HiddenViews::note_last_input() {
  last_input_ = method_.num_inputs() == 0 ? SIZE_MAX : 0;
  for (size_t i = 0; i < method_.num_inputs(); ++i)
    last_input_ = std::max(last_input_, method_.input_value(i));
}

/// Exporters list a program's own constants before its inputs; one that comes later is a view.
bool HiddenViews::is_parameter(size_t value) const {
  return is_constant(method_.records[value].storage) && value <= last_input_;
}

bool HiddenViews::is_candidate(size_t value) const {
  const ValueRecord& record = method_.records[value];
  if (record.tensor == nullptr || record.max_nbytes == 0 || !is_static(record) ||
      !record.tensor->device().is_cpu())
    return false;
  return is_constant(record.storage) ? !is_parameter(value)
                                     : record.storage == TensorStorage::Planned &&
                                           record.input_index < 0 && !traces_[value].written;
}

/// Holds its elements before the first instruction.
bool HiddenViews::may_be_base(size_t value) const {
  return method_.records[value].input_index >= 0 || traces_[value].written || is_parameter(value);
}

/// Numbers the addresses at which tensors begin, and finds what lies there at the start: a
/// constant, an input, or a buffer that is written later only.
Error HiddenViews::assign_places() {
  auto* tensors = make_list<uint32_t>(heap_, method_.num_tensors);
  places_ = make_list<Place>(heap_, method_.num_tensors);
  ET_REQUIRE(tensors != nullptr && places_ != nullptr, MemoryAllocationFailed,
             "no memory for %zu tensors", method_.num_tensors);
  size_t count = 0;
  for (uint32_t i = 0; i < method_.num_values; ++i) {
    const ValueRecord& record = method_.records[i];
    if (record.tensor != nullptr && record.max_nbytes > 0 &&
        (is_planned(record.storage) || is_constant(record.storage)))
      tensors[count++] = i;
  }
  const auto home = [&](uint32_t value) {
    return reinterpret_cast<uintptr_t>(method_.records[value].home);
  };
  std::sort(tensors, tensors + count,
            [&](uint32_t a, uint32_t b) { return home(a) != home(b) ? home(a) < home(b) : a < b; });
  uint32_t place = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t value = tensors[i];
    if (i > 0 && home(value) != home(tensors[i - 1])) ++place;
    traces_[value].place = place;
    uint32_t& initial = places_[place].initial;
    const bool is_input = method_.records[value].input_index >= 0;
    if (is_input || (initial == kNoValue && may_be_base(value))) initial = value;
  }
  return Error::Ok;
}

/// A view is found where it is first read; it shows what was written to its place before.
void HiddenViews::follow(const Item& item) {
  for_each_operand(method_, item, [&](size_t value, Use use) {
    if (use != Use::Write) find_base(value);
  });
  for_each_operand(method_, item, [&](size_t value, Use use) {
    const uint32_t place = traces_[value].place;
    if (use != Use::Read && place != kNoValue) places_[place].holder = static_cast<uint32_t>(value);
  });
}

void HiddenViews::find_base(size_t view) {
  Trace& trace = traces_[view];
  if (trace.base != kNoValue || !is_candidate(view)) return;
  const Place& place = places_[trace.place];
  const bool initial = place.holder == kNoValue;
  const uint32_t base = initial ? place.initial : place.holder;
  if (base == kNoValue || base == view) return;
  const ValueRecord& from = method_.records[base];
  const ValueRecord& to = method_.records[view];
  if (!is_static(from) || from.max_nbytes != to.max_nbytes ||
      from.tensor->scalar_type() != to.tensor->scalar_type())
    return;
  trace.shows_own_run = !initial || from.input_index >= 0;
  const bool base_moves = from.replaced || traces_[base].base != kNoValue;
  if (!base_moves && shares_bytes(*from.tensor, *to.tensor)) return;
  trace.base = base;
  ++count_;
  if (is_constant(to.storage)) return;
  trace.shows_initial = initial;
  if (initial) ++num_initial_;
  trace.next_view = traces_[base].first_view;
  traces_[base].first_view = static_cast<uint32_t>(view);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
