#include "backends/xnnpack/delegate/delegate.h"

#include <algorithm>
#include <cinttypes>
#include <new>
#include <utility>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "backends/xnnpack/translate/graph_builder.h"

namespace executorch::backends::xnnpack {
namespace {

using aten::Tensor;
using engine::DType;
using runtime::EValue;
using runtime::Span;

DType dtype_of(const Tensor& tensor) {
  return static_cast<DType>(tensor.scalar_type());
}

/// Size number `i` in memory order.
int64_t physical_size(const Tensor& tensor, size_t i) {
  const auto order = tensor.dim_order();
  return tensor.sizes()[order.empty() ? i : order[i]];
}

/// A single number counts as one element along one dimension where the payload has it so.
bool is_lone_number(const Tensor& tensor, const Dims& sizes) {
  return tensor.dim() == 0 && sizes.rank == 1;
}

Dims physical_sizes(const Tensor& tensor, const Dims& bounds) {
  Dims sizes;
  if (is_lone_number(tensor, bounds)) sizes.push(1);
  for (size_t i = 0; i < static_cast<size_t>(tensor.dim()); ++i) {
    sizes.push(physical_size(tensor, i));
  }
  return sizes;
}

bool has_sizes(const Tensor& tensor, const Dims& sizes) {
  if (is_lone_number(tensor, sizes)) return sizes[0] == 1;
  for (int i = 0; i < sizes.rank; ++i) {
    if (physical_size(tensor, static_cast<size_t>(i)) != sizes[i]) return false;
  }
  return true;
}

/// Types that an argument may have: positions are also handed out with 64 bits.
bool takes(const Value& value, DType dtype) {
  const DType own = graph_dtype(value.datatype);
  return dtype == own || (value.output && own == DType::i32 && dtype == DType::i64);
}

const char* type_name(const Tensor& tensor) {
  return runtime::toString(tensor.scalar_type());
}

}  // namespace

Error Delegate::create(Span<const uint8_t> blob, const runtime::NamedDataMap* data,
                       const DelegateOptions& options, std::unique_ptr<Delegate>* delegate) {
  std::unique_ptr<Delegate> made(new (std::nothrow) Delegate);
  ET_REQUIRE(made != nullptr, MemoryAllocationFailed, "no memory for a delegate");
  if (options.cache_dir != nullptr) made->cache_dir_ = options.cache_dir;
  made->cache_limit_ = options.cache_limit;
  made->memory_limit_ = options.memory_limit;
  ET_TRY(read_payload(blob, data, &made->payload_));
  const auto place = [&](ValueIndex id) {
    const int32_t external = made->value(id).external;
    made->num_arguments_ = std::max(made->num_arguments_, static_cast<size_t>(external) + 1);
    return external;
  };
  for (const ValueIndex id : made->payload_.inputs) made->input_arguments_.push_back(place(id));
  for (const ValueIndex id : made->payload_.outputs) made->output_arguments_.push_back(place(id));
  made->addresses_.resize(made->payload_.inputs.size() + made->payload_.outputs.size());
  if (!options.planned) ET_TRY(made->prepare());
  engine::register_graph_source(made.get(), made.get());
  *delegate = std::move(made);
  return Error::Ok;
}

Delegate::~Delegate() {
  engine::unregister_graph_source(this);
}

size_t Delegate::num_inputs() const {
  const int32_t first = output_arguments_.empty() ? INT32_MAX : output_arguments_.front();
  const int32_t last = input_arguments_.empty() ? -1 : input_arguments_.back();
  return last < first ? static_cast<size_t>(last + 1) : SIZE_MAX;
}

std::vector<Delegate::Argument> Delegate::largest_inputs() const {
  std::vector<Argument> inputs;
  for (const ValueIndex id : payload_.inputs) {
    inputs.push_back({graph_dtype(value(id).datatype), value(id).dims});
  }
  return inputs;
}

Error Delegate::prepare() {
  std::vector<DType> outputs;
  for (const ValueIndex id : payload_.outputs) outputs.push_back(graph_dtype(value(id).datatype));
  std::unique_ptr<Plan> plan;
  const Error error = make_plan(largest_inputs(), outputs, false, &plan);
  // The sizes that come may be smaller.
  if (error == Error::MemoryAllocationFailed) return Error::Ok;
  if (error == Error::Ok) plans_.add(std::move(plan));
  return error;
}

Error Delegate::make_plan(std::vector<Argument> inputs, const std::vector<DType>& outputs,
                          bool staged, std::unique_ptr<Plan>* made) const {
  auto plan = std::make_unique<Plan>();
  plan->inputs = std::move(inputs);
  plan->staged = staged;
  engine::Graph graph;
  graph.externals.resize(addresses_.size());
  std::vector<engine::ValueId> values;
  int32_t slot = 0;
  for (const Argument& input : plan->inputs) {
    values.push_back(graph.add_external(input.dtype, input.sizes,
                                        engine::contiguous_strides(input.sizes), slot++));
  }
  GraphBuilder builder(payload_, &graph);
  ET_TRY(builder.build(values));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const engine::ValueId result = builder.cast(builder.plain(payload_.outputs[i]), outputs[i]);
    const Dims sizes = graph.value(result).sizes;
    graph.results.push_back({result, slot++, engine::contiguous_strides(sizes)});
    plan->outputs.push_back({outputs[i], sizes});
  }
  engine::PlanOptions options;
  options.memory_limit = memory_limit_;
  options.cache_dir = cache_dir_ ? cache_dir_->c_str() : nullptr;
  options.cache_limit = cache_limit_;
  options.stage_results = staged;
  options.earlier = plans_.latest();
  ET_TRY(engine::make_plan(std::move(graph), options, &plan->plan));
  *made = std::move(plan);
  return Error::Ok;
}

