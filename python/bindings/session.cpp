#include "session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/executor/run_control.h>
#include <executorch/runtime/platform/runtime.h>

#include "errors.h"

namespace nb = nanobind;
using executorch::runtime::Error;
using executorch::runtime::Result;

namespace executorch::python {

namespace {

std::unique_ptr<runtime::NamedDataMap> read_data_map(const Source& source,
                                                     runtime::DataLoader* loader) {
  auto map = extension::FlatTensorDataMap::load(loader);
  ET_RAISE_UNLESS_OK(map.error(), "Failed to load data map from %s, error: 0x:%x", source.name(),
                     static_cast<unsigned>(map.error()));
  return std::make_unique<extension::FlatTensorDataMap>(std::move(*map));
}

bool same_tensor(const runtime::EValue& a, const runtime::EValue& b) {
  return a.isTensor() && b.isTensor() &&
         a.toTensor().unsafeGetTensorImpl() == b.toTensor().unsafeGetTensorImpl();
}

}  // namespace

std::shared_ptr<ProgramSession> ProgramSession::open(Source program, std::vector<Source> data,
                                                     SessionOptions options) {
  runtime::runtime_init();
  std::shared_ptr<ProgramSession> session(new ProgramSession());
  session->source_ = std::move(program);
  session->data_sources_ = std::move(data);
  session->options_ = options;
  session->loader_ = open_source(session->source_);
  for (const Source& source : session->data_sources_) {
    session->data_loaders_.push_back(open_source(source));
    session->data_maps_.push_back(read_data_map(source, session->data_loaders_.back().get()));
  }
  if (options.enable_etdump) session->tracing_.start(options.debug_buffer_size);
  return session;
}

Error ProgramSession::ensure_loaded() {
  const std::lock_guard<std::mutex> lock(load_mutex_);
  if (program_) return Error::Ok;
  if (data_maps_.size() > 1 && !merged_data_) {
    std::vector<const runtime::NamedDataMap*> maps;
    for (const auto& map : data_maps_) maps.push_back(map.get());
    auto merged =
        extension::ET_MERGED_DATA_MAP_NAMESPACE::MergedDataMap::load({maps.data(), maps.size()});
    if (!merged.ok()) return merged.error();
    merged_data_ = std::make_unique<extension::ET_MERGED_DATA_MAP_NAMESPACE::MergedDataMap>(
        std::move(*merged));
  }
  auto program = runtime::Program::load(loader_.get(), options_.verification);
  if (!program.ok()) {
    if (!source_.path.empty()) runtime::add_error_context("%s", source_.name());
    return program.error();
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < program->num_methods(); ++i) {
    auto name = program->get_method_name(i);
    if (!name.ok()) return name.error();
    names.emplace_back(*name);
  }
  method_names_ = std::move(names);
  program_.emplace(std::move(*program));
  return Error::Ok;
}

Result<std::unique_ptr<extension::PlannedMemory>> ProgramSession::planned_memory_for(
    const std::string& method) {
  auto meta = program_->method_meta(method.c_str());
  if (!meta.ok()) return meta.error();
  if (options_.share_arenas && !shared_arenas_) {
    auto shared = extension::SharedArenas::create(*program_, options_.load.memory_limit);
    if (!shared.ok()) return shared.error();
    shared_arenas_ = std::move(*shared);
  }
  return extension::PlannedMemory::create(*meta, options_.load.memory_limit, shared_arenas_.get());
}

Result<std::shared_ptr<MethodSession>> ProgramSession::load_method(const std::string& name) {
  ET_TRY(ensure_loaded());
  const std::lock_guard<std::mutex> lock(load_mutex_);
  auto turn = methods_take_turns() ? shared_turn_ : std::make_shared<std::mutex>();
  // Loading writes initial state into the arenas and events into the tracer.
  const std::lock_guard<std::mutex> turn_lock(*turn);
  auto memory = planned_memory_for(name);
  if (!memory.ok()) return memory.error();
  return MethodSession::load(shared_from_this(), name, std::move(*memory), std::move(turn));
}

Error ProgramSession::write_trace(const std::string& path, const std::string& debug_path) {
  const std::lock_guard<std::mutex> turn(*shared_turn_);
  return tracing_.write(path, debug_path);
}

double timeout_from(std::optional<double> seconds) {
  if (!seconds) return kNoTimeout;
  if (std::isnan(*seconds)) throw nb::value_error("timeout is not a number");
  return std::max(*seconds, 0.0);
}

Result<std::shared_ptr<MethodSession>> MethodSession::load(
    std::shared_ptr<ProgramSession> program, const std::string& name,
    std::unique_ptr<extension::PlannedMemory> memory, std::shared_ptr<std::mutex> turn) {
  std::shared_ptr<MethodSession> session(new MethodSession());
  session->name_ = name;
  session->program_ = std::move(program);
  session->planned_memory_ = std::move(memory);
  session->turn_ = std::move(turn);
  session->memory_manager_.emplace(&session->method_allocator_,
                                   session->planned_memory_->allocator(),
                                   &session->temp_allocator_);

  ProgramSession& owner = *session->program_;
  runtime::LoadBackendOptionsMap backend_options;
  ET_TRY(owner.options().backend_options.fill(&backend_options));
  auto method = owner.program().load_method(name.c_str(), &*session->memory_manager_,
                                            owner.tracing().tracer(), owner.data_map(),
                                            &backend_options, {}, owner.options().load_options());
  if (!method.ok()) return method.error();
  session->method_.emplace(std::move(*method));

  const runtime::MethodMeta meta = session->meta();
  session->layouts_.resize(meta.num_inputs());
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    auto tag = meta.input_tag(i);
    if (!tag.ok()) return tag.error();
    session->layouts_[i].tag = *tag;
    if (*tag != runtime::Tag::Tensor) continue;
    auto info = meta.input_tensor_meta(i);
    if (!info.ok()) return info.error();
    const auto order = info->dim_order();
    session->layouts_[i].dim_order.assign(order.begin(), order.end());
    session->layouts_[i].used_in_place = !info->is_memory_planned();
  }
  session->current_inputs_.resize(meta.num_inputs());
  session->find_passed_through();
  return session;
}

