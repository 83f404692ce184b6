#include <executorch/runtime/kernel/operator_registry.h>

#include <executorch/runtime/kernel/operator_table.h>

#include "runtime/kernel/registry_state.h"
#include "runtime/platform/library_path.h"

namespace executorch {
namespace runtime {
namespace internal {

constinit RegistryState registry_state;

}  // namespace internal

namespace {

using internal::KernelTable;
using internal::LibraryPath;
using internal::registry_state;

/// The key of a call, written only when a specialised kernel asks for it.
class CallKey {
 public:
  explicit CallKey(Span<const TensorMeta> metas) : metas_(metas) {}

  bool matches(const KernelKey& key) {
    if (metas_.empty()) return false;
    if (!written_) {
      usable_ = internal::make_kernel_key_string(metas_, text_, sizeof(text_)) == Error::Ok;
      written_ = true;
    }
    return usable_ && std::strcmp(text_, key.data()) == 0;
  }

 private:
  Span<const TensorMeta> metas_;
  bool written_ = false;
  bool usable_ = false;
  char text_[internal::kKernelKeyBufSize];
};

/// Collects the kernels of one operator: the specialised one wins.
class Choice {
 public:
  explicit Choice(CallKey& key) : key_(key) {}

  void offer(const Kernel& kernel) {
    if (kernel.kernel_key_.is_fallback()) {
      if (fallback_ == nullptr) fallback_ = kernel.op_;
    } else if (specialised_ == nullptr && key_.matches(kernel.kernel_key_)) {
      specialised_ = kernel.op_;
    }
  }

  OpFunction function() const { return specialised_ != nullptr ? specialised_ : fallback_; }

