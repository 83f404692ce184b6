/**
 * @file
 * Few rows of bfloat16 against bfloat16 rows that are met as they lie, by the instruction for
 * pairs. For *.isa.cpp files only.
 */
#pragma once

#include "compute/cpu/float_vector.h"
#include "compute/gemm/few_rows.h"

#if defined(__AVX512BF16__) || defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#define EXECUTORCH_HAS_PAIRS 1

namespace EXECUTORCH_ISA_NAMESPACE {

#if defined(__AVX512BF16__)
struct PairVector {
  using Numbers = __m512i;
  using Sums = __m512;
  static constexpr int kNumbers = 32;

  static Numbers load(const uint16_t* p) { return _mm512_loadu_si512(p); }
  /// The first n numbers; the others are zero.
  static Numbers load_part(const uint16_t* p, int64_t n) {
    return _mm512_maskz_loadu_epi16(static_cast<__mmask32>((1ull << n) - 1), p);
  }
  static Numbers zero() { return _mm512_setzero_si512(); }
  /// The pair everywhere.
  static Numbers set(uint32_t pair) { return _mm512_set1_epi32(static_cast<int>(pair)); }
  static Sums add(Numbers a, Numbers b, Sums sums) {
    return _mm512_dpbf16_ps(sums, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
  /// Pairs of two rows' numbers, in the order of `arrange`.
  static Numbers low_pairs(Numbers a, Numbers b) {
    return _mm512_maskz_unpacklo_epi16(0xFFFFFFFF, a, b);
  }
  static Numbers high_pairs(Numbers a, Numbers b) {
    return _mm512_maskz_unpackhi_epi16(0xFFFFFFFF, a, b);
  }
  /// Brings sums of low and of high pairs into the order of the numbers.
  static void arrange(Sums* low, Sums* high) {
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    const Sums l = *low, h = *high;
    *low = _mm512_permutex2var_ps(l, first, h);
    *high = _mm512_permutex2var_ps(l, second, h);
  }
};
#else
struct PairVector {
  using Numbers = uint16x8_t;
  using Sums = float32x4_t;
  static constexpr int kNumbers = 8;

  static Numbers load(const uint16_t* p) { return vld1q_u16(p); }
  static Numbers load_part(const uint16_t* p, int64_t n) {
    uint16_t part[kNumbers] = {};
    __builtin_memcpy(part, p, static_cast<size_t>(n) * sizeof(uint16_t));
    return vld1q_u16(part);
  }
  static Numbers zero() { return vdupq_n_u16(0); }
  static Numbers set(uint32_t pair) { return vreinterpretq_u16_u32(vdupq_n_u32(pair)); }
  static Sums add(Numbers a, Numbers b, Sums sums) {
    return vbfdotq_f32(sums, vreinterpretq_bf16_u16(a), vreinterpretq_bf16_u16(b));
  }
  static Numbers low_pairs(Numbers a, Numbers b) { return vzip1q_u16(a, b); }
  static Numbers high_pairs(Numbers a, Numbers b) { return vzip2q_u16(a, b); }
  static void arrange(Sums*, Sums*) {}
};
#endif

constexpr int kPairRows = 4;
constexpr int kPairOthers = 4;
// Rows that are added while sums are in registers: more of them may share a set of the first cache.
constexpr int64_t kPairDepth = 8;

template <int R, int K>
inline void dot_pairs(const FewRowsPairDots& s, int64_t row, int64_t first) {
  using P = PairVector;
  const uint16_t* rows = s.rows + row * s.row_stride;
  const uint16_t* others = s.others + first * s.other_stride;
  P::Sums sum[R][K];
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < K; ++j) sum[i][j] = FloatVector::zero();
  }
  const auto add = [&](const auto& load) {
    P::Numbers other[K];
#pragma GCC unroll 4
    for (int j = 0; j < K; ++j) other[j] = load(others + j * s.other_stride);
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      const P::Numbers x = load(rows + i * s.row_stride);
#pragma GCC unroll 4
      for (int j = 0; j < K; ++j) sum[i][j] = P::add(x, other[j], sum[i][j]);
    }
  };
  int64_t d = 0;
  for (; d + P::kNumbers <= s.depth; d += P::kNumbers)
    add([d](const uint16_t* p) { return P::load(p + d); });
  if (d < s.depth) {
    const int64_t left = s.depth - d;
    add([d, left](const uint16_t* p) { return P::load_part(p + d, left); });
  }
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < K; ++j) s.out[(row + i) * s.out_stride + first + j] = sum_lanes(sum[i][j]);
  }
}

