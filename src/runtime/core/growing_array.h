/**
 * @file
 * The storage of process-wide registries.
 */
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/**
 * Appends elements; what span() returned stays readable for ever, since a block that became too
 * small is kept (all of them together are smaller than the current one). Constant-initialised and
 * never destroyed, so it serves static initialisers of other files. Locking is the owner's matter.
 */
template <typename T>
class GrowingArray {
  static_assert(std::is_trivially_copyable<T>::value && std::is_trivially_destructible<T>::value,
                "elements are moved as bytes");

 public:
  constexpr GrowingArray() = default;

  /// Makes room for `extra` more elements. MemoryAllocationFailed leaves everything as it was.
  ET_NODISCARD Error reserve(size_t extra) {
    size_t needed = 0;
    ET_REQUIRE(checked_add(size_, extra, &needed), MemoryAllocationFailed,
               "%zu more elements do not fit", extra);
    if (needed <= capacity_) return Error::Ok;
    size_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_;
    size_t nbytes = 0;
    while (capacity < needed) {
      ET_REQUIRE(checked_mul<size_t>(capacity, 2, &capacity), MemoryAllocationFailed,
                 "%zu more elements do not fit", extra);
    }
    const bool fits =
        checked_mul(capacity, sizeof(T), &nbytes) && checked_add(nbytes, sizeof(Block), &nbytes);
    Block* const block = fits ? static_cast<Block*>(std::malloc(nbytes)) : nullptr;
    ET_REQUIRE(block != nullptr, MemoryAllocationFailed, "out of memory: %zu elements of %zu bytes",
               capacity, sizeof(T));
    block->previous = block_;
    if (size_ > 0) std::memcpy(elements(block), elements(block_), size_ * sizeof(T));
    block_ = block;
    capacity_ = capacity;
    return Error::Ok;
  }

  /// Room must have been reserved.
  void append(const T& element) { elements(block_)[size_++] = element; }

  /// Drops the elements from `size` on.
  void truncate(size_t size) { size_ = size; }

  size_t size() const { return size_; }
  T& operator[](size_t index) { return elements(block_)[index]; }
  const T& operator[](size_t index) const { return elements(block_)[index]; }

  Span<const T> span() const {
    if (size_ == 0) return {static_cast<const T*>(nullptr), static_cast<size_t>(0)};
    return {elements(block_), size_};
  }

 private:
  static constexpr size_t kFirstCapacity = 16;

  struct alignas(std::max_align_t) Block {
    Block* previous;
  };

  static T* elements(Block* block) { return reinterpret_cast<T*>(block + 1); }

  Block* block_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace runtime
}  // namespace executorch