Error Delegate::add_to(engine::Graph* graph, const std::vector<engine::ValueId>& inputs,
                       std::vector<engine::ValueId>* outputs) const {
  ET_REQUIRE(inputs.size() == payload_.inputs.size(), InvalidArgument,
             "the delegate reads %zu arguments, %zu are given", payload_.inputs.size(),
             inputs.size());
  GraphBuilder builder(payload_, graph);
  std::vector<engine::ValueId> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& expected = value(payload_.inputs[i]);
    const engine::Value& given = graph->value(inputs[i]);
    Dims sizes = given.sizes;
    if (sizes.rank == 0 && expected.dims.rank == 1) sizes.push(1);
    bool fits = given.dtype == graph_dtype(expected.datatype) && sizes.rank == expected.dims.rank;
    for (int d = 0; fits && d < sizes.rank; ++d) fits = sizes[d] <= expected.dims[d];
    ET_REQUIRE(fits, InvalidArgument, "argument %" PRId32 " does not fit the delegate",
               expected.external);
    values.push_back(builder.reshape(inputs[i], sizes));
  }
  ET_TRY(builder.build(values));
  for (const ValueIndex id : payload_.outputs) outputs->push_back(builder.plain(id));
  return Error::Ok;
}

const Tensor& Delegate::tensor(Span<EValue*> arguments, ValueIndex id) const {
  return arguments[static_cast<size_t>(value(id).external)]->payload.as_tensor;
}

Error Delegate::check_arguments(Span<EValue*> arguments) const {
  ET_REQUIRE(arguments.size() >= num_arguments_, InvalidArgument,
             "the delegate takes %zu arguments, %zu are given", num_arguments_, arguments.size());
  for (const auto* ids : {&payload_.inputs, &payload_.outputs}) {
    for (const ValueIndex id : *ids) {
      const Value& expected = value(id);
      const int32_t place = expected.external;
      ET_REQUIRE(arguments[static_cast<size_t>(place)]->isTensor(), InvalidArgument,
                 "argument %" PRId32 " of the delegate is no tensor", place);
      const Tensor& found = tensor(arguments, id);
      ET_REQUIRE(takes(expected, dtype_of(found)), InvalidArgument,
                 "argument %" PRId32 " of the delegate is of type %s, %s is expected", place,
                 type_name(found), datatype_name(expected.datatype));
      if (expected.output || is_lone_number(found, expected.dims)) continue;
      ET_REQUIRE(found.dim() == expected.dims.rank, InvalidArgument,
                 "argument %" PRId32 " of the delegate has %zd dimensions, %d are expected", place,
                 static_cast<ssize_t>(found.dim()), expected.dims.rank);
      for (int d = 0; d < expected.dims.rank; ++d) {
        const int64_t size = physical_size(found, static_cast<size_t>(d));
        ET_REQUIRE(size <= expected.dims[d], InvalidArgument,
                   "argument %" PRId32 " of the delegate has %" PRId64
                   " elements along dimension %d, at most %" PRId64 " are expected",
                   place, size, d, expected.dims[d]);
      }
    }
  }
  return Error::Ok;
}