template <int K>
inline void dot_pair_others(const FewRowsPairDots& s, int64_t first) {
  int64_t row = 0;
  for (; row + kPairRows <= s.count; row += kPairRows) dot_pairs<kPairRows, K>(s, row, first);
  for (; row < s.count; ++row) dot_pairs<1, K>(s, row, first);
}

inline void dot_all_pairs(const FewRowsPairDots& s) {
  // Rows are wanted from memory so far ahead: hardware does not see what comes on another page.
  constexpr int64_t kAhead = 16;
  int64_t first = 0;
  for (; first + kPairOthers <= s.other_count; first += kPairOthers) {
    for (int64_t j = first + kAhead; j < first + kAhead + kPairOthers && j < s.other_count; ++j) {
      const uint16_t* row = s.others + j * s.other_stride;
      for (int64_t d = 0; d < s.depth; d += 32) __builtin_prefetch(row + d, 0, 2);
    }
    dot_pair_others<kPairOthers>(s, first);
  }
  for (; first < s.other_count; ++first) dot_pair_others<1>(s, first);
}

/// Adds others [first, last) to R rows by P::kNumbers sums; `part` of them count.
template <int R, bool kWhole>
inline void sum_pairs(const FewRowsPairSums& s, int64_t row, int64_t column, int64_t part,
                      int64_t first, int64_t last) {
  using P = PairVector;
  constexpr int L = FloatVector::kLanes;
  float* sums = s.sums + row * s.sums_stride + column;
  const uint16_t* weights = s.weights + row * s.weight_stride;
  P::Sums low[R], high[R];
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
    float* at = sums + i * s.sums_stride;
    low[i] = first == 0 ? FloatVector::zero() : FloatVector::load(at);
    high[i] = first == 0 ? FloatVector::zero() : FloatVector::load(at + L);
  }
  const bool more = row == 0 && last + kPairDepth <= s.other_count;
  for (int64_t j = first; j < last; j += 2) {
    const uint16_t* other = s.others + j * s.other_stride + column;
    const bool two = j + 1 < last;
    const auto load = [part](const uint16_t* p) {
      return kWhole ? P::load(p) : P::load_part(p, part);
    };
    const P::Numbers a = load(other), b = two ? load(other + s.other_stride) : P::zero();
    if (more) {
      __builtin_prefetch(other + kPairDepth * s.other_stride, 0, 2);
      __builtin_prefetch(other + (kPairDepth + 1) * s.other_stride, 0, 2);
    }
    const P::Numbers ab = P::low_pairs(a, b), cd = P::high_pairs(a, b);
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      const uint16_t* at = weights + i * s.weight_stride + j;
      const P::Numbers weight =
          P::set(at[0] | static_cast<uint32_t>(two ? at[1] : uint16_t{0}) << 16);
      low[i] = P::add(weight, ab, low[i]);
      high[i] = P::add(weight, cd, high[i]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
    float* at = sums + i * s.sums_stride;
    if (last == s.other_count) P::arrange(&low[i], &high[i]);
    FloatVector::store(at, low[i]);
    FloatVector::store(at + L, high[i]);
  }
}

template <int R>
inline void sum_pair_rows(const FewRowsPairSums& s, int64_t row, int64_t first, int64_t last) {
  constexpr int64_t kNumbers = PairVector::kNumbers;
  int64_t column = 0;
  for (; column + kNumbers <= s.width; column += kNumbers)
    sum_pairs<R, true>(s, row, column, kNumbers, first, last);
  if (column < s.width) sum_pairs<R, false>(s, row, column, s.width - column, first, last);
}

inline void sum_all_pairs(const FewRowsPairSums& s) {
  for (int64_t first = 0; first < s.other_count; first += kPairDepth) {
    const int64_t left = s.other_count - first;
    const int64_t last = first + (left < kPairDepth ? left : kPairDepth);
    int64_t row = 0;
    for (; row + kPairRows <= s.count; row += kPairRows)
      sum_pair_rows<kPairRows>(s, row, first, last);
    for (; row < s.count; ++row) sum_pair_rows<1>(s, row, first, last);
  }
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
#endif
