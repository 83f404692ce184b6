/**
 * @file
 * The i32 vector of an instruction set and its product of small integers. For *.isa.cpp files only.
 *
 * A step is kStep values of a row of A and as many of each column of B. Values of A are kept as
 * `Row`: q + kOffset, so that the instruction at hand multiplies them exactly. Half bytes are two's
 * complement; their values come times kHalfFactor, where that saves moving their sign.
 */
#pragma once

#include "compute/cpu/float_vector.h"

namespace EXECUTORCH_ISA_NAMESPACE {

#if defined(__AVX512F__)

struct IntVector {
  using Type = __m512i;
  using Row = uint8_t;
  static constexpr int kLanes = 16;
  static constexpr int kStep = 4;
  static constexpr int kOffset = 128;
  static constexpr int kHalfFactor = 16;

  static Type zero() { return _mm512_setzero_si512(); }
  static Type set(int32_t x) { return _mm512_set1_epi32(x); }
  static Type load(const int32_t* p) { return _mm512_loadu_si512(p); }
  static Type add(Type a, Type b) { return _mm512_add_epi32(a, b); }
  static Type mul(Type a, Type b) { return _mm512_mullo_epi32(a, b); }

  static Type load_weights(const int8_t* p) { return _mm512_loadu_si512(p); }
  /// Two steps of weights from half bytes.
  static void load_halves(const uint8_t* p, Type* even, Type* odd) {
    const __m512i bytes = _mm512_loadu_si512(p), high = _mm512_set1_epi8(-16);
    *even = _mm512_and_si512(_mm512_maskz_slli_epi16(~0u, bytes, 4), high);
    *odd = _mm512_and_si512(bytes, high);
  }
  static Type broadcast(const Row* a) {
    int32_t step;
    __builtin_memcpy(&step, a, sizeof(step));
    return _mm512_set1_epi32(step);
  }
  /// As text: around the intrinsic GCC 12 copies all sums of a tile from register to register.
  static Type dot(Type sum, Type a, Type weights) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(weights));
    return sum;
  }

  static __m512 to_float(Type v) { return _mm512_maskz_cvtepi32_ps(kAll, v); }
  /// To the nearest, halves to even; the value must be one of an i32.
  static Type round(__m512 v) { return _mm512_maskz_cvtps_epi32(kAll, v); }
  /// The bound where v is NaN.
  static __m512 larger(__m512 v, __m512 bound) { return _mm512_maskz_max_ps(kAll, v, bound); }
  static __m512 smaller(__m512 v, __m512 bound) { return _mm512_maskz_min_ps(kAll, v, bound); }
  /// The first n lanes, each of which fits a byte.
  static void store_bytes(int8_t* p, Type v, int64_t n) {
    _mm512_mask_cvtepi32_storeu_epi8(p, n >= kLanes ? kAll : static_cast<__mmask16>((1u << n) - 1u),
                                     v);
  }
  static Type load_bytes(const int8_t* p) {
    return _mm512_maskz_cvtepi8_epi32(kAll, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static __m512 load_bf16(const uint16_t* p) {
    const __m512i wide =
        _mm512_maskz_cvtepu16_epi32(kAll, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(kAll, wide, 16));
  }
  /// n values of A, stored as Rows; up to 64 bytes behind them may be overwritten.
  static void store_row(const int8_t* from, Row* to, int64_t n) {
    const __m512i flip = _mm512_set1_epi8(-128);
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
      _mm512_storeu_si512(to + i, _mm512_xor_si512(_mm512_loadu_si512(from + i), flip));
    }
    if (i == n) return;
    const __mmask64 rest = (uint64_t{1} << (n - i)) - 1;
    _mm512_storeu_si512(to + i, _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, from + i), flip));
  }

 private:
  static constexpr __mmask16 kAll = 0xFFFF;
};

#else

/// Values of A one by one.
template <class Row>
void widen_row(const int8_t* from, Row* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = from[i];
}

