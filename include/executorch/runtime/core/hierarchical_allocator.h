/**
 * @file
 * The arenas of planned memory.
 */
#pragma once

#include <cinttypes>
#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// A group of buffers in which a program's memory plan places its tensors: arena `memory_id` at an
/// offset. Buffers belong to the caller and must outlive every method that uses them.
class HierarchicalAllocator final {
 public:
  /// The array that `buffers` points to must outlive this object.
  explicit HierarchicalAllocator(Span<Span<uint8_t>> buffers) : buffers_(buffers) {}

  /// Also says on which device each buffer lies; one entry per buffer.
  HierarchicalAllocator(Span<Span<uint8_t>> buffers,
                        Span<const etensor::Device> planned_buffer_devices)
      : buffers_(buffers), planned_buffer_devices_(planned_buffer_devices) {
    ET_CHECK_MSG(planned_buffer_devices.size() == buffers.size(),
                 "%zu devices were given for %zu buffers", planned_buffer_devices.size(),
                 buffers.size());
  }

  /// At most 16 allocators, whose blocks are used as buffers.
  ET_DEPRECATED HierarchicalAllocator(uint32_t n_allocators, MemoryAllocator* allocators)
      : buffers_(to_spans(n_allocators, allocators)) {}

  /**
   * The address of `offset_bytes` in buffer `memory_id`, with room for `size_bytes`.
   *
   * @retval InvalidArgument There is no such buffer, or offset and size overflow.
   * @retval MemoryAllocationFailed The buffer ends before.
   */
  ET_NODISCARD Result<void*> get_offset_address(uint32_t memory_id, size_t offset_bytes,
                                                size_t size_bytes) {
    ET_REQUIRE(memory_id < buffers_.size(), InvalidArgument,
               "memory arena %" PRIu32 " was asked for, but the application provides %zu arenas",
               memory_id, buffers_.size());
    size_t end_bytes = 0;
    ET_REQUIRE(checked_add(offset_bytes, size_bytes, &end_bytes), InvalidArgument,
               "memory arena %" PRIu32 ": offset %zu plus size %zu overflows", memory_id,
               offset_bytes, size_bytes);
    const Span<uint8_t> buffer = buffers_[memory_id];
    ET_REQUIRE(end_bytes <= buffer.size(), MemoryAllocationFailed,
               "memory arena %" PRIu32
               " is too small: %zu bytes at offset %zu end at %zu, the "
               "application provides %zu bytes",
               memory_id, size_bytes, offset_bytes, end_bytes, buffer.size());
    return static_cast<void*>(buffer.data() + offset_bytes);
  }

  /// The device of each buffer; empty when all lie in host memory.
  Span<const etensor::Device> planned_buffer_devices() const { return planned_buffer_devices_; }

 private:
  static constexpr size_t kSpanArraySize = 16;

  Span<Span<uint8_t>> to_spans(uint32_t n_allocators, MemoryAllocator* allocators) {
    ET_CHECK_MSG(n_allocators <= kSpanArraySize,
                 "%" PRIu32 " allocators were given, at most %zu fit", n_allocators,
                 kSpanArraySize);
    for (uint32_t i = 0; i < n_allocators; ++i) {
      span_array_[i] = Span<uint8_t>(allocators[i].base_address(), allocators[i].size());
    }
    return {span_array_, n_allocators};
  }

  // Used by the deprecated constructor only.
  Span<uint8_t> span_array_[kSpanArraySize];
  Span<Span<uint8_t>> buffers_;
  Span<const etensor::Device> planned_buffer_devices_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::HierarchicalAllocator;
}  // namespace executor
}  // namespace torch
