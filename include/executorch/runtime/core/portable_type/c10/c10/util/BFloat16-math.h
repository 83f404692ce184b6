/**
 * @file
 * The functions of <cmath> for 16-bit floats. They compute in float and round once.
 */
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

namespace c10 {

/// Whether T is one of the 16-bit floats.
template <typename T>
struct is_reduced_floating_point
    : std::integral_constant<bool,
                             std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>> {};

template <typename T>
constexpr bool is_reduced_floating_point_v = is_reduced_floating_point<T>::value;

}  // namespace c10

namespace std {

#define C10_DEFINE_REDUCED_FLOAT_FUNCTION(name__)                                  \
  template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, int> = 0> \
  inline T name__(T a) {                                                           \
    return std::name__(static_cast<float>(a));                                     \
  }

C10_DEFINE_REDUCED_FLOAT_FUNCTION(acos)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(asin)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(atan)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(atanh)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(erf)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(erfc)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(exp)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(expm1)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(log)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(log10)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(log1p)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(log2)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(ceil)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(cos)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(floor)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(nearbyint)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(sin)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(tan)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(sinh)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(cosh)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(tanh)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(trunc)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(lgamma)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(sqrt)
C10_DEFINE_REDUCED_FLOAT_FUNCTION(abs)

#undef C10_DEFINE_REDUCED_FLOAT_FUNCTION

template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, int> = 0>
inline bool isfinite(T a) {
  return std::isfinite(static_cast<float>(a));
}

template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, int> = 0>
inline T rsqrt(T a) {
  return 1.0f / std::sqrt(static_cast<float>(a));
}

template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, int> = 0>
inline T pow(T a, double b) {
  return static_cast<float>(std::pow(static_cast<float>(a), b));
}

template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, int> = 0>
inline T pow(T a, T b) {
  return std::pow(static_cast<float>(a), static_cast<float>(b));
}

template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, int> = 0>
inline T fmod(T a, T b) {
  return std::fmod(static_cast<float>(a), static_cast<float>(b));
}

/// The neighbour of `from` in the direction of `to`.
template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, int> = 0>
C10_HOST_DEVICE inline T nextafter(T from, T to) {
  const float start = from;
  const float goal = to;
  if (start != start || goal != goal) {
    return from + to;
  }
  if (start == goal) {
    return to;
  }
  if (start == 0.0f) {
    return T(goal > 0.0f ? 0x0001 : 0x8001, T::from_bits());
  }
  // The bits of a float are sign and magnitude: away from zero is one more.
  const bool away = (start < goal) == (start > 0.0f);
  return T(static_cast<unsigned short>(from.x + (away ? 1 : -1)), T::from_bits());
}

}  // namespace std
