/**
 * @file
 * The memory that an application hands to a method.
 */
#pragma once

#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/**
 * Bundles the allocators of one method. Owns none of them: they must outlive the method that is
 * loaded with them.
 *
 * What the runtime adds for speed (plans, packed weights, scratch) comes from its own heap;
 * LoadOptions bounds it.
 */
class MemoryManager final {
 public:
  /**
   * @param[in] method_allocator For the method's values and for delegates while they load. Never
   * null.
   * @param[in] planned_memory One buffer per MethodMeta::num_memory_planned_buffers(), each of at
   * least the size that MethodMeta::memory_planned_buffer_size() states. May be null for a method
   * without planned memory.
   * @param[in] temp_allocator For kernels and delegates while they run, reset after every
   * instruction. May be null: the method then brings memory of its own that grows as needed and is
   * reused.
   */
  explicit MemoryManager(MemoryAllocator* method_allocator,
                         HierarchicalAllocator* planned_memory = nullptr,
                         MemoryAllocator* temp_allocator = nullptr)
      : method_allocator_(method_allocator),
        planned_memory_(planned_memory),
        temp_allocator_(temp_allocator) {
    ET_CHECK_MSG(method_allocator != temp_allocator,
                 "One allocator given as method and as temporary allocator");
  }

  /// Older form. `constant_allocator` is not used.
  ET_DEPRECATED MemoryManager(MemoryAllocator* constant_allocator,
                              HierarchicalAllocator* non_constant_allocator,
                              MemoryAllocator* runtime_allocator,
                              MemoryAllocator* temporary_allocator)
      : MemoryManager(runtime_allocator, non_constant_allocator, temporary_allocator) {
    static_cast<void>(constant_allocator);
  }

  MemoryAllocator* method_allocator() const { return method_allocator_; }
  HierarchicalAllocator* planned_memory() const { return planned_memory_; }
  MemoryAllocator* temp_allocator() const { return temp_allocator_; }

  /// Device of each planned buffer, in order; empty when all are on the CPU.
  Span<const etensor::Device> planned_buffer_devices() const {
    return planned_memory_ == nullptr ? Span<const etensor::Device>()
                                      : planned_memory_->planned_buffer_devices();
  }

  /// True if any planned buffer carries a device.
  bool has_device_memory() const { return planned_buffer_devices().size() > 0; }

 private:
  MemoryAllocator* method_allocator_;
  HierarchicalAllocator* planned_memory_;
  MemoryAllocator* temp_allocator_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::MemoryManager;
}  // namespace executor
}  // namespace torch
