/**
 * @file
 * The 16-bit IEEE float.
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
#include <cuda_fp16.h>
#endif

namespace c10 {

namespace detail {

/// The bits of the float with a half's value; NaN payloads are kept.
C10_ALWAYS_INLINE C10_HOST_DEVICE uint32_t fp16_ieee_to_fp32_bits(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  // Exponent and mantissa at their places of float; the exponent's bias is still the half's.
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7FFFu) << 13;
  // A subnormal's mantissa counts steps of 2^-24, as the last bits of 0.5f do.
  const float subnormal = fp32_from_bits(0x3F000000u | (bits & 0x03FFu)) - 0.5f;
  const uint32_t finite =
      magnitude < 0x00800000u ? fp32_to_bits(subnormal) : magnitude + 0x38000000u;
  return sign | (magnitude < 0x0F800000u ? finite : (magnitude | 0x7F800000u));
}

/// The float with a half's value.
C10_ALWAYS_INLINE C10_HOST_DEVICE float fp16_ieee_to_fp32_value(uint16_t bits) {
  return fp32_from_bits(fp16_ieee_to_fp32_bits(bits));
}

/**
 * The half nearest to a float, ties to even. Overflow gives infinity; a NaN stays one, quiet.
 *
 * 65520, halfway between the largest half and the next power of two, is the smallest that
 * overflows.
 */
C10_ALWAYS_INLINE C10_HOST_DEVICE uint16_t fp16_ieee_from_fp32_value(float value) {
  const uint32_t bits = fp32_to_bits(value);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  if (magnitude > 0x7F800000u) {
    return static_cast<uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x01FFu));
  }
  if (magnitude >= 0x477FF000u) {
    return static_cast<uint16_t>(sign | 0x7C00u);
  }
  if (magnitude < 0x38800000u) {
    // Subnormal or zero: the last bit weighs 2^-24, as that of 0.5f does.
    const float sum = fp32_from_bits(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (fp32_to_bits(sum) - 0x3F000000u));
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t rounded = magnitude + 0x0FFFu + odd;
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

}  // namespace detail

/// A 16-bit float: 1 sign bit, 5 exponent bits, 10 mantissa bits. Computes in float.
struct alignas(2) Half {
  unsigned short x;

  struct from_bits_t {};
  C10_HOST_DEVICE static constexpr from_bits_t from_bits() { return from_bits_t(); }

  Half() = default;
  constexpr C10_HOST_DEVICE Half(unsigned short bits, from_bits_t) : x(bits) {}

  C10_ALWAYS_INLINE C10_HOST_DEVICE Half(float value)
      : x(detail::fp16_ieee_from_fp32_value(value)) {}
  C10_ALWAYS_INLINE C10_HOST_DEVICE operator float() const {
    return detail::fp16_ieee_to_fp32_value(x);
  }

#if defined(__CUDACC__)
  inline C10_HOST_DEVICE Half(const __half& value) : x(bit_cast<unsigned short>(value)) {}
  inline C10_HOST_DEVICE operator __half() const { return bit_cast<__half>(x); }
#endif
};

C10_DEFINE_REDUCED_FLOAT_OPERATORS(Half)

inline std::ostream& operator<<(std::ostream& out, const Half& value) {
  return out << static_cast<float>(value);
}

}  // namespace c10

namespace torch {
namespace headeronly {
using c10::Half;
using c10::operator+;
using c10::operator-;
using c10::operator*;
using c10::operator/;
using c10::operator+=;
using c10::operator-=;
using c10::operator*=;
using c10::operator/=;
using c10::operator<<;
namespace detail {
using c10::detail::fp16_ieee_from_fp32_value;
using c10::detail::fp16_ieee_to_fp32_bits;
using c10::detail::fp16_ieee_to_fp32_value;
}  // namespace detail
}  // namespace headeronly
}  // namespace torch

namespace std {

template <>
class numeric_limits<c10::Half> : public numeric_limits<float> {
  static constexpr c10::Half make(unsigned short bits) {
    return c10::Half(bits, c10::Half::from_bits());
  }

 public:
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr bool tinyness_before = numeric_limits<float>::tinyness_before;

  static constexpr c10::Half(min)() { return make(0x0400); }
  static constexpr c10::Half lowest() { return make(0xFBFF); }
  static constexpr c10::Half(max)() { return make(0x7BFF); }
  static constexpr c10::Half epsilon() { return make(0x1400); }
  static constexpr c10::Half round_error() { return make(0x3800); }
  static constexpr c10::Half infinity() { return make(0x7C00); }
  static constexpr c10::Half quiet_NaN() { return make(0x7E00); }
  static constexpr c10::Half signaling_NaN() { return make(0x7D00); }
  static constexpr c10::Half denorm_min() { return make(0x0001); }
};

}  // namespace std
