#include <executorch/runtime/executor/program_validation.h>

#include <algorithm>
#include <cstdint>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>

#include "runtime/program/serialized_tensor.h"
#include "runtime/program/table_checks.h"

namespace executorch {
namespace runtime {

namespace fb = executorch_flatbuffer;

namespace {

bool is_permutation(const uint8_t* dim_order, size_t rank) {
  uint32_t seen = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (dim_order[i] >= rank || (seen >> dim_order[i]) & 1) return false;
    seen |= 1u << dim_order[i];
  }
  return true;
}

Error check_indices(const char* what, const flatbuffers::Vector<int32_t>* indices,
                    size_t num_values) {
  ET_REQUIRE(indices != nullptr, InvalidProgram, "%s are missing", what);
  for (uint32_t i = 0; i < indices->size(); ++i) {
    const int32_t index = indices->Get(i);
    ET_REQUIRE(index >= 0 && static_cast<size_t>(index) < num_values, InvalidProgram,
               "%s[%u]: value %d does not exist, the method has %zu values", what, i, index,
               num_values);
  }
  return Error::Ok;
}

Error check_operators(const fb::ExecutionPlan& plan) {
  if (plan.operators() == nullptr) return Error::Ok;
  for (uint32_t i = 0; i < plan.operators()->size(); ++i) {
    const auto* op = plan.operators()->Get(i);
    ET_REQUIRE(op != nullptr && op->name() != nullptr && op->name()->size() > 0, InvalidProgram,
               "operators[%u] has no name", i);
  }
  return Error::Ok;
}

Error check_compile_specs(const fb::BackendDelegate& delegate) {
  if (delegate.compile_specs() == nullptr) return Error::Ok;
  for (uint32_t i = 0; i < delegate.compile_specs()->size(); ++i) {
    const auto* spec = delegate.compile_specs()->Get(i);
    ET_REQUIRE(spec != nullptr && spec->key() != nullptr, InvalidProgram,
               "compile_specs[%u] has no key", i);
  }
  return Error::Ok;
}

Error check_delegate(const fb::BackendDelegate* delegate) {
  ET_REQUIRE(delegate != nullptr && delegate->id() != nullptr, InvalidProgram,
             "the backend id is missing");
  const auto* processed = delegate->processed();
  ET_REQUIRE(processed != nullptr, InvalidProgram, "the reference to its data is missing");
  ET_REQUIRE(processed->location() == fb::DataLocation::INLINE ||
                 processed->location() == fb::DataLocation::SEGMENT,
             InvalidProgram, "data location %d is neither INLINE (0) nor SEGMENT (1)",
             static_cast<int>(processed->location()));
  return check_compile_specs(*delegate);
}

Error check_delegates(const fb::ExecutionPlan& plan) {
  ET_REQUIRE(plan.delegates() != nullptr, InvalidProgram, "delegates are missing");
  for (uint32_t i = 0; i < plan.delegates()->size(); ++i) {
    const Error error = check_delegate(plan.delegates()->Get(i));
    if (error != Error::Ok) {
      add_error_context("delegates[%u]", i);
      return error;
    }
  }
  return Error::Ok;
}

/// Most arenas that a method may have.
constexpr uint32_t kMaxArenas = 1024;

/// For each arena, where the last tensor planned into it ends. Tensors outside are refused when the
/// method is loaded.
void collect_arena_use(const fb::ExecutionPlan& plan, uint64_t (&ends)[kMaxArenas]) {
  for (const auto* value : *plan.values()) {
    const auto* tensor = value->val_as_Tensor();
    if (tensor == nullptr || tensor->allocation_info() == nullptr) continue;
    const uint32_t arena = tensor->allocation_info()->memory_id();
    auto nbytes =
        internal::serialized_nbytes(tensor->sizes()->data(), tensor->sizes()->size(),
                                    internal::serialized_element_size(tensor->scalar_type()));
    uint64_t end = 0;
    if (arena < kMaxArenas && nbytes.ok() &&
        checked_add(internal::planned_offset(*tensor->allocation_info()), uint64_t{nbytes.get()},
                    &end)) {
      ends[arena] = std::max(ends[arena], end);
    }
  }
}

/// The application allocates what is stated here before a method can refuse it. Exporters round up
/// and may leave room, so only a gross excess over what the tensors use is refused.
Error check_arenas(const fb::ExecutionPlan& plan) {
  constexpr int64_t kAlwaysAllowed = int64_t{1} << 20;
  const auto* sizes = plan.non_const_buffer_sizes();
  ET_REQUIRE(sizes != nullptr && internal::is_aligned(*sizes), InvalidProgram,
             "non_const_buffer_sizes are %s", sizes == nullptr ? "missing" : "not aligned");
  ET_REQUIRE(sizes->size() <= kMaxArenas, InvalidProgram,
             "%u planned buffers, at most %u are supported", sizes->size(), kMaxArenas);
  uint64_t ends[kMaxArenas] = {};
  collect_arena_use(plan, ends);
  for (uint32_t i = 0; i < sizes->size(); ++i) {
    const int64_t size = sizes->Get(i);
    ET_REQUIRE(size >= 0, InvalidProgram, "non_const_buffer_sizes[%u] is negative: %lld", i,
               static_cast<long long>(size));
    const bool justified =
        i == 0 || size <= kAlwaysAllowed || static_cast<uint64_t>(size) / 2 <= ends[i];
    ET_REQUIRE(justified, InvalidProgram,
               "non_const_buffer_sizes[%u] asks for %lld bytes, but its tensors end at %llu", i,
               static_cast<long long>(size), static_cast<unsigned long long>(ends[i]));
  }
  return Error::Ok;
}

Error check_arena_devices(const fb::ExecutionPlan& plan) {
  const auto* devices = plan.non_const_buffer_device();
  if (devices == nullptr) return Error::Ok;
  for (uint32_t i = 0; i < devices->size(); ++i) {
    const auto* entry = devices->Get(i);
    ET_REQUIRE(
        entry != nullptr && entry->buffer_idx() >= 0 &&
            static_cast<uint32_t>(entry->buffer_idx()) < plan.non_const_buffer_sizes()->size(),
        InvalidProgram, "non_const_buffer_device[%u] names buffer %d, the method has %u", i,
        entry == nullptr ? -1 : entry->buffer_idx(), plan.non_const_buffer_sizes()->size());
    ET_REQUIRE(
        entry->device_type() == fb::DeviceType::CPU || entry->device_type() == fb::DeviceType::CUDA,
        InvalidProgram, "non_const_buffer_device[%u] names unknown device type %d", i,
        static_cast<int>(entry->device_type()));
  }
  return Error::Ok;
}

Error check_plan(const fb::ExecutionPlan& plan, internal::ElementBudget& budget) {
  ET_TRY(internal::check_values(plan, budget));
  const size_t num_values = plan.values()->size();
  ET_TRY(check_indices("inputs", plan.inputs(), num_values));
  ET_TRY(check_indices("outputs", plan.outputs(), num_values));
  ET_REQUIRE(budget.take(plan.inputs()->size()) && budget.take(plan.outputs()->size()),
             InvalidProgram, "inputs and outputs are longer than the file");
  ET_TRY(check_operators(plan));
  ET_TRY(check_delegates(plan));
  ET_TRY(check_arenas(plan));
  ET_TRY(check_arena_devices(plan));
  return internal::check_chains(plan, budget);
}

Error check_methods(const fb::Program& program, internal::ElementBudget& budget) {
  const auto* plans = program.execution_plan();
  ET_REQUIRE(plans != nullptr, InvalidProgram,
             "execution_plan is missing: the program has no methods");
  for (uint32_t i = 0; i < plans->size(); ++i) {
    const auto* plan = plans->Get(i);
    ET_REQUIRE(plan != nullptr && plan->name() != nullptr, InvalidProgram,
               "execution_plan[%u] has no name", i);
    const Error error = check_plan(*plan, budget);
    if (error != Error::Ok) {
      add_error_context("method '%.100s'", plan->name()->c_str());
      return error;
    }
  }
  return Error::Ok;
}

Error check_subsegments(const char* what, const fb::SubsegmentOffsets* subsegments,
                        size_t num_segments) {
  if (subsegments == nullptr || subsegments->offsets() == nullptr) return Error::Ok;
  ET_REQUIRE(internal::is_aligned(*subsegments->offsets()), InvalidProgram,
             "the offsets of %s are not aligned", what);
  if (subsegments->offsets()->size() <= 1) return Error::Ok;
  ET_REQUIRE(subsegments->segment_index() < num_segments, InvalidProgram,
             "%s lies in segment %u, the program has %zu segments", what,
             subsegments->segment_index(), num_segments);
  return Error::Ok;
}

Error check_data(const fb::Program& program) {
  const size_t num_segments = program.segments() == nullptr ? 0 : program.segments()->size();
  for (uint32_t i = 0; i < num_segments; ++i) {
    ET_REQUIRE(program.segments()->Get(i) != nullptr, InvalidProgram, "segments[%u] is missing", i);
  }
  ET_TRY(check_subsegments("constant_segment", program.constant_segment(), num_segments));
  const auto* constants = program.constant_segment();
  const bool has_constants =
      constants != nullptr && constants->offsets() != nullptr && constants->offsets()->size() > 1;
  ET_REQUIRE(!has_constants || program.constant_buffer() == nullptr ||
                 program.constant_buffer()->size() == 0,
             InvalidProgram,
             "constants are stored twice: in constant_segment and in constant_buffer");
  if (program.mutable_data_segments() == nullptr) return Error::Ok;
  for (uint32_t i = 0; i < program.mutable_data_segments()->size(); ++i) {
    ET_REQUIRE(program.mutable_data_segments()->Get(i) != nullptr, InvalidProgram,
               "mutable_data_segments[%u] is missing", i);
    const auto* offsets = program.mutable_data_segments()->Get(i)->offsets();
    ET_REQUIRE(offsets == nullptr || internal::is_aligned(*offsets), InvalidProgram,
               "the offsets of mutable_data_segments[%u] are not aligned", i);
  }
  return Error::Ok;
}

}  // namespace

Error validate_tensor(const fb::Tensor* tensor) {
  ET_REQUIRE(tensor != nullptr, InvalidProgram, "the tensor is missing");
  const size_t element_size = internal::serialized_element_size(tensor->scalar_type());
  ET_REQUIRE(element_size > 0, InvalidProgram, "unknown element type %d",
             static_cast<int>(tensor->scalar_type()));
  const auto* sizes = tensor->sizes();
  const auto* dim_order = tensor->dim_order();
  ET_REQUIRE(sizes != nullptr && dim_order != nullptr, InvalidProgram, "%s are missing",
             sizes == nullptr ? "sizes" : "dim_order entries");
  const size_t rank = sizes->size();
  ET_REQUIRE(rank <= internal::kMaxRank, InvalidProgram,
             "%zu dimensions, at most %zu are supported", rank, internal::kMaxRank);
  ET_REQUIRE(dim_order->size() == rank, InvalidProgram, "%zu sizes but %u dim_order entries", rank,
             dim_order->size());
  ET_REQUIRE(is_permutation(dim_order->data(), rank), InvalidProgram,
             "dim_order is no permutation of 0 to %zu", rank == 0 ? 0 : rank - 1);
  auto nbytes = internal::serialized_nbytes(sizes->data(), rank, element_size);
  if (!nbytes.ok()) return nbytes.error();
  int32_t strides[internal::kMaxRank];
  ET_REQUIRE(internal::compute_strides(sizes->data(), dim_order->data(), rank, strides),
             InvalidProgram, "a stride does not fit 32 bits");
  return Error::Ok;
}

Error validate_program(const fb::Program* program) {
  ET_REQUIRE(program != nullptr, InvalidProgram, "the program is missing");
  return internal::check_tables(*program, SIZE_MAX);
}

namespace internal {

Error check_tables(const fb::Program& program, size_t table_bytes) {
  ElementBudget budget(table_bytes);
  ET_TRY(check_data(program));
  return check_methods(program, budget);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
