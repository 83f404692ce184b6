/**
 * @file
 * What a backend gets beside its payload when a method is loaded.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// The runtime's side of a delegate's initialisation.
class BackendInitContext final {
 public:
  /// Everything but the allocator may be null or empty. The context owns nothing.
  explicit BackendInitContext(MemoryAllocator* runtime_allocator,
                              EventTracer* event_tracer = nullptr,
                              const char* method_name = nullptr,
                              const NamedDataMap* named_data_map = nullptr,
                              Span<const BackendOption> runtime_specs = {},
                              size_t memory_limit = SIZE_MAX, const char* cache_dir = nullptr,
                              uint64_t cache_limit = UINT64_MAX, bool planned = false)
      : runtime_allocator_(runtime_allocator),
        event_tracer_(internal::active_event_tracer(event_tracer)),
        method_name_(method_name),
        named_data_map_(named_data_map),
        runtime_specs_(runtime_specs),
        memory_limit_(memory_limit),
        cache_dir_(cache_dir),
        cache_limit_(cache_limit),
        planned_(planned) {}

  /// Memory that lives as long as the method. What is constructed in it is not destructed.
  MemoryAllocator* get_runtime_allocator() { return runtime_allocator_; }

  /// Null unless ET_EVENT_TRACER_ENABLED is defined and a tracer was given.
  EventTracer* event_tracer() { return event_tracer_; }

  /// The method that is loaded.
  const char* get_method_name() const { return method_name_; }

  /// Blobs of the program and of its data files; null when there are none. Valid during the call.
  const NamedDataMap* get_named_data_map() const { return named_data_map_; }

  /// The options that the application gave for this backend and this load.
  Span<const BackendOption> runtime_specs() const { return runtime_specs_; }

  /// Most bytes that the application lets plans and packed weights have, see LoadOptions.
  size_t memory_limit() const { return memory_limit_; }

  /// Folder through which processes share packed weights, see LoadOptions. Null when there is none.
  const char* cache_dir() const { return cache_dir_; }
  /// Most bytes of that folder's files together.
  uint64_t cache_limit() const { return cache_limit_; }

  /// A planner of operators will see the method, delegates included, before it runs.
  bool planned() const { return planned_; }

  /// One of them as bool, int or `const char*`. NotFound without such a key, InvalidArgument when
  /// it has another type.
  template <typename T>
  Result<T> get_runtime_spec(const char* key) const {
    static_assert(
        std::is_same_v<T, bool> || std::is_same_v<T, int> || std::is_same_v<T, const char*>,
        "a runtime spec is a bool, an int or a const char*");
    for (const BackendOption& option : runtime_specs_) {
      if (std::strcmp(option.key, key) != 0) continue;
      T value{};
      const Error error = internal::read_option(option, value);
      if (error != Error::Ok) return error;
      return value;
    }
    return ET_ERROR(NotFound, "the load has no backend option '%s'", key);
  }

 private:
  MemoryAllocator* runtime_allocator_ = nullptr;
  EventTracer* event_tracer_ = nullptr;
  const char* method_name_ = nullptr;
  const NamedDataMap* named_data_map_ = nullptr;
  Span<const BackendOption> runtime_specs_;
  size_t memory_limit_ = SIZE_MAX;
  const char* cache_dir_ = nullptr;
  uint64_t cache_limit_ = UINT64_MAX;
  bool planned_ = false;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::BackendInitContext;
}  // namespace executor
}  // namespace torch