/// The first n of the lanes, each of which fits a byte.
template <int kLanes>
void store_low_bytes(int8_t* p, const int32_t* lanes, int64_t n) {
  for (int64_t i = 0; i < (n < kLanes ? n : kLanes); ++i) p[i] = static_cast<int8_t>(lanes[i]);
}

#if defined(__AVX2__)

struct IntVector {
  using Type = __m256i;
  using Row = int16_t;
  static constexpr int kLanes = 8;
  static constexpr int kStep = 2;
  static constexpr int kOffset = 0;
  static constexpr int kHalfFactor = 1;

  static Type zero() { return _mm256_setzero_si256(); }
  static Type set(int32_t x) { return _mm256_set1_epi32(x); }
  static Type load(const int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static Type add(Type a, Type b) { return _mm256_add_epi32(a, b); }
  static Type mul(Type a, Type b) { return _mm256_mullo_epi32(a, b); }

  static Type load_weights(const int8_t* p) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static void load_halves(const uint8_t* p, Type* even, Type* odd) {
    const __m256i wide = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    *even = _mm256_srai_epi16(_mm256_slli_epi16(wide, 12), 12);
    *odd = _mm256_srai_epi16(_mm256_slli_epi16(wide, 8), 12);
  }
  static Type broadcast(const Row* a) {
    int32_t step;
    __builtin_memcpy(&step, a, sizeof(step));
    return _mm256_set1_epi32(step);
  }
  /// A step of each lane.
  static Type load_rows(const Row* a) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
  }
  static Type dot(Type sum, Type a, Type weights) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, weights));
  }

  static __m256 to_float(Type v) { return _mm256_cvtepi32_ps(v); }
  static Type round(__m256 v) { return _mm256_cvtps_epi32(v); }
  static __m256 larger(__m256 v, __m256 bound) { return _mm256_max_ps(v, bound); }
  static __m256 smaller(__m256 v, __m256 bound) { return _mm256_min_ps(v, bound); }
  static void store_bytes(int8_t* p, Type v, int64_t n) {
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    const __m128i bytes = _mm_packs_epi16(words, words);
    if (n >= kLanes) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(p), bytes);
    } else {
      const int64_t all = _mm_cvtsi128_si64(bytes);
      __builtin_memcpy(p, &all, static_cast<size_t>(n));
    }
  }
  static Type load_bytes(const int8_t* p) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  static __m256 load_bf16(const uint16_t* p) {
    const __m256i wide =
        _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
  }
  static void store_row(const int8_t* from, Row* to, int64_t n) { widen_row(from, to, n); }
};

#elif defined(__x86_64__) || defined(_M_X64)

struct IntVector {
  using Type = __m128i;
  using Row = int16_t;
  static constexpr int kLanes = 4;
  static constexpr int kStep = 2;
  static constexpr int kOffset = 0;
  static constexpr int kHalfFactor = 1;

  static Type zero() { return _mm_setzero_si128(); }
  static Type set(int32_t x) { return _mm_set1_epi32(x); }
  static Type load(const int32_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static Type add(Type a, Type b) { return _mm_add_epi32(a, b); }
  static Type mul(Type a, Type b) {
    const __m128i even = _mm_mul_epu32(a, b),
                  odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08));
  }

  static Type load_weights(const int8_t* p) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
  }
  static void load_halves(const uint8_t* p, Type* even, Type* odd) {
    const __m128i wide = _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)),
                                           _mm_setzero_si128());
    *even = _mm_srai_epi16(_mm_slli_epi16(wide, 12), 12);
    *odd = _mm_srai_epi16(_mm_slli_epi16(wide, 8), 12);
  }
  static Type broadcast(const Row* a) {
    int32_t step;
    __builtin_memcpy(&step, a, sizeof(step));
    return _mm_set1_epi32(step);
  }
  static Type load_rows(const Row* a) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
  }
  static Type dot(Type sum, Type a, Type weights) {
    return _mm_add_epi32(sum, _mm_madd_epi16(a, weights));
  }

  static __m128 to_float(Type v) { return _mm_cvtepi32_ps(v); }
  static Type round(__m128 v) { return _mm_cvtps_epi32(v); }
  static __m128 larger(__m128 v, __m128 bound) { return _mm_max_ps(v, bound); }
  static __m128 smaller(__m128 v, __m128 bound) { return _mm_min_ps(v, bound); }
  static void store_bytes(int8_t* p, Type v, int64_t n) {
    int32_t lanes[kLanes];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(lanes), v);
    store_low_bytes<kLanes>(p, lanes, n);
  }
  static Type load_bytes(const int8_t* p) { return _mm_setr_epi32(p[0], p[1], p[2], p[3]); }
  static __m128 load_bf16(const uint16_t* p) {
    const __m128i half = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), half));
  }
  static void store_row(const int8_t* from, Row* to, int64_t n) { widen_row(from, to, n); }
};

