/**
 * @file
 * Incomplete gamma functions, Hurwitz' zeta function and the derivatives of digamma, number by
 * number in double, for *.isa.cpp files only. Relative errors stay below 5e-14.
 */
#pragma once

#include "compute/math/bessel.h"
#include "compute/math/special.h"

namespace EXECUTORCH_ISA_NAMESPACE {

inline double lgamma_one(double x) {
  return of_one<lgamma>(x);
}
inline double power_one(double base, double exponent) {
  return pow(broadcast<F64>(base), broadcast<F64>(exponent))[0];
}

/// m - log(1 + m) for m > -1.
inline double excess_over_log(double m) {
  if (abs_one(m) > 0.5) return m - of_one<log1p<F64>>(m);
  double power = m * m, sum = 0;
  for (int k = 2; k < 60 && abs_one(power) > 1e-18 * abs_one(sum) * k; ++k) {
    sum += power / k;
    power *= -m;
  }
  return sum;
}

/// x^a exp(-x) / gamma(a) for positive x and a.
inline double gamma_density(double a, double x) {
  if (a < 10) return exp_one(a * log_one(x) - x - lgamma_one(a));
  const double q = 1 / (a * a);
  const double stirling =
      (1.0 / 12 -
       q * (1.0 / 360 -
            q * (1.0 / 1260 - q * (1.0 / 1680 - q * (1.0 / 1188 - q * (691.0 / 360360)))))) /
      a;
  return sqrt_one(a / (2 * kPi)) * exp_one(-a * excess_over_log((x - a) / a) - stirling);
}

constexpr int kGammaTerms = 5000;

/// The lower function by its power series: for x up to about a.
inline double lower_gamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int n = 1; n < kGammaTerms && term > 1e-17 * sum; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return gamma_density(a, x) * sum;
}

/// The upper function by its continued fraction: for x above a and 1.
inline double upper_gamma_fraction(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, value = d;
  for (int n = 1; n < kGammaTerms; ++n) {
    const double numerator = -n * (n - a);
    b += 2;
    d = numerator * d + b;
    d = 1 / (abs_one(d) < tiny ? tiny : d);
    c = b + numerator / c;
    c = abs_one(c) < tiny ? tiny : c;
    const double factor = c * d;
    value *= factor;
    if (abs_one(factor - 1) < 1e-16) break;
  }
  return gamma_density(a, x) * value;
}

/// The upper function for small x and a, where it is close to 1 - 1.
inline double upper_gamma_series(double a, double x) {
  double power = 1, sum = 0;
  for (int n = 1; n < 60; ++n) {
    power *= -x / n;
    sum += power / (a + n);
  }
  const double log_x = log_one(x);
  return -of_one<expm1<F64>>(a * log_x - lgamma_one(1 + a)) -
         exp_one(a * log_x - lgamma_one(a)) * sum;
}

// Temme's uniform expansion: coefficients of powers of eta, a row for each power of 1 / a.
constexpr double kTemme0[] = {
    -1.76659527368260793e-07, 8.29671134095308601e-07, -1.85406221071515996e-06,
    -2.18544851067999216e-06, 3.91926317852243778e-05, -1.78755144032921811e-04,
    3.52733686067019400e-04,  1.15740740740740741e-03, -1.48148148148148148e-02,
    8.33333333333333333e-02,  -3.33333333333333333e-01};
constexpr double kTemme1[] = {-1.80985503344899778e-05, -4.01877572016460905e-07,
                              2.05761316872427984e-04,  -9.90226337448559671e-04,
                              2.64550264550264550e-03,  -3.47222222222222222e-03,
                              -1.85185185185185185e-03};
constexpr double kTemme2[] = {2.00938786008230453e-06, 7.71604938271604938e-04,
                              -2.68132716049382716e-03, 4.13359788359788360e-03};

template <int N>
inline double polynomial_of_one(const double (&coefficients)[N], double x) {
  double sum = 0;
  for (double c : coefficients) sum = sum * x + c;
  return sum;
}

