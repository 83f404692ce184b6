#include <executorch/extension/module/bundled_module.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/shared_ptr_data_loader.h>
#include <executorch/runtime/core/error_message.h>

#include "devtools/bundled_program/bundle.h"

namespace executorch {
namespace extension {
namespace ET_BUNDLED_MODULE_NAMESPACE {

using bundled_program::Bundle;
using runtime::DataLoader;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

/// What a program's tables and constants are aligned to within a bundle.
constexpr size_t kProgramAlignment = 32;

/// Gives the program where it lies, or a copy when the bundle lies at an odd address.
std::unique_ptr<DataLoader> program_loader(const void* bundled_program_ptr) {
  const auto program = Bundle::of_checked(bundled_program_ptr).program();
  if (reinterpret_cast<uintptr_t>(program.data()) % kProgramAlignment == 0)
    return std::make_unique<BufferDataLoader>(program.data(), program.size());
  constexpr std::align_val_t alignment{kProgramAlignment};
  const std::shared_ptr<void> copy(
      ::operator new(program.size(), alignment),
      [alignment](void* memory) { ::operator delete(memory, alignment); });
  std::memcpy(copy.get(), program.data(), program.size());
  return std::make_unique<SharedPtrDataLoader>(copy, program.size());
}

}  // namespace

BundledModule::BundledModule(const void* bundled_program_ptr,
                             std::unique_ptr<runtime::MemoryAllocator> memory_allocator,
                             std::unique_ptr<runtime::MemoryAllocator> temp_allocator,
                             std::unique_ptr<runtime::EventTracer> event_tracer,
                             std::unique_ptr<DataLoader> data_map_loader)
    : Module(program_loader(bundled_program_ptr), std::move(memory_allocator),
             std::move(temp_allocator), std::move(event_tracer), std::move(data_map_loader)),
      bundled_program_ptr_(bundled_program_ptr) {}

BundledModule::~BundledModule() = default;

Result<std::unique_ptr<BundledModule>> BundledModule::from_file(
    const std::string& file_path, std::unique_ptr<runtime::MemoryAllocator> memory_allocator,
    std::unique_ptr<runtime::MemoryAllocator> temp_allocator,
    std::unique_ptr<runtime::EventTracer> event_tracer,
    std::unique_ptr<DataLoader> data_map_loader) {
  const auto loader = FileDataLoader::from(file_path.c_str());
  if (!loader.ok()) return loader.error();
  const auto size = loader->size();
  if (!size.ok()) return size.error();
  auto file =
      loader->load(0, *size, DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Program));
  if (!file.ok()) return file.error();
  const auto bundle = Bundle::read(file->data(), file->size());
  if (!bundle.ok()) {
    runtime::add_error_context("%s", file_path.c_str());
    return bundle.error();
  }
  auto module = std::make_unique<BundledModule>(file->data(), std::move(memory_allocator),
                                                std::move(temp_allocator), std::move(event_tracer),
                                                std::move(data_map_loader));
  module->file_ = std::make_unique<FreeableBuffer>(std::move(*file));
  return module;
}

Result<std::vector<EValue>> BundledModule::execute(const std::string& method_name,
                                                   const size_t testset_idx) {
  auto inputs = Bundle::of_checked(bundled_program_ptr_)
                    .inputs(method_name, static_cast<int64_t>(testset_idx));
  if (!inputs.ok()) return inputs.error();
  std::vector<EValue> values;
  std::vector<TensorPtr> tensors;
  for (auto& input : *inputs) {
    values.push_back(input.value);
    if (input.tensor != nullptr) tensors.push_back(std::move(input.tensor));
  }
  auto outputs = Module::execute(method_name, values);
  // Those of an earlier run were needed until now.
  inputs_[method_name] = std::move(tensors);
  return outputs;
}

Error BundledModule::verify_method_outputs(const std::string& method_name, const size_t testset_idx,
                                           double rtol, double atol) {
  ET_TRY(load_method(method_name));
  return bundled_program::verify_method_outputs(*methods_.at(method_name).method,
                                                bundled_program_ptr_, testset_idx, rtol, atol);
}

}  // namespace ET_BUNDLED_MODULE_NAMESPACE
}  // namespace extension
}  // namespace executorch