void MethodSession::find_passed_through() {
  passed_through_.assign(method_->outputs_size(), false);
  for (size_t i = 0; i < method_->outputs_size(); ++i) {
    for (size_t k = 0; k < method_->inputs_size(); ++k) {
      // Deprecated without a successor that would tell which value an input is.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
      const runtime::EValue& input = method_->get_input(k);
#pragma GCC diagnostic pop
      passed_through_[i] = passed_through_[i] || same_tensor(input, method_->get_output(i));
    }
  }
}

std::vector<Input> MethodSession::convert_inputs(nb::handle inputs) {
  std::vector<Input> converted;
  auto append = [&](nb::handle item) {
    const size_t index = converted.size();
    static const ExpectedLayout kNone;
    const ExpectedLayout& layout = index < layouts_.size() ? layouts_[index] : kNone;
    converted.push_back(convert_input(
        item, layout, "input " + std::to_string(index) + " of method '" + name_ + "'"));
  };
  if (PyList_Check(inputs.ptr()) || PyTuple_Check(inputs.ptr())) {
    for (nb::handle item : inputs) append(item);
  } else {
    append(inputs);
  }
  return converted;
}

Error MethodSession::set_inputs(std::vector<Input>& inputs) {
  ET_REQUIRE(inputs.size() == layouts_.size(), InvalidArgument,
             "method '%s' takes %zu inputs, %zu were given", name_.c_str(), layouts_.size(),
             inputs.size());
  return set_leading_inputs(inputs);
}

Error MethodSession::set_leading_inputs(std::vector<Input>& inputs) {
  ET_REQUIRE(inputs.size() <= layouts_.size(), InvalidArgument,
             "method '%s' takes %zu inputs, %zu were given", name_.c_str(), layouts_.size(),
             inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    ET_TRY(method_->set_input(inputs[i].value, i));
    std::swap(current_inputs_[i], inputs[i]);
  }
  return Error::Ok;
}

