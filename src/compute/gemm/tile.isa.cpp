#include "compute/gemm/tile.h"

#include "compute/gemm/pack.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

// R * 2 sums, two vectors of B and one of A must fit the registers.
#if defined(__AVX512F__)
constexpr int kRows = 12;
#elif defined(__AVX2__)
constexpr int kRows = 6;
#elif defined(__aarch64__)
constexpr int kRows = 8;
#else
constexpr int kRows = 4;
#endif
constexpr int kVectors = 2;
constexpr int kPanel = kVectors * V::kLanes;
static_assert(kRows <= kMaxTileRows);

/// R rows by P panels of kVectors vectors, for R too small to hide the latency of the sums in one
/// panel.
template <int R, int P>
void stream(const StreamArgs& s) {
  constexpr int L = V::kLanes;
  V::Type sum[P][R][kVectors];
#pragma GCC unroll 8
  for (int p = 0; p < P; ++p) {
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) {
      const int64_t column = p * kPanel + j * L;
      const bool given = s.start != nullptr && column < s.columns;
      const V::Type start = given ? load_up_to(s.start + column, s.columns - column) : V::zero();
#pragma GCC unroll 8
      for (int i = 0; i < R; ++i) sum[p][i][j] = start;
    }
  }
  const float* b[P];
#pragma GCC unroll 8
  for (int p = 0; p < P; ++p) b[p] = s.b + p * s.panel_stride;
  const float* a = s.a;
#pragma GCC unroll 2
  for (int64_t k = 0; k < s.k; ++k) {
    V::Type x[R];
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) x[i] = V::set(a[i * s.a_row_stride + k]);
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) {
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) {
        const V::Type row = V::load(b[p] + k * kPanel + j * L);
        __builtin_prefetch(b[p] + (k + 32) * kPanel + j * L);
#pragma GCC unroll 8
        for (int i = 0; i < R; ++i) sum[p][i][j] = V::fma(x[i], row, sum[p][i][j]);
      }
    }
  }
  for (int p = 0; p < P; ++p) {
    const int64_t left = s.columns - p * kPanel;
    for (int i = 0; i < R; ++i) {
      V::Type(&row)[kVectors] = sum[p][i];
      if (s.epilogue != nullptr) {
        finish<kVectors>(row, *s.epilogue, s.bias == nullptr ? nullptr : s.bias + p * kPanel,
                         s.residual == nullptr
                             ? nullptr
                             : s.residual + i * s.epilogue->residual_stride + p * kPanel,
                         left);
      }
      for (int j = 0; j < kVectors; ++j) {
        if (left > j * L)
          store_up_to(s.c + i * s.c_row_stride + p * kPanel + j * L, row[j], left - j * L);
      }
    }
  }
}

void finish_row(float* c, int64_t n, const Epilogue& e, const float* bias, const float* residual) {
  for (int64_t i = 0; i < n; i += V::kLanes) {
    V::Type v[1] = {load_up_to(c + i, n - i)};
    finish<1>(v, e, bias == nullptr ? nullptr : bias + i,
              residual == nullptr ? nullptr : residual + i, n - i);
    store_up_to(c + i, v[0], n - i);
  }
}

void pack_panel(const float* b, int64_t row_stride, int64_t column_stride, int64_t k,
                int64_t columns, float* panel) {
  pack_columns<kPanel>(b, row_stride, column_stride, k, columns, panel);
}

void copy_rows(const float* a, int64_t row_stride, int64_t column_stride, int64_t rows, int64_t k,
               float* out, int64_t out_row_stride) {
  if (column_stride == 1) {
    for (int64_t i = 0; i < rows; ++i) copy_floats(a + i * row_stride, out + i * out_row_stride, k);
  } else if (row_stride == 1) {
    transpose(a, column_stride, out, out_row_stride, rows, k);
  } else {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < k; ++j)
        out[i * out_row_stride + j] = a[i * row_stride + j * column_stride];
    }
  }
}

#if defined(__AVX512BF16__)
/// Pairs of two rows of numbers, one register of each.
inline __m512i join_pairs(__m256i low, __m256i high) {
  const __m512i wide = _mm512_maskz_cvtepu16_epi32(0xFFFF, high);
  return _mm512_or_si512(_mm512_maskz_cvtepu16_epi32(0xFFFF, low),
                         _mm512_maskz_slli_epi32(0xFFFF, wide, 16));
}
inline void pair_rows(const uint16_t* low, const uint16_t* high, int64_t columns, float* to) {
  for (int64_t j = 0; j < columns; j += 16) {
    const int64_t left = columns - j;
    const __mmask16 mask = static_cast<__mmask16>(left < 16 ? (1u << left) - 1u : 0xFFFFu);
    const __m256i a = _mm256_maskz_loadu_epi16(mask, low + j);
    const __m256i b =
        high == nullptr ? _mm256_setzero_si256() : _mm256_maskz_loadu_epi16(mask, high + j);
    _mm512_mask_storeu_epi32(to + j, mask, join_pairs(a, b));
  }
}
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
inline void pair_rows(const uint16_t* low, const uint16_t* high, int64_t columns, float* to) {
  int64_t j = 0;
  for (; high != nullptr && j + 8 <= columns; j += 8) {
    const uint16x8x2_t pairs = vzipq_u16(vld1q_u16(low + j), vld1q_u16(high + j));
    vst1q_f32(to + j, vreinterpretq_f32_u16(pairs.val[0]));
    vst1q_f32(to + j + 4, vreinterpretq_f32_u16(pairs.val[1]));
  }
  for (; j < columns; ++j) {
    const uint16_t pair[2] = {low[j], high == nullptr ? uint16_t{0} : high[j]};
    __builtin_memcpy(to + j, pair, sizeof(pair));
  }
}
#endif

