#include "compute/gemm/few_rows.h"

#include "compute/cpu/float_vector.h"
#include "compute/gemm/few_pairs.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

using V = FloatVector;
constexpr int L = V::kLanes;

// Sums, and what they are made of, must fit the registers.
constexpr int kRows = V::kRegisters >= 32 ? 4 : 2;
constexpr int kOthers = 4;
constexpr int kVectors = 4;
// Rows that may lie a page apart share a few sets of the first cache.
constexpr int64_t kCachedRows = 8;
// Rows are wanted from memory so far ahead: hardware does not see what comes on another page.
constexpr int64_t kAhead = 16;

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

inline V::Type widen(const float* p) {
  return V::load(p);
}
#if defined(__AVX512F__)
inline V::Type widen(const Half* p) {
  return _mm512_maskz_cvtph_ps(0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline V::Type widen(const BFloat16* p) {
  const __m512i bits =
      _mm512_maskz_cvtepu16_epi32(0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(0xFFFF, bits, 16));
}
inline V::Type widen(const int8_t* p) {
  const __m512i wide =
      _mm512_maskz_cvtepi8_epi32(0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return _mm512_maskz_cvtepi32_ps(0xFFFF, wide);
}
#elif defined(__AVX2__)
inline V::Type widen(const Half* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline V::Type widen(const BFloat16* p) {
  const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
}
inline V::Type widen(const int8_t* p) {
  return _mm256_cvtepi32_ps(
      _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
#elif defined(__aarch64__)
inline V::Type widen(const Half* p) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(&p->bits)));
}
inline V::Type widen(const BFloat16* p) {
  return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(&p->bits), 16));
}
#else
inline V::Type widen(const BFloat16* p) {
  uint32_t bits[L];
  for (int i = 0; i < L; ++i) bits[i] = static_cast<uint32_t>(p[i].bits) << 16;
  V::Type v;
  __builtin_memcpy(&v, bits, sizeof(v));
  return v;
}
#endif
#if !defined(__AVX2__)
inline V::Type widen(const int8_t* p) {
  float lanes[L];
  for (int i = 0; i < L; ++i) lanes[i] = p[i];
  return V::load(lanes);
}
#endif

/// The first n < L lanes; the others are zero.
template <class T>
inline V::Type widen_part(const T* p, int64_t n) {
  T part[L] = {};
  __builtin_memcpy(part, p, static_cast<size_t>(n) * sizeof(T));
  return widen(part);
}
inline V::Type widen_part(const float* p, int64_t n) {
  return V::load_part(p, n);
}

template <class T>
inline void want_row(const T* row, int64_t n) {
  const char* first = reinterpret_cast<const char*>(row);
  for (int64_t byte = 0; byte < n * static_cast<int64_t>(sizeof(T)); byte += 64)
    __builtin_prefetch(first + byte, 0, 2);
}

template <class T, int R, int K>
inline void dot_tile(const FewRowsDots& s, int64_t row, int64_t first) {
  const T* others = static_cast<const T*>(s.others) + first * s.other_stride;
  const float* rows = s.rows + row * s.row_stride;
  V::Type sum[R][K];
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < K; ++j) sum[i][j] = V::zero();
  }
  const auto add = [&](const V::Type(&k)[K], const auto& load_row) {
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      const V::Type x = load_row(i);
#pragma GCC unroll 4
      for (int j = 0; j < K; ++j) sum[i][j] = V::fma(x, k[j], sum[i][j]);
    }
  };
  V::Type k[K];
  int64_t d = 0;
  for (; d + L <= s.depth; d += L) {
#pragma GCC unroll 4
    for (int j = 0; j < K; ++j) k[j] = widen(others + j * s.other_stride + d);
    add(k, [&](int i) { return V::load(rows + i * s.row_stride + d); });
  }
  if (d < s.depth) {
    for (int j = 0; j < K; ++j) k[j] = widen_part(others + j * s.other_stride + d, s.depth - d);
    add(k, [&](int i) { return V::load_part(rows + i * s.row_stride + d, s.depth - d); });
  }
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < K; ++j) s.out[(row + i) * s.out_stride + first + j] = sum_lanes(sum[i][j]);
  }
}

