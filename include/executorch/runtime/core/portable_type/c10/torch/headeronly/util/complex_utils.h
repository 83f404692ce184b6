/**
 * @file
 * Traits of complex numbers.
 */
#pragma once

#include <torch/headeronly/util/complex.h>

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace torch {
namespace headeronly {

/// Whether T is a complex number.
template <typename T>
struct is_complex : public std::false_type {};
template <typename T>
struct is_complex<std::complex<T>> : public std::true_type {};
template <typename T>
struct is_complex<c10::complex<T>> : public std::true_type {};

/// The type of a complex number's parts; any other type itself.
template <typename T>
struct scalar_value_type {
  using type = T;
};
template <typename T>
struct scalar_value_type<std::complex<T>> {
  using type = T;
};
template <typename T>
struct scalar_value_type<c10::complex<T>> {
  using type = T;
};

}  // namespace headeronly
}  // namespace torch

namespace std {

template <typename T>
class numeric_limits<c10::complex<T>> : public numeric_limits<T> {};

template <typename T>
bool isnan(const c10::complex<T>& value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

}  // namespace std
