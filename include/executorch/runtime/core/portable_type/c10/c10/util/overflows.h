/**
 * @file
 * Whether a number fits another type.
 */
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <c10/macros/Macros.h>
#include <c10/util/TypeSafeSignMath.h>
#include <c10/util/complex.h>

C10_CLANG_DIAGNOSTIC_PUSH()
C10_CLANG_DIAGNOSTIC_IGNORE("-Wimplicit-float-conversion")

namespace c10 {

/// A bool fits every type.
template <typename To, typename From>
std::enable_if_t<std::is_same_v<From, bool>, bool> overflows(
    From /*value*/, [[maybe_unused]] bool strict_unsigned = false) {
  return false;
}

/**
 * Whether an integer is outside the range of To. Negative numbers fit an unsigned To, by wrapping,
 * unless `strict_unsigned`, if their magnitude does.
 */
template <typename To, typename From>
std::enable_if_t<std::is_integral_v<From> && !std::is_same_v<From, bool>, bool> overflows(
    From value, [[maybe_unused]] bool strict_unsigned = false) {
  using Scalar = typename scalar_value_type<To>::type;
  using limit = std::numeric_limits<Scalar>;
  if constexpr (!limit::is_signed && std::numeric_limits<From>::is_signed) {
    if (!strict_unsigned && is_negative(value)) {
      return uint64_t{0} - static_cast<uint64_t>(value) > static_cast<uint64_t>((limit::max)());
    }
  }
  return less_than_lowest<Scalar>(value) || greater_than_max<Scalar>(value);
}

/// Whether a float is outside the range of To. Infinity and NaN fit when To has them.
template <typename To, typename From>
std::enable_if_t<std::is_floating_point_v<From>, bool> overflows(
    From value, [[maybe_unused]] bool strict_unsigned = false) {
  using Scalar = typename scalar_value_type<To>::type;
  using limit = std::numeric_limits<Scalar>;
  if (limit::has_infinity && std::isinf(static_cast<double>(value))) {
    return false;
  }
  if (!limit::has_quiet_NaN && value != value) {
    return true;
  }
  if constexpr (std::is_integral_v<Scalar>) {
    // One above the largest, a power of two, which every float type holds.
    constexpr From end = static_cast<From>(uint64_t{1} << (limit::digits - 1)) * From{2};
    return value < static_cast<From>(limit::lowest()) || value >= end;
  } else {
    return value < limit::lowest() || value > (limit::max)();
  }
}

/// Whether a complex number does not fit: an imaginary part needs a complex To.
template <typename To, typename From>
std::enable_if_t<is_complex<From>::value, bool> overflows(From value,
                                                          bool strict_unsigned = false) {
  using Scalar = typename scalar_value_type<To>::type;
  using Part = typename From::value_type;
  if (!is_complex<To>::value && value.imag() != 0) {
    return true;
  }
  return overflows<Scalar, Part>(value.real(), strict_unsigned) ||
         overflows<Scalar, Part>(value.imag(), strict_unsigned);
}

}  // namespace c10

C10_CLANG_DIAGNOSTIC_POP()