#if defined(__AVX512BF16__) || defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)

void pack_pairs(const uint16_t* b, int64_t row_stride, int64_t column_stride, int64_t k,
                int64_t columns, float* panel) {
  const int64_t pairs = (k + 1) / 2;
  if (columns < kPanel) {
    for (int64_t i = 0; i < pairs; ++i) {
      for (int64_t j = columns; j < kPanel; ++j) panel[i * kPanel + j] = 0.0f;
    }
  }
  if (column_stride == 1) {
    for (int64_t i = 0; i < pairs; ++i) {
      const uint16_t* row = b + 2 * i * row_stride;
      pair_rows(row, 2 * i + 1 < k ? row + row_stride : nullptr, columns, panel + i * kPanel);
    }
    return;
  }
  // Pairs lie as they are wanted, but for columns that start in the middle of a word.
  const bool words = column_stride % 2 == 0 && reinterpret_cast<uintptr_t>(b) % sizeof(float) == 0;
  const int64_t whole = k / 2;
  if (words) {
    transpose(reinterpret_cast<const float*>(b), column_stride / 2, panel, kPanel, whole, columns);
  }
  for (int64_t j = 0; j < columns; ++j) {
    const uint16_t* column = b + j * column_stride;
    for (int64_t i = words ? whole : 0; i < pairs; ++i) {
      const uint16_t pair[2] = {column[2 * i], 2 * i + 1 < k ? column[2 * i + 1] : uint16_t{0}};
      __builtin_memcpy(panel + i * kPanel + j, pair, sizeof(pair));
    }
  }
}

// A panel that is used by half is rare: such a product has few columns.
#define EXECUTORCH_PAIR_ROW(r__) \
  {tile<r__, kVectors, Bfloat16Terms>, tile<r__, kVectors, Bfloat16Terms>}
constexpr TileKernels kPairTiles = {
    kRows,
    kPanel,
    {
        {nullptr, nullptr},
        EXECUTORCH_PAIR_ROW(1),
        EXECUTORCH_PAIR_ROW(2),
        EXECUTORCH_PAIR_ROW(3),
        EXECUTORCH_PAIR_ROW(4),
        EXECUTORCH_PAIR_ROW(5),
        EXECUTORCH_PAIR_ROW(6),
        EXECUTORCH_PAIR_ROW(7),
        EXECUTORCH_PAIR_ROW(8),
#if defined(__AVX512F__)
        EXECUTORCH_PAIR_ROW(9),
        EXECUTORCH_PAIR_ROW(10),
        EXECUTORCH_PAIR_ROW(11),
        EXECUTORCH_PAIR_ROW(12),
#endif
    },
};
constexpr Bfloat16Kernels kBfloat16 = {kPairTiles, pack_pairs};
#else
constexpr Bfloat16Kernels kBfloat16 = {};
#endif

#define EXECUTORCH_TILE_ROW(r__) {tile<r__, 1>, tile<r__, 2>}

}  // namespace

const GemmKernels gemm_kernels_table = {
    {
        kRows,
        kPanel,
        {
            {nullptr, nullptr},
            EXECUTORCH_TILE_ROW(1),
            EXECUTORCH_TILE_ROW(2),
            EXECUTORCH_TILE_ROW(3),
            EXECUTORCH_TILE_ROW(4),
#if defined(__AVX2__) || defined(__aarch64__)
            EXECUTORCH_TILE_ROW(5),
            EXECUTORCH_TILE_ROW(6),
#endif
#if defined(__AVX512F__) || defined(__aarch64__)
            EXECUTORCH_TILE_ROW(7),
            EXECUTORCH_TILE_ROW(8),
#endif
#if defined(__AVX512F__)
            EXECUTORCH_TILE_ROW(9),
            EXECUTORCH_TILE_ROW(10),
            EXECUTORCH_TILE_ROW(11),
            EXECUTORCH_TILE_ROW(12),
#endif
        },
    },
#if defined(__AVX512F__) || defined(__aarch64__)
    {nullptr, stream<1, 4>, stream<2, 2>, stream<3, 2>},
    {0, 4, 2, 2},
#else
    {nullptr, stream<1, 4>, stream<2, 2>},
    {0, 4, 2},
#endif
    pack_panel,
    copy_rows,
    finish_row,
    kBfloat16,
};

}  // namespace EXECUTORCH_ISA_NAMESPACE
