/**
 * @file
 * Complex numbers.
 */
#pragma once

#include <cmath>
#include <complex>
#include <istream>
#include <limits>
#include <ostream>
#include <type_traits>

#include <torch/headeronly/macros/Macros.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Half.h>

C10_CLANG_DIAGNOSTIC_PUSH()
C10_CLANG_DIAGNOSTIC_IGNORE("-Wimplicit-float-conversion")
C10_CLANG_DIAGNOSTIC_IGNORE("-Wfloat-conversion")

namespace c10 {

/// As std::complex, but also for device code and 16-bit floats. Aligned to its size.
template <typename T>
struct alignas(sizeof(T) * 2) complex {
  using value_type = T;

  T real_ = T(0);
  T imag_ = T(0);

  constexpr complex() = default;
  C10_HOST_DEVICE constexpr complex(const T& re, const T& im = T()) : real_(re), imag_(im) {}

  template <typename U>
  explicit constexpr complex(const std::complex<U>& other) : complex(other.real(), other.imag()) {}

  /// Narrowing is explicit.
  template <typename U = T>
  C10_HOST_DEVICE explicit constexpr complex(
      const std::enable_if_t<std::is_same_v<U, float>, complex<double>>& other)
      : real_(static_cast<T>(other.real_)), imag_(static_cast<T>(other.imag_)) {}

  /// Widening is not.
  template <typename U = T>
  C10_HOST_DEVICE constexpr complex(
      const std::enable_if_t<std::is_same_v<U, double>, complex<float>>& other)
      : real_(other.real_), imag_(other.imag_) {}

  constexpr complex<T>& operator=(T re) {
    real_ = re;
    imag_ = 0;
    return *this;
  }

  constexpr complex<T>& operator+=(T re) {
    real_ += re;
    return *this;
  }

  constexpr complex<T>& operator-=(T re) {
    real_ -= re;
    return *this;
  }

  constexpr complex<T>& operator*=(T re) {
    real_ *= re;
    imag_ *= re;
    return *this;
  }

  constexpr complex<T>& operator/=(T re) {
    real_ /= re;
    imag_ /= re;
    return *this;
  }

  template <typename U>
  constexpr complex<T>& operator=(const complex<U>& other) {
    real_ = other.real();
    imag_ = other.imag();
    return *this;
  }

  template <typename U>
  constexpr complex<T>& operator=(const std::complex<U>& other) {
    real_ = other.real();
    imag_ = other.imag();
    return *this;
  }

  template <typename U>
  constexpr complex<T>& operator+=(const complex<U>& other) {
    real_ += other.real();
    imag_ += other.imag();
    return *this;
  }

  template <typename U>
  constexpr complex<T>& operator-=(const complex<U>& other) {
    real_ -= other.real();
    imag_ -= other.imag();
    return *this;
  }

  template <typename U>
  constexpr complex<T>& operator*=(const complex<U>& other) {
    const T re = real_;
    const T im = imag_;
    real_ = re * other.real() - im * other.imag();
    imag_ = re * other.imag() + im * other.real();
    return *this;
  }

  /// Smith's method: scaling by the larger part of the divisor keeps its square from overflowing.
  template <typename U>
  constexpr complex<T>& operator/=(const complex<U>& other) __ubsan_ignore_float_divide_by_zero__ {
    const T re = real_;
    const T im = imag_;
    const U c = other.real();
    const U d = other.imag();
    const U abs_c = c < U(0) ? -c : c;
    const U abs_d = d < U(0) ? -d : d;
    if (abs_c == U(0) && abs_d == U(0)) {
      real_ = re / U(0);
      imag_ = im / U(0);
    } else if (abs_c >= abs_d) {
      const U ratio = d / c;
      const U scale = U(1) / (c + d * ratio);
      real_ = (re + im * ratio) * scale;
      imag_ = (im - re * ratio) * scale;
    } else {
      const U ratio = c / d;
      const U scale = U(1) / (d + c * ratio);
      real_ = (re * ratio + im) * scale;
      imag_ = (im * ratio - re) * scale;
    }
    return *this;
  }

  template <typename U>
  explicit constexpr operator std::complex<U>() const {
    return std::complex<U>(static_cast<U>(real_), static_cast<U>(imag_));
  }

  /// Whether it is not zero.
  explicit constexpr operator bool() const { return real_ != T(0) || imag_ != T(0); }

