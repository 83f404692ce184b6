/**
 * @file
 * The arithmetic of every elementwise operation, said once for all vector types; for *.isa.cpp
 * files only. A functor is named like its ElementwiseOp and has `apply` with one vector per
 * operand. Where floats and integers differ, the helpers of vector type decide. Integers wrap;
 * nothing traps.
 */
#pragma once

#include "compute/math/bessel.h"
#include "compute/math/gamma.h"
#include "compute/math/special.h"

namespace EXECUTORCH_ISA_NAMESPACE {

template <class V>
inline V wrapping_add(V a, V b) {
  if constexpr (kIsFloat<V>)
    return a + b;
  else
    return bit_cast<V>(bit_cast<Bits<V>>(a) + bit_cast<Bits<V>>(b));
}
template <class V>
inline V wrapping_sub(V a, V b) {
  if constexpr (kIsFloat<V>)
    return a - b;
  else
    return bit_cast<V>(bit_cast<Bits<V>>(a) - bit_cast<Bits<V>>(b));
}
template <class V>
inline V wrapping_mul(V a, V b) {
  if constexpr (kIsFloat<V>)
    return a * b;
  else
    return bit_cast<V>(bit_cast<Bits<V>>(a) * bit_cast<Bits<V>>(b));
}
template <class V>
inline V negate(V a) {
  if constexpr (kIsFloat<V>)
    return -a;
  else
    return wrapping_sub(V{}, a);
}
/// 0 or 1 of the element type.
template <class V>
inline V truth(Mask<V> mask) {
  return mask ? broadcast<V>(1) : V{};
}

/// The quotient towards zero of integers that double precision holds, b not 0. The rounded quotient
/// never reaches the next integer, which is at least 1 / |b| away.
inline I64 quotient_by_doubles(I64 a, I64 b) {
  return convert<I64>(convert<F64>(a) / convert<F64>(b));
}
inline I32 quotient_by_doubles(I32 a, I32 b) {
  HalfI32 as[2], bs[2], quotients[2];
  __builtin_memcpy(as, &a, sizeof(a));
  __builtin_memcpy(bs, &b, sizeof(b));
  for (int half = 0; half < 2; ++half)
    quotients[half] = convert<HalfI32>(convert<F64>(as[half]) / convert<F64>(bs[half]));
  I32 quotient;
  __builtin_memcpy(&quotient, quotients, sizeof(quotient));
  return quotient;
}

/// Integer quotient towards zero; 0 for division by zero, wrapping for the smallest value divided
/// by -1.
template <class V>
inline V integer_quotient(V a, V b) {
  const auto unsafe = (b == 0) | (b == -1);
  const V divisor = unsafe ? broadcast<V>(1) : b;
  V q;
  if constexpr (sizeof(Element<V>) == 4) {
    q = quotient_by_doubles(a, divisor);
  } else {
    constexpr Element<V> limit = Element<V>{1} << 51;
    const auto large = (a > limit) | (a < -limit) | (b > limit) | (b < -limit);
    q = any(large) ? a / divisor : quotient_by_doubles(a, divisor);
  }
  return b == -1 ? negate(a) : (b == 0 ? V{} : q);
}

template <class V>
inline V integer_power(V base, V exponent) {
  V result = broadcast<V>(1), factor = base;
  Bits<V> left = bit_cast<Bits<V>>(exponent < 0 ? V{} : exponent);
  while (any(left != 0)) {
    result = (left & 1) != 0 ? wrapping_mul(result, factor) : result;
    factor = wrapping_mul(factor, factor);
    left >>= 1;
  }
  const V one = broadcast<V>(1);
  const V inverse =
      base == 1 ? one : (base == -1 ? ((exponent & 1) != 0 ? negate(one) : one) : V{});
  return exponent < 0 ? inverse : result;
}

template <class V>
inline V float_remainder_towards_zero(V a, V b) {
  if constexpr (sizeof(Element<V>) == 8)
    return fmod(a, b);
  else
    return narrow(fmod_of_floats(widen_low(a), widen_low(b)),
                  fmod_of_floats(widen_high(a), widen_high(b)));
}

/// Python's floor division as eager computes it: by way of the remainder, so that it agrees with
/// it.
template <class V>
inline V float_floor_quotient(V a, V b) {
  const V rest = float_remainder_towards_zero(a, b);
  V q = (a - rest) / b;
  q = ((rest != 0) & ((b < 0) != (rest < 0))) ? q - 1 : q;
  V down = floor(q);
  down = q - down > static_cast<Element<V>>(0.5) ? down + 1 : down;
  down = q == 0 ? with_sign(V{}, a / b) : down;
  return b == 0 ? a / b : down;
}

/// x = mantissa * 2^exponent with |mantissa| in [0.5, 1); x and 0 where that does not exist.
template <class V>
struct SplitNumber {
  V mantissa;
  V exponent;
};
template <class V>
inline SplitNumber<V> split_exponent(V x) {
  using F = Format<Element<V>>;
  using I = Mask<V>;
  const V a = abs_bits(x);
  const auto tiny = a < F::kMinNormal;
  const Element<V> up = static_cast<Element<V>>(sizeof(Element<V>) == 4 ? 0x1p24 : 0x1p53);
  const V scaled = tiny ? x * up : x;
  const I bits = bit_cast<I>(abs_bits(scaled));
  const I biased = bits >> F::kFractionBits;
  const V magic = broadcast<V>(F::kRoundMagic);
  const V exponent = bit_cast<V>(biased - (F::kBias - 1) + bit_cast<I>(magic)) - magic;
  const I half = I{} + ((F::kBias - 1) << F::kFractionBits);
  const V mantissa = with_sign<V>(bit_cast<V>((bits & F::kFractionMask) | half), x);
  const auto split = (a > 0) & (a < kInfinity<V>);
  const V shift = broadcast<V>(static_cast<Element<V>>(F::kFractionBits + 1));
  return {split ? mantissa : x, split ? (tiny ? exponent - shift : exponent) : V{}};
}

/// The number next to `a` on the way to `b` among those whose bits are multiples of `step`.
template <class V>
inline V next_after(V a, V b, int step) {
  using I = Mask<V>;
  const I bits = bit_cast<I>(a);
  const auto grows = (a < b) == (a > 0);
  const V stepped = bit_cast<V>(grows ? bits + step : bits - step);
  const V smallest = with_sign<V>(bit_cast<V>(I{} + step), b);
  const V next = a == b ? b : (a == 0 ? smallest : stepped);
  return a != a ? a : (b != b ? b : next);
}

/// The same among numbers of half precision.
inline F32 next_half(F32 a, F32 b) {
  constexpr float smallest = 0x1p-24f, smallest_normal = 0x1p-14f, largest = 65504;
  const F32 size = abs_bits(a);
  const F32 step = a < b ? broadcast<F32>(smallest) : broadcast<F32>(-smallest);
  const F32 subnormal = a == 0 ? step : with_sign<F32>(abs_bits(a + step), a);
  const F32 stepped = size > smallest_normal ? next_after<F32>(a, b, 1 << 13) : subnormal;
  const F32 inwards = with_sign<F32>(broadcast<F32>(largest), a);
  const F32 next = size == kInfinity<F32> ? inwards : stepped;
  return a != a ? a : (b != b ? b : (a == b ? b : next));
}

template <class V>
inline V greatest_common_divisor(V a, V b) {
  a = a < 0 ? negate(a) : a;
  b = b < 0 ? negate(b) : b;
  while (any(a != 0)) {
    const V rest = wrapping_sub(b, wrapping_mul(integer_quotient(b, a), a));
    const auto more = a != 0;
    b = more ? a : b;
    a = more ? rest : a;
  }
  return b;
}

template <class T>
constexpr T kPiOf = static_cast<T>(kPi);

// ---- functors
// -------------------------------------------------------------------------------------------------------

#define EXECUTORCH_UNARY(name__, ...) \
  struct name__ {                     \
    template <class V>                \
    static inline V apply(V x) {      \
      __VA_ARGS__                     \
    }                                 \
  };
#define EXECUTORCH_BINARY(name__, ...) \
  struct name__ {                      \
    template <class V>                 \
    static inline V apply(V a, V b) {  \
      __VA_ARGS__                      \
    }                                  \
  };
#define EXECUTORCH_TERNARY(name__, ...)    \
  struct name__ {                          \
    template <class V>                     \
    static inline V apply(V a, V b, V c) { \
      __VA_ARGS__                          \
    }                                      \
  };
/// A unary function of math_double.h.
#define EXECUTORCH_UNARY_DOUBLE(name__, function__)                       \
  struct name__ {                                                         \
    static inline F64 apply(F64 x) { return function__(x); }              \
    static inline F32 apply(F32 x) {                                      \
      return narrow(function__(widen_low(x)), function__(widen_high(x))); \
    }                                                                     \
  };

/// Functions that go number by number.
template <double (*function)(double)>
struct EachOne {
  static inline F64 apply(F64 x) {
    for (int i = 0; i < kLanes<F64>; ++i) x[i] = function(x[i]);
    return x;
  }
  static inline F32 apply(F32 x) { return narrow(apply(widen_low(x)), apply(widen_high(x))); }
};
template <double (*function)(double, double)>
struct EachPair {
  static inline F64 apply(F64 a, F64 b) {
    for (int i = 0; i < kLanes<F64>; ++i) a[i] = function(a[i], b[i]);
    return a;
  }
  static inline F32 apply(F32 a, F32 b) {
    return narrow(apply(widen_low(a), widen_low(b)), apply(widen_high(a), widen_high(b)));
  }
};

EXECUTORCH_UNARY(Copy, return x;)
EXECUTORCH_UNARY(Abs, if constexpr (kIsFloat<V>) return abs_bits(x);
                 else return x < 0 ? negate(x) : x;)
EXECUTORCH_UNARY(Neg, return negate(x);)
EXECUTORCH_UNARY(Sign, return truth<V>(x > 0) - truth<V>(x < 0);)
EXECUTORCH_UNARY(Ceil, return ceil(x);)
EXECUTORCH_UNARY(Floor, return floor(x);)
EXECUTORCH_UNARY(Trunc, return trunc(x);)
EXECUTORCH_UNARY(Round, return rint(x);)
EXECUTORCH_UNARY(Relu, return x < 0 ? V{} : x;)
EXECUTORCH_UNARY(Reciprocal, return 1 / x;)
EXECUTORCH_UNARY(Sqrt, return sqrt(x);)
EXECUTORCH_UNARY(Rsqrt, return 1 / sqrt(x);)
EXECUTORCH_UNARY(Exp, return exp<V>(x);)
EXECUTORCH_UNARY(Expm1, return expm1<V>(x);)
EXECUTORCH_UNARY(Log, return log<V>(x);)
EXECUTORCH_UNARY(Log1p, return log1p<V>(x);)
EXECUTORCH_UNARY_DOUBLE(Log2, log2)
EXECUTORCH_UNARY_DOUBLE(Log10, log10)
EXECUTORCH_UNARY_DOUBLE(Sin, sin)
EXECUTORCH_UNARY_DOUBLE(Cos, cos)
EXECUTORCH_UNARY_DOUBLE(Tan, tan)
EXECUTORCH_UNARY_DOUBLE(Asin, asin)
EXECUTORCH_UNARY_DOUBLE(Acos, acos)
EXECUTORCH_UNARY_DOUBLE(Atan, atan)
EXECUTORCH_UNARY_DOUBLE(Sinh, sinh)
EXECUTORCH_UNARY_DOUBLE(Cosh, cosh)
EXECUTORCH_UNARY(Tanh, return tanh<V>(x);)
EXECUTORCH_UNARY_DOUBLE(Asinh, asinh)
EXECUTORCH_UNARY_DOUBLE(Acosh, acosh)
EXECUTORCH_UNARY_DOUBLE(Atanh, atanh)
EXECUTORCH_UNARY(Erf, return erf<V>(x);)
EXECUTORCH_UNARY(Erfc, return erfc<V>(x);)
EXECUTORCH_UNARY_DOUBLE(Exp2, exp2)
EXECUTORCH_UNARY_DOUBLE(Erfinv, erfinv)
EXECUTORCH_UNARY_DOUBLE(Erfcx, erfcx)
EXECUTORCH_UNARY_DOUBLE(Ndtri, ndtri)
EXECUTORCH_UNARY_DOUBLE(Lgamma, lgamma)
EXECUTORCH_UNARY_DOUBLE(Digamma, digamma)
EXECUTORCH_UNARY_DOUBLE(I0, i0)
EXECUTORCH_UNARY_DOUBLE(I0e, i0e)
EXECUTORCH_UNARY_DOUBLE(I1, i1)
EXECUTORCH_UNARY_DOUBLE(I1e, i1e)
using BesselJ0 = EachOne<bessel_j0>;
using BesselJ1 = EachOne<bessel_j1>;
using BesselY0 = EachOne<bessel_y0>;
using BesselY1 = EachOne<bessel_y1>;
using BesselK0 = EachOne<bessel_k<0, false>>;
using BesselK1 = EachOne<bessel_k<1, false>>;
using BesselK0e = EachOne<bessel_k<0, true>>;
using BesselK1e = EachOne<bessel_k<1, true>>;
using SphericalBesselJ0 = EachOne<spherical_bessel_j0>;
using AiryAi = EachOne<airy_ai>;
EXECUTORCH_UNARY(Sigmoid, return sigmoid<V>(x);)
EXECUTORCH_UNARY(Silu, return x * sigmoid<V>(x);)
// 1 + erf(x) = erfc(-x), which keeps its digits where it is small.
EXECUTORCH_UNARY(Gelu, const Element<V> r = static_cast<Element<V>>(-0.70710678118654752440);
                 return x * static_cast<Element<V>>(0.5) * erfc<V>(x * r);)
EXECUTORCH_UNARY(GeluTanh, const Element<V> r = static_cast<Element<V>>(0.79788456080286535588);
                 const Element<V> k = static_cast<Element<V>>(0.044715);
                 return x * static_cast<Element<V>>(0.5) *
                        (1 + tanh<V>(r * (x + k * (x * x * x))));)
EXECUTORCH_UNARY(Logit, return log<V>(x / (1 - x));)
EXECUTORCH_UNARY(IsNan, return truth<V>(x != x);)
EXECUTORCH_UNARY(IsInf, return truth<V>(abs_bits(x) == kInfinity<V>);)
EXECUTORCH_UNARY(SignBit, return truth<V>(bit_cast<Mask<V>>(x) < 0);)
EXECUTORCH_UNARY(RealAngle, return x != x ? x : (x < 0 ? broadcast<V>(kPiOf<Element<V>>) : V{});)
EXECUTORCH_UNARY(Mantissa, return split_exponent(x).mantissa;)
EXECUTORCH_UNARY(Exponent, return split_exponent(x).exponent;)
EXECUTORCH_UNARY(Square, return wrapping_mul(x, x);)
EXECUTORCH_UNARY(Cube, return wrapping_mul(wrapping_mul(x, x), x);)
EXECUTORCH_UNARY(LogicalNot, return truth<V>(x == 0);)
EXECUTORCH_UNARY(BitwiseNot, return ~x;)

EXECUTORCH_BINARY(Add, return wrapping_add(a, b);)
EXECUTORCH_BINARY(Sub, return wrapping_sub(a, b);)
EXECUTORCH_BINARY(Mul, return wrapping_mul(a, b);)
EXECUTORCH_BINARY(Div, return a / b;)
EXECUTORCH_BINARY(DivTrunc, if constexpr (kIsFloat<V>) return trunc(a / b);
                  else return integer_quotient(a, b);)
struct DivFloor {
  template <class V>
  static inline V apply(V a, V b) {
    if constexpr (kIsFloat<V>) {
      return float_floor_quotient(a, b);
    } else {
      const V q = integer_quotient(a, b);
      const V rest = wrapping_sub(a, wrapping_mul(q, b));
      return ((rest != 0) & (b != 0) & ((rest < 0) != (b < 0))) ? q - 1 : q;
    }
  }
};
struct Fmod {
  template <class V>
  static inline V apply(V a, V b) {
    if constexpr (kIsFloat<V>)
      return float_remainder_towards_zero(a, b);
    else
      return b == 0 ? V{} : wrapping_sub(a, wrapping_mul(integer_quotient(a, b), b));
  }
};
struct Remainder {
  template <class V>
  static inline V apply(V a, V b) {
    const V rest = Fmod::apply(a, b);
    return ((rest != 0) & ((rest < 0) != (b < 0))) ? wrapping_add(rest, b) : rest;
  }
};
struct Pow {
  static inline I32 apply(I32 a, I32 b) { return integer_power(a, b); }
  static inline I64 apply(I64 a, I64 b) { return integer_power(a, b); }
  static inline F64 apply(F64 a, F64 b) { return pow(a, b); }
  static inline F32 apply(F32 a, F32 b) {
    return narrow(pow_for_float(widen_low(a), widen_low(b)),
                  pow_for_float(widen_high(a), widen_high(b)));
  }
};
struct Atan2 {
  static inline F64 apply(F64 y, F64 x) { return atan2(y, x); }
  static inline F32 apply(F32 y, F32 x) {
    return narrow(atan2(widen_low(y), widen_low(x)), atan2(widen_high(y), widen_high(x)));
  }
};
struct Hypot {
  static inline F64 apply(F64 a, F64 b) {
    const F64 x = abs_bits(a), y = abs_bits(b);
    const F64 larger = x > y ? x : y, smaller = x > y ? y : x;
    const F64 ratio = larger == 0 ? F64{} : smaller / larger;
    const F64 length = larger * sqrt(1 + ratio * ratio);
    const auto unbounded = (x == kInfinity<F64>) | (y == kInfinity<F64>);
    const F64 finite = ((x != x) | (y != y)) ? broadcast<F64>(kNan<F64>) : length;
    return unbounded ? broadcast<F64>(kInfinity<F64>) : finite;
  }
  static inline F32 apply(F32 a, F32 b) {
    return narrow(apply(widen_low(a), widen_low(b)), apply(widen_high(a), widen_high(b)));
  }
};
EXECUTORCH_BINARY(CopySign, return with_sign<V>(abs_bits(a), b);)
EXECUTORCH_BINARY(NextAfter, return next_after<V>(a, b, 1);)
EXECUTORCH_BINARY(NextAfterBf16, return next_after<V>(a, b, 1 << 16);)
EXECUTORCH_BINARY(NextAfterHalf, return next_half(a, b);)
EXECUTORCH_BINARY(Ldexp, return a * Exp2::apply(b);)
using Igamma = EachPair<incomplete_gamma<false>>;
using Igammac = EachPair<incomplete_gamma<true>>;
using Zeta = EachPair<zeta>;
using Polygamma = EachPair<polygamma>;
EXECUTORCH_BINARY(Fmax, return ((a > b) | (b != b)) ? a : b;)
EXECUTORCH_BINARY(Fmin, return ((a < b) | (b != b)) ? a : b;)
EXECUTORCH_BINARY(Gcd, return greatest_common_divisor(a, b);)
EXECUTORCH_BINARY(Lcm, const V divisor = greatest_common_divisor(a, b);
                  const V multiple = wrapping_mul(integer_quotient(a, divisor), b);
                  return multiple < 0 ? negate(multiple) : multiple;)
EXECUTORCH_BINARY(Maximum, return ((a > b) | (a != a)) ? a : b;)
EXECUTORCH_BINARY(Minimum, return ((a < b) | (a != a)) ? a : b;)
EXECUTORCH_BINARY(LogAddExp, const V high = Maximum::apply<V>(a, b);
                  const V low = Minimum::apply<V>(a, b);
                  const V sum = high + log1p<V>(exp<V>(low - high));
                  return ((low == high) & (abs_bits(low) == kInfinity<V>)) ? low : sum;)
EXECUTORCH_BINARY(Eq, return truth<V>(a == b);)
EXECUTORCH_BINARY(Ne, return truth<V>(a != b);)
EXECUTORCH_BINARY(Lt, return truth<V>(a < b);)
EXECUTORCH_BINARY(Le, return truth<V>(a <= b);)
EXECUTORCH_BINARY(Gt, return truth<V>(a > b);)
EXECUTORCH_BINARY(Ge, return truth<V>(a >= b);)
EXECUTORCH_BINARY(LogicalAnd, return truth<V>((a != 0) & (b != 0));)
EXECUTORCH_BINARY(LogicalOr, return truth<V>((a != 0) | (b != 0));)
EXECUTORCH_BINARY(LogicalXor, return truth<V>((a != 0) ^ (b != 0));)
EXECUTORCH_BINARY(BitwiseAnd, return a & b;)
EXECUTORCH_BINARY(BitwiseOr, return a | b;)
EXECUTORCH_BINARY(BitwiseXor, return a ^ b;)
struct ShiftLeft {
  template <class V>
  static inline V apply(V a, V b) {
    constexpr Element<V> bits = sizeof(Element<V>) * 8;
    const auto outside = (b < 0) | (b >= bits);
    const Bits<V> count = bit_cast<Bits<V>>(outside ? V{} : b);
    return outside ? V{} : bit_cast<V>(bit_cast<Bits<V>>(a) << count);
  }
};
struct ShiftRight {
  template <class V>
  static inline V apply(V a, V b) {
    constexpr Element<V> last = sizeof(Element<V>) * 8 - 1;
    return a >> (((b < 0) | (b > last)) ? broadcast<V>(last) : b);
  }
};
EXECUTORCH_BINARY(LeakyRelu, return a > 0 ? a : a * b;)
EXECUTORCH_BINARY(Glu, return a * sigmoid<V>(b);)

EXECUTORCH_TERNARY(AddScaled, return wrapping_add(a, wrapping_mul(c, b));)
EXECUTORCH_TERNARY(MulAdd, return wrapping_add(wrapping_mul(a, b), c);)
EXECUTORCH_TERNARY(Clamp, return Minimum::apply<V>(Maximum::apply<V>(a, b), c);)
EXECUTORCH_TERNARY(LogitClamp, return Logit::apply<V>(a < b ? b : (a > c ? c : a));)
EXECUTORCH_TERNARY(Where, return a != 0 ? b : c;)
struct Elu {
  template <class V>
  static inline V apply(V x, V alpha, V scale, V input_scale) {
    return x <= 0 ? expm1<V>(x * input_scale) * alpha * scale : x * scale;
  }
};

#undef EXECUTORCH_UNARY
#undef EXECUTORCH_BINARY
#undef EXECUTORCH_TERNARY
#undef EXECUTORCH_UNARY_DOUBLE

}  // namespace EXECUTORCH_ISA_NAMESPACE
