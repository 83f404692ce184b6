#include "run_methods.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/load_options.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/run_control.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch::fuzz {

namespace {

/// Planned memory of one method, or nothing when the file asks for more than the limit.
struct Arenas {
  std::vector<std::unique_ptr<uint8_t, void (*)(void*)>> blocks;
  std::vector<runtime::Span<uint8_t>> spans;

  bool allocate(const runtime::MethodMeta& meta) {
    size_t total = 0;
    for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
      const auto size = meta.memory_planned_buffer_size(i);
      if (!size.ok() || *size < 0 || static_cast<uint64_t>(*size) > kMemoryLimit - total)
        return false;
      total += static_cast<size_t>(*size);
      // Exactly as large as asked for, so that a sanitizer sees the first byte beyond.
      auto* block = static_cast<uint8_t*>(
          std::aligned_alloc(64, (static_cast<size_t>(*size) + 64) / 64 * 64));
      if (block == nullptr) return false;
      std::memset(block, 0, static_cast<size_t>(*size));
      blocks.emplace_back(block, std::free);
      spans.emplace_back(block, static_cast<size_t>(*size));
    }
    return true;
  }
};

bool set_inputs(runtime::Method& method, std::vector<extension::TensorPtr>& tensors) {
  const runtime::MethodMeta meta = method.method_meta();
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    const auto tag = meta.input_tag(i);
    if (!tag.ok()) return false;
    runtime::EValue value;
    if (*tag == runtime::Tag::Tensor) {
      const auto info = meta.input_tensor_meta(i);
      if (!info.ok() || info->nbytes() > kMemoryLimit) return false;
      std::vector<aten::SizesType> sizes(info->sizes().begin(), info->sizes().end());
      std::vector<aten::DimOrderType> order(info->dim_order().begin(), info->dim_order().end());
      tensors.push_back(extension::make_tensor_ptr(std::move(sizes),
                                                   std::vector<uint8_t>(info->nbytes()),
                                                   std::move(order), {}, info->scalar_type()));
      value = runtime::EValue(*tensors.back());
    } else if (*tag == runtime::Tag::Int) {
      value = runtime::EValue(int64_t{1});
    } else if (*tag == runtime::Tag::Double) {
      value = runtime::EValue(1.0);
    } else if (*tag == runtime::Tag::Bool) {
      value = runtime::EValue(true);
    }
    if (method.set_input(value, i) != runtime::Error::Ok) return false;
  }
  return true;
}

void set_outputs(runtime::Method& method, std::vector<std::vector<uint8_t>>& memory) {
  const runtime::MethodMeta meta = method.method_meta();
  for (size_t i = 0; i < meta.num_outputs(); ++i) {
    const auto tag = meta.output_tag(i);
    if (!tag.ok() || *tag != runtime::Tag::Tensor) continue;
    const auto info = meta.output_tensor_meta(i);
    if (!info.ok() || info->is_memory_planned() || info->nbytes() > kMemoryLimit) continue;
    memory.emplace_back(info->nbytes());
    if (method.set_output_data_ptr(memory.back().data(), memory.back().size(), i) !=
        runtime::Error::Ok)
      memory.pop_back();
  }
}

void run_method(const runtime::Program& program, const char* name,
                const runtime::NamedDataMap* data) {
  const auto meta = program.method_meta(name);
  Arenas arenas;
  if (!meta.ok() || !arenas.allocate(*meta)) return;
  extension::MallocMemoryAllocator method_allocator;
  extension::MallocMemoryAllocator temp_allocator;
  runtime::HierarchicalAllocator planned({arenas.spans.data(), arenas.spans.size()});
  runtime::MemoryManager memory(&method_allocator, &planned, &temp_allocator);
  runtime::LoadOptions options;
  options.memory_limit = 2 * kMemoryLimit;
  auto method = program.load_method(name, &memory, nullptr, data, nullptr, {}, options);
  if (!method.ok()) return;

  std::vector<extension::TensorPtr> inputs;
  if (!set_inputs(*method, inputs)) return;
  std::vector<std::vector<uint8_t>> outputs;
  set_outputs(*method, outputs);
  for (int run = 0; run < 2; ++run) {
    runtime::RunControl control;
    control.instruction_budget = 2000;
    control.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    method->set_run_control(&control);
    const runtime::Error error = method->execute();
    method->set_run_control(nullptr);
    if (error != runtime::Error::Ok) return;
    std::vector<runtime::EValue> values(method->outputs_size());
    if (method->get_outputs(values.data(), values.size()) != runtime::Error::Ok) return;
  }
}

}  // namespace

void run_methods(runtime::DataLoader& loader, const runtime::NamedDataMap* data) {
  runtime::runtime_init();
  const auto program = runtime::Program::load(&loader, runtime::Program::Verification::Minimal);
  if (!program.ok()) return;
  for (size_t i = 0; i < program->num_methods(); ++i) {
    const auto name = program->get_method_name(i);
    if (name.ok()) run_method(*program, *name, data);
  }
}

}  // namespace executorch::fuzz