#elif defined(__aarch64__)

/// What all levels share.
struct NeonIntVector {
  using Type = int32x4_t;
  static constexpr int kLanes = 4;
  static constexpr int kOffset = 0;
  static constexpr int kHalfFactor = 16;

  static Type zero() { return vdupq_n_s32(0); }
  static Type set(int32_t x) { return vdupq_n_s32(x); }
  static Type load(const int32_t* p) { return vld1q_s32(p); }
  static Type add(Type a, Type b) { return vaddq_s32(a, b); }
  static Type mul(Type a, Type b) { return vmulq_s32(a, b); }

  static float32x4_t to_float(Type v) { return vcvtq_f32_s32(v); }
  static Type round(float32x4_t v) { return vcvtnq_s32_f32(v); }
  static float32x4_t larger(float32x4_t v, float32x4_t bound) { return vmaxnmq_f32(v, bound); }
  static float32x4_t smaller(float32x4_t v, float32x4_t bound) { return vminnmq_f32(v, bound); }
  static void store_bytes(int8_t* p, Type v, int64_t n) {
    int32_t lanes[kLanes];
    vst1q_s32(lanes, v);
    store_low_bytes<kLanes>(p, lanes, n);
  }
  static Type load_bytes(const int8_t* p) {
    const int32_t lanes[4] = {p[0], p[1], p[2], p[3]};
    return vld1q_s32(lanes);
  }
  static float32x4_t load_bf16(const uint16_t* p) {
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
  }
};

#if defined(__ARM_FEATURE_DOTPROD)
struct IntVector : NeonIntVector {
  using Row = int8_t;
  static constexpr int kStep = 4;

  static int8x16_t load_weights(const int8_t* p) { return vld1q_s8(p); }
  static void load_halves(const uint8_t* p, int8x16_t* even, int8x16_t* odd) {
    const uint8x16_t bytes = vld1q_u8(p);
    *even = vreinterpretq_s8_u8(vshlq_n_u8(bytes, 4));
    *odd = vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(0xF0)));
  }
  static int8x16_t broadcast(const Row* a) {
    int32_t step;
    __builtin_memcpy(&step, a, sizeof(step));
    return vreinterpretq_s8_s32(vdupq_n_s32(step));
  }
  static int8x16_t load_rows(const Row* a) { return vld1q_s8(a); }
  static Type dot(Type sum, int8x16_t a, int8x16_t weights) { return vdotq_s32(sum, a, weights); }
  static void store_row(const int8_t* from, Row* to, int64_t n) {
    __builtin_memcpy(to, from, static_cast<size_t>(n));
  }
};
#else
struct IntVector : NeonIntVector {
  using Row = int16_t;
  static constexpr int kStep = 2;

  static int16x8_t load_weights(const int8_t* p) { return vmovl_s8(vld1_s8(p)); }
  static void load_halves(const uint8_t* p, int16x8_t* even, int16x8_t* odd) {
    const uint8x8_t bytes = vld1_u8(p);
    *even = vmovl_s8(vreinterpret_s8_u8(vshl_n_u8(bytes, 4)));
    *odd = vmovl_s8(vreinterpret_s8_u8(vand_u8(bytes, vdup_n_u8(0xF0))));
  }
  static int16x8_t broadcast(const Row* a) {
    int32_t step;
    __builtin_memcpy(&step, a, sizeof(step));
    return vreinterpretq_s16_s32(vdupq_n_s32(step));
  }
  static int16x8_t load_rows(const Row* a) { return vld1q_s16(a); }
  static Type dot(Type sum, int16x8_t a, int16x8_t weights) {
    return vaddq_s32(sum, vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(weights)),
                                     vmull_high_s16(a, weights)));
  }
  static void store_row(const int8_t* from, Row* to, int64_t n) { widen_row(from, to, n); }
};
#endif

