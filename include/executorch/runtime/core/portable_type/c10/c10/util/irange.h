/**
 * @file
 * Integer ranges for range-based loops.
 */
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <c10/util/TypeSafeSignMath.h>

namespace c10 {

namespace detail {

template <typename I, bool one_sided = false, std::enable_if_t<std::is_integral_v<I>, int> = 0>
struct integer_iterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = I;
  using difference_type = std::ptrdiff_t;
  using pointer = I*;
  using reference = I&;

  explicit constexpr integer_iterator(I start) : value(start) {}

  constexpr I operator*() const { return value; }
  constexpr const I* operator->() const { return &value; }

  constexpr integer_iterator& operator++() {
    ++value;
    return *this;
  }
  constexpr integer_iterator operator++(int) {
    const integer_iterator before = *this;
    ++value;
    return before;
  }

  /// The end of a one-sided range may be negative: then the range is empty.
  constexpr bool operator==(const integer_iterator& other) const {
    if constexpr (one_sided) {
      return is_negative(other.value) || value == other.value;
    } else {
      return value == other.value;
    }
  }
  constexpr bool operator!=(const integer_iterator& other) const { return !(*this == other); }

 protected:
  I value;
};

}  // namespace detail

template <typename I, bool one_sided = false, std::enable_if_t<std::is_integral_v<I>, bool> = true>
struct integer_range {
 public:
  using iterator = detail::integer_iterator<I, one_sided>;

  constexpr integer_range(I begin, I end) : begin_(begin), end_(end) {}
  constexpr iterator begin() const { return begin_; }
  constexpr iterator end() const { return end_; }

 private:
  iterator begin_;
  iterator end_;
};

/// The integers of [begin, end); none when `end` is not above `begin`. Of the type of `end`.
template <typename Integer1, typename Integer2,
          std::enable_if_t<std::is_integral_v<Integer1>, bool> = true,
          std::enable_if_t<std::is_integral_v<Integer2>, bool> = true>
constexpr integer_range<Integer2> irange(Integer1 begin, Integer2 end) {
  const Integer2 first = static_cast<Integer2>(begin);
  return {first, first < end ? end : first};
}

/// The integers of [0, end); none when `end` is negative.
template <typename Integer, std::enable_if_t<std::is_integral_v<Integer>, bool> = true>
constexpr integer_range<Integer, true> irange(Integer end) {
  return {Integer(), end};
}

}  // namespace c10