template <class T, int K>
void dot_others(const FewRowsDots& s, int64_t first) {
  int64_t row = 0;
  for (; row + kRows <= s.count; row += kRows) dot_tile<T, kRows, K>(s, row, first);
  for (; row < s.count; ++row) dot_tile<T, 1, K>(s, row, first);
}

template <class T>
void dot(const FewRowsDots& s) {
  const T* ahead = static_cast<const T*>(s.others) + kAhead * s.other_stride;
  int64_t first = 0;
  for (; first + kOthers <= s.other_count; first += kOthers) {
    for (int64_t j = first; j < first + kOthers; ++j) want_row(ahead + j * s.other_stride, s.depth);
    dot_others<T, kOthers>(s, first);
  }
  for (; first < s.other_count; ++first) dot_others<T, 1>(s, first);
}

/// Adds others [first, last) to R rows by W vectors of sums; `part` < L columns of the last vector
/// count, or all where it is 0.
template <class T, int R, int W>
inline void sum_tile(const FewRowsSums& s, int64_t row, int64_t column, int64_t part, int64_t first,
                     int64_t last) {
  // What the next rows hold here is wanted meanwhile.
  const bool more = row == 0 && last + kCachedRows <= s.other_count;
  const T* others = static_cast<const T*>(s.others) + column;
  float* sums = s.sums + row * s.sums_stride + column;
  V::Type sum[R][W];
  const bool fresh = first == 0 && !s.has_sums;
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) {
      const float* at = sums + i * s.sums_stride + w * L;
      sum[i][w] = fresh ? V::zero() : part != 0 ? V::load_part(at, part) : V::load(at);
    }
  }
  for (int64_t j = first; j < last; ++j) {
    if (more) {
      const T* next = others + (j + kCachedRows) * s.other_stride;
      for (int w = 0; w < W * L; w += 64 / static_cast<int>(sizeof(T)))
        __builtin_prefetch(next + w, 0, 2);
    }
    V::Type v[W];
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) {
      const T* at = others + j * s.other_stride + w * L;
      v[w] = part != 0 ? widen_part(at, part) : widen(at);
    }
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      const V::Type weight = V::set(s.weights[(row + i) * s.weight_stride + j]);
#pragma GCC unroll 4
      for (int w = 0; w < W; ++w) sum[i][w] = V::fma(weight, v[w], sum[i][w]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) {
      float* at = sums + i * s.sums_stride + w * L;
      part != 0 ? V::store_part(at, sum[i][w], part) : V::store(at, sum[i][w]);
    }
  }
}

template <class T, int R>
void sum_rows(const FewRowsSums& s, int64_t row, int64_t first, int64_t last) {
  int64_t column = 0;
  for (; column + kVectors * L <= s.width; column += kVectors * L)
    sum_tile<T, R, kVectors>(s, row, column, 0, first, last);
  for (; column + L <= s.width; column += L) sum_tile<T, R, 1>(s, row, column, 0, first, last);
  if (column < s.width) sum_tile<T, R, 1>(s, row, column, s.width - column, first, last);
}

template <class T>
void sum(const FewRowsSums& s) {
  for (int64_t first = 0; first < s.other_count; first += kCachedRows) {
    const int64_t left = s.other_count - first;
    const int64_t last = first + (left < kCachedRows ? left : kCachedRows);
    int64_t row = 0;
    for (; row + kRows <= s.count; row += kRows) sum_rows<T, kRows>(s, row, first, last);
    for (; row < s.count; ++row) sum_rows<T, 1>(s, row, first, last);
  }
}

#if defined(EXECUTORCH_HAS_PAIRS)
constexpr FewRowsPairLoops kPairLoops = {dot_all_pairs, sum_all_pairs};
#else
constexpr FewRowsPairLoops kPairLoops = {};
#endif

template <class T>
constexpr FewRowsTypeLoops loops_of() {
  return {dot<T>, sum<T>};
}

}  // namespace

extern constexpr FewRowsLoops few_rows_loops_table = {
    loops_of<float>(),
#if defined(__F16C__) || defined(__aarch64__)
    loops_of<Half>(),
#else
    {nullptr, nullptr},
#endif
    loops_of<BFloat16>(), loops_of<int8_t>(), kPairLoops,
};

}  // namespace EXECUTORCH_ISA_NAMESPACE
