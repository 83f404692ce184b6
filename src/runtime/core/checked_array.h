/**
 * @file
 * An array whose size comes from a file, for code without exceptions.
 */
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// Owns `size` elements, fixed at creation. Movable, not copyable.
template <typename T>
class CheckedArray {
  static_assert(alignof(T) <= alignof(std::max_align_t), "memory comes from malloc");

 public:
  /// `size` value-initialised elements, or MemoryAllocationFailed with a text.
  static Result<CheckedArray> make(size_t size) {
    CheckedArray array;
    if (size == 0) return array;
    size_t nbytes = 0;
    ET_REQUIRE(checked_mul(size, sizeof(T), &nbytes), MemoryAllocationFailed,
               "%zu elements of %zu bytes are more than the address space holds", size, sizeof(T));
    array.data_ = static_cast<T*>(std::malloc(nbytes));
    ET_REQUIRE(array.data_ != nullptr, MemoryAllocationFailed,
               "out of memory: %zu bytes are needed", nbytes);
    for (; array.size_ < size; ++array.size_) new (&array.data_[array.size_]) T();
    return array;
  }

  CheckedArray() = default;

  CheckedArray(CheckedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

  CheckedArray& operator=(CheckedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  CheckedArray(const CheckedArray&) = delete;
  CheckedArray& operator=(const CheckedArray&) = delete;

  ~CheckedArray() {
    while (size_ > 0) data_[--size_].~T();
    std::free(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// `index` must be below size().
  T& operator[](size_t index) { return data_[index]; }
  const T& operator[](size_t index) const { return data_[index]; }

  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  Span<T> span() { return {data_, size_}; }
  Span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace runtime
}  // namespace executorch
