// The backend that programs know as AotiCpuBackend; registered when the library is loaded.
#include <algorithm>
#include <memory>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/log.h>

#include "backends/aoti/cpu/delegate.h"
#include "backends/option_reading.h"
#include "runtime/platform/lock.h"
#include "runtime/platform/memory_size.h"

namespace executorch::backends::aoti {
namespace {

using runtime::ArrayRef;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::BackendOption;
using runtime::BackendOptionContext;
using runtime::CompileSpec;
using runtime::DelegateHandle;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;

constexpr char kBackendName[] = "AotiCpuBackend";

constexpr char kAllowNativeCode[] = "allow_native_code";
constexpr char kCodeSha256[] = "code_sha256";
constexpr char kCodeInFile[] = "code_in_file";

/// Takes what an option says of the policy; other options are passed over.
Error apply(const BackendOption& option, CodePolicy* policy) {
  if (is_option(option, kAllowNativeCode)) {
    return read_option(option, "a boolean", &policy->allowed);
  }
  if (is_option(option, kCodeSha256)) {
    OptionText text;
    ET_TRY(read_option(option, "digests with commas between them", &text));
    policy->sha256 = text.data();
  } else if (is_option(option, kCodeInFile)) {
    bool in_file = false;
    ET_TRY(read_option(option, "a boolean", &in_file));
    policy->place = in_file ? CodePlace::file : CodePlace::memory;
  }
  return Error::Ok;
}

class AotiCpuBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec>) const override {
    CodePolicy policy = shared_policy();
    policy.memory_limit =
        std::min(context.memory_limit(), runtime::internal::default_memory_limit());
    for (const BackendOption& option : context.runtime_specs()) {
      const Error error = apply(option, &policy);
      if (error != Error::Ok) return error;
    }
    std::unique_ptr<Delegate> delegate;
    const Error error =
        Delegate::create({static_cast<const uint8_t*>(processed->data()), processed->size()},
                         context.get_named_data_map(), policy, &delegate);
    if (error != Error::Ok) return error;
    processed->Free();
    return static_cast<DelegateHandle*>(delegate.release());
  }

  Error execute(BackendExecutionContext&, DelegateHandle* handle,
                Span<EValue*> arguments) const override {
    return static_cast<Delegate*>(handle)->execute(arguments);
  }

  void destroy(DelegateHandle* handle) const override { delete static_cast<Delegate*>(handle); }

  size_t num_inputs(DelegateHandle* handle) const override {
    return static_cast<Delegate*>(handle)->num_inputs();
  }

  Error set_option(BackendOptionContext&, const Span<BackendOption>& options) override {
    const runtime::internal::LockGuard lock(lock_);
    CodePolicy changed = policy_;
    for (const BackendOption& option : options) ET_TRY(apply(option, &changed));
    policy_ = changed;
    return Error::Ok;
  }

  Error get_option(BackendOptionContext&, Span<BackendOption>& options) override {
    const CodePolicy policy = shared_policy();
    for (BackendOption& option : options) {
      if (is_option(option, kAllowNativeCode)) option.value = policy.allowed;
      if (is_option(option, kCodeInFile)) option.value = policy.place == CodePlace::file;
      if (is_option(option, kCodeSha256)) {
        OptionText text{};
        policy.sha256.copy(text.data(), text.size() - 1);
        option.value = text;
      }
    }
    return Error::Ok;
  }

 private:
  CodePolicy shared_policy() const {
    const runtime::internal::LockGuard lock(lock_);
    return policy_;
  }

  mutable runtime::internal::Lock lock_;
  CodePolicy policy_;
};

AotiCpuBackend backend;

const bool kRegistered = [] {
  const Error error = runtime::register_backend({kBackendName, &backend});
  if (error != Error::Ok)
    ET_LOG(Error, "The AOTInductor backend for the CPU was not registered: %s",
           runtime::last_error_message());
  return error == Error::Ok;
}();

}  // namespace
}  // namespace executorch::backends::aoti
