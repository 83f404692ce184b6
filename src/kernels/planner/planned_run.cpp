#include "kernels/planner/planned_run.h"

#include <algorithm>
#include <utility>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace executorch {
namespace kernels {
namespace {

const aten::Tensor& tensor_of(const ValueTable& table, int32_t id) {
  return table.value(id).payload.as_tensor;
}

bool same_number(const EValue& a, const EValue& b) {
  if (a.tag != b.tag) return false;
  if (a.isBool()) return a.payload.copyable_union.as_bool == b.payload.copyable_union.as_bool;
  return a.payload.copyable_union.as_int == b.payload.copyable_union.as_int;
}

}  // namespace

struct PlannedRun::Plan {
  /// Null: these shapes are not understood, the instructions run one by one.
  std::unique_ptr<engine::Plan> plan;
  bool staged = false;
  bool only_planned = false;  ///< what is read lies in the method's arenas
  std::vector<Slot> slots;
  std::vector<void*> addresses;
  std::vector<std::pair<int32_t, EValue>> numbers;

  // What the plan was made for.
  std::vector<std::pair<int32_t, Dims>> shapes;
  std::vector<std::pair<int32_t, EValue>> outside_numbers;
  std::vector<std::pair<int32_t, std::vector<int64_t>>> lists;
};

PlannedRun::PlannedRun(std::shared_ptr<const ValueTable> table, Run run, size_t memory_limit,
                       const engine::CacheFolder& cache)
    : table_(std::move(table)),
      run_(std::move(run)),
      memory_limit_(memory_limit),
      cache_limit_(cache.limit) {
  if (cache.path != nullptr) cache_dir_ = cache.path;
}

PlannedRun::~PlannedRun() = default;

Error PlannedRun::prepare(Translator* translated) {
  std::unique_ptr<Plan> plan;
  ET_TRY(translated != nullptr ? plan_translated(*translated, true, false, &plan)
                               : make_plan(false, &plan));
  ET_REQUIRE(plan->plan != nullptr, NotSupported, "the run is not understood");
  description_ = "plan of " + std::to_string(plan->plan->num_steps()) + " steps for " +
                 std::to_string(run_.instructions.size()) + " instructions, packed " +
                 std::to_string(plan->plan->packed_bytes() / 1024) + " KB";
  if (const size_t shared = plan->plan->shared_bytes()) {
    description_ += ", " + std::to_string(shared / 1024) + " KB of it shared between processes";
  }
  plans_.add(std::move(plan));
  return Error::Ok;
}

Error PlannedRun::make_plan(bool staged, std::unique_ptr<Plan>* made) {
  Translator translator(*table_);
  bool understood = true;
  for (const PlanInstruction& instruction : run_.instructions) {
    understood = understood && translator.add(instruction);
  }
  return plan_translated(translator, understood, staged, made);
}

Error PlannedRun::plan_translated(Translator& translator, bool understood, bool staged,
                                  std::unique_ptr<Plan>* made) {
  auto plan = std::make_unique<Plan>();
  plan->staged = staged;
  understood = understood && translator.finish(run_.outside);
  plan->slots = translator.slots();
  plan->addresses.resize(plan->slots.size());
  plan->only_planned = std::all_of(plan->slots.begin(), plan->slots.end(), [&](const Slot& slot) {
    return slot.written || table_->info(slot.value).arena >= 0;
  });
  for (const Slot& slot : plan->slots) {
    if (!table_->info(slot.value).dynamic_shape) continue;
    Dims sizes;
    for (const auto size : tensor_of(*table_, slot.value).sizes()) sizes.push(size);
    plan->shapes.emplace_back(slot.value, sizes);
  }
  for (const int32_t id : translator.outside_numbers())
    plan->outside_numbers.emplace_back(id, table_->value(id));
  for (const int32_t id : translator.integer_lists()) {
    const auto list = table_->value(id).tryToIntList();
    if (!list.ok()) return list.error();
    plan->lists.emplace_back(id, std::vector<int64_t>(list.get().begin(), list.get().end()));
  }
  if (understood) {
    plan->numbers = translator.numbers();
    engine::PlanOptions options;
    options.memory_limit = memory_limit_;
    options.cache_dir = cache_dir_ ? cache_dir_->c_str() : nullptr;
    options.cache_limit = cache_limit_;
    options.stage_results = staged;
    options.earlier = plans_.latest();
    ET_TRY(engine::make_plan(translator.take_graph(), options, &plan->plan));
  }
  *made = std::move(plan);
  return Error::Ok;
}

bool PlannedRun::matches(const Plan& plan) const {
  for (const auto& [id, sizes] : plan.shapes) {
    const auto present = tensor_of(*table_, id).sizes();
    const bool read =
        std::any_of(plan.slots.begin(), plan.slots.end(),
                    [id = id](const Slot& slot) { return slot.value == id && !slot.written; });
    if (!read) continue;
    for (size_t d = 0; d < present.size(); ++d) {
      if (present[d] != sizes[static_cast<int>(d)]) return false;
    }
  }
  for (const auto& [id, number] : plan.outside_numbers) {
    if (!same_number(table_->value(id), number)) return false;
  }
  if (plan.lists.empty()) return true;
  for (const auto& [id, number] : plan.numbers) table_->value(id) = number;
  for (const auto& [id, values] : plan.lists) {
    const auto list = table_->value(id).tryToIntList();
    if (!list.ok() ||
        !std::equal(values.begin(), values.end(), list.get().begin(), list.get().end()))
      return false;
  }
  return true;
}

Error PlannedRun::find_plan(Plan** found) {
  *found = plans_.find([&](const Plan& plan) { return matches(plan); });
  if (*found != nullptr) return Error::Ok;
  std::unique_ptr<Plan> plan;
  ET_TRY(make_plan(false, &plan));
  if (plan->plan == nullptr && calls_.empty()) ET_TRY(prepare_calls());
  *found = plans_.add(std::move(plan));
  return Error::Ok;
}

Error PlannedRun::set_output_sizes(const Plan& plan) {
  for (const Slot& slot : plan.slots) {
    if (!slot.written || !table_->info(slot.value).dynamic_shape) continue;
    aten::SizesType sizes[engine::kMaxRank];
    for (int d = 0; d < slot.sizes.rank; ++d)
      sizes[d] = static_cast<aten::SizesType>(slot.sizes[d]);
    ET_TRY(runtime::resize_tensor(
        tensor_of(*table_, slot.value),
        aten::ArrayRef<aten::SizesType>(sizes, static_cast<size_t>(slot.sizes.rank))));
  }
  return Error::Ok;
}

// Whether a result's memory, given by the caller, meets memory that the run reads.
bool PlannedRun::slots_share_bytes(const Plan& plan) const {
  const auto bytes = [&](size_t i) { return tensor_of(*table_, plan.slots[i].value).nbytes(); };
  for (size_t i = 0; i < plan.slots.size(); ++i) {
    if (!plan.slots[i].written) continue;
    const bool planned = table_->info(plan.slots[i].value).arena >= 0;
    if (planned && plan.only_planned) continue;
    for (size_t k = 0; k < plan.slots.size(); ++k) {
      if (k == i || plan.slots[k].written) continue;
      if (planned && table_->info(plan.slots[k].value).arena >= 0) continue;
      if (engine::ranges_meet(plan.addresses[i], bytes(i), plan.addresses[k], bytes(k)))
        return true;
    }
  }
  return false;
}

Error PlannedRun::execute(runtime::KernelRuntimeContext& context) {
  Plan* plan = nullptr;
  ET_TRY(find_plan(&plan));
  if (plan->plan == nullptr) return run_one_by_one(context);
  for (const auto& [id, number] : plan->numbers) table_->value(id) = number;
  ET_TRY(set_output_sizes(*plan));
  for (size_t i = 0; i < plan->slots.size(); ++i) {
    const aten::Tensor& tensor = tensor_of(*table_, plan->slots[i].value);
    plan->addresses[i] = tensor.mutable_data_ptr();
    ET_REQUIRE(plan->addresses[i] != nullptr || tensor.numel() == 0, InvalidState,
               "the tensor of value %d has no memory", static_cast<int>(plan->slots[i].value));
  }
  if (!plan->staged && slots_share_bytes(*plan)) {
    std::unique_ptr<Plan> staged;
    ET_TRY(make_plan(true, &staged));
    staged->addresses = plan->addresses;
    plan = plans_.replace_latest(std::move(staged));
  }
  return plan->plan->run(plan->addresses.data(), &context, context.internal_event_tracer());
}

Error PlannedRun::prepare_calls() {
  std::vector<Call> calls;
  for (const PlanInstruction& instruction : run_.instructions) {
    Call& call = calls.emplace_back();
    if (instruction.kind == runtime::InstructionKind::Delegate) {
      call.backend = runtime::get_backend_class(instruction.name);
      if (call.backend == nullptr) return Error::NotFound;
      call.delegate = instruction.delegate;
    } else {
      const auto function = runtime::get_op_function_from_registry(instruction.name);
      if (!function.ok()) return function.error();
      call.function = function.get();
    }
    for (const int32_t id : instruction.values) call.arguments.push_back(&table_->value(id));
  }
  calls_ = std::move(calls);
  return Error::Ok;
}

Error PlannedRun::call_one(runtime::KernelRuntimeContext& context, Call& call) {
  const Span<EValue*> arguments(call.arguments.data(), call.arguments.size());
  if (call.backend != nullptr) {
    runtime::BackendExecutionContext backend_context(context.internal_event_tracer());
    return call.backend->execute(backend_context, call.delegate, arguments);
  }
  call.function(context, arguments);
  return context.failure_state();
}

Error PlannedRun::run_one_by_one(runtime::KernelRuntimeContext& context) {
  for (Call& call : calls_) ET_TRY(call_one(context, call));
  return Error::Ok;
}

size_t PlannedRun::memory_bytes() const {
  return plans_.memory_bytes();
}

std::vector<std::string> PlannedRun::steps() const {
  return plans_.latest() == nullptr ? std::vector<std::string>{} : plans_.latest()->describe();
}

}  // namespace kernels
}  // namespace executorch