#else

struct IntVector {
  typedef int32_t Type __attribute__((vector_size(16)));
  typedef uint32_t Unsigned __attribute__((vector_size(16)));
  using Row = int16_t;
  static constexpr int kLanes = 4;
  static constexpr int kStep = 2;
  static constexpr int kOffset = 0;
  static constexpr int kHalfFactor = 16;

  /// The first and the second value of a step.
  struct Pair {
    Type first, second;
  };

  static Type zero() { return Type{}; }
  static Type set(int32_t x) { return Type{x, x, x, x}; }
  static Type load(const int32_t* p) {
    Type v;
    __builtin_memcpy(&v, p, sizeof(v));
    return v;
  }
  static Type add(Type a, Type b) {
    return reinterpret_cast<Type>(reinterpret_cast<Unsigned>(a) + reinterpret_cast<Unsigned>(b));
  }
  static Type mul(Type a, Type b) {
    return reinterpret_cast<Type>(reinterpret_cast<Unsigned>(a) * reinterpret_cast<Unsigned>(b));
  }

  static Pair load_weights(const int8_t* p) {
    return {{p[0], p[2], p[4], p[6]}, {p[1], p[3], p[5], p[7]}};
  }
  static void load_halves(const uint8_t* p, Pair* even, Pair* odd) {
    int8_t low[8], high[8];
    for (int i = 0; i < 8; ++i) {
      low[i] = static_cast<int8_t>(p[i] << 4);
      high[i] = static_cast<int8_t>(p[i] & 0xF0);
    }
    *even = load_weights(low);
    *odd = load_weights(high);
  }
  static Pair broadcast(const Row* a) { return {set(a[0]), set(a[1])}; }
  static Pair load_rows(const Row* a) {
    return {{a[0], a[2], a[4], a[6]}, {a[1], a[3], a[5], a[7]}};
  }
  static Type dot(Type sum, const Pair& a, const Pair& weights) {
    return add(sum, add(mul(a.first, weights.first), mul(a.second, weights.second)));
  }

  static FloatVector::Type to_float(Type v) {
    return __builtin_convertvector(v, FloatVector::Type);
  }
  static Type round(FloatVector::Type v) {
    Type result;
    for (int i = 0; i < kLanes; ++i) result[i] = static_cast<int32_t>(__builtin_rintf(v[i]));
    return result;
  }
  static FloatVector::Type larger(FloatVector::Type v, FloatVector::Type bound) {
    return v > bound ? v : bound;
  }
  static FloatVector::Type smaller(FloatVector::Type v, FloatVector::Type bound) {
    return v < bound ? v : bound;
  }
  static void store_bytes(int8_t* p, Type v, int64_t n) {
    int32_t lanes[kLanes];
    __builtin_memcpy(lanes, &v, sizeof(v));
    store_low_bytes<kLanes>(p, lanes, n);
  }
  static Type load_bytes(const int8_t* p) { return Type{p[0], p[1], p[2], p[3]}; }
  static FloatVector::Type load_bf16(const uint16_t* p) {
    Unsigned bits = {p[0], p[1], p[2], p[3]};
    bits <<= 16;
    return reinterpret_cast<FloatVector::Type>(bits);
  }
  static void store_row(const int8_t* from, Row* to, int64_t n) { widen_row(from, to, n); }
};

#endif
#endif

/// Within the bounds; lo for NaN.
inline FloatVector::Type clamp_to(FloatVector::Type v, FloatVector::Type lo, FloatVector::Type hi) {
  return IntVector::smaller(IntVector::larger(v, lo), hi);
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
