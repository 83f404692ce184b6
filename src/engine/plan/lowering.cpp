#include "engine/plan/lowering.h"

#include <algorithm>
#include <new>
#include <utility>

#include <executorch/runtime/core/checked_math.h>

#include "engine/steps/copy_steps.h"
#include "runtime/platform/file_mappings.h"

namespace executorch::engine {
namespace {

/// Which input of a node is a weight, packed when it is constant; -1 for none.
int weight_position(const Operation& operation) {
  if (std::holds_alternative<MatMul>(operation) || std::holds_alternative<Convolution>(operation))
    return 1;
  if (const auto* linear = std::get_if<QuantizedLinear>(&operation))
    return linear->product.dynamic ? 2 : 1;
  if (const auto* conv = std::get_if<QuantizedConvolution>(&operation))
    return conv->product.dynamic ? 2 : 1;
  return -1;
}

}  // namespace

Error Lowering::run(std::unique_ptr<Plan>* plan) {
  plan_.reset(new (std::nothrow) Plan);
  ET_REQUIRE(plan_ != nullptr, MemoryAllocationFailed, "no memory for a plan");
  places_.resize(graph_.values.size());
  wishes_.resize(graph_.values.size());
  contiguous_copies_.resize(graph_.values.size());
  uses_.assign(graph_.values.size(), 0);
  for (const Node& node : graph_.nodes) {
    for (const ValueId input : node.inputs) ++uses_[static_cast<size_t>(input)];
  }
  for (const Result& result : graph_.results) ++uses_[static_cast<size_t>(result.value)];

  ET_TRY(place_sources());
  find_wishes();
  for (const Node& node : graph_.nodes) {
    const size_t before = plan_->steps_.size();
    ET_TRY(
        std::visit([&](const auto& operation) { return lower(node, operation); }, node.operation));
    // Copies into another layout come first and have counted what they touch.
    if (plan_->steps_.size() > before) plan_->operand_bytes_.back() = operand_bytes(node);
  }
  ET_TRY(lower_results());
  return finish(plan);
}

int64_t Lowering::value_bytes(ValueId value) const {
  const Value& v = graph_.value(value);
  return numel(v.sizes) * element_bytes(v.dtype);
}

int64_t Lowering::operand_bytes(const Node& node) const {
  int64_t bytes = 0;
  for (const ValueId value : node.inputs) bytes += value_bytes(value);
  for (const ValueId value : node.outputs) bytes += value_bytes(value);
  return bytes;
}

PackedSizes packed_sizes(const Graph& graph) {
  // By how much the weights of a plan may grow for Winograd's algorithm, which makes 16 values
  // of 9.
  constexpr size_t kLeastGrowth = size_t{2} << 20;
  constexpr size_t kGrowthShare = 10;
  size_t total = 0, possible_growth = 0;
  std::vector<bool> counted(graph.values.size());
  for (const Node& node : graph.nodes) {
    const int position = weight_position(node.operation);
    if (position < 0) continue;
    const ValueId id = node.inputs[static_cast<size_t>(position)];
    const Value& weight = graph.value(id);
    if (!graph.is_constant(id) || counted[static_cast<size_t>(id)]) continue;
    if (!is_dense(weight.sizes, weight.strides)) continue;
    counted[static_cast<size_t>(id)] = true;
    // Half types are packed in single precision.
    const bool bytes = element_bytes(weight.dtype) == 1;
    const size_t size = static_cast<size_t>(numel(weight.sizes)) * (bytes ? 1 : sizeof(float));
    total += size;
    const bool may_grow = std::holds_alternative<Convolution>(node.operation) &&
                          weight.sizes.rank == 4 && weight.sizes[2] == 3 && weight.sizes[3] == 3;
    if (may_grow) possible_growth += size / 9 * 7;
  }
  const size_t growth = std::max(total / kGrowthShare, kLeastGrowth);
  return {total + std::min(possible_growth, growth), growth};
}

Error Lowering::place_sources() {
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    const Value& value = graph_.values[i];
    if (value.source == Source::Computed) continue;
    Storage storage;
    storage.kind = value.source == Source::Constant ? Kind::Fixed : Kind::Slot;
    storage.fixed = value.data;
    storage.slot = value.slot;
    storages_.push_back(storage);
    places_[i].storage = static_cast<int32_t>(storages_.size() - 1);
    places_[i].strides = value.strides;
  }
  return Error::Ok;
}

