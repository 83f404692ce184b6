// Operators and a backend for tests, registered once per test program.
#pragma once

#include <cstdio>
#include <string>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_table.h>

namespace executorch {
namespace runtime {
namespace testing {

/// The operators below take floats; a damaged program may give them anything.
inline bool is_float(const executorch::aten::Tensor& tensor) {
  return tensor.scalar_type() == executorch::aten::ScalarType::Float;
}

/// True if `b` has an element for each of `a`, or one for all.
inline bool can_add(const executorch::aten::Tensor& a, const executorch::aten::Tensor& b) {
  return is_float(a) && is_float(b) && (b.numel() == 1 || b.numel() == a.numel());
}

/// out = a + b, elementwise; out takes the sizes of a.
inline void add_kernel(KernelRuntimeContext& context, Span<EValue*> stack) {
  const auto& a = stack[0]->toTensor();
  const auto& b = stack[1]->toTensor();
  auto out = stack[2]->toTensor();
  if (!can_add(a, b) || !is_float(out))
    return context.fail(ET_ERROR(InvalidArgument, "operands do not fit"));
  const Error error = resize_tensor(out, a.sizes());
  if (error != Error::Ok) return context.fail(error);
  for (ssize_t i = 0; i < a.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] =
        a.const_data_ptr<float>()[i] + b.const_data_ptr<float>()[b.numel() == 1 ? 0 : i];
  }
}

/// self += b, in place.
inline void add_in_place_kernel(KernelRuntimeContext& context, Span<EValue*> stack) {
  auto self = stack[0]->toTensor();
  const auto& b = stack[1]->toTensor();
  if (!can_add(self, b)) return context.fail(ET_ERROR(InvalidArgument, "operands do not fit"));
  for (ssize_t i = 0; i < self.numel(); ++i) {
    self.mutable_data_ptr<float>()[i] += b.const_data_ptr<float>()[b.numel() == 1 ? 0 : i];
  }
}

/// out = a, by way of temporary memory.
inline void scratch_kernel(KernelRuntimeContext& context, Span<EValue*> stack) {
  const auto& a = stack[0]->toTensor();
  auto out = stack[1]->toTensor();
  if (out.nbytes() != a.nbytes())
    return context.fail(ET_ERROR(InvalidArgument, "operands do not fit"));
  auto memory = context.allocate_temp(a.nbytes());
  if (!memory.ok()) return context.fail(memory.error());
  std::memcpy(memory.get(), a.const_data_ptr(), a.nbytes());
  std::memcpy(out.mutable_data_ptr(), memory.get(), a.nbytes());
}

inline void failing_kernel(KernelRuntimeContext& context, Span<EValue*>) {
  context.fail(ET_ERROR(InvalidArgument, "it never works"));
}

/// out[i] = number of elements of tensors[i].
inline void count_kernel(KernelRuntimeContext& context, Span<EValue*> stack) {
  const auto tensors = stack[0]->toTensorList();
  const auto& out = stack[1]->toTensor();
  if (!is_float(out) || static_cast<size_t>(out.numel()) < tensors.size()) {
    return context.fail(ET_ERROR(InvalidArgument, "operands do not fit"));
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    stack[1]->toTensor().mutable_data_ptr<float>()[i] = static_cast<float>(tensors[i].numel());
  }
}

/// Adds all of its arguments but the last into the last.
class AddingBackend final : public BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> specs) const override {
    const std::string blob(static_cast<const char*>(processed->data()), processed->size());
    if (blob == "refuse") return ET_ERROR(DelegateInvalidCompatibility, "blob says refuse");
    if (specs.size() != 1 || specs[0].value.nbytes != 3) return Error::InvalidProgram;
    if (blob == "named") {
      if (context.get_named_data_map() == nullptr) return Error::NotFound;
      auto data = context.get_named_data_map()->get_data("key");
      if (!data.ok()) return data.error();
    }
    ++live;
    return static_cast<DelegateHandle*>(&live);
  }

  Error execute(BackendExecutionContext& context, DelegateHandle*,
                Span<EValue*> args) const override {
    if (context.get_temp_allocator() == nullptr) return Error::Internal;
    if (args.size() == 0) return Error::InvalidProgram;
    for (EValue* arg : args) {
      if (!arg->isTensor() || !is_float(arg->toTensor()) || !args[args.size() - 1]->isTensor()) {
        return Error::InvalidProgram;
      }
      if (arg->toTensor().numel() != args[args.size() - 1]->toTensor().numel())
        return Error::InvalidProgram;
    }
    auto out = args[args.size() - 1]->toTensor();
    for (ssize_t i = 0; i < out.numel(); ++i) {
      float sum = 0;
      for (size_t a = 0; a + 1 < args.size(); ++a)
        sum += args[a]->toTensor().const_data_ptr<float>()[i];
      out.mutable_data_ptr<float>()[i] = sum;
    }
    return Error::Ok;
  }

  void destroy(DelegateHandle*) const override { --live; }

  /// Handles that exist.
  mutable int live = 0;
};

inline AddingBackend& adding_backend() {
  static AddingBackend backend;
  return backend;
}

inline void register_test_operators() {
  static constexpr OperatorRow kRows[] = {
      {"test::add.out", "(Tensor a, Tensor b, *, Tensor(a!) out) -> Tensor(a!)", add_kernel},
      {"test::add_", "(Tensor(a!) self, Tensor b) -> Tensor(a!)", add_in_place_kernel},
      {"test::scratch.out", "(Tensor a, *, Tensor(a!) out) -> Tensor(a!)", scratch_kernel},
      {"test::fail.out", "(Tensor a, *, Tensor(a!) out) -> Tensor(a!)", failing_kernel},
      {"test::count.out", "(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)", count_kernel},
  };
  static const Error registered = [] {
    const Error error = register_backend({"AddingBackend", &adding_backend()});
    if (error != Error::Ok) return error;
    return register_operator_library("test operators", {kRows, sizeof(kRows) / sizeof(kRows[0])});
  }();
  if (registered != Error::Ok) std::abort();
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
