/**
 * @file
 * Arithmetic on sizes that come from files and tensors: every function tells whether the result is
 * exact.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// *out = a + b. False, with *out unspecified, when it does not fit.
template <typename T>
ET_NODISCARD constexpr bool checked_add(T a, T b, T* out) {
  static_assert(std::is_unsigned<T>::value, "sizes are unsigned");
  *out = static_cast<T>(a + b);
  return *out >= a;
}

/// *out = a * b. False, with *out unspecified, when it does not fit.
template <typename T>
ET_NODISCARD constexpr bool checked_mul(T a, T b, T* out) {
  static_assert(std::is_unsigned<T>::value, "sizes are unsigned");
  *out = static_cast<T>(a * b);
  return b == 0 || a <= std::numeric_limits<T>::max() / b;
}

/// *out = value rounded up to a multiple of `alignment`, a power of two. False when it does not
/// fit.
template <typename T>
ET_NODISCARD constexpr bool checked_align_up(T value, T alignment, T* out) {
  if (!checked_add(value, static_cast<T>(alignment - 1), out)) return false;
  *out = static_cast<T>(*out & ~(alignment - 1));
  return true;
}

/// True when [offset, offset + size) lies in [0, limit).
template <typename T>
ET_NODISCARD constexpr bool range_fits(T offset, T size, T limit) {
  static_assert(std::is_unsigned<T>::value, "sizes are unsigned");
  return offset <= limit && size <= limit - offset;
}

/// *out = `value` in another integer type. False when it has no such value.
template <typename To, typename From>
ET_NODISCARD constexpr bool checked_cast(From value, To* out) {
  static_assert(std::is_integral<To>::value && std::is_integral<From>::value, "integers only");
  *out = static_cast<To>(value);
  return static_cast<From>(*out) == value && (*out < To{}) == (value < From{});
}

}  // namespace runtime
}  // namespace executorch