 private:
  CallKey& key_;
  OpFunction specialised_ = nullptr;
  OpFunction fallback_ = nullptr;
};

OpFunction find_in_list(const char* name, CallKey& key, Span<const Kernel> kernels) {
  Choice choice(key);
  for (const Kernel& kernel : kernels) {
    if (kernel.name_ != nullptr && std::strcmp(kernel.name_, name) == 0) choice.offer(kernel);
  }
  return choice.function();
}

/// Null when there is none; *known tells whether the operator has kernels for other tensors.
OpFunction find_in_registry(const char* name, CallKey& key, bool* known) {
  const internal::LockGuard lock(registry_state.lock);
  const KernelTable& table = registry_state.kernels;
  Choice choice(key);
  *known = false;
  for (int32_t i = table.first(name); i != KernelTable::kNone; i = table.next(i, name)) {
    choice.offer(table.kernel(i));
    *known = true;
  }
  return choice.function();
}

Error missing(const char* name, bool known, Span<const TensorMeta> metas) {
  if (known) {
    char key[internal::kKernelKeyBufSize];
    const Error error = internal::make_kernel_key_string(metas, key, sizeof(key));
    return ET_ERROR(OperatorMissing,
                    "operator '%s' has kernels, but none for tensors of the types and dim orders "
                    "given (key '%s')",
                    name, error == Error::Ok ? key : "none");
  }
  const char* const hint = operator_component_hint(name);
  if (hint == nullptr) {
    return ET_ERROR(OperatorMissing, "operator '%s' is missing: no loaded library registers it",
                    name);
  }
  return ET_ERROR(OperatorMissing, "operator '%s' is missing: it is part of %s", name, hint);
}

Error check_complete(const Kernel& kernel, size_t index) {
  ET_REQUIRE(kernel.name_ != nullptr && kernel.name_[0] != '\0', InvalidArgument,
             "kernel %zu was registered without a name", index);
  ET_REQUIRE(kernel.op_ != nullptr, InvalidArgument,
             "kernel '%s' was registered without a function", kernel.name_);
  return Error::Ok;
}

/// Called without the lock: finding a library's file and logging may call back into this process.
Error already_registered(const Kernel& first, const Kernel& second, const char* verb) {
  const LibraryPath first_file(reinterpret_cast<const void*>(first.op_));
  const LibraryPath second_file(reinterpret_cast<const void*>(second.op_));
  const bool fallback = second.kernel_key_.is_fallback();
  set_error_message("kernel '%s'%s%s is %s twice: by %s, and again by %s", second.name_,
                    fallback ? "" : " for ", fallback ? "" : second.kernel_key_.data(), verb,
                    first_file.text, second_file.text);
  ET_LOG(Error, "%s", last_error_message());
  return Error::RegistrationAlreadyRegistered;
}

/// A kernel that was refused and the one that has its name and key.
struct Duplicate {
  Kernel existing;
  const Kernel* refused = nullptr;
};

/// Adds all kernels, or none.
Error add_kernels(Span<const Kernel> kernels, Duplicate* duplicate) {
  const internal::LockGuard lock(registry_state.lock);
  KernelTable& table = registry_state.kernels;
  ET_TRY(table.reserve(kernels.size()));
  const size_t size_before = table.size();
  for (const Kernel& kernel : kernels) {
    const int32_t other = table.find(kernel.name_, kernel.kernel_key_);
    if (other != KernelTable::kNone) {
      *duplicate = {table.kernel(other), &kernel};
      table.truncate(size_before);
      return Error::RegistrationAlreadyRegistered;
    }
    table.append(kernel, nullptr);
  }
  return Error::Ok;
}

}  // namespace

Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> meta_list,
                                                 Span<const Kernel> kernel_list) {
  ET_REQUIRE(name != nullptr, InvalidArgument, "an operator was looked up without a name");
  CallKey key(meta_list);
  bool known = false;
  OpFunction function = find_in_list(name, key, kernel_list);
  if (function == nullptr) function = find_in_registry(name, key, &known);
  if (function == nullptr) return missing(name, known, meta_list);
  return function;
}

Result<OpFunction> get_op_function_from_registry(const char* name,
                                                 Span<const TensorMeta> meta_list) {
  return get_op_function_from_registry(name, meta_list, Span<const Kernel>());
}

bool registry_has_op_function(const char* name, Span<const TensorMeta> meta_list) {
  if (name == nullptr) return false;
  CallKey key(meta_list);
  bool known = false;
  return find_in_registry(name, key, &known) != nullptr;
}

Span<const Kernel> get_registered_kernels() {
  const internal::LockGuard lock(registry_state.lock);
  return registry_state.kernels.kernels();
}

Error register_kernels(const Span<const Kernel> kernels) {
  for (size_t i = 0; i < kernels.size(); ++i) ET_TRY(check_complete(kernels[i], i));
  Duplicate duplicate;
  const Error error = add_kernels(kernels, &duplicate);
  if (duplicate.refused == nullptr) return error;
  return already_registered(duplicate.existing, *duplicate.refused, "registered");
}

Error override_kernel(const Kernel& kernel) {
  ET_TRY(check_complete(kernel, 0));
  Kernel existing;
  {
    const internal::LockGuard lock(registry_state.lock);
    KernelTable& table = registry_state.kernels;
    int32_t place = table.find(kernel.name_, kernel.kernel_key_);
    if (place == KernelTable::kNone) {
      ET_TRY(table.reserve(1));
      place = static_cast<int32_t>(table.size());
      table.append(kernel, nullptr);
    }
    if (!table.is_override(place)) {
      table.replace(place, kernel);
      return Error::Ok;
    }
    existing = table.kernel(place);
  }
  return already_registered(existing, kernel, "overridden");
}

const KernelSignature* find_kernel_signature(const char* name) {
  const internal::LockGuard lock(registry_state.lock);
  const KernelTable& table = registry_state.kernels;
  for (int32_t i = table.first(name); i != KernelTable::kNone; i = table.next(i, name)) {
    if (table.kernel(i).signature_ != nullptr) return table.kernel(i).signature_;
  }
  return nullptr;
}

}  // namespace runtime
}  // namespace executorch
