// The backend that programs know as XnnpackBackend; registered when the library is loaded.
#include <algorithm>
#include <atomic>
#include <memory>
#include <variant>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/log.h>

#include "backends/option_reading.h"
#include "backends/xnnpack/delegate/delegate.h"
#include "runtime/platform/memory_size.h"

namespace executorch::backends::xnnpack {
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

constexpr char kBackendName[] = "XnnpackBackend";

constexpr char kWorkspaceSharing[] = "workspace_sharing_mode";
constexpr char kWeightCache[] = "weight_cache_enabled";
constexpr char kSaveWeightCache[] = "save_weight_cache_on_disk";
constexpr char kCachePath[] = "packed_cache_path";
/// Disabled, per model, global.
constexpr int kWorkspaceModes = 3;

Error read_workspace_mode(const BackendOption& option, int* mode) {
  ET_TRY(read_option(option, "a number", mode));
  ET_REQUIRE(0 <= *mode && *mode < kWorkspaceModes, InvalidArgument,
             "backend option '%s' is %d, 0 to %d are known", option.key, *mode,
             kWorkspaceModes - 1);
  return Error::Ok;
}

class XnnpackBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec>) const override {
    DelegateOptions options;
    options.cache_dir = context.cache_dir();
    options.cache_limit = context.cache_limit();
    options.memory_limit =
        std::min(context.memory_limit(), runtime::internal::default_memory_limit());
    options.planned = context.planned();
    Error error = read_load_options(context.runtime_specs(), &options);
    if (error != Error::Ok) return error;
    std::unique_ptr<Delegate> delegate;
    error = Delegate::create({static_cast<const uint8_t*>(processed->data()), processed->size()},
                             context.get_named_data_map(), options, &delegate);
    if (error != Error::Ok) return error;
    processed->Free();
    return static_cast<DelegateHandle*>(delegate.release());
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> arguments) const override {
    return static_cast<Delegate*>(handle)->execute(arguments, context.event_tracer());
  }

  void destroy(DelegateHandle* handle) const override { delete static_cast<Delegate*>(handle); }

  size_t num_inputs(DelegateHandle* handle) const override {
    return static_cast<Delegate*>(handle)->num_inputs();
  }

  Error set_option(BackendOptionContext&, const Span<BackendOption>& options) override {
    for (const BackendOption& option : options) {
      if (is_option(option, kWorkspaceSharing)) {
        int mode;
        ET_TRY(read_workspace_mode(option, &mode));
        workspace_mode_ = mode;
      } else if (is_option(option, kWeightCache)) {
        bool enabled;
        ET_TRY(read_option(option, "a boolean", &enabled));
        weight_cache_ = enabled;
      } else if (is_option(option, kSaveWeightCache)) {
        // Packed weights are saved as they are made; there is never anything left to save.
        bool ignored;
        ET_TRY(read_option(option, "a boolean", &ignored));
      }
    }
    return Error::Ok;
  }

  Error get_option(BackendOptionContext&, Span<BackendOption>& options) override {
    for (BackendOption& option : options) {
      if (is_option(option, kWorkspaceSharing)) option.value = workspace_mode_.load();
      if (is_option(option, kWeightCache)) option.value = weight_cache_.load();
    }
    return Error::Ok;
  }

 private:
  static Error read_load_options(Span<const BackendOption> specs, DelegateOptions* options) {
    for (const BackendOption& option : specs) {
      if (is_option(option, kWorkspaceSharing)) {
        int ignored;
        ET_TRY(read_workspace_mode(option, &ignored));
      } else if (is_option(option, kWeightCache)) {
        bool ignored;
        ET_TRY(read_option(option, "a boolean", &ignored));
      } else if (is_option(option, kCachePath)) {
        const auto* path =
            std::get_if<std::array<char, runtime::kMaxOptionValueLength>>(&option.value);
        ET_REQUIRE(path != nullptr, InvalidArgument, "backend option '%s' takes a path",
                   option.key);
        if ((*path)[0] != '\0') options->cache_dir = path->data();
      }
    }
    return Error::Ok;
  }

  // Kept for who asks: intermediate values of a delegate are its own, so that delegates run at the
  // same time, and packed weights are shared by content always.
  std::atomic<int> workspace_mode_{0};
  std::atomic<bool> weight_cache_{true};
};

XnnpackBackend backend;

const bool kRegistered = [] {
  const Error error = runtime::register_backend({kBackendName, &backend});
  if (error != Error::Ok)
    ET_LOG(Error, "The XNNPACK backend was not registered: %s", runtime::last_error_message());
  return error == Error::Ok;
}();

}  // namespace
}  // namespace executorch::backends::xnnpack