/// The upper function, or the lower one, for large a and x close to it.
inline double gamma_uniform(double a, double x, bool upper) {
  const double m = (x - a) / a, excess = excess_over_log(m);
  const double eta = m < 0 ? -sqrt_one(2 * excess) : sqrt_one(2 * excess);
  const double sum = polynomial_of_one(kTemme0, eta) +
                     (polynomial_of_one(kTemme1, eta) + polynomial_of_one(kTemme2, eta) / a) / a;
  const double rest = exp_one(-a * excess) / sqrt_one(2 * kPi * a) * sum;
  const double argument = eta * sqrt_one(0.5 * a);
  const double tail = 0.5 * of_one<erfc<F64>>(upper ? argument : -argument);
  return upper ? tail + rest : tail - rest;
}

/// The regularised incomplete gamma function of a at x, upper or lower. NaN for negative arguments,
/// and where both are 0 or infinite.
template <bool upper>
inline double incomplete_gamma(double a, double x) {
  if (!(a >= 0 && x >= 0)) return kNan<F64>;
  const bool unbounded = a == kInfinity<F64>;
  if ((a == 0 && x == 0) || (unbounded && x == kInfinity<F64>)) return kNan<F64>;
  // All of the mass lies below x, or above it.
  if (a == 0 || x == kInfinity<F64>) return upper ? 0 : 1;
  if (x == 0 || unbounded) return upper ? 1 : 0;
  if (a > 1e4 && abs_one(x - a) < 0.3 * a) return gamma_uniform(a, x, upper);
  if (upper && x <= 1.1 && a < x + 0.5) return upper_gamma_series(a, x);
  if (x <= 1.1 || x <= a) {
    const double lower = lower_gamma_series(a, x);
    return upper ? 1 - lower : lower;
  }
  const double value = upper_gamma_fraction(a, x);
  return upper ? value : 1 - value;
}

/// The sum of (q + k)^-s over k >= 0 for s > 1 and q > 0: terms, then Euler's and Maclaurin's
/// formula.
inline double zeta_positive(double s, double q) {
  double sum = 0;
  double w = q;
  for (int k = 0; k < 10; ++k) sum += power_one(w, -s), w += 1;
  const double power = power_one(w, -s);
  sum += power * w / (s - 1) + 0.5 * power;
  // Bernoulli's numbers over factorials.
  constexpr double kRatios[] = {1.0 / 12,          -1.0 / 720,
                                1.0 / 30240,       -1.0 / 1209600,
                                1.0 / 47900160,    -691.0 / 1307674368000,
                                1.0 / 74724249600, -3617.0 / 10670622842880000};
  double factor = s * power / w;
  for (int j = 0; j < 8; ++j) {
    const double term = kRatios[j] * factor;
    sum += term;
    if (abs_one(term) < 1e-17 * abs_one(sum)) break;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (w * w);
  }
  return sum;
}

/// Hurwitz' zeta function. Infinite at its poles; NaN for s < 1, and below zero for broken s.
inline double zeta(double s, double q) {
  if (s != s || q != q || s < 1) return kNan<F64>;
  if (s == 1) return kInfinity<F64>;
  if (q > 0)
    return q < kInfinity<F64> && s < kInfinity<F64> ? zeta_positive(s, q) : power_one(q, -s);
  const double low = floor_one(q);
  if (q == low) return kInfinity<F64>;
  if (s != floor_one(s)) return kNan<F64>;
  // The terms below zero, mirrored, are a difference of two such sums.
  const double f = q - low;
  const double mirrored = zeta_positive(s, 1 - f) - zeta_positive(s, 1 - q);
  const bool even = 0.5 * s == floor_one(0.5 * s);
  return zeta_positive(s, f) + (even ? mirrored : -mirrored);
}

/// The derivative of digamma of order n >= 1.
inline double polygamma(double n, double x) {
  const double size = exp_one(lgamma_one(n + 1)) * zeta(n + 1, x);
  const bool even = 0.5 * n == floor_one(0.5 * n);
  return even ? -size : size;
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
