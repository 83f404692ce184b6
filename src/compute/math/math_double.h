/**
 * @file
 * The math functions that are computed in double whatever the element type, for *.isa.cpp files
 * only. The bounds are those of the F64 form; see math.h.
 */
#pragma once

#include "compute/math/math.h"

namespace EXECUTORCH_ISA_NAMESPACE {

/// 2 ulp; exact for powers of two.
inline F64 log2(F64 x) {
  using F = Format<double>;
  const auto tiny = x < F::kMinNormal;
  const F64 scaled = tiny ? x * 0x1p53 : x;
  const I64 exponent = (bit_cast<I64>(scaled) - F::kSqrtHalf) >> F::kFractionBits;
  F64 k = bit_cast<F64>(exponent + bit_cast<I64>(broadcast<F64>(F::kRoundMagic))) - F::kRoundMagic;
  const F64 m = bit_cast<F64>(bit_cast<I64>(scaled) - (exponent << F::kFractionBits));
  const F64 ln = log<F64>(m);
  k = tiny ? k - 53 : k;
  const F64 result = k + (ln * F::kLog2e + ln * 0x1.777d0ffda0d24p-56);
  const auto ordinary = (x > 0) & (x < kInfinity<F64>);
  return ordinary ? result : log<F64>(x);
}

/// 2 ulp.
inline F64 log10(F64 x) {
  return log<F64>(x) * 0x1.bcb7b1526e50ep-2;
}

/// An angle within [-pi/4, pi/4] and the multiple of pi/2 (modulo 4) that was taken off.
struct Angle {
  F64 high;
  F64 low;
  F64 quadrant;
};

inline Angle reduce_large_angles(F64 x, Angle angle, double limit) {
  for (int i = 0; i < kLanes<F64>; ++i) {
    const double value = x[i];
    if (!(value > limit || value < -limit)) continue;
    if (value - value != 0) {  // infinite
      angle.high[i] = kNan<F64>;
      continue;
    }
    double high, low;
    angle.quadrant[i] = reduce_angle(value, &high, &low);
    angle.high[i] = high;
    angle.low[i] = low;
  }
  return angle;
}

/// Takes multiples of pi/2 off: pi/2 in three parts, the first two of 33 bits so that their
/// products are exact.
inline Angle reduce_angles(F64 x) {
  constexpr double limit = 0x1p20;
  const auto large = abs_bits(x) > limit;
  const F64 inside = large ? F64{} : x;
  const F64 n = rint(inside * 0x1.45f306dc9c883p-1);
  const F64 a = inside - n * 0x1.921fb544p+0;
  const F64 b = n * 0x1.0b4611a6p-34;
  const F64 h = a - b;
  const F64 lost = (a - h) - b;
  const F64 c = n * 0x1.3198a2e037073p-69 - lost;
  const F64 high = h - c;
  Angle angle = {high, (h - high) - c, n - 4 * floor(n * 0.25)};
  if (any(large)) angle = reduce_large_angles(x, angle, limit);
  return angle;
}

inline F64 sin_reduced(const Angle& angle) {
  const F64 r = angle.high, z = r * r;
  const F64 rest = fma(r * z, polynomial(kSin<double>, z), angle.low * (1 - 0.5 * z));
  return r + rest;
}

inline F64 cos_reduced(const Angle& angle) {
  const F64 z = angle.high * angle.high;
  const F64 half = 0.5 * z;
  const F64 w = 1 - half;
  return w + (((1 - w) - half) + (z * z * polynomial(kCos<double>, z) - angle.high * angle.low));
}

/// 1 ulp.
inline F64 sin(F64 x) {
  const Angle angle = reduce_angles(x);
  const F64 s = sin_reduced(angle), c = cos_reduced(angle);
  const auto odd = (angle.quadrant == 1) | (angle.quadrant == 3);
  const F64 value = odd ? c : s;
  const F64 result = angle.quadrant >= 2 ? -value : value;
  return x == 0 ? x : result;
}

/// 1 ulp.
inline F64 cos(F64 x) {
  const Angle angle = reduce_angles(x);
  const F64 s = sin_reduced(angle), c = cos_reduced(angle);
  const auto odd = (angle.quadrant == 1) | (angle.quadrant == 3);
  const F64 value = odd ? s : c;
  return ((angle.quadrant == 1) | (angle.quadrant == 2)) ? -value : value;
}

/// 2.5 ulp.
inline F64 tan(F64 x) {
  const Angle angle = reduce_angles(x);
  const F64 s = sin_reduced(angle), c = cos_reduced(angle);
  const auto odd = (angle.quadrant == 1) | (angle.quadrant == 3);
  const F64 result = (odd ? -c : s) / (odd ? s : c);
  return x == 0 ? x : result;
}

constexpr double kHalfPi = 0x1.921fb54442d18p+0;
constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;
constexpr double kPi = 2 * kHalfPi;
constexpr double kPiLow = 2 * kHalfPiLow;

/// asin(r) - r for |r| <= 1/2.
inline F64 asin_rest(F64 r, F64 z) {
  return r * z * polynomial(kAsin<double>, z);
}

/// 2.1 ulp.
inline F64 asin(F64 x) {
  const F64 a = abs_bits(x);
  const auto small = a <= 0.5;
  const F64 z = small ? x * x : (1 - a) * 0.5;
  const F64 r = small ? x : sqrt(z);
  const F64 rest = asin_rest(r, z);
  const F64 large = kHalfPi - (2 * (r + rest) - kHalfPiLow);
  return small ? r + rest : with_sign<F64>(large, x);
}

/// 2 ulp.
inline F64 acos(F64 x) {
  const F64 a = abs_bits(x);
  const auto small = a <= 0.5;
  const F64 z = small ? x * x : (1 - a) * 0.5;
  const F64 r = small ? x : sqrt(z);
  const F64 rest = asin_rest(r, z);
  const F64 twice = 2 * (r + rest);
  const F64 large = x < 0 ? kPi - (twice - kPiLow) : twice;
  return small ? kHalfPi - (r - (kHalfPiLow - rest)) : large;
}

/// 1.5 ulp.
inline F64 atan(F64 x) {
  const F64 a = abs_bits(x);
  const auto large = a > 0x1.3504f333f9de6p+1;   // tan(3 pi / 8)
  const auto middle = a > 0x1.a827999fcef32p-2;  // tan(pi / 8)
  const F64 numerator = large ? broadcast<F64>(-1) : (middle ? a - 1 : a);
  const F64 denominator = large ? a : (middle ? a + 1 : broadcast<F64>(1));
  const F64 r = numerator / denominator;
  const F64 z = r * r;
  const F64 base =
      large ? broadcast<F64>(kHalfPi) : (middle ? broadcast<F64>(0.5 * kHalfPi) : F64{});
  const F64 base_low =
      large ? broadcast<F64>(kHalfPiLow) : (middle ? broadcast<F64>(0.5 * kHalfPiLow) : F64{});
  const F64 value = base + (r + fma(r * z, polynomial(kAtan<double>, z), base_low));
  return x != x ? x : with_sign<F64>(value, x);
}

/// 2.5 ulp.
inline F64 atan2(F64 y, F64 x) {
  const F64 a = abs_bits(y), b = abs_bits(x);
  F64 ratio = a / b;
  ratio = ((a == kInfinity<F64>)&(b == kInfinity<F64>)) ? broadcast<F64>(1) : ratio;
  ratio = ((a == 0) & (b == 0)) ? F64{} : ratio;
  const F64 angle = atan(ratio);
  const auto left = bit_cast<I64>(x) < 0;
  const F64 result = with_sign<F64>(left ? kPi - (angle - kPiLow) : angle, y);
  return ((x != x) | (y != y)) ? broadcast<F64>(kNan<F64>) : result;
}

/// 3 ulp.
inline F64 sinh(F64 x) {
  const F64 a = abs_bits(x);
  const F64 t = expm1<F64>(a);
  const F64 moderate = 0.5 * (t + t / (t + 1));
  const F64 h = exp<F64>(0.5 * a);
  const F64 value = a < 40 ? moderate : (0.5 * h) * h;
  return x != x ? x : with_sign<F64>(value, x);
}

/// 3 ulp.
inline F64 cosh(F64 x) {
  const F64 a = abs_bits(x);
  const F64 e = exp<F64>(a);
  const F64 h = exp<F64>(0.5 * a);
  return a < 40 ? 0.5 * e + 0.5 / e : (0.5 * h) * h;
}

constexpr double kLog2 = 0x1.62e42fefa39efp-1;
/// From here on sqrt(x^2 + 1) is x.
constexpr double kHyperbolicLarge = 0x1p28;

/// 3 ulp.
inline F64 asinh(F64 x) {
  const F64 a = abs_bits(x);
  const F64 inside = a < kHyperbolicLarge ? a : broadcast<F64>(1);
  const F64 square = inside * inside;
  const F64 moderate = log1p<F64>(inside + square / (1 + sqrt(square + 1)));
  const F64 value = a < kHyperbolicLarge ? moderate : log<F64>(a) + kLog2;
  return x != x ? x : with_sign<F64>(value, x);
}

/// 3 ulp.
inline F64 acosh(F64 x) {
  const F64 t = x - 1;
  const F64 moderate = log1p<F64>(t + sqrt(2 * t + t * t));
  const F64 value = x < kHyperbolicLarge ? moderate : log<F64>(x) + kLog2;
  return x < 1 || x != x ? broadcast<F64>(kNan<F64>) : value;
}

/// 2.5 ulp.
inline F64 atanh(F64 x) {
  const F64 a = abs_bits(x);
  const F64 value = 0.5 * log1p<F64>(2 * a / (1 - a));
  return x != x ? x : with_sign<F64>(value, x);
}

/// log(x) of a positive finite x with about 63 good bits.
inline Sum<F64> log_extended(F64 x) {
  using F = Format<double>;
  const auto tiny = x < F::kMinNormal;
  const F64 scaled = tiny ? x * 0x1p53 : x;
  const I64 exponent = (bit_cast<I64>(scaled) - F::kSqrtHalf) >> F::kFractionBits;
  F64 k = bit_cast<F64>(exponent + bit_cast<I64>(broadcast<F64>(F::kRoundMagic))) - F::kRoundMagic;
  const F64 m = bit_cast<F64>(bit_cast<I64>(scaled) - (exponent << F::kFractionBits));
  k = tiny ? k - 53 : k;
  const F64 f = m - 1;
  // s = f / (2 + f) in two parts
  const Sum<F64> d = fast_two_sum<F64>(broadcast<F64>(2), f);
  const F64 s = f / d.high;
  const Sum<F64> product = two_product<F64>(s, d.high);
  const F64 s_low = (((f - product.high) - product.low) - s * d.low) / d.high;
  // 2 s + s^3 P, the cube's leading term in two parts
  const F64 z = s * s;
  const Sum<F64> square = two_product<F64>(s, s);
  const Sum<F64> cube = two_product<F64>(square.high, s);
  const F64 cube_low = cube.low + square.low * s + 3 * z * s_low;
  const F64 p = polynomial(kLog<double>, z);
  const Sum<F64> cubic = two_product<F64>(cube.high, p);
  const Sum<F64> head = fast_two_sum<F64>(2 * s, cubic.high);
  const F64 tail = head.low + (cubic.low + (2 * s_low + cube_low * p));
  const F64 k_high = k * F::kLog2High;
  const F64 sum = k_high + head.high;
  const F64 back = sum - k_high;
  const F64 lost = (k_high - (sum - back)) + (head.high - back);
  return fast_two_sum<F64>(sum, lost + (tail + k * F::kLog2Low));
}

/// 8 ulp, most for results near the ends of the range.
inline F64 pow(F64 x, F64 y) {
  const F64 a = abs_bits(x);
  const auto ordinary = (a > 0) & (a < kInfinity<F64>);
  const Sum<F64> ln = log_extended(ordinary ? a : broadcast<F64>(2));
  // Beyond this the result is 0, 1 or infinite; the product stays finite.
  const F64 exponent = clamp_keeping_nan<F64>(y, -0x1p100, 0x1p100);
  const Sum<F64> product = two_product<F64>(exponent, ln.high);
  const F64 low = fma(exponent, ln.low, product.low);
  const F64 inside = clamp_keeping_nan<F64>(product.high, -800, 800);
  const F64 e = exp<F64>(inside);
  const auto usable = (e > 0) & (e < kInfinity<F64>);
  F64 result = usable ? fma(e, low, e) : e;
  const auto rises = (a > 1) == (y > 0);
  result = ordinary ? result : (rises ? broadcast<F64>(kInfinity<F64>) : F64{});
  const auto whole = y == rint(y);
  const F64 half = y * 0.5;
  const auto odd = whole & (abs_bits(y) < 0x1p53) & (half != rint(half));
  const auto negative = bit_cast<I64>(x) < 0;
  result = (negative & odd) ? -result : result;
  result = ((x < 0) & (x > -kInfinity<F64>)&~whole) ? broadcast<F64>(kNan<F64>) : result;
  result = ((a == 1) & (abs_bits(y) == kInfinity<F64>)) ? broadcast<F64>(1) : result;
  result = ((x != x) | (y != y)) ? broadcast<F64>(kNan<F64>) : result;
  return ((y == 0) | (x == 1)) ? broadcast<F64>(1) : result;
}

/// The float form: the logarithm needs no second part.
inline F64 pow_for_float(F64 x, F64 y) {
  const F64 a = abs_bits(x);
  F64 result = exp<F64>(clamp_keeping_nan<F64>(y * log<F64>(a), -800, 800));
  const auto whole = y == rint(y);
  const F64 half = y * 0.5;
  const auto odd = whole & (half != rint(half));
  result = ((bit_cast<I64>(x) < 0) & odd) ? -result : result;
  result = ((x < 0) & (x > -kInfinity<F64>)&~whole) ? broadcast<F64>(kNan<F64>) : result;
  result = ((a == 1) & (abs_bits(y) == kInfinity<F64>)) ? broadcast<F64>(1) : result;
  return ((y == 0) | (x == 1)) ? broadcast<F64>(1) : result;
}

/// Exact.
inline F64 fmod(F64 a, F64 b) {
  for (int i = 0; i < kLanes<F64>; ++i) a[i] = exact_fmod(a[i], b[i]);
  return a;
}

/// Exact for values that are floats: a quotient below 2^29 has exact products with a divisor of 24
/// bits.
inline F64 fmod_of_floats(F64 a, F64 b) {
  const F64 q = trunc(a / b);
  if (any(abs_bits(q) >= 0x1p29)) return fmod(a, b);
  F64 r = a - q * b;
  // The division may have rounded up to the next whole number.
  r = (r < 0) == (a < 0) || r == 0 ? r : r + with_sign<F64>(abs_bits(b), a);
  r = ((abs_bits(b) == kInfinity<F64>)&(abs_bits(a) < kInfinity<F64>)) ? a : r;
  return r == 0 ? with_sign<F64>(r, a) : r;
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
