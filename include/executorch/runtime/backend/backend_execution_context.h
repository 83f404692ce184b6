/**
 * @file
 * What a backend gets beside its arguments when it runs.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/memory_allocator.h>

namespace executorch {
namespace runtime {

/// The runtime's side of one delegate call. Belongs to the thread that runs the method.
class BackendExecutionContext final {
 public:
  /// All may be null. The context owns nothing.
  BackendExecutionContext(EventTracer* event_tracer = nullptr,
                          MemoryAllocator* temp_allocator = nullptr,
                          const char* method_name = nullptr)
      : event_tracer_(event_tracer), temp_allocator_(temp_allocator), method_name_(method_name) {}

  /// For event_tracer_hooks_delegate.h. May be null.
  EventTracer* event_tracer() { return event_tracer_; }

  /// Memory that is valid until the call returns. Null when there is no temporary allocator or no
  /// room.
  void* allocate(size_t size, size_t alignment = MemoryAllocator::kDefaultAlignment) {
    if (temp_allocator_ == nullptr) {
      set_error_message(
          "%zu bytes of temporary memory are needed, but the method has no temporary allocator",
          size);
      return nullptr;
    }
    return temp_allocator_->allocate(size, alignment);
  }

  /// May be null.
  MemoryAllocator* get_temp_allocator() { return temp_allocator_; }

  /// The method that contains the call. May be null.
  const char* get_method_name() const { return method_name_; }

 private:
  EventTracer* event_tracer_ = nullptr;
  MemoryAllocator* temp_allocator_ = nullptr;
  const char* method_name_ = nullptr;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::BackendExecutionContext;
}  // namespace executor
}  // namespace torch
