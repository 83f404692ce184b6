/**
 * @file
 * Math functions on vectors, for *.isa.cpp files only. Each function states its error bound in
 * units in the last place (ulp) over all arguments, for normal results; math_test.cpp proves the
 * bounds. Special values are those of IEEE 754. Functions that say "double" exist for F64; their
 * F32 form computes in double and is correct to 0.51 ulp.
 */
#pragma once

#include "compute/math/coefficients.h"
#include "compute/math/scalar.h"
#include "compute/math/vector.h"

namespace EXECUTORCH_ISA_NAMESPACE {

template <class V>
constexpr Element<V> kInfinity = sizeof(Element<V>) == 4 ? static_cast<Element<V>>(__builtin_inff())
                                                         : static_cast<Element<V>>(__builtin_inf());
template <class V>
constexpr Element<V> kNan = sizeof(Element<V>) == 4 ? static_cast<Element<V>>(__builtin_nanf(""))
                                                    : static_cast<Element<V>>(__builtin_nan(""));

/// Constants of the float formats. log(2) = kLog2High + kLog2Low with a high part short enough for
/// exact products.
template <class T>
struct Format;
template <>
struct Format<float> {
  static constexpr int kFractionBits = 23;
  static constexpr int32_t kBias = 127;
  static constexpr int32_t kSqrtHalf = 0x3f3504f3;
  static constexpr int32_t kFractionMask = 0x7fffff;
  static constexpr float kRoundMagic = 0x1.8p23f;
  static constexpr float kMinNormal = 0x1p-126f;
  static constexpr float kLog2High = 0x1.62ep-1f;
  static constexpr float kLog2Low = 0x1.0bfbe8e7bcd5ep-15f;
  static constexpr float kLog2e = 0x1.71547652b82fep+0f;
  static constexpr float kExpMin = -104.0f;
  static constexpr float kExpMax = 89.0f;
};
template <>
struct Format<double> {
  static constexpr int kFractionBits = 52;
  static constexpr int64_t kBias = 1023;
  static constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  static constexpr int64_t kFractionMask = 0xfffffffffffff;
  static constexpr double kRoundMagic = 0x1.8p52;
  static constexpr double kMinNormal = 0x1p-1022;
  static constexpr double kLog2High = 0x1.62e42feep-1;
  static constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kLog2e = 0x1.71547652b82fep+0;
  static constexpr double kExpMin = -746.0;
  static constexpr double kExpMax = 710.0;
};

/// Horner's scheme, coefficients from the highest power down.
template <class V, int N>
inline V polynomial(const Element<V> (&coefficients)[N], V x) {
  V sum = broadcast<V>(coefficients[0]);
  for (int i = 1; i < N; ++i) sum = fma(sum, x, broadcast<V>(coefficients[i]));
  return sum;
}

/// A number as an unevaluated sum, `low` at most half an ulp of `high`.
template <class V>
struct Sum {
  V high;
  V low;
};

/// a + b for |a| >= |b|, exactly.
template <class V>
inline Sum<V> fast_two_sum(V a, V b) {
  const V high = a + b;
  return {high, b - (high - a)};
}

/// a * b exactly, barring overflow.
template <class V>
inline Sum<V> two_product(V a, V b) {
  const V high = a * b;
  if constexpr (kHasFma) {
    return {high, fma(a, b, -high)};
  } else {
    const Element<V> factor =
        static_cast<Element<V>>(sizeof(Element<V>) == 4 ? 0x1p12 + 1 : 0x1p27 + 1);
    const V ta = a * factor, tb = b * factor;
    const V a1 = ta - (ta - a), b1 = tb - (tb - b);
    const V a2 = a - a1, b2 = b - b1;
    return {high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
  }
}

/// 2^n for integral n within the exponents of normal numbers.
template <class V>
inline V power_of_two(V n) {
  using F = Format<Element<V>>;
  const auto bits = bit_cast<Mask<V>>(n + F::kRoundMagic) + F::kBias;
  return bit_cast<V>(bit_cast<Bits<V>>(bits) << F::kFractionBits);
}

/// value * 2^n for |n| up to twice the exponent range.
template <class V>
inline V scale_by_power(V value, V n) {
  const V half = rint(n * static_cast<Element<V>>(0.5));
  return value * power_of_two<V>(half) * power_of_two<V>(n - half);
}

template <class V>
inline V clamp_keeping_nan(V x, Element<V> low, Element<V> high) {
  x = x < low ? broadcast<V>(low) : x;
  return x > high ? broadcast<V>(high) : x;
}

/// exp(x) = 2^n * (1 + p) for x in range.
template <class V>
struct ExpParts {
  V n;
  V p;
};
template <class V>
inline ExpParts<V> exp_parts(V x) {
  using F = Format<Element<V>>;
  const V n = rint(x * F::kLog2e);
  V r = fma(n, broadcast<V>(-F::kLog2High), x);
  r = fma(n, broadcast<V>(-F::kLog2Low), r);
  return {n, fma(r * r, polynomial(kExp<Element<V>>, r), r)};
}

/// 1.1 ulp in float, 1 ulp in double.
template <class V>
inline V exp(V x) {
  using F = Format<Element<V>>;
  const ExpParts<V> parts = exp_parts<V>(clamp_keeping_nan<V>(x, F::kExpMin, F::kExpMax));
  return scale_by_power<V>(1 + parts.p, parts.n);
}

/// 2 ulp.
template <class V>
inline V expm1(V x) {
  using F = Format<Element<V>>;
  const ExpParts<V> parts = exp_parts<V>(clamp_keeping_nan<V>(x, F::kExpMin, F::kExpMax));
  // Beyond the significand the one is lost anyway.
  const Element<V> last = static_cast<Element<V>>(F::kFractionBits + 4);
  const V n = clamp_keeping_nan<V>(parts.n, -last, last);
  const V scale = power_of_two<V>(n);
  const V small = fma(scale, parts.p, scale - 1);
  const V result = parts.n > last ? scale_by_power<V>(1 + parts.p, parts.n) : small;
  return x == 0 ? x : result;
}

/// log(u + correction * u) for u > 0: `correction` is what rounding took from the argument,
/// relative.
template <class V>
inline V log_of_sum(V u, V correction) {
  using F = Format<Element<V>>;
  using I = Mask<V>;
  const auto tiny = u < F::kMinNormal;
  const Element<V> up = static_cast<Element<V>>(sizeof(Element<V>) == 4 ? 0x1p24 : 0x1p53);
  const V scaled = tiny ? u * up : u;
  const I offset = bit_cast<I>(scaled) - F::kSqrtHalf;
  const I exponent = offset >> F::kFractionBits;
  const V m = bit_cast<V>((offset & F::kFractionMask) + F::kSqrtHalf);
  // An integer below 2^22 (2^51) becomes a float by way of its bits.
  const V magic = broadcast<V>(F::kRoundMagic);
  V k = bit_cast<V>(exponent + bit_cast<I>(magic)) - F::kRoundMagic;
  k = tiny ? k - static_cast<Element<V>>(F::kFractionBits + 1) : k;
  const V f = m - 1;
  const V s = f / (f + 2);
  const V z = s * s;
  const V rest = z * polynomial(kLog<Element<V>>, z);
  const V half = f * f * static_cast<Element<V>>(0.5);
  const V low = fma(k, broadcast<V>(F::kLog2Low), correction);
  const V result = k * F::kLog2High - ((half - fma(s, half + rest, low)) - f);
  return u == kInfinity<V> ? u : result;
}

/// 1 ulp.
template <class V>
inline V log(V x) {
  V result = log_of_sum<V>(x, V{});
  result = x == 0 ? broadcast<V>(-kInfinity<V>) : result;
  return x < 0 || x != x ? broadcast<V>(kNan<V>) : result;
}

/// 1.5 ulp.
template <class V>
inline V log1p(V x) {
  const V u = x + 1;
  const V lost = x >= 1 ? 1 - (u - x) : x - (u - 1);
  V result = log_of_sum<V>(u, lost / u);
  result = u == kInfinity<V> ? u : result;
  result = x == -1 ? broadcast<V>(-kInfinity<V>) : result;
  result = x < -1 || x != x ? broadcast<V>(kNan<V>) : result;
  return x == 0 ? x : result;
}

/// 2.5 ulp in float, 1.6 ulp in double.
template <class V>
inline V tanh(V x) {
  const V a = abs_bits(x);
  const V z = x * x;
  const V small = fma(x * z, polynomial(kTanh<Element<V>>, z), x);
  const V e = exp<V>(a + a);
  const V large = with_sign<V>(1 - 2 / (e + 1), x);
  return a < static_cast<Element<V>>(0.625) ? small : (x != x ? x : large);
}

/// 1 / (1 + exp(-x)), 3 ulp.
template <class V>
inline V sigmoid(V x) {
  const V e = exp<V>(-abs_bits(x));
  const V upper = 1 / (1 + e);
  return x < 0 ? e * upper : upper;
}

/// erfc(a) for a >= 1.
template <class V>
inline V erfc_tail(V a) {
  a = clamp_keeping_nan<V>(a, 1, 28);
  const Sum<V> square = two_product<V>(a, a);
  const V e = exp<V>(-square.high);
  const V t = (a - 3) / (a + 3);
  return fma(-square.low, e, e) * (polynomial(kErfc<Element<V>>, t) / (1 + 2 * a));
}

/// 2.5 ulp in float, 2 ulp in double.
template <class V>
inline V erf(V x) {
  const V a = abs_bits(x);
  const V small = x * polynomial(kErf<Element<V>>, x * x);
  const V large = with_sign<V>(1 - erfc_tail<V>(a), x);
  return a < 1 ? small : large;
}

/// 10 ulp in float, 6 ulp in double.
template <class V>
inline V erfc(V x) {
  const V a = abs_bits(x);
  const V tail = erfc_tail<V>(a);
  const V large = x < 0 ? 2 - tail : tail;
  return a < 1 ? 1 - x * polynomial(kErf<Element<V>>, x * x) : large;
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