Error MethodSession::provide_output_memory() {
  // Outputs without planned memory get fresh memory for every run, so results of earlier runs stay
  // what they were.
  const runtime::MethodMeta meta = method_->method_meta();
  output_memory_.assign(meta.num_outputs(), nullptr);
  for (size_t i = 0; i < meta.num_outputs(); ++i) {
    auto tag = meta.output_tag(i);
    if (!tag.ok()) return tag.error();
    if (*tag != runtime::Tag::Tensor) continue;
    auto info = meta.output_tensor_meta(i);
    if (!info.ok()) return info.error();
    if (info->is_memory_planned() || passed_through_[i]) continue;
    for (size_t earlier = 0; earlier < i && !output_memory_[i]; ++earlier) {
      if (same_tensor(method_->get_output(earlier), method_->get_output(i)))
        output_memory_[i] = output_memory_[earlier];
    }
    if (output_memory_[i]) continue;
    const size_t bytes = info->nbytes();
    std::shared_ptr<void> memory(std::malloc(bytes + 1), std::free);
    ET_REQUIRE(memory != nullptr, MemoryAllocationFailed, "no memory for output %zu of %zu bytes",
               i, bytes);
    ET_TRY(method_->set_output_data_ptr(memory.get(), bytes, i));
    output_memory_[i] = std::move(memory);
  }
  return Error::Ok;
}

Error MethodSession::execute(double seconds) {
  ET_TRY(provide_output_memory());
  // The clock counts nanoseconds in 64 bits: longer than this never ends anyway.
  constexpr double kLongestTimeout = 1e9;
  if (seconds > kLongestTimeout) return method_->execute();
  runtime::RunControl control;
  control.deadline = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(seconds));
  method_->set_run_control(&control);
  const Error error = method_->execute();
  method_->set_run_control(nullptr);
  return error;
}

Result<std::vector<Output>> MethodSession::outputs(bool clone) {
  std::vector<Output> results;
  for (size_t i = 0; i < method_->outputs_size(); ++i) {
    std::shared_ptr<void> alias;
    if (i < output_memory_.size() && output_memory_[i]) {
      alias = output_memory_[i];
    } else if (!clone && !passed_through_[i]) {
      alias = shared_from_this();
    }
    auto output = read_output(method_->get_output(i), std::move(alias));
    if (!output.ok()) {
      runtime::add_error_context("output %zu of method '%s'", i, name_.c_str());
      return output.error();
    }
    results.push_back(std::move(*output));
  }
  return results;
}

Result<std::vector<Output>> run_converted(MethodSession& method, std::vector<Input>& inputs,
                                          bool clone_outputs, double timeout, bool partial,
                                          const char** stage) {
  const nb::gil_scoped_release unlocked;
  const std::lock_guard<std::mutex> turn(method.mutex());
  *stage = "set_inputs";
  ET_TRY(partial ? method.set_leading_inputs(inputs) : method.set_inputs(inputs));
  *stage = "execute";
  ET_TRY(method.execute(timeout));
  *stage = "get_outputs";
  return method.outputs(clone_outputs);
}

nb::list to_list(std::vector<Output>&& outputs) {
  nb::list results;
  for (Output& output : outputs) results.append(to_python(std::move(output)));
  return results;
}

nb::list run_method(const std::shared_ptr<MethodSession>& method, nb::handle inputs,
                    bool clone_outputs, double timeout, bool partial) {
  std::vector<Input> converted = method->convert_inputs(inputs);
  const char* stage = "";
  auto outputs = run_converted(*method, converted, clone_outputs, timeout, partial, &stage);
  ET_RAISE_UNLESS_OK(outputs.error(), "method->%s() for method '%s' failed with error 0x%x", stage,
                     method->name().c_str(), static_cast<unsigned>(outputs.error()));
  return to_list(std::move(*outputs));
}

}  // namespace executorch::python
