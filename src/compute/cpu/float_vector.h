/**
 * @file
 * The float vector of an instruction set as matrix and image kernels need it: raw intrinsics, with
 * loads and stores of part of a vector that touch no byte beyond. For *.isa.cpp files only.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace EXECUTORCH_ISA_NAMESPACE {

#if defined(__AVX512F__)

struct FloatVector {
  using Type = __m512;
  static constexpr int kLanes = 16;
  static constexpr int kRegisters = 32;

  static Type zero() { return _mm512_setzero_ps(); }
  static Type set(float x) { return _mm512_set1_ps(x); }
  static Type load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Type v) { _mm512_storeu_ps(p, v); }
  /// The first n lanes, 0 < n <= kLanes; the others are zero.
  static Type load_part(const float* p, int64_t n) { return _mm512_maskz_loadu_ps(mask(n), p); }
  static void store_part(float* p, Type v, int64_t n) { _mm512_mask_storeu_ps(p, mask(n), v); }
  static Type add(Type a, Type b) { return _mm512_add_ps(a, b); }
  static Type sub(Type a, Type b) { return _mm512_sub_ps(a, b); }
  static Type mul(Type a, Type b) { return _mm512_mul_ps(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm512_fmadd_ps(a, b, c); }
  /// The larger (smaller) of v and the bound; v when v is NaN.
  static Type at_least(Type v, Type bound) { return _mm512_maskz_max_ps(kAll, bound, v); }
  static Type at_most(Type v, Type bound) { return _mm512_maskz_min_ps(kAll, bound, v); }
  /// b where b > a or b is NaN, else a: the maximum as eager has it.
  static Type max_nan(Type a, Type b) {
    return _mm512_mask_mov_ps(
        a, _mm512_cmp_ps_mask(b, a, _CMP_NLE_UQ) & ~_mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), b);
  }

 private:
  // The unmasked forms of some intrinsics start from an undefined register, which GCC 12 warns
  // about.
  static constexpr __mmask16 kAll = 0xFFFF;
  static __mmask16 mask(int64_t n) { return static_cast<__mmask16>((1u << n) - 1u); }
};

#elif defined(__AVX2__)

struct FloatVector {
  using Type = __m256;
  static constexpr int kLanes = 8;
  static constexpr int kRegisters = 16;

  static Type zero() { return _mm256_setzero_ps(); }
  static Type set(float x) { return _mm256_set1_ps(x); }
  static Type load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Type v) { _mm256_storeu_ps(p, v); }
  static Type load_part(const float* p, int64_t n) { return _mm256_maskload_ps(p, mask(n)); }
  static void store_part(float* p, Type v, int64_t n) { _mm256_maskstore_ps(p, mask(n), v); }
  static Type add(Type a, Type b) { return _mm256_add_ps(a, b); }
  static Type sub(Type a, Type b) { return _mm256_sub_ps(a, b); }
  static Type mul(Type a, Type b) { return _mm256_mul_ps(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm256_fmadd_ps(a, b, c); }
  static Type at_least(Type v, Type bound) { return _mm256_max_ps(bound, v); }
  static Type at_most(Type v, Type bound) { return _mm256_min_ps(bound, v); }
  static Type max_nan(Type a, Type b) {
    const Type take_b =
        _mm256_andnot_ps(_mm256_cmp_ps(a, a, _CMP_UNORD_Q), _mm256_cmp_ps(b, a, _CMP_NLE_UQ));
    return _mm256_blendv_ps(a, b, take_b);
  }

 private:
  static __m256i mask(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

#else

/// Four lanes by element copies where the instruction set has no masks.
struct FourLaneParts {
#if defined(__x86_64__) || defined(_M_X64)
  using Type = __m128;
#elif defined(__aarch64__)
  using Type = float32x4_t;
#else
  typedef float Type __attribute__((vector_size(16)));
#endif
  static Type load_part(const float* p, int64_t n) {
    float lanes[4] = {};
    for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
    Type v;
    __builtin_memcpy(&v, lanes, sizeof(v));
    return v;
  }
  static void store_part(float* p, Type v, int64_t n) {
    float lanes[4];
    __builtin_memcpy(lanes, &v, sizeof(v));
    for (int64_t i = 0; i < n; ++i) p[i] = lanes[i];
  }
};

#if defined(__x86_64__) || defined(_M_X64)

struct FloatVector : FourLaneParts {
  static constexpr int kLanes = 4;
  static constexpr int kRegisters = 16;

  static Type zero() { return _mm_setzero_ps(); }
  static Type set(float x) { return _mm_set1_ps(x); }
  static Type load(const float* p) { return _mm_loadu_ps(p); }
  static void store(float* p, Type v) { _mm_storeu_ps(p, v); }
  static Type add(Type a, Type b) { return _mm_add_ps(a, b); }
  static Type sub(Type a, Type b) { return _mm_sub_ps(a, b); }
  static Type mul(Type a, Type b) { return _mm_mul_ps(a, b); }
  static Type fma(Type a, Type b, Type c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
  static Type at_least(Type v, Type bound) { return _mm_max_ps(bound, v); }
  static Type at_most(Type v, Type bound) { return _mm_min_ps(bound, v); }
  static Type max_nan(Type a, Type b) {
    const Type take_b = _mm_andnot_ps(_mm_cmpunord_ps(a, a), _mm_cmpnle_ps(b, a));
    return _mm_or_ps(_mm_and_ps(take_b, b), _mm_andnot_ps(take_b, a));
  }
};

#elif defined(__aarch64__)

struct FloatVector : FourLaneParts {
  static constexpr int kLanes = 4;
  static constexpr int kRegisters = 32;

  static Type zero() { return vdupq_n_f32(0.0f); }
  static Type set(float x) { return vdupq_n_f32(x); }
  static Type load(const float* p) { return vld1q_f32(p); }
  static void store(float* p, Type v) { vst1q_f32(p, v); }
  static Type add(Type a, Type b) { return vaddq_f32(a, b); }
  static Type sub(Type a, Type b) { return vsubq_f32(a, b); }
  static Type mul(Type a, Type b) { return vmulq_f32(a, b); }
  static Type fma(Type a, Type b, Type c) { return vfmaq_f32(c, a, b); }
  static Type at_least(Type v, Type bound) { return vmaxq_f32(v, bound); }
  static Type at_most(Type v, Type bound) { return vminq_f32(v, bound); }
  static Type max_nan(Type a, Type b) { return vmaxq_f32(a, b); }
};

#else

struct FloatVector : FourLaneParts {
  static constexpr int kLanes = 4;
  static constexpr int kRegisters = 16;

  static Type zero() { return Type{}; }
  static Type set(float x) { return Type{x, x, x, x}; }
  static Type load(const float* p) {
    Type v;
    __builtin_memcpy(&v, p, sizeof(v));
    return v;
  }
  static void store(float* p, Type v) { __builtin_memcpy(p, &v, sizeof(v)); }
  static Type add(Type a, Type b) { return a + b; }
  static Type sub(Type a, Type b) { return a - b; }
  static Type mul(Type a, Type b) { return a * b; }
  static Type fma(Type a, Type b, Type c) { return a * b + c; }
  static Type at_least(Type v, Type bound) { return v < bound ? bound : v; }
  static Type at_most(Type v, Type bound) { return v > bound ? bound : v; }
  static Type max_nan(Type a, Type b) { return (a != a) | (b <= a) ? a : b; }
};

#endif
#endif

/// The first n lanes (n may exceed the vector).
inline FloatVector::Type load_up_to(const float* p, int64_t n) {
  return n >= FloatVector::kLanes ? FloatVector::load(p) : FloatVector::load_part(p, n);
}
inline void store_up_to(float* p, FloatVector::Type v, int64_t n) {
  if (n >= FloatVector::kLanes) {
    FloatVector::store(p, v);
  } else {
    FloatVector::store_part(p, v, n);
  }
}

/// The sum of all lanes, halves added to halves.
#if defined(__SSE2__)
inline float sum_lanes(__m128 v) {
  const __m128 pairs = _mm_add_ps(v, _mm_movehl_ps(v, v));
  return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
}
#if defined(__AVX2__)
inline float sum_lanes(__m256 v) {
  return sum_lanes(_mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)));
}
#endif
#if defined(__AVX512F__)
inline float sum_lanes(__m512 v) {
  const __m256 low = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
  const __m256 high = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  return sum_lanes(_mm256_add_ps(low, high));
}
#endif
#else
inline float sum_lanes(FloatVector::Type v) {
  float lanes[FloatVector::kLanes];
  FloatVector::store(lanes, v);
  for (int width = FloatVector::kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}
#endif

}  // namespace EXECUTORCH_ISA_NAMESPACE
