// What Module does with loaded programs: methods, their memory, inputs and outputs.
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace extension {
namespace ET_MODULE_NAMESPACE {

using runtime::Error;
using runtime::EValue;
using runtime::HierarchicalAllocator;
using runtime::MemoryAllocator;
using runtime::MemoryManager;
using runtime::Result;
using runtime::Span;

Result<size_t> Module::num_methods() {
  ET_TRY(load());
  return program_->num_methods();
}

Result<std::unordered_set<std::string>> Module::method_names() {
  ET_TRY(load());
  std::unordered_set<std::string> names;
  for (size_t i = 0; i < program_->num_methods(); ++i) {
    const Result<const char*> name = program_->get_method_name(i);
    if (!name.ok()) {
      return name.error();
    }
    names.emplace(*name);
  }
  return names;
}

Result<MethodMeta> Module::method_meta(const std::string& method_name) {
  ET_TRY(load());
  return program_->method_meta(method_name.c_str());
}

Error Module::make_planned_memory(const MethodMeta& method_meta, MethodHolder& holder) {
  if (share_memory_arenas_ && shared_arenas_ == nullptr) {
    Result<std::unique_ptr<SharedArenas>> shared =
        SharedArenas::create(*program_, load_options_.memory_limit);
    if (!shared.ok()) {
      return shared.error();
    }
    shared_arenas_ = std::move(*shared);
  }
  Result<std::unique_ptr<PlannedMemory>> memory =
      PlannedMemory::create(method_meta, load_options_.memory_limit, shared_arenas_.get());
  if (!memory.ok()) {
    return memory.error();
  }
  holder.planned_memory = std::move(*memory);
  return Error::Ok;
}

Error Module::load_method(const std::string& method_name, HierarchicalAllocator* planned_memory,
                          torch::executor::EventTracer* event_tracer,
                          const LoadBackendOptionsMap* backend_options,
                          std::vector<Kernel> kernel_registry) {
  if (is_method_loaded(method_name)) {
    return Error::Ok;
  }
  const Result<MethodMeta> meta = method_meta(method_name);
  if (!meta.ok()) {
    return meta.error();
  }
  MethodHolder holder;
  if (planned_memory == nullptr) {
    ET_TRY(make_planned_memory(*meta, holder));
    planned_memory = holder.planned_memory->allocator();
  }
  MemoryAllocator* method_allocator = memory_allocator_.get();
  if (method_allocator == nullptr) {
    holder.memory_allocator = std::make_unique<MallocMemoryAllocator>();
    method_allocator = holder.memory_allocator.get();
  }
  ET_REQUIRE(method_allocator != temp_allocator_.get(), InvalidArgument,
             "module: one allocator was given for methods and for temporary memory");
  holder.memory_manager =
      std::make_unique<MemoryManager>(method_allocator, planned_memory, temp_allocator_.get());
  holder.kernel_registry = std::move(kernel_registry);
  holder.data_map = merged_data_map_;
  Result<Method> method = program_->load_method(
      method_name.c_str(), holder.memory_manager.get(),
      event_tracer != nullptr ? event_tracer : event_tracer_.get(), holder.data_map.get(),
      backend_options != nullptr ? backend_options : &backend_options_map_,
      Span<const Kernel>(holder.kernel_registry.data(), holder.kernel_registry.size()),
      load_options_);
  if (!method.ok()) {
    return method.error();
  }
  holder.method = std::make_unique<Method>(std::move(*method));
  holder.method->set_run_control(run_control_);
  methods_.emplace(method_name, std::move(holder));
  return Error::Ok;
}

void Module::set_run_control(const runtime::RunControl* control) {
  run_control_ = control;
  for (auto& [name, holder] : methods_) holder.method->set_run_control(control);
}

Result<Method*> Module::loaded_method(const std::string& method_name) {
  auto found = methods_.find(method_name);
  if (found == methods_.end()) {
    ET_TRY(load_method(method_name));
    found = methods_.find(method_name);
    // A subclass may have replaced what loading does.
    ET_REQUIRE(found != methods_.end(), InvalidState, "method %s was not loaded",
               method_name.c_str());
  }
  return found->second.method.get();
}

Result<Method*> Module::method(const std::string& method_name) {
  return loaded_method(method_name);
}

Result<std::vector<EValue>> Module::execute(const std::string& method_name,
                                            const std::vector<EValue>& input_values) {
  const Result<Method*> method = loaded_method(method_name);
  if (!method.ok()) {
    return method.error();
  }
  ET_REQUIRE(input_values.size() <= (*method)->inputs_size(), InvalidArgument,
             "method %s has %zu inputs, %zu were given", method_name.c_str(),
             (*method)->inputs_size(), input_values.size());
  for (size_t i = 0; i < input_values.size(); ++i) {
    ET_TRY((*method)->set_input(input_values[i], i));
  }
  ET_TRY((*method)->execute());
  return get_outputs(method_name);
}

Result<EValue> Module::get(const std::string& method_name,
                           const std::vector<EValue>& input_values) {
  const Result<std::vector<EValue>> outputs = execute(method_name, input_values);
  if (!outputs.ok()) {
    return outputs.error();
  }
  ET_REQUIRE(!outputs->empty(), InvalidArgument, "method %s has no outputs", method_name.c_str());
  return outputs->front();
}

Error Module::set_input(const std::string& method_name, const EValue& input_value,
                        size_t input_index) {
  const Result<Method*> method = loaded_method(method_name);
  return method.ok() ? (*method)->set_input(input_value, input_index) : method.error();
}

Error Module::set_inputs(const std::string& method_name, const std::vector<EValue>& input_values) {
  const Result<Method*> method = loaded_method(method_name);
  if (!method.ok()) {
    return method.error();
  }
  return (*method)->set_inputs(
      executorch::aten::ArrayRef<EValue>(input_values.data(), input_values.size()));
}

Error Module::set_output(const std::string& method_name, EValue output_value, size_t output_index) {
  const Result<Method*> method = loaded_method(method_name);
  if (!method.ok()) {
    return method.error();
  }
  ET_REQUIRE(output_value.isTensor(), InvalidArgument,
             "method %s, output %zu: only tensors can be set as outputs", method_name.c_str(),
             output_index);
  const executorch::aten::Tensor& tensor = output_value.toTensor();
  return (*method)->set_output_data_ptr(tensor.mutable_data_ptr(), tensor.nbytes(), output_index);
}

Error Module::set_outputs(const std::string& method_name,
                          const std::vector<EValue>& output_values) {
  const Result<Method*> method = loaded_method(method_name);
  if (!method.ok()) {
    return method.error();
  }
  ET_REQUIRE(output_values.size() == (*method)->outputs_size(), InvalidArgument,
             "method %s has %zu outputs, %zu were given", method_name.c_str(),
             (*method)->outputs_size(), output_values.size());
  for (size_t i = 0; i < output_values.size(); ++i) {
    ET_TRY(set_output(method_name, output_values[i], i));
  }
  return Error::Ok;
}

Result<std::vector<EValue>> Module::get_outputs(const std::string& method_name) {
  const Result<Method*> method = loaded_method(method_name);
  if (!method.ok()) {
    return method.error();
  }
  std::vector<EValue> outputs((*method)->outputs_size());
  if (!outputs.empty()) {
    ET_TRY((*method)->get_outputs(outputs.data(), outputs.size()));
  }
  return outputs;
}

Result<EValue> Module::get_output(const std::string& method_name, size_t output_index) {
  const Result<Method*> method = loaded_method(method_name);
  if (!method.ok()) {
    return method.error();
  }
  ET_REQUIRE(output_index < (*method)->outputs_size(), InvalidArgument,
             "method %s has %zu outputs, output %zu was asked for", method_name.c_str(),
             (*method)->outputs_size(), output_index);
  return (*method)->get_output(output_index);
}

}  // namespace ET_MODULE_NAMESPACE
}  // namespace extension
}  // namespace executorch