Error Delegate::find_plan(Span<EValue*> arguments, Plan** found) {
  *found = plans_.find([&](const Plan& plan) {
    for (size_t i = 0; i < plan.inputs.size(); ++i) {
      if (!has_sizes(tensor(arguments, payload_.inputs[i]), plan.inputs[i].sizes)) return false;
    }
    for (size_t i = 0; i < plan.outputs.size(); ++i) {
      if (dtype_of(tensor(arguments, payload_.outputs[i])) != plan.outputs[i].dtype) return false;
    }
    return true;
  });
  if (*found != nullptr) return Error::Ok;
  std::vector<Argument> inputs;
  std::vector<DType> outputs;
  for (const ValueIndex id : payload_.inputs) {
    const Tensor& input = tensor(arguments, id);
    inputs.push_back({dtype_of(input), physical_sizes(input, value(id).dims)});
  }
  for (const ValueIndex id : payload_.outputs) outputs.push_back(dtype_of(tensor(arguments, id)));
  std::unique_ptr<Plan> plan;
  ET_TRY(make_plan(std::move(inputs), outputs, false, &plan));
  *found = plans_.add(std::move(plan));
  return Error::Ok;
}

Error Delegate::resize_outputs(Span<EValue*> arguments, const Plan& plan) const {
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const Dims& sizes = plan.outputs[i].sizes;
    const Tensor& output = tensor(arguments, payload_.outputs[i]);
    if (is_lone_number(output, sizes) && sizes[0] == 1) continue;
    ET_REQUIRE(output.dim() == sizes.rank, InvalidArgument,
               "argument %" PRId32 " of the delegate has %zd dimensions, its result has %d",
               value(payload_.outputs[i]).external, static_cast<ssize_t>(output.dim()), sizes.rank);
    aten::SizesType logical[engine::kMaxRank];
    const auto order = output.dim_order();
    for (int d = 0; d < sizes.rank; ++d) {
      const size_t place = static_cast<size_t>(d);
      logical[order.empty() ? place : order[place]] = static_cast<aten::SizesType>(sizes[d]);
    }
    ET_TRY(runtime::resize_tensor(
        output, aten::ArrayRef<aten::SizesType>(logical, static_cast<size_t>(sizes.rank))));
  }
  return Error::Ok;
}

Error Delegate::take_addresses(Span<EValue*> arguments) {
  size_t slot = 0;
  for (const auto* ids : {&payload_.inputs, &payload_.outputs}) {
    for (const ValueIndex id : *ids) {
      const Tensor& argument = tensor(arguments, id);
      addresses_[slot] = argument.mutable_data_ptr();
      ET_REQUIRE(addresses_[slot] != nullptr || argument.numel() == 0, InvalidState,
                 "argument %" PRId32 " of the delegate has no memory", value(id).external);
      ++slot;
    }
  }
  return Error::Ok;
}

bool Delegate::results_meet_inputs(Span<EValue*> arguments) const {
  const size_t inputs = payload_.inputs.size();
  for (size_t o = 0; o < payload_.outputs.size(); ++o) {
    const size_t out_bytes = tensor(arguments, payload_.outputs[o]).nbytes();
    for (size_t i = 0; i < inputs; ++i) {
      const size_t in_bytes = tensor(arguments, payload_.inputs[i]).nbytes();
      if (engine::ranges_meet(addresses_[inputs + o], out_bytes, addresses_[i], in_bytes))
        return true;
    }
  }
  return false;
}

Error Delegate::execute(Span<EValue*> arguments, runtime::EventTracer* tracer) {
  ET_TRY(check_arguments(arguments));
  Plan* plan = nullptr;
  ET_TRY(find_plan(arguments, &plan));
  ET_TRY(resize_outputs(arguments, *plan));
  ET_TRY(take_addresses(arguments));
  if (!plan->staged && results_meet_inputs(arguments)) {
    std::vector<DType> outputs;
    for (const Argument& output : plan->outputs) outputs.push_back(output.dtype);
    std::unique_ptr<Plan> staged;
    ET_TRY(make_plan(plan->inputs, outputs, true, &staged));
    plan = plans_.replace_latest(std::move(staged));
  }
  return plan->plan->run(addresses_.data(), nullptr, tracer);
}

}  // namespace executorch::backends::xnnpack
