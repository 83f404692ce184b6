/**
 * @file
 * Counting and rounding with the bits of integers.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <c10/util/bit_cast.h>

namespace c10::llvm {

/// What counting the zeros of 0 gives; kept for callers, the answer is always the width.
enum ZeroBehavior {
  ZB_Undefined,
  ZB_Max,
  ZB_Width,
};

/// Zero bits above the highest one.
template <typename T>
std::size_t countLeadingZeros(T value, ZeroBehavior /*behavior*/ = ZB_Width) {
  static_assert(std::numeric_limits<T>::is_integer && !std::numeric_limits<T>::is_signed,
                "Only unsigned integers are counted.");
  std::size_t zeros = std::numeric_limits<T>::digits;
  while (value != 0) {
    value = static_cast<T>(value >> 1);
    --zeros;
  }
  return zeros;
}

/// Zero bits below the lowest one.
template <typename T>
std::size_t countTrailingZeros(T value, ZeroBehavior /*behavior*/ = ZB_Width) {
  static_assert(std::numeric_limits<T>::is_integer && !std::numeric_limits<T>::is_signed,
                "Only unsigned integers are counted.");
  if (value == 0) {
    return std::numeric_limits<T>::digits;
  }
  std::size_t zeros = 0;
  while ((value & 1) == 0) {
    value = static_cast<T>(value >> 1);
    ++zeros;
  }
  return zeros;
}

/// One bits above the highest zero.
template <typename T>
std::size_t countLeadingOnes(T value, ZeroBehavior behavior = ZB_Width) {
  return countLeadingZeros<T>(static_cast<T>(~value), behavior);
}

/// One bits below the lowest zero.
template <typename T>
std::size_t countTrailingOnes(T value, ZeroBehavior behavior = ZB_Width) {
  return countTrailingZeros<T>(static_cast<T>(~value), behavior);
}

/// Number of one bits.
template <typename T>
inline unsigned countPopulation(T value) {
  unsigned ones = 0;
  for (; value != 0; value = static_cast<T>(value & (value - 1))) {
    ++ones;
  }
  return ones;
}

constexpr uint32_t Hi_32(uint64_t value) {
  return static_cast<uint32_t>(value >> 32);
}
constexpr uint32_t Lo_32(uint64_t value) {
  return static_cast<uint32_t>(value);
}
constexpr uint64_t Make_64(uint32_t high, uint32_t low) {
  return (static_cast<uint64_t>(high) << 32) | low;
}

/// Whether a value fits a signed integer of N bits.
template <unsigned N>
constexpr bool isInt(int64_t value) {
  return N >= 64 ||
         (-(INT64_C(1) << ((N - 1) % 64)) <= value && value < (INT64_C(1) << ((N - 1) % 64)));
}

/// Whether a value fits an unsigned integer of N bits.
template <unsigned N>
constexpr bool isUInt(uint64_t value) {
  return N >= 64 || value < (UINT64_C(1) << (N % 64));
}

constexpr bool isPowerOf2_32(uint32_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}
constexpr bool isPowerOf2_64(uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

/// Rounded down; of 0 it is the largest unsigned number.
inline unsigned Log2_32(uint32_t value) {
  return static_cast<unsigned>(31 - countLeadingZeros(value));
}
inline unsigned Log2_64(uint64_t value) {
  return static_cast<unsigned>(63 - countLeadingZeros(value));
}

/// Rounded up; of 1 it is 0.
inline unsigned Log2_32_Ceil(uint32_t value) {
  return static_cast<unsigned>(32 - countLeadingZeros(static_cast<uint32_t>(value - 1)));
}
inline unsigned Log2_64_Ceil(uint64_t value) {
  return static_cast<unsigned>(64 - countLeadingZeros(static_cast<uint64_t>(value - 1)));
}

inline uint64_t GreatestCommonDivisor64(uint64_t a, uint64_t b) {
  while (b != 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

inline double BitsToDouble(uint64_t bits) {
  return c10::bit_cast<double>(bits);
}
inline float BitsToFloat(uint32_t bits) {
  return c10::bit_cast<float>(bits);
}
inline uint64_t DoubleToBits(double value) {
  return c10::bit_cast<uint64_t>(value);
}
inline uint32_t FloatToBits(float value) {
  return c10::bit_cast<uint32_t>(value);
}

/// The largest power of two that divides both.
constexpr uint64_t MinAlign(uint64_t a, uint64_t b) {
  return (a | b) & (~(a | b) + 1);
}

/// The smallest power of two above `value`.
inline uint64_t NextPowerOf2(uint64_t value) {
  for (unsigned shift = 1; shift < 64; shift *= 2) {
    value |= value >> shift;
  }
  return value + 1;
}

/// The largest power of two that is not above `value`; 0 of 0.
inline uint64_t PowerOf2Floor(uint64_t value) {
  return value == 0 ? 0 : UINT64_C(1) << Log2_64(value);
}

/// The smallest power of two that is not below `value`; 0 of 0.
inline uint64_t PowerOf2Ceil(uint64_t value) {
  return value == 0 ? 0 : NextPowerOf2(value - 1);
}

/// The smallest number that is not below `value` and is `skew` above a multiple of `align`, which
/// is not 0.
inline uint64_t alignTo(uint64_t value, uint64_t align, uint64_t skew = 0) {
  skew %= align;
  return (value + align - 1 - skew) / align * align + skew;
}

/// The largest number that is not above `value` and is `skew` above a multiple of `align`, which is
/// not 0.
inline uint64_t alignDown(uint64_t value, uint64_t align, uint64_t skew = 0) {
  skew %= align;
  return (value - skew) / align * align + skew;
}

/// The quotient, rounded up. The denominator is not 0.
inline uint64_t divideCeil(uint64_t numerator, uint64_t denominator) {
  return alignTo(numerator, denominator) / denominator;
}

/// What `value` lacks to a multiple of `align`, which is not 0.
inline uint64_t OffsetToAlignment(uint64_t value, uint64_t align) {
  return alignTo(value, align) - value;
}

/// The lowest `bits` bits, of which the highest is the sign; between 1 and the width.
inline int32_t SignExtend32(uint32_t value, unsigned bits) {
  return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits);
}
inline int64_t SignExtend64(uint64_t value, unsigned bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

template <typename T>
std::enable_if_t<std::is_unsigned_v<T>, T> AbsoluteDifference(T a, T b) {
  return a > b ? a - b : b - a;
}

/// The sum, or the largest T when that is less; then `*overflowed` is set.
template <typename T>
std::enable_if_t<std::is_unsigned_v<T>, T> SaturatingAdd(T a, T b, bool* overflowed = nullptr) {
  const T sum = static_cast<T>(a + b);
  if (overflowed != nullptr) {
    *overflowed = sum < a;
  }
  return sum < a ? std::numeric_limits<T>::max() : sum;
}

/// The product, or the largest T when that is less; then `*overflowed` is set.
template <typename T>
std::enable_if_t<std::is_unsigned_v<T>, T> SaturatingMultiply(T a, T b,
                                                              bool* overflowed = nullptr) {
  const bool too_large = b != 0 && a > std::numeric_limits<T>::max() / b;
  if (overflowed != nullptr) {
    *overflowed = too_large;
  }
  return too_large ? std::numeric_limits<T>::max() : static_cast<T>(a * b);
}

}  // namespace c10::llvm
