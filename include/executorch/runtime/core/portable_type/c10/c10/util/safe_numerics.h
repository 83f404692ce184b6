/**
 * @file
 * Integer arithmetic that reports overflow.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <c10/macros/Macros.h>

#if defined(_MSC_VER) && !defined(__clang__)
#define C10_HAS_BUILTIN_OVERFLOW() (0)
#else
#define C10_HAS_BUILTIN_OVERFLOW() (1)
#endif

namespace c10 {

/// Sets `*out` to a + b, wrapped, and returns whether that differs from the true sum.
template <typename T, typename std::enable_if_t<std::is_integral_v<T>, int> = 0>
C10_ALWAYS_INLINE bool add_overflows(T a, T b, T* out) {
#if C10_HAS_BUILTIN_OVERFLOW()
  return __builtin_add_overflow(a, b, out);
#else
  using U = std::make_unsigned_t<T>;
  *out = static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  if constexpr (std::is_signed_v<T>) {
    return (a < 0) == (b < 0) && (*out < 0) != (a < 0);
  } else {
    return *out < a;
  }
#endif
}

/// As above, for mixed types that convert to uint64_t.
C10_ALWAYS_INLINE bool add_overflows(uint64_t a, uint64_t b, uint64_t* out) {
  return add_overflows<uint64_t>(a, b, out);
}

/// Sets `*out` to a * b, wrapped, and returns whether that differs from the true product.
template <typename T, typename std::enable_if_t<std::is_integral_v<T>, int> = 0>
C10_ALWAYS_INLINE bool mul_overflows(T a, T b, T* out) {
#if C10_HAS_BUILTIN_OVERFLOW()
  return __builtin_mul_overflow(a, b, out);
#else
  using U = std::make_unsigned_t<T>;
  *out = static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  if (a == 0 || b == 0) {
    return false;
  }
  if constexpr (std::is_signed_v<T>) {
    constexpr T lowest = (std::numeric_limits<T>::min)();
    if ((a == -1 && b == lowest) || (b == -1 && a == lowest)) {
      return true;
    }
  }
  return *out / b != a;
#endif
}

/// As above, for mixed types that convert to uint64_t.
C10_ALWAYS_INLINE bool mul_overflows(uint64_t a, uint64_t b, uint64_t* out) {
  return mul_overflows<uint64_t>(a, b, out);
}

/// Sets `*out` to the wrapped product of [first, last) and returns whether a partial product
/// overflowed.
template <typename It>
bool safe_multiplies_u64(It first, It last, uint64_t* out) {
  uint64_t product = 1;
  bool overflow = false;
  for (; first != last; ++first) {
    overflow |= c10::mul_overflows(product, static_cast<uint64_t>(*first), &product);
  }
  *out = product;
  return overflow;
}

/// As above, for all elements of a container.
template <typename Container>
bool safe_multiplies_u64(const Container& factors, uint64_t* out) {
  return safe_multiplies_u64(factors.begin(), factors.end(), out);
}

}  // namespace c10