  C10_HOST_DEVICE constexpr T real() const { return real_; }
  constexpr void real(T value) { real_ = value; }
  C10_HOST_DEVICE constexpr T imag() const { return imag_; }
  constexpr void imag(T value) { imag_ = value; }
};

namespace complex_literals {

constexpr complex<float> operator""_if(long double imag) {
  return complex<float>(0.0f, static_cast<float>(imag));
}

constexpr complex<double> operator""_id(long double imag) {
  return complex<double>(0.0, static_cast<double>(imag));
}

constexpr complex<float> operator""_if(unsigned long long imag) {
  return complex<float>(0.0f, static_cast<float>(imag));
}

constexpr complex<double> operator""_id(unsigned long long imag) {
  return complex<double>(0.0, static_cast<double>(imag));
}

}  // namespace complex_literals

template <typename T>
constexpr complex<T> operator+(const complex<T>& value) {
  return value;
}

template <typename T>
constexpr complex<T> operator-(const complex<T>& value) {
  return complex<T>(-value.real(), -value.imag());
}

// With a complex number, a number of its part's type, and an integer.
#define C10_DEFINE_COMPLEX_OPERATOR(op__)                                                    \
  template <typename T>                                                                      \
  constexpr complex<T> operator op__(const complex<T>& a, const complex<T>& b) {             \
    complex<T> result = a;                                                                   \
    return result op__## = b;                                                                \
  }                                                                                          \
  template <typename T>                                                                      \
  constexpr complex<T> operator op__(const complex<T>& a, const T& b) {                      \
    complex<T> result = a;                                                                   \
    return result op__## = b;                                                                \
  }                                                                                          \
  template <typename T>                                                                      \
  constexpr complex<T> operator op__(const T& a, const complex<T>& b) {                      \
    complex<T> result(a, T());                                                               \
    return result op__## = b;                                                                \
  }                                                                                          \
  template <typename F, typename I,                                                          \
            std::enable_if_t<std::is_floating_point_v<F> && std::is_integral_v<I>, int> = 0> \
  constexpr complex<F> operator op__(const complex<F>& a, const I& b) {                      \
    return a op__ static_cast<F>(b);                                                         \
  }                                                                                          \
  template <typename F, typename I,                                                          \
            std::enable_if_t<std::is_floating_point_v<F> && std::is_integral_v<I>, int> = 0> \
  constexpr complex<F> operator op__(const I& a, const complex<F>& b) {                      \
    return static_cast<F>(a) op__ b;                                                         \
  }

C10_DEFINE_COMPLEX_OPERATOR(+)
C10_DEFINE_COMPLEX_OPERATOR(-)
C10_DEFINE_COMPLEX_OPERATOR(*)
C10_DEFINE_COMPLEX_OPERATOR(/)

#undef C10_DEFINE_COMPLEX_OPERATOR

template <typename T>
constexpr bool operator==(const complex<T>& a, const complex<T>& b) {
  return a.real() == b.real() && a.imag() == b.imag();
}

template <typename T>
constexpr bool operator==(const complex<T>& a, const T& b) {
  return a.real() == b && a.imag() == T();
}

template <typename T>
constexpr bool operator==(const T& a, const complex<T>& b) {
  return b == a;
}

template <typename T>
constexpr bool operator!=(const complex<T>& a, const complex<T>& b) {
  return !(a == b);
}

template <typename T>
constexpr bool operator!=(const complex<T>& a, const T& b) {
  return !(a == b);
}

template <typename T>
constexpr bool operator!=(const T& a, const complex<T>& b) {
  return !(a == b);
}

template <typename T, typename CharT, typename Traits>
std::basic_ostream<CharT, Traits>& operator<<(std::basic_ostream<CharT, Traits>& out,
                                              const complex<T>& value) {
  return out << static_cast<std::complex<T>>(value);
}

template <typename T, typename CharT, typename Traits>
std::basic_istream<CharT, Traits>& operator>>(std::basic_istream<CharT, Traits>& in,
                                              complex<T>& value) {
  std::complex<T> read;
  in >> read;
  value = read;
  return in;
}

/// The number with magnitude `r`, which may be negative, and angle `theta` in radians.
template <typename T>
C10_HOST_DEVICE complex<T> polar(const T& r, const T& theta = T()) {
  return complex<T>(r * std::cos(theta), r * std::sin(theta));
}

// The parts of 16-bit floats compute in float.
#define C10_DEFINE_REDUCED_COMPLEX(type__)                                                         \
  template <>                                                                                      \
  struct alignas(4) complex<type__> {                                                              \
    using value_type = type__;                                                                     \
    type__ real_;                                                                                  \
    type__ imag_;                                                                                  \
    complex() = default;                                                                           \
    C10_HOST_DEVICE explicit complex(const type__& re, const type__& im) : real_(re), imag_(im) {} \
    C10_HOST_DEVICE complex(const complex<float>& value)                                           \
        : real_(value.real()), imag_(value.imag()) {}                                              \
    C10_HOST_DEVICE operator complex<float>() const {                                              \
      return {static_cast<float>(real_), static_cast<float>(imag_)};                               \
    }                                                                                              \
    constexpr C10_HOST_DEVICE type__ real() const { return real_; }                                \
    constexpr C10_HOST_DEVICE type__ imag() const { return imag_; }                                \
    C10_HOST_DEVICE complex& operator+=(const complex& other) {                                    \
      return *this = complex<float>(*this) + complex<float>(other);                                \
    }                                                                                              \
    C10_HOST_DEVICE complex& operator-=(const complex& other) {                                    \
      return *this = complex<float>(*this) - complex<float>(other);                                \
    }                                                                                              \
    C10_HOST_DEVICE complex& operator*=(const complex& other) {                                    \
      return *this = complex<float>(*this) * complex<float>(other);                                \
    }                                                                                              \
  };

C10_DEFINE_REDUCED_COMPLEX(Half)
C10_DEFINE_REDUCED_COMPLEX(BFloat16)

#undef C10_DEFINE_REDUCED_COMPLEX

}  // namespace c10

namespace torch {
namespace headeronly {
using c10::complex;
using c10::operator+;
using c10::operator-;
using c10::operator*;
using c10::operator/;
using c10::operator+=;
using c10::operator-=;
using c10::operator*=;
using c10::operator/=;
using c10::operator==;
using c10::operator!=;
using c10::operator<<;
using c10::operator>>;
using c10::polar;
namespace complex_literals {
using c10::complex_literals::operator""_if;
using c10::complex_literals::operator""_id;
}  // namespace complex_literals
}  // namespace headeronly
}  // namespace torch

C10_CLANG_DIAGNOSTIC_POP()

#include <torch/headeronly/util/complex_utils.h>
