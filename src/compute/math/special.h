/**
 * @file
 * Special functions, computed in double whatever the element type, for *.isa.cpp files only. The
 * bounds are those of the F64 form; see math.h. They are long: loops call them out of line.
 */
#pragma once

#include "compute/math/math_double.h"

namespace EXECUTORCH_ISA_NAMESPACE {

/// 2^x, 1.5 ulp; exact for whole numbers.
[[gnu::noinline]] inline F64 exp2(F64 x) {
  const F64 inside = clamp_keeping_nan<F64>(x, -1100, 1100);
  const F64 n = rint(inside);
  const ExpParts<F64> parts = exp_parts<F64>((inside - n) * kLog2);
  return scale_by_power<F64>(1 + parts.p, parts.n + n);
}

/// y with erf(y) = m for 0 <= m <= 1, given m and its complement c = 1 - m, either of which may be
/// the one that has the digits. 4 ulp.
[[gnu::noinline]] inline F64 inverse_erf(F64 m, F64 c) {
  // Winitzki's approximation, two digits everywhere; a series near zero, where it cancels.
  constexpr double a = 0.147, b = 2 / (kPi * a);
  const F64 w = log<F64>(c * (1 + m));
  const F64 t = b + 0.5 * w;
  const F64 rough = sqrt(sqrt(t * t - w / a) - t);
  constexpr double half_sqrt_pi = 0.88622692545275801365;
  const F64 near_zero = m * half_sqrt_pi * (1 + m * m * 0.26179938779914943654);
  F64 y = m < 0.1 ? near_zero : rough;
  const auto low = m < 0.5;
  // Halley's steps triple the digits.
  for (int i = 0; i < 3; ++i) {
    const F64 excess = low ? erf<F64>(y) - m : c - erfc<F64>(y);
    const F64 step = excess * half_sqrt_pi * exp<F64>(y * y);
    y = y - step / (1 + y * step);
  }
  y = c == 0 ? broadcast<F64>(kInfinity<F64>) : y;
  return m == 0 ? m : y;
}

/// 4 ulp.
[[gnu::noinline]] inline F64 erfinv(F64 x) {
  const F64 m = abs_bits(x);
  const F64 y = inverse_erf(m, 1 - m);
  return m <= 1 ? with_sign<F64>(abs_bits(y), x) : broadcast<F64>(kNan<F64>);
}

/// The inverse of the normal distribution function, 8 ulp.
[[gnu::noinline]] inline F64 ndtri(F64 p) {
  constexpr double sqrt2 = 1.41421356237309504880;
  const auto lower = p < 0.5;
  const F64 tail = lower ? p : 1 - p;
  const F64 y = sqrt2 * abs_bits(inverse_erf(1 - 2 * tail, 2 * tail));
  const F64 result = lower ? -y : y;
  return ((p >= 0) & (p <= 1)) ? result : broadcast<F64>(kNan<F64>);
}

/// exp(x^2) erfc(x), 12 ulp.
[[gnu::noinline]] inline F64 erfcx(F64 x) {
  const F64 a = abs_bits(x);
  const F64 inside = clamp_keeping_nan<F64>(a, 1, 28);
  const F64 tail = polynomial(kErfc<double>, (inside - 3) / (inside + 3)) / (1 + 2 * inside);
  constexpr double inverse_sqrt_pi = 0.56418958354775628695;
  const F64 z = 1 / (a * a);
  F64 far_away = broadcast<F64>(1);
  for (double k = 6.5; k > 0; k -= 1) far_away = 1 - k * z * far_away;
  far_away = inverse_sqrt_pi / a * far_away;
  const Sum<F64> square = two_product<F64>(x, x);
  const F64 e = exp<F64>(square.high);
  const F64 growth = e < kInfinity<F64> ? fma(square.low, e, e) : e;
  const F64 small = growth * erfc<F64>(x);
  const F64 large = a > 28 ? far_away : tail;
  const F64 negative = 2 * growth - large;
  return a < 1 ? small : (x < 0 ? negative : large);
}

/// lgamma(2 + z) for |z| <= 1/2.
[[gnu::noinline]] inline F64 lgamma_near_two(F64 z) {
  return z * polynomial(kLgamma<double>, z);
}

/// log(|gamma(x)|) for x > 0.
[[gnu::noinline]] inline F64 lgamma_positive(F64 x) {
  // Down to [1.5, 2.5), or left alone from 8 on.
  const auto large = x >= 8;
  F64 z = large ? broadcast<F64>(2) : x;
  F64 product = broadcast<F64>(1);
  while (any(z >= 2.5)) {
    const auto above = z >= 2.5;
    z = above ? z - 1 : z;
    product = above ? product * z : product;
  }
  const auto below_half = z < 0.5, below = z < 1.5;
  const F64 shift =
      below_half ? broadcast<F64>(0) : (below ? broadcast<F64>(1) : broadcast<F64>(2));
  const F64 rest = z - shift;
  F64 moderate = lgamma_near_two(rest);
  moderate = below ? moderate - log1p<F64>(rest) : moderate;
  moderate = (below_half ? moderate - log<F64>(z) : moderate) + log<F64>(product);
  // Stirling's series.
  const F64 r = 1 / x, q = r * r;
  const F64 series =
      r * (1.0 / 12 -
           q * (1.0 / 360 -
                q * (1.0 / 1260 - q * (1.0 / 1680 - q * (1.0 / 1188 - q * (691.0 / 360360))))));
  constexpr double half_log_two_pi = 0.91893853320467274178;
  const F64 stirling = (x - 0.5) * (log<F64>(x) - 1) + (half_log_two_pi - 0.5 + series);
  return large ? (x < kInfinity<F64> ? stirling : x) : moderate;
}

/// The distance to the nearest whole number: sin and tan of pi times x are known from it.
[[gnu::noinline]] inline F64 to_nearest(F64 x) {
  return x - rint(x);
}

/// log(|gamma(x)|), 8 ulp for x > 0; for negative x an error of some ulp of the larger of the
/// reflection's terms.
[[gnu::noinline]] inline F64 lgamma(F64 x) {
  const F64 a = abs_bits(x);
  const F64 positive = lgamma_positive(a == 0 ? broadcast<F64>(1) : a);
  const F64 sine = abs_bits(sin(kPi * to_nearest(a)));
  const F64 reflected = log<F64>(kPi / (sine * a)) - positive;
  F64 result = x < 0 ? reflected : positive;
  const auto pole = (x <= 0) & (a == rint(a));
  result = (pole | (a == kInfinity<F64>)) ? broadcast<F64>(kInfinity<F64>) : result;
  return x != x ? x : result;
}

/// psi(x) for x > 0.
[[gnu::noinline]] inline F64 digamma_positive(F64 x) {
  F64 sum = F64{};
  while (any(x < 10)) {
    const auto below = x < 10;
    sum = below ? sum + 1 / x : sum;
    x = below ? x + 1 : x;
  }
  const F64 r = 1 / x, q = r * r;
  const F64 series =
      q * (1.0 / 12 -
           q * (1.0 / 120 -
                q * (1.0 / 252 -
                     q * (1.0 / 240 - q * (1.0 / 132 - q * (691.0 / 32760 - q * (1.0 / 12)))))));
  return x < kInfinity<F64> ? log<F64>(x) - 0.5 * r - series - sum : x;
}

/// The derivative of lgamma, 32 ulp for positive x away from the root at 1.46; elsewhere some ulp
/// of the largest term. NaN at negative whole numbers, infinite with the opposite sign at zero.
[[gnu::noinline]] inline F64 digamma(F64 x) {
  const auto negative = x < 0;
  const F64 usable = ((x != x) | (x == 0)) ? broadcast<F64>(1) : x;
  const F64 positive = digamma_positive(negative ? 1 - usable : usable);
  const F64 reflected = positive - kPi / tan(kPi * to_nearest(usable));
  F64 result = negative ? reflected : positive;
  result = (negative & (x == rint(x))) ? broadcast<F64>(kNan<F64>) : result;
  result = x == 0 ? -1 / x : result;
  return x != x ? x : result;
}

/// The modified Bessel function of order 0 or 1, divided by exp(|x|) if `scaled`: a power series up
/// to 8, then one in 1 / x.
template <int N, int M>
[[gnu::noinline]] inline F64 bessel_i(F64 x, const double (&near_zero)[N],
                                      const double (&far_away)[M], int order, bool scaled) {
  const F64 a = abs_bits(x);
  const auto small = a <= 8;
  const F64 inside = small ? a : broadcast<F64>(8), outside = small ? broadcast<F64>(8) : a;
  const F64 factor = order == 0 ? broadcast<F64>(1) : 0.5 * inside;
  const F64 series = factor * polynomial(near_zero, 0.25 * inside * inside);
  const F64 tail = polynomial(far_away, 16 / outside - 1) / sqrt(outside);
  // Half of the exponent at a time: the root keeps the product in range.
  const F64 half = exp<F64>(0.5 * outside);
  const F64 value =
      scaled ? (small ? series * exp<F64>(-inside) : tail) : (small ? series : tail * half * half);
  const F64 known = a < kInfinity<F64> ? value : (scaled ? F64{} : a);
  return x != x ? x : (order == 0 ? known : with_sign<F64>(known, x));
}

/// 6 ulp each.
[[gnu::noinline]] inline F64 i0(F64 x) {
  return bessel_i(x, kI0<double>, kI0Far<double>, 0, false);
}
[[gnu::noinline]] inline F64 i0e(F64 x) {
  return bessel_i(x, kI0<double>, kI0Far<double>, 0, true);
}
[[gnu::noinline]] inline F64 i1(F64 x) {
  return bessel_i(x, kI1<double>, kI1Far<double>, 1, false);
}
[[gnu::noinline]] inline F64 i1e(F64 x) {
  return bessel_i(x, kI1<double>, kI1Far<double>, 1, true);
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