Error Lowering::lower_results() {
  // Results that show one slot in another are read before any slot is written.
  for (const Result& result : graph_.results) {
    Placement& from = places_[static_cast<size_t>(result.value)];
    const Storage& storage = storages_[static_cast<size_t>(from.storage)];
    if (storage.kind != Kind::Slot || storage.slot == result.slot) continue;
    const Placement copy =
        new_placement(result.value, contiguous_strides(graph_.value(result.value).sizes));
    emit_copy(result.value, from, copy);
    from = copy;
  }
  for (const Result& result : graph_.results) {
    const Value& value = graph_.value(result.value);
    Placement target;
    target.strides = result.strides;
    const Placement& wish = wishes_[static_cast<size_t>(result.value)];
    const Placement& from = place(result.value);
    if (from.storage >= 0 && storages_[static_cast<size_t>(from.storage)].kind == Kind::Slot &&
        storages_[static_cast<size_t>(from.storage)].slot == result.slot && from.offset == 0 &&
        same_strides(value.sizes, from.strides, result.strides)) {
      continue;
    }
    if (wish.valid() && storages_[static_cast<size_t>(wish.storage)].slot == result.slot) {
      target.storage = wish.storage;
    } else {
      Storage storage;
      storage.kind = Kind::Slot;
      storage.slot = result.slot;
      storages_.push_back(storage);
      target.storage = static_cast<int32_t>(storages_.size() - 1);
    }
    emit_copy(result.value, from, target);
  }
  return Error::Ok;
}

int32_t Lowering::new_storage(int64_t bytes) {
  Storage storage;
  storage.kind = Kind::Arena;
  storage.bytes = bytes;
  storages_.push_back(storage);
  return static_cast<int32_t>(storages_.size() - 1);
}

Placement Lowering::new_placement(ValueId value, const Dims& strides) {
  Placement placement;
  placement.storage = new_storage(value_bytes(value));
  placement.strides = strides;
  return placement;
}

void Lowering::emit(std::unique_ptr<Step> step, const std::vector<Placement>& touched) {
  const int32_t index = static_cast<int32_t>(plan_->steps_.size());
  for (const Placement& placement : touched) {
    Storage& storage = storages_[static_cast<size_t>(placement.storage)];
    if (storage.first < 0) storage.first = index;
    storage.last = index;
  }
  plan_->steps_.push_back(std::move(step));
  plan_->operand_bytes_.push_back(0);
}

void Lowering::emit(std::unique_ptr<Step> step, std::initializer_list<Placement> touched) {
  emit(std::move(step), std::vector<Placement>(touched));
}

void Lowering::emit_copy(ValueId value, const Placement& from, const Placement& to) {
  if (numel(graph_.value(value).sizes) == 0) return;
  emit(make_copy_step(tensor(value, from), tensor(value, to)), {from, to});
  plan_->operand_bytes_.back() = 2 * value_bytes(value);
}

Place Lowering::byte_place(ValueId value, const Placement& placement) const {
  return {placement.storage, placement.offset * element_bytes(graph_.value(value).dtype)};
}

TensorPlace Lowering::tensor(ValueId value, const Placement& placement) const {
  const Value& v = graph_.value(value);
  return {byte_place(value, placement), v.dtype, v.sizes, placement.strides};
}

Placement Lowering::contiguous(ValueId value) {
  const Value& v = graph_.value(value);
  if (is_contiguous(v.sizes, place(value).strides)) return place(value);
  Placement& kept = contiguous_copies_[static_cast<size_t>(value)];
  if (!kept.valid()) {
    const Placement copy = new_placement(value, contiguous_strides(v.sizes));
    emit_copy(value, place(value), copy);
    kept = copy;
  }
  return kept;
}

Placement Lowering::with_strides(ValueId value, const Dims& strides) {
  const Value& v = graph_.value(value);
  if (same_strides(v.sizes, place(value).strides, strides)) return place(value);
  const Placement copy = new_placement(value, strides);
  emit_copy(value, place(value), copy);
  return copy;
}

Placement Lowering::place_output_contiguous(ValueId value) {
  const Dims& sizes = graph_.value(value).sizes;
  return place_output(value, contiguous_strides(sizes),
                      [&](const Dims& strides) { return is_contiguous(sizes, strides); });
}

