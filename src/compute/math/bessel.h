/**
 * @file
 * Bessel functions beyond those of special.h and the Airy function, number by number in double, for
 * *.isa.cpp files only. Oscillating functions have an absolute error of some units in the last
 * place of 1, or of the amplitude where that is larger; the others 16 ulp.
 */
#pragma once

#include "compute/math/math_double.h"

namespace EXECUTORCH_ISA_NAMESPACE {

/// A function of vectors for one number.
template <auto function>
[[gnu::noinline]] inline double of_one(double x) {
  return function(broadcast<F64>(x))[0];
}
inline double exp_one(double x) {
  return of_one<exp<F64>>(x);
}
inline double log_one(double x) {
  return of_one<log<F64>>(x);
}
inline double sqrt_one(double x) {
  return sqrt(broadcast<F64>(x))[0];
}
inline double floor_one(double x) {
  return floor(broadcast<F64>(x))[0];
}
inline double sin_one(double x) {
  return of_one<sin>(x);
}
inline double cos_one(double x) {
  return of_one<cos>(x);
}
inline double cosh_one(double x) {
  return of_one<cosh>(x);
}
inline double abs_one(double x) {
  return __builtin_fabs(x);
}

constexpr double kEulerGamma = 0.57721566490153286061;

/// J0, J1, Y0, Y1 at one place.
struct BesselValues {
  double j0, j1, y0, y1;
};

/// Both kinds for 0 < x <= 25: Miller's backward recurrence gives all J of whole orders, and
/// Neumann's series make the second kind of them.
inline BesselValues bessel_by_recurrence(double x) {
  if (x < 1e-9) {
    const double l = log_one(0.5 * x) + kEulerGamma;
    return {1, 0.5 * x, 2 / kPi * l, x / kPi * (l - 0.5) - 2 / (kPi * x)};
  }
  double above = 0, here = 1e-300, norm = 0, even = 0, odd = 0, j1 = 0;
  for (int order = 2 * static_cast<int>(0.9 * x + 12); order > 0; --order) {
    const double half = order / 2, sign = order / 2 % 2 == 0 ? 1 : -1;
    if (order % 2 == 0) {
      norm += 2 * here;
      even += sign * here / half;
    } else if (order > 1) {
      odd += sign * order / (half * (half + 1)) * here;
    } else {
      j1 = here;
    }
    const double below = 2 * order / x * here - above;
    above = here;
    here = below;
  }
  norm += here;
  const double j0 = here / norm, l = log_one(0.5 * x) + kEulerGamma;
  j1 /= norm;
  const double y0 = 2 / kPi * (l * j0 - 2 * even / norm);
  const double y1 = 2 / kPi * ((l - 1) * j1 - j0 / x - odd / norm);
  return {j0, j1, y0, y1};
}

/// The sums of Hankel's expansion for the order whose square times four is `mu`.
struct HankelSums {
  double p, q;
};
inline HankelSums hankel_sums(double mu, double x) {
  double term = 1, p = 1, q = 0;
  for (int k = 1; k < 30; ++k) {
    const double odd = 2 * k - 1;
    const double next = term * (mu - odd * odd) / (8 * x * k);
    if (abs_one(next) >= abs_one(term) || abs_one(next) < 1e-18) break;
    term = next;
    const double signed_term = k / 2 % 2 == 0 ? term : -term;
    (k % 2 == 0 ? p : q) += signed_term;
  }
  return {p, q};
}

/// Both kinds for x > 25.
inline BesselValues bessel_far_away(double x) {
  const double s = sin_one(x), c = cos_one(x), amplitude = 1 / sqrt_one(kPi * x);
  // Sine and cosine of x - pi/4, times the root of two.
  const double sine = s - c, cosine = s + c;
  const HankelSums zero = hankel_sums(0, x), one = hankel_sums(4, x);
  return {
      amplitude * (zero.p * cosine - zero.q * sine), amplitude * (one.p * sine + one.q * cosine),
      amplitude * (zero.p * sine + zero.q * cosine), amplitude * (one.q * sine - one.p * cosine)};
}

inline BesselValues bessel_values(double x) {
  return x > 25 ? bessel_far_away(x) : bessel_by_recurrence(x);
}

inline double bessel_j0(double x) {
  const double a = abs_one(x);
  if (!(a < kInfinity<F64>)) return a != a ? a : 0;
  return a == 0 ? 1 : bessel_values(a).j0;
}
inline double bessel_j1(double x) {
  const double a = abs_one(x);
  if (!(a < kInfinity<F64>)) return a != a ? a : 0;
  if (a == 0) return x;
  const double value = bessel_values(a).j1;
  return x < 0 ? -value : value;
}
/// Minus infinity at zero, NaN below and at infinity.
inline double bessel_y0(double x) {
  if (x == 0) return -kInfinity<F64>;
  return x > 0 && x < kInfinity<F64> ? bessel_values(x).y0 : kNan<F64>;
}
inline double bessel_y1(double x) {
  if (x == 0) return -kInfinity<F64>;
  return x > 0 && x < kInfinity<F64> ? bessel_values(x).y1 : kNan<F64>;
}

/// exp(x) times the integral of exp(-x cosh(t)) cosh(order t) for x > 1/2, by the trapezoidal rule,
/// which converges geometrically here.
inline double bessel_k_by_integral(double order, double x) {
  const double narrow_step = 0.6 / sqrt_one(x), step = narrow_step < 0.15 ? narrow_step : 0.15;
  double sum = 0.5;
  for (int i = 1; i < 64; ++i) {
    const double t = i * step;
    const double sinh_half = of_one<sinh>(0.5 * t);
    const double exponent = 2 * x * sinh_half * sinh_half;
    if (exponent > 45) break;
    sum += exp_one(-exponent) * (order == 0 ? 1 : cosh_one(order * t));
  }
  return sum * step;
}

/// K0 and K1 for 0 < x <= 2 by their power series.
inline double bessel_k0_near_zero(double x) {
  const double z = 0.25 * x * x, l = log_one(0.5 * x) + kEulerGamma;
  double term = 1, harmonic = 0, sum = -l;
  for (int k = 1; k < 24; ++k) {
    term *= z / (k * k);
    harmonic += 1.0 / k;
    sum += term * (harmonic - l);
  }
  return sum;
}
inline double bessel_k1_near_zero(double x) {
  const double z = 0.25 * x * x, l = log_one(0.5 * x) + kEulerGamma;
  double term = 1, harmonic = 0, sum = 0;
  for (int k = 0; k < 24; ++k) {
    if (k > 0) term *= z / (k * (k + 1.0));
    if (k > 0) harmonic += 1.0 / k;
    sum += term * (l - harmonic - 0.5 / (k + 1.0));
  }
  return 1 / x + 0.5 * x * sum;
}

/// The modified Bessel function of the second kind of order 0 or 1, times exp(x) if `scaled`.
/// Infinite at zero, NaN below.
template <int order, bool scaled>
inline double bessel_k(double x) {
  if (x == 0) return kInfinity<F64>;
  if (!(x > 0)) return kNan<F64>;
  if (x == kInfinity<F64>) return 0;
  if (x > 2) {
    const double value = bessel_k_by_integral(order, x);
    return scaled ? value : value * exp_one(-x);
  }
  const double value = order == 0 ? bessel_k0_near_zero(x) : bessel_k1_near_zero(x);
  return scaled ? value * exp_one(x) : value;
}

/// sin(x) / x.
inline double spherical_bessel_j0(double x) {
  const double a = abs_one(x);
  if (a == kInfinity<F64>) return 0;
  return a < 1e-8 ? 1 : sin_one(x) / x;
}

/// A value and its slope.
struct Jet {
  double value, slope;
};

/// Ai along a step of its equation y'' = x y, by the Taylor series about x.
inline Jet airy_step(Jet at, double x, double step) {
  // Coefficients y[k] of the series: (k + 2)(k + 1) y[k + 2] = x y[k] + y[k - 1].
  double before = 0, here = at.value, next = at.slope, power = 1, value = 0, slope = 0;
  for (int k = 0; k < 40; ++k) {
    value += here * power;
    slope += (k + 1) * next * power;
    const double after = (x * here + before) / ((k + 2.0) * (k + 1.0));
    before = here;
    here = next;
    next = after;
    power *= step;
  }
  return {value, slope};
}

/// Ai for x < -9: Hankel's expansion of order 1/3 in 2/3 |x|^(3/2).
inline double airy_far_left(double a) {
  const double zeta = 2.0 / 3 * a * sqrt_one(a);
  const HankelSums sums = hankel_sums(4.0 / 9, zeta);
  const double s = sin_one(zeta), c = cos_one(zeta);
  return ((s + c) * sums.p + (c - s) * sums.q) / sqrt_one(2 * kPi * sqrt_one(a));
}

inline double airy_ai(double x) {
  if (x != x || abs_one(x) == kInfinity<F64>) return kNan<F64>;
  if (x > 104) return 0;
  if (x > 1) {
    const double zeta = 2.0 / 3 * x * sqrt_one(x);
    return sqrt_one(x / 3) / kPi * bessel_k_by_integral(1.0 / 3, zeta) * exp_one(-zeta);
  }
  if (x < -9) return airy_far_left(-x);
  Jet jet = {0.35502805388781723926, -0.25881940379280679840};
  double at = 0;
  while (at - 1 > x) {
    jet = airy_step(jet, at, -1);
    at -= 1;
  }
  return airy_step(jet, at, x - at).value;
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
