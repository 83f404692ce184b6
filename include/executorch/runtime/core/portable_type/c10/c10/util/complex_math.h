/**
 * @file
 * The functions of <complex> for c10::complex; std and c10 find them too.
 */
#pragma once

#include <c10/util/complex.h>

#include <cmath>
#include <complex>

namespace c10_complex_math {

#define C10_DEFINE_COMPLEX_FUNCTION(name__)                                            \
  template <typename T>                                                                \
  C10_HOST_DEVICE inline c10::complex<T> name__(const c10::complex<T>& x) {            \
    return static_cast<c10::complex<T>>(std::name__(static_cast<std::complex<T>>(x))); \
  }

C10_DEFINE_COMPLEX_FUNCTION(exp)
C10_DEFINE_COMPLEX_FUNCTION(log)
C10_DEFINE_COMPLEX_FUNCTION(log10)
C10_DEFINE_COMPLEX_FUNCTION(sqrt)
C10_DEFINE_COMPLEX_FUNCTION(sin)
C10_DEFINE_COMPLEX_FUNCTION(cos)
C10_DEFINE_COMPLEX_FUNCTION(tan)
C10_DEFINE_COMPLEX_FUNCTION(asin)
C10_DEFINE_COMPLEX_FUNCTION(acos)
C10_DEFINE_COMPLEX_FUNCTION(atan)
C10_DEFINE_COMPLEX_FUNCTION(sinh)
C10_DEFINE_COMPLEX_FUNCTION(cosh)
C10_DEFINE_COMPLEX_FUNCTION(tanh)
C10_DEFINE_COMPLEX_FUNCTION(asinh)
C10_DEFINE_COMPLEX_FUNCTION(acosh)
C10_DEFINE_COMPLEX_FUNCTION(atanh)

#undef C10_DEFINE_COMPLEX_FUNCTION

/// The logarithm to base 2.
template <typename T>
C10_HOST_DEVICE inline c10::complex<T> log2(const c10::complex<T>& x) {
  return c10_complex_math::log(x) * (T(1) / std::log(T(2)));
}

/// log(1 + x), without the loss of digits that the sum has for a small x.
template <typename T>
C10_HOST_DEVICE inline c10::complex<T> log1p(const c10::complex<T>& x) {
  const T re = x.real();
  const T im = x.imag();
  const c10::complex<T> sum = T(1) + x;
  const T magnitude = std::abs(sum);
  const T angle = std::arg(sum);
  if (magnitude < T(0.5) || magnitude > T(2)) {
    return {std::log(magnitude), angle};
  }
  return {std::log1p(re * (T(2) + re) + im * im) / T(2), angle};
}

/// exp(x) - 1, without the loss of digits that the difference has for a small x.
template <typename T>
C10_HOST_DEVICE inline c10::complex<T> expm1(const c10::complex<T>& x) {
  const T growth = std::expm1(x.real());
  const T half_sine = std::sin(x.imag() / T(2));
  const T cosine_minus_1 = T(-2) * half_sine * half_sine;
  return {growth * (cosine_minus_1 + T(1)) + cosine_minus_1, (growth + T(1)) * std::sin(x.imag())};
}

template <typename T>
C10_HOST_DEVICE inline c10::complex<T> pow(const c10::complex<T>& x, const c10::complex<T>& y) {
  return static_cast<c10::complex<T>>(
      std::pow(static_cast<std::complex<T>>(x), static_cast<std::complex<T>>(y)));
}

template <typename T>
C10_HOST_DEVICE inline c10::complex<T> pow(const c10::complex<T>& x, const T& y) {
  return static_cast<c10::complex<T>>(std::pow(static_cast<std::complex<T>>(x), y));
}

template <typename T>
C10_HOST_DEVICE inline c10::complex<T> pow(const T& x, const c10::complex<T>& y) {
  return static_cast<c10::complex<T>>(std::pow(x, static_cast<std::complex<T>>(y)));
}

template <typename T, typename U>
C10_HOST_DEVICE inline c10::complex<decltype(T() * U())> pow(const c10::complex<T>& x,
                                                             const c10::complex<U>& y) {
  return static_cast<c10::complex<decltype(T() * U())>>(
      std::pow(static_cast<std::complex<T>>(x), static_cast<std::complex<U>>(y)));
}

template <typename T, typename U>
C10_HOST_DEVICE inline c10::complex<decltype(T() * U())> pow(const c10::complex<T>& x, const U& y) {
  return static_cast<c10::complex<decltype(T() * U())>>(
      std::pow(static_cast<std::complex<T>>(x), y));
}

template <typename T, typename U>
C10_HOST_DEVICE inline c10::complex<decltype(T() * U())> pow(const T& x, const c10::complex<U>& y) {
  return static_cast<c10::complex<decltype(T() * U())>>(
      std::pow(x, static_cast<std::complex<U>>(y)));
}

}  // namespace c10_complex_math

namespace c10 {
using c10_complex_math::acos;
using c10_complex_math::acosh;
using c10_complex_math::asin;
using c10_complex_math::asinh;
using c10_complex_math::atan;
using c10_complex_math::atanh;
using c10_complex_math::cos;
using c10_complex_math::cosh;
using c10_complex_math::exp;
using c10_complex_math::expm1;
using c10_complex_math::log;
using c10_complex_math::log10;
using c10_complex_math::log1p;
using c10_complex_math::log2;
using c10_complex_math::pow;
using c10_complex_math::sin;
using c10_complex_math::sinh;
using c10_complex_math::sqrt;
using c10_complex_math::tan;
using c10_complex_math::tanh;
}  // namespace c10

namespace std {
using c10_complex_math::acos;
using c10_complex_math::acosh;
using c10_complex_math::asin;
using c10_complex_math::asinh;
using c10_complex_math::atan;
using c10_complex_math::atanh;
using c10_complex_math::cos;
using c10_complex_math::cosh;
using c10_complex_math::exp;
using c10_complex_math::expm1;
using c10_complex_math::log;
using c10_complex_math::log10;
using c10_complex_math::log1p;
using c10_complex_math::log2;
using c10_complex_math::pow;
using c10_complex_math::sin;
using c10_complex_math::sinh;
using c10_complex_math::sqrt;
using c10_complex_math::tan;
using c10_complex_math::tanh;
}  // namespace std
