#include <executorch/runtime/executor/method.h>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/assert.h>

#include "runtime/executor/method_impl.h"
#include "runtime/executor/method_inputs.h"

namespace executorch {
namespace runtime {

Method::~Method() {
  delete impl_;
}

Error Method::set_input(const EValue& input_evalue, size_t input_idx) {
  ET_REQUIRE(impl_ != nullptr, InvalidState, "the method was moved from");
  return internal::set_method_input(*impl_, input_evalue, input_idx);
}

Error Method::set_inputs(const executorch::aten::ArrayRef<EValue>& input_evalues) {
  ET_REQUIRE(impl_ != nullptr, InvalidState, "the method was moved from");
  ET_REQUIRE(input_evalues.size() == impl_->num_inputs(), InvalidArgument,
             "%.100s takes %zu inputs, %zu were given", impl_->name(), impl_->num_inputs(),
             input_evalues.size());
  for (size_t i = 0; i < input_evalues.size(); ++i) ET_TRY(set_input(input_evalues[i], i));
  return Error::Ok;
}

Error Method::set_output_data_ptr(void* buffer, size_t size, size_t output_idx) {
  ET_REQUIRE(impl_ != nullptr, InvalidState, "the method was moved from");
  return internal::set_method_output_memory(*impl_, buffer, size, output_idx);
}

Error Method::get_outputs(EValue* output_evalues, size_t length) {
  ET_REQUIRE(impl_ != nullptr, InvalidState, "the method was moved from");
  const size_t count = outputs_size();
  ET_REQUIRE(output_evalues != nullptr && length >= count, InvalidArgument,
             "%.100s has %zu outputs, there is room for %zu", impl_->name(), count, length);
  for (size_t i = 0; i < length; ++i) output_evalues[i] = i < count ? get_output(i) : EValue();
  return Error::Ok;
}

Error Method::get_inputs(EValue* input_evalues, size_t length) {
  ET_REQUIRE(impl_ != nullptr, InvalidState, "the method was moved from");
  const size_t count = inputs_size();
  ET_REQUIRE(input_evalues != nullptr && length >= count, InvalidArgument,
             "%.100s has %zu inputs, there is room for %zu", impl_->name(), count, length);
  for (size_t i = 0; i < length; ++i) {
    input_evalues[i] = i < count ? impl_->values[impl_->input_value(i)] : EValue();
  }
  return Error::Ok;
}

Result<executorch::aten::Tensor> Method::get_attribute(std::string_view name) {
  if (impl_ == nullptr) return ET_ERROR(InvalidState, "the method was moved from");
  for (size_t i = 0; i < impl_->num_values; ++i) {
    const internal::ValueRecord& record = impl_->records[i];
    if (record.tensor == nullptr || record.serialized->extra_tensor_info() == nullptr) continue;
    const auto* found = record.serialized->extra_tensor_info()->fully_qualified_name();
    if (found != nullptr && std::string_view(found->c_str(), found->size()) == name) {
      return executorch::aten::Tensor(record.tensor);
    }
  }
  return ET_ERROR(NotFound, "%.100s has no attribute '%.*s'", impl_->name(),
                  static_cast<int>(name.size() < 200 ? name.size() : 200), name.data());
}

Error Method::execute() {
  ET_REQUIRE(impl_ != nullptr, InvalidState, "the method was moved from");
  return impl_->execute();
}

Error Method::step() {
  ET_REQUIRE(impl_ != nullptr, InvalidState, "the method was moved from");
  return impl_->step();
}

Error Method::experimental_step() {
  ET_REQUIRE(impl_ != nullptr, InvalidState, "the method was moved from");
  return impl_->step();
}

bool Method::in_progress() const {
  return impl_ != nullptr && !impl_->at_start() && !impl_->at_end();
}

namespace {

Error rewind_from_end(internal::MethodImpl* method) {
  ET_REQUIRE(method != nullptr, InvalidState, "the method was moved from");
  ET_REQUIRE(method->at_end(), InvalidState, "%.100s has not been stepped to its end",
             method->name());
  method->rewind();
  return Error::Ok;
}

}  // namespace

Error Method::reset_execution() {
  return rewind_from_end(impl_);
}

Error Method::experimental_reset_execution() {
  return rewind_from_end(impl_);
}

MethodMeta Method::method_meta() const {
  ET_CHECK_MSG(impl_ != nullptr, "the method was moved from");
  return MethodMeta(impl_->plan);
}

size_t Method::inputs_size() const {
  return impl_ == nullptr ? 0 : impl_->num_inputs();
}

size_t Method::outputs_size() const {
  return impl_ == nullptr ? 0 : impl_->num_outputs();
}

const EValue& Method::get_output(size_t i) const {
  ET_CHECK_MSG(i < outputs_size(), "output %zu does not exist, the method has %zu", i,
               outputs_size());
  return impl_->values[impl_->output_value(i)];
}

const EValue& Method::get_input(size_t i) const {
  ET_CHECK_MSG(i < inputs_size(), "input %zu does not exist, the method has %zu", i, inputs_size());
  return impl_->values[impl_->input_value(i)];
}

EValue& Method::mutable_input(size_t i) {
  ET_CHECK_MSG(i < inputs_size(), "input %zu does not exist, the method has %zu", i, inputs_size());
  return impl_->values[impl_->input_value(i)];
}

EValue& Method::mutable_output(size_t i) {
  ET_CHECK_MSG(i < outputs_size(), "output %zu does not exist, the method has %zu", i,
               outputs_size());
  return impl_->values[impl_->output_value(i)];
}

EventTracer* Method::get_event_tracer() {
  return impl_ == nullptr ? nullptr : impl_->tracer;
}

void Method::set_run_control(const RunControl* control) {
  if (impl_ != nullptr) impl_->control = control;
}

void Method::set_random_seed(uint64_t seed) {
  if (impl_ != nullptr) impl_->random.set_seed(seed);
}

Span<const char* const> Method::plan_report() const {
  if (impl_ == nullptr) return {};
  return {impl_->report.data(), impl_->report.size()};
}

size_t Method::plan_memory_bytes() const {
  return impl_ == nullptr ? 0 : impl_->plan_bytes;
}

}  // namespace runtime
}  // namespace executorch
