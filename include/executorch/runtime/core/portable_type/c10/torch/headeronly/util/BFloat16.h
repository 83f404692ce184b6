/**
 * @file
 * The 16-bit float with the exponent range of float.
 */
#pragma once

#include <cstdint>
#include <limits>
#include <ostream>

#include <torch/headeronly/macros/Macros.h>
#include <torch/headeronly/util/bit_cast.h>
#include <torch/headeronly/util/floating_point_utils.h>
#include <torch/headeronly/util/reduced_float_operators.h>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#endif

namespace c10 {

namespace detail {

/// The float whose upper half the bits are.
C10_ALWAYS_INLINE C10_HOST_DEVICE float f32_from_bits(uint16_t bits) {
  return fp32_from_bits(static_cast<uint32_t>(bits) << 16);
}

/// The upper half of a float: rounded towards zero.
C10_ALWAYS_INLINE C10_HOST_DEVICE uint16_t bits_from_f32(float value) {
  return static_cast<uint16_t>(fp32_to_bits(value) >> 16);
}

/// The bits of the bfloat16 nearest to a float, ties to even. Every NaN becomes the quiet one.
C10_ALWAYS_INLINE C10_HOST_DEVICE uint16_t round_to_nearest_even(float value) {
  const uint32_t bits = fp32_to_bits(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
    return 0x7FC0;
  }
  const uint32_t odd = (bits >> 16) & 1u;
  return static_cast<uint16_t>((bits + 0x7FFFu + odd) >> 16);
}

}  // namespace detail

/// A 16-bit float: 1 sign bit, 8 exponent bits, 7 mantissa bits. Computes in float.
struct alignas(2) BFloat16 {
  uint16_t x;

  struct from_bits_t {};
  C10_HOST_DEVICE static constexpr from_bits_t from_bits() { return from_bits_t(); }

  BFloat16() = default;
  constexpr C10_HOST_DEVICE BFloat16(unsigned short bits, from_bits_t) : x(bits) {}

  /* implicit */ C10_ALWAYS_INLINE C10_HOST_DEVICE BFloat16(float value)
      : x(detail::round_to_nearest_even(value)) {}
  C10_ALWAYS_INLINE C10_HOST_DEVICE operator float() const { return detail::f32_from_bits(x); }

#if defined(__CUDACC__)
  inline C10_HOST_DEVICE BFloat16(const __nv_bfloat16& value) : x(bit_cast<uint16_t>(value)) {}
  explicit inline C10_HOST_DEVICE operator __nv_bfloat16() const {
    return bit_cast<__nv_bfloat16>(x);
  }
#endif
};

C10_DEFINE_REDUCED_FLOAT_OPERATORS(BFloat16)

// These change their left operand, as in PyTorch.
inline C10_HOST_DEVICE BFloat16& operator|(BFloat16& a, const BFloat16& b) {
  a.x = static_cast<uint16_t>(a.x | b.x);
  return a;
}

inline C10_HOST_DEVICE BFloat16& operator^(BFloat16& a, const BFloat16& b) {
  a.x = static_cast<uint16_t>(a.x ^ b.x);
  return a;
}

inline C10_HOST_DEVICE BFloat16& operator&(BFloat16& a, const BFloat16& b) {
  a.x = static_cast<uint16_t>(a.x & b.x);
  return a;
}

// Algorithms such as std::sort compare through references to const.
inline C10_HOST_DEVICE bool operator>(const BFloat16& a, const BFloat16& b) {
  return static_cast<float>(a) > static_cast<float>(b);
}

inline C10_HOST_DEVICE bool operator<(const BFloat16& a, const BFloat16& b) {
  return static_cast<float>(a) < static_cast<float>(b);
}

inline std::ostream& operator<<(std::ostream& out, const BFloat16& value) {
  return out << static_cast<float>(value);
}

}  // namespace c10

namespace torch {
namespace headeronly {
using c10::BFloat16;
using c10::operator+;
using c10::operator-;
using c10::operator*;
using c10::operator/;
using c10::operator+=;
using c10::operator-=;
using c10::operator*=;
using c10::operator/=;
using c10::operator<;
using c10::operator>;
using c10::operator<<;
using c10::operator|;
using c10::operator^;
using c10::operator&;
namespace detail {
using c10::detail::bits_from_f32;
using c10::detail::f32_from_bits;
using c10::detail::round_to_nearest_even;
}  // namespace detail
}  // namespace headeronly
}  // namespace torch

namespace std {

template <>
class numeric_limits<c10::BFloat16> : public numeric_limits<float> {
  static constexpr c10::BFloat16 make(unsigned short bits) {
    return c10::BFloat16(bits, c10::BFloat16::from_bits());
  }

 public:
  static constexpr bool is_iec559 = false;
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;

  static constexpr c10::BFloat16(min)() { return make(0x0080); }
  static constexpr c10::BFloat16 lowest() { return make(0xFF7F); }
  static constexpr c10::BFloat16(max)() { return make(0x7F7F); }
  static constexpr c10::BFloat16 epsilon() { return make(0x3C00); }
  static constexpr c10::BFloat16 round_error() { return make(0x3F00); }
  static constexpr c10::BFloat16 infinity() { return make(0x7F80); }
  static constexpr c10::BFloat16 quiet_NaN() { return make(0x7FC0); }
  static constexpr c10::BFloat16 signaling_NaN() { return make(0x7FA0); }
  static constexpr c10::BFloat16 denorm_min() { return make(0x0001); }
};

}  // namespace std
