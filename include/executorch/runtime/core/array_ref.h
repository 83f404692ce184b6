/**
 * @file
 * A read-only view of consecutive elements.
 */
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <c10/util/irange.h>
#include <c10/util/safe_numerics.h>

#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

/**
 * A pointer and a count; owns nothing and never writes. Copying is cheap: pass it by value. Whoever
 * makes an ArrayRef keeps the elements alive; in particular do not store one made from a temporary.
 */
template <typename T>
class ArrayRef final {
 public:
  using iterator = const T*;
  using const_iterator = const T*;
  using size_type = size_t;
  using value_type = T;

  /* implicit */ constexpr ArrayRef() : data_(nullptr), length_(0) {}

  /// One element.
  /* implicit */ constexpr ArrayRef(const T& element) : data_(&element), length_(1) {}

  /// `length` elements from `data`, which may be null only if `length` is 0.
  ArrayRef(const T* data, size_t length) : data_(data), length_(length) {
    ET_DCHECK(data_ != nullptr || length_ == 0);
  }

  /// The elements of [begin, end).
  ArrayRef(const T* begin, const T* end)
      : data_(begin), length_(static_cast<size_t>(end - begin)) {}

  template <size_t N>
  /* implicit */ constexpr ArrayRef(const std::array<T, N>& array)
      : data_(array.data()), length_(N) {}

  template <size_t N>
  /* implicit */ constexpr ArrayRef(const T (&array)[N]) : data_(array), length_(N) {}

  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + length_; }
  constexpr const_iterator cbegin() const { return data_; }
  constexpr const_iterator cend() const { return data_ + length_; }
  constexpr bool empty() const { return length_ == 0; }
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return length_; }

  /// Aborts when empty.
  const T& front() const {
    ET_CHECK(!empty());
    return data_[0];
  }

  /// Aborts when empty.
  const T& back() const {
    ET_CHECK(!empty());
    return data_[length_ - 1];
  }

  /// Same length and equal elements.
  bool equals(ArrayRef other) const {
    if (length_ != other.length_) {
      return false;
    }
    for (size_t i = 0; i < length_; ++i) {
      if (!(data_[i] == other.data_[i])) {
        return false;
      }
    }
    return true;
  }

  /// The `count` elements from `start`. Aborts when they are not all inside.
  ArrayRef<T> slice(size_t start, size_t count) const {
    size_t stop = 0;
    ET_CHECK(!c10::add_overflows(start, count, &stop) && stop <= size());
    return ArrayRef<T>(data_ + start, count);
  }

  /// All elements from `start`. Aborts when `start` is behind the end.
  ArrayRef<T> slice(size_t start) const {
    ET_CHECK(start <= size());
    return slice(start, size() - start);
  }

  /// Not checked: `index` must be below size().
  constexpr const T& operator[](size_t index) const { return data_[index]; }

  /// Aborts when `index` is not below size().
  const T& at(size_t index) const {
    ET_CHECK(index < length_);
    return data_[index];
  }

 private:
  const T* data_;
  size_type length_;
};

template <typename T>
ArrayRef<T> makeArrayRef(const T& element) {
  return element;
}

template <typename T>
ArrayRef<T> makeArrayRef(const T* data, size_t length) {
  return ArrayRef<T>(data, length);
}

template <typename T>
ArrayRef<T> makeArrayRef(const T* begin, const T* end) {
  return ArrayRef<T>(begin, end);
}

template <typename T, std::size_t N>
ArrayRef<T> makeArrayRef(const std::array<T, N>& array) {
  return array;
}

template <typename T>
ArrayRef<T> makeArrayRef(const ArrayRef<T>& array) {
  return array;
}

template <typename T>
ArrayRef<T>& makeArrayRef(ArrayRef<T>& array) {
  return array;
}

template <typename T, size_t N>
ArrayRef<T> makeArrayRef(const T (&array)[N]) {
  return ArrayRef<T>(array);
}

template <typename T>
bool operator==(ArrayRef<T> left, ArrayRef<T> right) {
  return left.equals(right);
}

template <typename T>
bool operator!=(ArrayRef<T> left, ArrayRef<T> right) {
  return !left.equals(right);
}

using IntArrayRef = ArrayRef<int64_t>;

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::ArrayRef;
using ::executorch::runtime::IntArrayRef;
using ::executorch::runtime::makeArrayRef;
}  // namespace executor
}  // namespace torch
