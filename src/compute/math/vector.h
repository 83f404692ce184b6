/**
 * @file
 * Vectors as wide as the instruction set's registers, on the compilers' vector extension, for
 * *.isa.cpp files only. Comparisons give a vector of integers, all bits set where true, that `mask
 * ? a : b` takes.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

#if defined(__x86_64__) || defined(_M_X64)
#if defined(__GNUC__) && !defined(__clang__)
// Intrinsics start from an undefined register on purpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace EXECUTORCH_ISA_NAMESPACE {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

typedef float F32 __attribute__((vector_size(kVectorBytes)));
typedef double F64 __attribute__((vector_size(kVectorBytes)));
typedef int32_t I32 __attribute__((vector_size(kVectorBytes)));
typedef int64_t I64 __attribute__((vector_size(kVectorBytes)));
typedef uint32_t U32 __attribute__((vector_size(kVectorBytes)));
typedef uint64_t U64 __attribute__((vector_size(kVectorBytes)));
typedef int8_t I8 __attribute__((vector_size(kVectorBytes)));
typedef uint8_t U8 __attribute__((vector_size(kVectorBytes)));
/// The floats that widen to one F64.
typedef float HalfF32 __attribute__((vector_size(kVectorBytes / 2)));
typedef int32_t HalfI32 __attribute__((vector_size(kVectorBytes / 2)));

/// Element type, integer vector of comparisons and its unsigned twin, by vector type.
template <class ElementType, class MaskType, class BitsType>
struct ElementTraits {
  using Element = ElementType;
  using Mask = MaskType;
  using Bits = BitsType;
};
template <class V>
struct VectorTraits;
template <>
struct VectorTraits<F32> : ElementTraits<float, I32, U32> {};
template <>
struct VectorTraits<F64> : ElementTraits<double, I64, U64> {};
template <>
struct VectorTraits<I32> : ElementTraits<int32_t, I32, U32> {};
template <>
struct VectorTraits<I64> : ElementTraits<int64_t, I64, U64> {};
template <>
struct VectorTraits<U8> : ElementTraits<uint8_t, I8, U8> {};
template <>
struct VectorTraits<I8> : ElementTraits<int8_t, I8, U8> {};

template <class V>
using Element = typename VectorTraits<V>::Element;
template <class V>
using Mask = typename VectorTraits<V>::Mask;
template <class V>
using Bits = typename VectorTraits<V>::Bits;
template <class V>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(Element<V>));
template <class V>
constexpr bool kIsFloat = false;
template <>
inline constexpr bool kIsFloat<F32> = true;
template <>
inline constexpr bool kIsFloat<F64> = true;

template <class V>
inline V load(const Element<V>* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
template <class V>
inline void store(Element<V>* p, V v) {
  __builtin_memcpy(p, &v, sizeof(v));
}
template <class V>
inline V broadcast(Element<V> value) {
  return value - V{};  // unlike a sum, this keeps the sign of -0
}
/// The bits of a vector as another vector of the same size.
template <class To, class From>
inline To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}
/// Value conversion between vectors with the same number of elements.
template <class To, class From>
inline To convert(From from) {
  return __builtin_convertvector(from, To);
}

/// True when any lane of a mask is set.
template <class M>
inline bool any(M mask) {
  U64 bits = bit_cast<U64>(mask);
  uint64_t all = 0;
  for (int i = 0; i < kLanes<I64>; ++i) all |= bits[i];
  return all != 0;
}

#if defined(__AVX512F__)
inline F32 fma(F32 a, F32 b, F32 c) {
  return (F32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
inline F64 fma(F64 a, F64 b, F64 c) {
  return (F64)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
inline F32 sqrt(F32 x) {
  return (F32)_mm512_sqrt_ps((__m512)x);
}
inline F64 sqrt(F64 x) {
  return (F64)_mm512_sqrt_pd((__m512d)x);
}
inline F32 rint(F32 x) {
  return (F32)_mm512_roundscale_ps((__m512)x, 8);
}
inline F64 rint(F64 x) {
  return (F64)_mm512_roundscale_pd((__m512d)x, 8);
}
inline F32 floor(F32 x) {
  return (F32)_mm512_roundscale_ps((__m512)x, 9);
}
inline F64 floor(F64 x) {
  return (F64)_mm512_roundscale_pd((__m512d)x, 9);
}
inline F32 ceil(F32 x) {
  return (F32)_mm512_roundscale_ps((__m512)x, 10);
}
inline F64 ceil(F64 x) {
  return (F64)_mm512_roundscale_pd((__m512d)x, 10);
}
inline F32 trunc(F32 x) {
  return (F32)_mm512_roundscale_ps((__m512)x, 11);
}
inline F64 trunc(F64 x) {
  return (F64)_mm512_roundscale_pd((__m512d)x, 11);
}
constexpr bool kHasFma = true;
#elif defined(__AVX2__)
inline F32 fma(F32 a, F32 b, F32 c) {
  return (F32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
inline F64 fma(F64 a, F64 b, F64 c) {
  return (F64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
inline F32 sqrt(F32 x) {
  return (F32)_mm256_sqrt_ps((__m256)x);
}
inline F64 sqrt(F64 x) {
  return (F64)_mm256_sqrt_pd((__m256d)x);
}
inline F32 rint(F32 x) {
  return (F32)_mm256_round_ps((__m256)x, 8);
}
inline F64 rint(F64 x) {
  return (F64)_mm256_round_pd((__m256d)x, 8);
}
inline F32 floor(F32 x) {
  return (F32)_mm256_round_ps((__m256)x, 9);
}
inline F64 floor(F64 x) {
  return (F64)_mm256_round_pd((__m256d)x, 9);
}
inline F32 ceil(F32 x) {
  return (F32)_mm256_round_ps((__m256)x, 10);
}
inline F64 ceil(F64 x) {
  return (F64)_mm256_round_pd((__m256d)x, 10);
}
inline F32 trunc(F32 x) {
  return (F32)_mm256_round_ps((__m256)x, 11);
}
inline F64 trunc(F64 x) {
  return (F64)_mm256_round_pd((__m256d)x, 11);
}
constexpr bool kHasFma = true;
#elif defined(__aarch64__)
inline F32 fma(F32 a, F32 b, F32 c) {
  return (F32)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
inline F64 fma(F64 a, F64 b, F64 c) {
  return (F64)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
inline F32 sqrt(F32 x) {
  return (F32)vsqrtq_f32((float32x4_t)x);
}
inline F64 sqrt(F64 x) {
  return (F64)vsqrtq_f64((float64x2_t)x);
}
inline F32 rint(F32 x) {
  return (F32)vrndnq_f32((float32x4_t)x);
}
inline F64 rint(F64 x) {
  return (F64)vrndnq_f64((float64x2_t)x);
}
inline F32 floor(F32 x) {
  return (F32)vrndmq_f32((float32x4_t)x);
}
inline F64 floor(F64 x) {
  return (F64)vrndmq_f64((float64x2_t)x);
}
inline F32 ceil(F32 x) {
  return (F32)vrndpq_f32((float32x4_t)x);
}
inline F64 ceil(F64 x) {
  return (F64)vrndpq_f64((float64x2_t)x);
}
inline F32 trunc(F32 x) {
  return (F32)vrndq_f32((float32x4_t)x);
}
inline F64 trunc(F64 x) {
  return (F64)vrndq_f64((float64x2_t)x);
}
constexpr bool kHasFma = true;
#else
/// Rounds twice where the instruction set has no fused form.
template <class V>
inline V fma(V a, V b, V c) {
  return a * b + c;
}
#if defined(__SSE2__)
inline F32 sqrt(F32 x) {
  return (F32)_mm_sqrt_ps((__m128)x);
}
inline F64 sqrt(F64 x) {
  return (F64)_mm_sqrt_pd((__m128d)x);
}
#else
template <class V>
inline V sqrt(V x) {
  for (int i = 0; i < kLanes<V>; ++i) {
    x[i] = sizeof(x[0]) == 4 ? __builtin_sqrtf(x[i]) : __builtin_sqrt(x[i]);
  }
  return x;
}
#endif
constexpr bool kHasFma = false;
#endif

template <class V>
inline Bits<V> sign_bit() {
  using Word = decltype(Bits<V>{}[0] + 0u);
  return Bits<V>{} + (Word{1} << (sizeof(Element<V>) * 8 - 1));
}
template <class V>
inline V abs_bits(V x) {
  return bit_cast<V>(bit_cast<Bits<V>>(x) & ~sign_bit<V>());
}
/// `magnitude` (not negative) with the sign of `sign`.
template <class V>
inline V with_sign(V magnitude, V sign) {
  return bit_cast<V>(bit_cast<Bits<V>>(magnitude) | (bit_cast<Bits<V>>(sign) & sign_bit<V>()));
}

#if !defined(__AVX2__) && !defined(__aarch64__)
// Adding and subtracting 2^23 (2^52) rounds a smaller number to an integer, half to even.
template <class V>
inline V rint(V x) {
  const Element<V> magic = static_cast<Element<V>>(sizeof(Element<V>) == 4 ? 0x1p23 : 0x1p52);
  const V magnitude = abs_bits(x);
  const V rounded = with_sign((magnitude + magic) - magic, x);
  return magnitude < magic ? rounded : x;
}
template <class V>
inline V floor(V x) {
  const V rounded = rint(x);
  return rounded > x ? rounded - 1 : rounded;
}
template <class V>
inline V ceil(V x) {
  const V rounded = rint(x);
  return with_sign(abs_bits(rounded < x ? rounded + 1 : rounded), x);
}
template <class V>
inline V trunc(V x) {
  return with_sign(floor(abs_bits(x)), x);
}
#endif

inline F64 widen_low(F32 x) {
  HalfF32 half;
  __builtin_memcpy(&half, &x, sizeof(half));
  return convert<F64>(half);
}
inline F64 widen_high(F32 x) {
  HalfF32 half;
  __builtin_memcpy(&half, reinterpret_cast<const char*>(&x) + sizeof(half), sizeof(half));
  return convert<F64>(half);
}
inline F32 narrow(F64 low, F64 high) {
  const HalfF32 halves[2] = {convert<HalfF32>(low), convert<HalfF32>(high)};
  F32 x;
  __builtin_memcpy(&x, halves, sizeof(x));
  return x;
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
