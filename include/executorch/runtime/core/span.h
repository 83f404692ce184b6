/**
 * @file
 * A view of consecutive, possibly writable elements.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

/**
 * A pointer and a count; owns nothing. Unlike ArrayRef it gives write access, unless T is const.
 * Copying is cheap: pass it by value. Whoever makes a Span keeps the elements alive.
 */
template <typename T>
class Span final {
 public:
  using value_type = T;
  using iterator = T*;
  using size_type = size_t;

  /* implicit */ constexpr Span() noexcept : data_(nullptr), length_(0) {}

  /// `length` elements from `data`, which may be null only if `length` is 0.
  Span(T* data, size_t length) : data_(data), length_(length) {
    ET_DCHECK(data_ != nullptr || length_ == 0);
  }

  /// The elements of [begin, end).
  Span(T* begin, T* end) : data_(begin), length_(static_cast<size_t>(end - begin)) {}

  template <size_t N>
  /* implicit */ constexpr Span(T (&array)[N]) : data_(array), length_(N) {}

  /// One element, which must outlive the span.
  /* implicit */ constexpr Span(T& single_element) : data_(&single_element), length_(1) {}

  iterator begin() const noexcept { return data_; }
  iterator end() const noexcept { return data_ + length_; }
  constexpr bool empty() const noexcept { return length_ == 0; }
  constexpr T* data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return length_; }

  /// Not checked: `index` must be below size().
  T& operator[](size_t index) const { return data_[index]; }

 private:
  T* data_;
  size_type length_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Span;
}  // namespace executor
}  // namespace torch
