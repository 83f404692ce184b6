// A program in memory and one of its methods, with everything that they need. For tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

#include "runtime/executor/testing/program_builder.h"

namespace executorch {
namespace runtime {
namespace testing {

/// Loads a file and, if that succeeds, a method. Nothing aborts: errors are kept.
class LoadedMethod {
 public:
  explicit LoadedMethod(const std::vector<uint8_t>& file, const char* name = "forward",
                        const NamedDataMap* data = nullptr,
                        const LoadOptions& options = LoadOptions(), Span<const Kernel> kernels = {})
      : bytes_(file), loader_(bytes_.data(), bytes_.size()) {
    load(Program::Verification::Minimal, name, data, options, kernels);
  }
  LoadedMethod(const std::vector<uint8_t>& file, Program::Verification verification)
      : bytes_(file), loader_(bytes_.data(), bytes_.size()) {
    load(verification, "forward", nullptr, LoadOptions(), {});
  }

  Error error() const { return error_; }
  const std::string& text() const { return text_; }
  bool program_loaded() const { return program_ != nullptr; }
  Program& program() { return *program_; }
  Method& method() { return *method_; }
  Method* operator->() { return method_.get(); }
  uint8_t* arena(size_t index = 0) { return spans_[index].data(); }

 private:
  void load(Program::Verification verification, const char* name, const NamedDataMap* data,
            const LoadOptions& options, Span<const Kernel> kernels) {
    runtime_init();
    auto program = Program::load(&loader_, verification);
    if (!keep(program.error())) return;
    program_ = std::make_unique<Program>(std::move(program.get()));
    auto meta = program_->method_meta(name);
    if (!keep(meta.error())) return;
    make_arenas(meta.get());
    auto method =
        program_->load_method(name, manager_.get(), nullptr, data, nullptr, kernels, options);
    if (!keep(method.error())) return;
    method_ = std::make_unique<Method>(std::move(method.get()));
  }

  bool keep(Error error) {
    error_ = error;
    if (error != Error::Ok) text_ = last_error_message();
    return error == Error::Ok;
  }

  void make_arenas(const MethodMeta& meta) {
    for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
      arenas_.emplace_back(
          std::vector<uint8_t>(static_cast<size_t>(*meta.memory_planned_buffer_size(i))));
    }
    for (AlignedBytes& arena : arenas_) spans_.push_back({arena.data(), arena.size()});
    planned_ =
        std::make_unique<HierarchicalAllocator>(Span<Span<uint8_t>>(spans_.data(), spans_.size()));
    manager_ = std::make_unique<MemoryManager>(&allocator_, planned_.get());
  }

  AlignedBytes bytes_;
  extension::BufferDataLoader loader_;
  extension::MallocMemoryAllocator allocator_;
  std::vector<AlignedBytes> arenas_;
  std::vector<Span<uint8_t>> spans_;
  std::unique_ptr<HierarchicalAllocator> planned_;
  std::unique_ptr<MemoryManager> manager_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Method> method_;
  Error error_ = Error::Ok;
  std::string text_;
};

/// A float tensor of the caller, with its data.
struct FloatTensor {
  FloatTensor(std::vector<int32_t> sizes_, std::vector<float> data_,
              std::vector<uint8_t> order_ = {})
      : sizes(std::move(sizes_)), data(std::move(data_)), order(std::move(order_)) {
    if (order.empty()) {
      for (size_t d = 0; d < sizes.size(); ++d) order.push_back(static_cast<uint8_t>(d));
    }
    strides.resize(sizes.size());
    int32_t stride = 1;
    for (size_t i = sizes.size(); i > 0; --i) {
      strides[order[i - 1]] = stride;
      stride *= sizes[order[i - 1]];
    }
    impl = std::make_unique<executorch::aten::TensorImpl>(
        executorch::aten::ScalarType::Float, static_cast<ssize_t>(sizes.size()), sizes.data(),
        data.data(), order.data(), strides.data());
  }
  EValue value() { return EValue(executorch::aten::Tensor(impl.get())); }

  std::vector<int32_t> sizes;
  std::vector<float> data;
  std::vector<uint8_t> order;
  std::vector<int32_t> strides;
  std::unique_ptr<executorch::aten::TensorImpl> impl;
};

/// The elements of a float tensor in memory order.
inline std::vector<float> floats(const EValue& value) {
  const auto& tensor = value.toTensor();
  const float* data = tensor.const_data_ptr<float>();
  return std::vector<float>(data, data + tensor.numel());
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
