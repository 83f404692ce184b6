/**
 * @file
 * Allocation from a block of memory that the application provides.
 */
#pragma once

#include <cinttypes>
#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/profiler.h>

namespace executorch {
namespace runtime {

/**
 * Hands out pieces of one block, front to back; they are released together by reset() or never.
 * Derived classes may take the memory elsewhere by overriding the virtual functions.
 *
 * The block belongs to the caller and must outlive the allocator. Not thread-safe.
 */
class MemoryAllocator {
 public:
  static constexpr size_t kDefaultAlignment = alignof(void*);

  /// Uses [base_address, base_address + size). A null base needs size 0: every allocation then
  /// fails.
  MemoryAllocator(uint32_t size, uint8_t* base_address)
      : begin_(base_address), end_(block_end(base_address, size)), cur_(base_address), size_(size) {
    ET_CHECK_MSG(base_address != nullptr || size == 0, "Base address is null but size=%" PRIu32,
                 size);
    ET_CHECK_MSG(base_address == nullptr || end_ != nullptr,
                 "a block of %" PRIu32 " bytes reaches beyond the address space", size);
  }

  virtual ~MemoryAllocator() = default;

  /**
   * `size` bytes at a multiple of `alignment`, a power of two.
   *
   * @returns null, with an error text, when the block has no room or the alignment is none. Size 0
   * yields a pointer that is not null and must not be read through.
   */
  virtual void* allocate(size_t size, size_t alignment = kDefaultAlignment) {
    if (!isPowerOf2(alignment)) {
      set_error_message("allocation of %zu bytes: alignment %zu is no power of two", size,
                        alignment);
      return nullptr;
    }
    if (begin_ == nullptr) {
      set_error_message("allocation of %zu bytes from an allocator without memory", size);
      return nullptr;
    }
    const size_t padding = padding_for(cur_, alignment);
    const size_t available = static_cast<size_t>(end_ - cur_);
    if (padding > available || size > available - padding) {
      set_error_message("allocation of %zu bytes (and %zu for alignment) failed: %zu of %" PRIu32
                        " bytes are left",
                        size, padding, available, size_);
      return nullptr;
    }
    uint8_t* const start = cur_ + padding;
    EXECUTORCH_TRACK_ALLOCATION(prof_id_, static_cast<uint32_t>(padding + size));
    cur_ = start + size;
    return start;
  }

  /// Memory for one T, not constructed. Null when there is no room.
  template <typename T>
  T* allocateInstance(size_t alignment = alignof(T)) {
    return static_cast<T*>(this->allocate(sizeof(T), alignment));
  }

  /// Memory for `size` elements of T, not constructed. Null when there is no room or the product
  /// does not fit.
  template <typename T>
  T* allocateList(size_t size, size_t alignment = alignof(T)) {
    size_t nbytes = 0;
    if (!checked_mul(size, sizeof(T), &nbytes)) {
      set_error_message("allocation of %zu elements of %zu bytes: the product overflows", size,
                        sizeof(T));
      return nullptr;
    }
    return static_cast<T*>(this->allocate(nbytes, alignment));
  }

  /// First byte of the block.
  virtual uint8_t* base_address() const { return begin_; }

  /// Bytes of the block.
  virtual uint32_t size() const { return size_; }

  /// Bytes handed out, with what alignment cost.
  virtual size_t used_size() const { return static_cast<size_t>(cur_ - begin_); }

  /// Bytes left.
  virtual size_t free_size() const { return static_cast<size_t>(end_ - cur_); }

  /// Takes back everything that was handed out.
  virtual void reset() { cur_ = begin_; }

  /// Reports later allocations to the legacy profiler under `name`.
  void enable_profiling(ET_UNUSED const char* name) { prof_id_ = EXECUTORCH_TRACK_ALLOCATOR(name); }

 protected:
  /// Id at the legacy profiler, -1 without profiling.
  int32_t prof_id() const { return prof_id_; }

  static constexpr bool isPowerOf2(size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
  }

  /// `ptr` moved up to a multiple of `alignment`, a power of two.
  static uint8_t* alignPointer(void* ptr, size_t alignment) {
    return static_cast<uint8_t*>(ptr) + padding_for(ptr, alignment);
  }

 private:
  static size_t padding_for(const void* ptr, size_t alignment) {
    const size_t over = static_cast<size_t>(reinterpret_cast<uintptr_t>(ptr)) & (alignment - 1);
    return over == 0 ? 0 : alignment - over;
  }

  static uint8_t* block_end(uint8_t* base, uint32_t size) {
    uintptr_t end = 0;
    const bool fits =
        checked_add(reinterpret_cast<uintptr_t>(base), static_cast<uintptr_t>(size), &end);
    return base != nullptr && fits ? base + size : nullptr;
  }

  uint8_t* const begin_;
  uint8_t* const end_;
  uint8_t* cur_;
  const uint32_t size_;
  int32_t prof_id_ = -1;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::MemoryAllocator;
}  // namespace executor
}  // namespace torch
