/**
 * @file
 * The interface of backends, which run the delegated parts of a program, and their registry. The
 * functions of the registry are thread-safe.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/backend/backend_init_context.h>
#include <executorch/runtime/backend/backend_option_context.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {

/// Bytes of the program.
struct SizedBuffer {
  void* buffer;
  size_t nbytes;
};

/// A setting that the exporter wrote beside the payload.
struct CompileSpec {
  const char* key;
  SizedBuffer value;
};

/// What a backend knows a loaded payload by; opaque to the runtime.
using DelegateHandle = void;

/// A backend. One object serves all programs and threads of the process and lives as long.
class BackendInterface {
 public:
  virtual ~BackendInterface() = 0;

  /// Whether the backend can run here: false when, say, a driver is missing.
  ET_NODISCARD virtual bool is_available() const = 0;

  /**
   * Prepares a payload while a method is loaded.
   *
   * @param[in] processed The payload. The backend calls Free() on it once it needs it no longer;
   * until then, or else until destroy(), the runtime keeps it.
   * @param[in] compile_specs Valid as long as the program.
   * @returns A handle for execute() and destroy(); may be null. After an error destroy() is not
   * called.
   */
  ET_NODISCARD virtual Result<DelegateHandle*> init(BackendInitContext& context,
                                                    FreeableBuffer* processed,
                                                    ArrayRef<CompileSpec> compile_specs) const = 0;

  /**
   * Runs a payload. A handle is used by one thread at a time.
   *
   * @param[in] args Inputs, then outputs, in the order of the delegated graph. Sizes of outputs
   * with a dynamic shape are set by the backend.
   */
  ET_NODISCARD virtual Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                                     Span<EValue*> args) const = 0;

  /// Changes options of the whole backend. Unknown ones are ignored by default.
  ET_NODISCARD virtual Error set_option(ET_UNUSED BackendOptionContext& context,
                                        ET_UNUSED const Span<BackendOption>& backend_options) {
    return Error::Ok;
  }

  /// Fills in the values of the options whose keys are given.
  ET_NODISCARD virtual Error get_option(ET_UNUSED BackendOptionContext& context,
                                        ET_UNUSED Span<BackendOption>& backend_options) {
    return Error::Ok;
  }

  /// Releases what init() made for the handle.
  virtual void destroy(ET_UNUSED DelegateHandle* handle) const {}

  /// For planners: arguments of execute() before this one are only read, the others are written
  /// and not read. SIZE_MAX, when nothing is known of them.
  virtual size_t num_inputs(ET_UNUSED DelegateHandle* handle) const { return SIZE_MAX; }
};

// Inline, so that a file that derives from the class needs no type information from the library.
inline BackendInterface::~BackendInterface() = default;

/// The backend registered as `name`. Null when there is none, with an error text that says which
/// component has it.
EXECUTORCH_API BackendInterface* get_backend_class(const char* name);

/// A backend and its id in programs; both must live as long as the process.
struct Backend {
  const char* name;
  BackendInterface* backend;
};

/**
 * Adds a backend.
 *
 * @retval InvalidArgument The name is empty or taken, or the backend is null.
 * @retval MemoryAllocationFailed
 */
ET_NODISCARD EXECUTORCH_API Error register_backend(const Backend& backend);

EXECUTORCH_API size_t get_num_registered_backends();

/// Name number `index` in the order of registration, or InvalidArgument.
EXECUTORCH_API Result<const char*> get_backend_name(size_t index);

/// Changes options of a backend. NotFound when it is not registered, otherwise the backend's own
/// answer.
EXECUTORCH_API Error set_option(const char* backend_name,
                                const Span<BackendOption> backend_options);

/// Fills in the values of the options whose keys are given. Errors as set_option().
EXECUTORCH_API Error get_option(const char* backend_name, Span<BackendOption> backend_options);

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Backend;
using ::executorch::runtime::CompileSpec;
using ::executorch::runtime::DelegateHandle;
using ::executorch::runtime::get_backend_class;
using ::executorch::runtime::register_backend;
using ::executorch::runtime::SizedBuffer;
using PyTorchBackendInterface = ::executorch::runtime::BackendInterface;
}  // namespace executor
}  // namespace torch
