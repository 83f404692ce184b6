/**
 * @file
 * Complex numbers and their functions.
 */
#pragma once

#include <cmath>
#include <complex>

#include <c10/macros/Macros.h>
#include <c10/util/Half.h>
#include <torch/headeronly/util/complex.h>

namespace std {

template <typename T>
constexpr T real(const c10::complex<T>& z) {
  return z.real();
}

template <typename T>
constexpr T imag(const c10::complex<T>& z) {
  return z.imag();
}

template <typename T>
C10_HOST_DEVICE T abs(const c10::complex<T>& z) {
  return std::abs(static_cast<std::complex<T>>(z));
}

template <typename T>
C10_HOST_DEVICE T arg(const c10::complex<T>& z) {
  return std::atan2(z.imag(), z.real());
}

/// The square of the magnitude.
template <typename T>
constexpr T norm(const c10::complex<T>& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}

template <typename T>
constexpr c10::complex<T> conj(const c10::complex<T>& z) {
  return c10::complex<T>(z.real(), -z.imag());
}

}  // namespace std

namespace c10 {
using std::conj;
using torch::headeronly::is_complex;
using torch::headeronly::scalar_value_type;
}  // namespace c10

#include <c10/util/complex_math.h>
