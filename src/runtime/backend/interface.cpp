#include <executorch/runtime/backend/interface.h>

#include "runtime/core/growing_array.h"
#include "runtime/platform/lock.h"

namespace executorch {
namespace runtime {
namespace {

constinit GrowingArray<Backend> backends;
constinit internal::Lock backends_lock;

/// Which component carries a backend that is missing.
const char* component_hint(const char* name) {
  static constexpr struct {
    const char* backend;
    const char* hint;
  } components[] = {
      {"XnnpackBackend", "link executorch::backend_xnnpack; in Python, import executorch.runtime"},
      {"CudaBackend", "link executorch::backend_cuda; in Python, install the CUDA wheel"},
      {"AotiCpuBackend",
       "link executorch::backend_aoti_cpu; in Python, import executorch.backends.aoti"},
  };
  for (const auto& component : components) {
    if (std::strcmp(component.backend, name) == 0) return component.hint;
  }
  return "no component of ExecuTorch carries it: link the library that does, or export the program "
         "without it";
}

/// The caller holds the lock.
BackendInterface* find(const char* name) {
  for (const Backend& backend : backends.span()) {
    if (std::strcmp(backend.name, name) == 0) return backend.backend;
  }
  return nullptr;
}

}  // namespace

BackendInterface* get_backend_class(const char* name) {
  if (name == nullptr) {
    set_error_message("a backend was looked up without a name");
    return nullptr;
  }
  const internal::LockGuard lock(backends_lock);
  BackendInterface* const backend = find(name);
  if (backend == nullptr) {
    set_error_message("backend '%s' is not registered (%s)", name, component_hint(name));
  }
  return backend;
}

Error register_backend(const Backend& backend) {
  ET_REQUIRE(backend.name != nullptr && backend.name[0] != '\0', InvalidArgument,
             "a backend was registered without a name");
  ET_REQUIRE(backend.backend != nullptr, InvalidArgument,
             "backend '%s' was registered without an object", backend.name);
  const internal::LockGuard lock(backends_lock);
  ET_REQUIRE(find(backend.name) == nullptr, InvalidArgument,
             "backend '%s' is registered already; the first one stays", backend.name);
  ET_TRY(backends.reserve(1));
  backends.append(backend);
  return Error::Ok;
}

size_t get_num_registered_backends() {
  const internal::LockGuard lock(backends_lock);
  return backends.size();
}

Result<const char*> get_backend_name(size_t index) {
  const internal::LockGuard lock(backends_lock);
  ET_REQUIRE(index < backends.size(), InvalidArgument,
             "backend number %zu was asked for, %zu are registered", index, backends.size());
  return backends[index].name;
}

Error set_option(const char* backend_name, const Span<BackendOption> backend_options) {
  BackendInterface* const backend = get_backend_class(backend_name);
  if (backend == nullptr) return Error::NotFound;
  BackendOptionContext context;
  return backend->set_option(context, backend_options);
}

Error get_option(const char* backend_name, Span<BackendOption> backend_options) {
  BackendInterface* const backend = get_backend_class(backend_name);
  if (backend == nullptr) return Error::NotFound;
  BackendOptionContext context;
  return backend->get_option(context, backend_options);
}

}  // namespace runtime
}  // namespace executorch