// Places each storage at the lowest offset where it overlaps none that lives at the same time,
// largest first.
int64_t Lowering::layout_arena() {
  constexpr int64_t kAlignment = static_cast<int64_t>(MemoryBlock::kAlignment);
  std::vector<Storage*> order;
  for (Storage& storage : storages_) {
    if (storage.kind == Kind::Arena && storage.first >= 0) order.push_back(&storage);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Storage* a, const Storage* b) { return a->bytes > b->bytes; });
  std::vector<Storage*> placed;  // by offset
  int64_t total = 0;
  for (Storage* storage : order) {
    const int64_t bytes = (storage->bytes + kAlignment - 1) / kAlignment * kAlignment;
    int64_t offset = 0;
    for (const Storage* other : placed) {
      const bool together = other->first <= storage->last && storage->first <= other->last;
      if (!together || other->offset + other->bytes <= offset) continue;
      if (other->offset >= offset + bytes) break;
      offset = (other->offset + other->bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
    storage->offset = offset;
    total = std::max(total, offset + bytes);
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), storage,
                         [](const Storage* a, const Storage* b) { return a->offset < b->offset; }),
        storage);
  }
  return total;
}

bool Lowering::fits_budget(size_t more) const {
  const size_t held = packed_bytes_ + graph_.owned->total();
  return held <= options_.memory_limit && more <= options_.memory_limit - held;
}

Error Lowering::check_budget(size_t more, const char* what) {
  ET_REQUIRE(fits_budget(more), MemoryAllocationFailed,
             "the plan needs %zu bytes beside %zu already held for %s, over its limit of %zu", more,
             packed_bytes_ + graph_.owned->total(), what, options_.memory_limit);
  return Error::Ok;
}

Error Lowering::pack_weight(const WeightSpec& spec, const WeightPacker& packer,
                            const float** packed) {
  // Memory made while planning may hold something else by the next plan: its address says nothing.
  const bool lasting = !graph_.owned->contains(spec.source) &&
                       (spec.extra == nullptr || !graph_.owned->contains(spec.extra));
  std::shared_ptr<const PackedWeight> weight = plan_->find_weight(spec);
  const bool held = weight != nullptr;
  if (!held && lasting && options_.earlier != nullptr) weight = options_.earlier->find_weight(spec);
  if (weight == nullptr) {
    weight =
        packed_weight(spec, packer, {options_.cache_dir, options_.cache_limit}, weight_memory_);
    runtime::internal::release_file_pages(spec.source, spec.source_bytes);
  }
  ET_REQUIRE(weight != nullptr, MemoryAllocationFailed,
             "no memory for a packed weight of %zu bytes", spec.packed_bytes);
  *packed = weight->data();
  if (held) return Error::Ok;
  packed_bytes_ += spec.packed_bytes;
  Plan::Weight kept{spec, {}, std::move(weight)};
  if (spec.scale != nullptr) kept.scale.assign(spec.scale, spec.scale + spec.scales);
  kept.spec.scale = nullptr;
  if (!lasting) kept.spec.source = nullptr;
  plan_->weights_.push_back(std::move(kept));
  return Error::Ok;
}

Error Lowering::finish(std::unique_ptr<Plan>* plan) {
  const size_t arena = static_cast<size_t>(layout_arena());
  ET_TRY(check_budget(arena, "intermediate values"));
  plan_->arena_ = MemoryBlock::allocate_large(arena);
  ET_REQUIRE(plan_->arena_.holds(arena), MemoryAllocationFailed,
             "no memory for %zu bytes of intermediate values", arena);
  plan_->addresses_.resize(storages_.size());
  for (size_t i = 0; i < storages_.size(); ++i) {
    const Storage& storage = storages_[i];
    switch (storage.kind) {
      case Kind::Arena:
        plan_->addresses_[i] = plan_->arena_.data() + storage.offset;
        break;
      case Kind::Fixed:
        if (storage.first < 0) break;  // only packed
        plan_->addresses_[i] = const_cast<char*>(static_cast<const char*>(storage.fixed));
        break;
      case Kind::Slot:
        plan_->slots_.push_back({static_cast<int32_t>(i), storage.slot});
        break;
    }
  }
  plan_->constants_ = graph_.owned;
  ET_TRY(plan_->reserve_scratch());
  ET_TRY(check_budget(arena + plan_->scratch_.size(), "intermediate values and scratch"));
  *plan = std::move(plan_);
  return Error::Ok;
}

}  // namespace executorch::engine
