// The backend that programs know as CudaBackend; it and the memory of CUDA devices are registered
// when the library is loaded.
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/log.h>

#include "backends/cuda/delegate/cuda_allocator.h"
#include "backends/cuda/delegate/cuda_delegate.h"
#include "backends/option_reading.h"

namespace executorch::backends::cuda {
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

constexpr char kBackendName[] = "CudaBackend";

constexpr char kMethodName[] = "method_name";
constexpr char kAllowNativeCode[] = "allow_native_code";
constexpr char kSharedStream[] = "use_shared_cuda_stream";
constexpr char kGraphMethods[] = "enable_cuda_graph_for_method";
constexpr char kShareConstants[] = "weight_sharing_across_methods";
constexpr char kSkipCopyOutput[] = "skip_copy_output_to_cpu_for_method";

/// What the application chose, for delegates that are made from now on.
struct Options {
  bool allow_native_code = true;
  bool share_constants = false;
  OptionText graph_methods{};
  std::shared_ptr<Stream> shared_stream;

  Error set(const BackendOption& option) {
    if (is_option(option, kAllowNativeCode)) {
      return read_option(option, "a boolean", &allow_native_code);
    }
    if (is_option(option, kShareConstants)) {
      return read_option(option, "a boolean", &share_constants);
    }
    if (is_option(option, kGraphMethods)) {
      return read_option(option, "names of methods with commas between them", &graph_methods);
    }
    if (is_option(option, kSharedStream)) return share_stream(option);
    if (is_option(option, kSkipCopyOutput)) {
      ET_LOG(Info,
             "Backend option '%s' has no effect: say at export which outputs stay on the device",
             option.key);
    }
    return Error::Ok;
  }

  bool captures(const std::string& method) const {
    const std::string list = std::string(",") + graph_methods.data() + ",";
    return !method.empty() && list.find("," + method + ",") != std::string::npos;
  }

 private:
  Error share_stream(const BackendOption& option) {
    bool share = false;
    ET_TRY(read_option(option, "a boolean", &share));
    // Once there is one, it stays: delegates may be using it.
    if (!share || shared_stream != nullptr) return Error::Ok;
    return Stream::make(&shared_stream);
  }
};

std::string method_name(const BackendInitContext& context, ArrayRef<CompileSpec> specs) {
  for (const CompileSpec& spec : specs) {
    if (std::strcmp(spec.key, kMethodName) == 0)
      return {static_cast<const char*>(spec.value.buffer), spec.value.nbytes};
  }
  const char* name = context.get_method_name();
  return name == nullptr ? "" : name;
}

class CudaBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return device_count() > 0; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> specs) const override {
    Options options = current_options();
    for (const BackendOption& option : context.runtime_specs()) {
      const Error error = options.set(option);
      if (error != Error::Ok) return error;
    }
    if (!options.allow_native_code) {
      return ET_ERROR(NotSupported,
                      "a CUDA program holds machine code for this computer, which the application "
                      "does not allow (backend option '%s')",
                      kAllowNativeCode);
    }
    DelegateSettings settings;
    settings.method_name = method_name(context, specs);
    settings.share_constants = options.share_constants;
    settings.capture_graph = options.captures(settings.method_name);
    settings.stream = options.shared_stream;
    std::unique_ptr<CudaDelegate> delegate;
    const Error error =
        CudaDelegate::create({static_cast<const uint8_t*>(processed->data()), processed->size()},
                             context.get_named_data_map(), settings, &delegate);
    if (error != Error::Ok) return error;
    processed->Free();
    return static_cast<DelegateHandle*>(delegate.release());
  }

  Error execute(BackendExecutionContext&, DelegateHandle* handle,
                Span<EValue*> arguments) const override {
    return static_cast<CudaDelegate*>(handle)->execute(arguments);
  }

  void destroy(DelegateHandle* handle) const override { delete static_cast<CudaDelegate*>(handle); }

  size_t num_inputs(DelegateHandle* handle) const override {
    return static_cast<CudaDelegate*>(handle)->num_inputs();
  }

  Error set_option(BackendOptionContext&, const Span<BackendOption>& options) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    Options changed = options_;
    for (const BackendOption& option : options) ET_TRY(changed.set(option));
    options_ = changed;
    return Error::Ok;
  }

  Error get_option(BackendOptionContext&, Span<BackendOption>& options) override {
    const Options now = current_options();
    for (BackendOption& option : options) {
      if (is_option(option, kAllowNativeCode)) option.value = now.allow_native_code;
      if (is_option(option, kShareConstants)) option.value = now.share_constants;
      if (is_option(option, kGraphMethods)) option.value = now.graph_methods;
      if (is_option(option, kSharedStream)) option.value = now.shared_stream != nullptr;
    }
    return Error::Ok;
  }

 private:
  Options current_options() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return options_;
  }

  mutable std::mutex mutex_;
  Options options_;
};

// Both live as long as the process: a stream that is shared is not destroyed when CUDA is gone.
const bool kRegistered = [] {
  static CudaAllocator& allocator = *new CudaAllocator;
  static CudaBackend& backend = *new CudaBackend;
  const Error error = runtime::register_backend({kBackendName, &backend});
  if (error != Error::Ok) {
    ET_LOG(Error, "The CUDA backend was not registered: %s", runtime::last_error_message());
    return false;
  }
  runtime::register_device_allocator(&allocator);
  return true;
}();

}  // namespace
}  // namespace executorch::backends::cuda
