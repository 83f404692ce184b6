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

float sum_lanes(V::Type v) {
  float lanes[V::kLanes];
  V::store(lanes, v);
  for (int width = V::kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

/// C columns wide: that many rows of B against one row of A, a vector of partial sums each.
template <int C>
void dot_columns(const float* a, const float* b, int64_t b_row_stride, int64_t k, float* c) {
  constexpr int L = V::kLanes;
  V::Type sum[C];
#pragma GCC unroll 8
  for (int j = 0; j < C; ++j) sum[j] = V::zero();
  int64_t i = 0;
  for (; i + L <= k; i += L) {
    const V::Type x = V::load(a + i);
#pragma GCC unroll 8
    for (int j = 0; j < C; ++j) sum[j] = V::fma(x, V::load(b + j * b_row_stride + i), sum[j]);
  }
  if (i < k) {
    const V::Type x = V::load_part(a + i, k - i);
#pragma GCC unroll 8
    for (int j = 0; j < C; ++j)
      sum[j] = V::fma(x, V::load_part(b + j * b_row_stride + i, k - i), sum[j]);
  }
  for (int j = 0; j < C; ++j) c[j] = sum_lanes(sum[j]);
}

void dot(const float* a, int64_t a_row_stride, int64_t rows, const float* b, int64_t b_row_stride,
         int64_t columns, int64_t k, float* c, int64_t c_row_stride) {
  for (int64_t j = 0; j < columns; j += 8) {
    for (int64_t i = 0; i < rows; ++i) {
      const float* row = a + i * a_row_stride;
      const float* column = b + j * b_row_stride;
      float* out = c + i * c_row_stride + j;
      if (columns - j >= 8) {
        dot_columns<8>(row, column, b_row_stride, k, out);
        continue;
      }
      for (int64_t rest = 0; rest < columns - j; ++rest) {
        dot_columns<1>(row, column + rest * b_row_stride, b_row_stride, k, out + rest);
      }
    }
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

#define EXECUTORCH_TILE_ROW(r__) {tile<r__, 1>, tile<r__, 2>}

}  // namespace

const GemmKernels gemm_kernels_table = {
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
#if defined(__AVX512F__) || defined(__aarch64__)
    {nullptr, stream<1, 4>, stream<2, 2>, stream<3, 2>},
    {0, 4, 2, 2},
#else
    {nullptr, stream<1, 4>, stream<2, 2>},
    {0, 4, 2},
#endif
    pack_panel,
    copy_rows,
    dot,
    finish_row,
};

}  // namespace EXECUTORCH_ISA_NAMESPACE
