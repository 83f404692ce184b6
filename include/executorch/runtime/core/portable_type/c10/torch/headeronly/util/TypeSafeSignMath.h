/**
 * @file
 * Comparisons that are right for every mix of signed, unsigned and floating types.
 */
#pragma once

#include <limits>
#include <type_traits>

#include <torch/headeronly/macros/Macros.h>

C10_DIAGNOSTIC_PUSH_AND_IGNORED_IF_DEFINED("-Wsign-compare")
#if defined(__clang__)
C10_CLANG_DIAGNOSTIC_IGNORE("-Wimplicit-int-float-conversion")
C10_CLANG_DIAGNOSTIC_IGNORE("-Wimplicit-const-int-float-conversion")
#endif

namespace c10 {

/// Whether x is below zero.
template <typename T>
constexpr bool is_negative(const T& x) {
  if constexpr (std::is_unsigned_v<T>) {
    return false;
  } else {
    return x < T(0);
  }
}

/// -1, 0 or 1.
template <typename T>
constexpr int signum(const T& x) {
  return static_cast<int>(T(0) < x) - static_cast<int>(is_negative(x));
}

/// Whether exactly one of both is below zero.
template <typename T, typename U>
constexpr bool signs_differ(const T& a, const U& b) {
  return is_negative(a) != is_negative(b);
}

/// Whether x is above the largest value of Limit.
template <typename Limit, typename T>
constexpr bool greater_than_max(const T& x) {
  constexpr bool possible = std::numeric_limits<T>::digits > std::numeric_limits<Limit>::digits;
  return possible && x > (std::numeric_limits<Limit>::max)();
}

/// Whether x is below the lowest value of Limit.
template <typename Limit, typename T>
constexpr bool less_than_lowest(const T& x) {
  if constexpr (std::is_unsigned_v<T>) {
    return false;
  } else if constexpr (std::is_unsigned_v<Limit>) {
    return is_negative(x);
  } else {
    return x < std::numeric_limits<Limit>::lowest();
  }
}

}  // namespace c10

C10_DIAGNOSTIC_POP()

namespace torch {
namespace headeronly {
using c10::greater_than_max;
using c10::is_negative;
using c10::less_than_lowest;
using c10::signs_differ;
using c10::signum;
}  // namespace headeronly
}  // namespace torch
