/**
 * @file
 * What a kernel gets beside its arguments.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/kernel/random_generator.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// The runtime's side of one operator call. Belongs to the thread that runs the method.
class KernelRuntimeContext {
 public:
  /// Both may be null. The context does not own them.
  KernelRuntimeContext(EventTracer* event_tracer = nullptr,
                       MemoryAllocator* temp_allocator = nullptr)
      : event_tracer_(event_tracer), temp_allocator_(temp_allocator) {}

  /// Reports that the kernel failed; the method then stops with this error. The sentence for it is
  /// set with set_error_message().
  void fail(Error error) { failure_state_ = error; }

  /// What fail() was called with last, Error::Ok if it was not.
  ET_NODISCARD Error failure_state() const { return failure_state_; }

  /// For event_tracer_hooks.h. May be null.
  EventTracer* internal_event_tracer() { return event_tracer_; }

  /**
   * Memory that is valid until the kernel returns.
   *
   * @retval NotFound The method was loaded without a temporary allocator.
   * @retval MemoryAllocationFailed The allocator has no room.
   */
  Result<void*> allocate_temp(size_t size, size_t alignment = MemoryAllocator::kDefaultAlignment) {
    ET_REQUIRE(
        temp_allocator_ != nullptr, NotFound,
        "%zu bytes of temporary memory are needed, but the method has no temporary allocator",
        size);
    void* const memory = temp_allocator_->allocate(size, alignment);
    ET_REQUIRE(memory != nullptr, MemoryAllocationFailed,
               "the temporary allocator has no room for %zu bytes", size);
    return memory;
  }

  /// The method's random numbers; null for operators that are called without a method.
  RandomGenerator* random_generator() { return random_generator_; }

  /// The context does not own the generator, which may be null.
  void set_random_generator(RandomGenerator* generator) { random_generator_ = generator; }

 private:
  EventTracer* event_tracer_ = nullptr;
  MemoryAllocator* temp_allocator_ = nullptr;
  RandomGenerator* random_generator_ = nullptr;
  Error failure_state_ = Error::Ok;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::KernelRuntimeContext;
using RuntimeContext = ::executorch::runtime::KernelRuntimeContext;
}  // namespace executor
}  // namespace torch

namespace executorch {
namespace aten {
using RuntimeContext = ::executorch::runtime::KernelRuntimeContext;
}  // namespace aten
}  // namespace executorch

namespace exec_aten = ::executorch::aten;
