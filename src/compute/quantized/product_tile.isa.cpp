#include "compute/quantized/byte_tiles.h"
#include "compute/quantized/finish_sums.h"
#include "compute/quantized/product_kernels.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

using I = IntVector;
using F = FloatVector;
static_assert(I::kLanes == F::kLanes);

constexpr int kVectors = 2;
constexpr int kPanel = kVectors * I::kLanes;
constexpr int kVectorBytes = I::kLanes * I::kStep;  // of weights, one step
constexpr int kPanelBytes = kVectors * kVectorBytes;
constexpr int kRowStep = I::kStep * static_cast<int>(sizeof(I::Row));

#if defined(__AVX512F__)
constexpr int kRows = 12;
constexpr int kGroupedRows = 6;
constexpr int kDirectRows = 12;
#elif defined(__aarch64__)
constexpr int kRows = 8;
constexpr int kGroupedRows = 4;
constexpr int kDirectRows = 4;
#elif defined(__AVX2__)
constexpr int kRows = 6;
constexpr int kGroupedRows = 2;
constexpr int kDirectRows = 2;
#else
constexpr int kRows = 4;
constexpr int kGroupedRows = 2;
constexpr int kDirectRows = 2;
#endif
static_assert(kRows <= kMaxProductRows && kGroupedRows <= kMaxGroupedRows &&
              kDirectRows <= kMaxDirectRows);

/// R rows by P panels of W vectors each.
template <int R, int P, int W>
void tile(const ProductTile& t) {
  I::Type sum[R][P * W];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < P * W; ++j) {
      sum[i][j] = start_of(t.output, i, j / W * kPanel + j % W * I::kLanes);
    }
  }
  const int8_t* b = t.b;
  const char* a = t.a;
  const int64_t stride = t.a_row_stride;
#pragma GCC unroll 2
  for (int64_t step = 0; step < t.steps; ++step) {
    decltype(I::load_weights(b)) weights[P * W];
#pragma GCC unroll 8
    for (int j = 0; j < P * W; ++j) {
      const int8_t* from = b + j / W * t.panel_stride + j % W * kVectorBytes;
      weights[j] = I::load_weights(from);
      __builtin_prefetch(from + 16 * kPanelBytes);
    }
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const auto x = I::broadcast(reinterpret_cast<const I::Row*>(a + i * stride));
#pragma GCC unroll 8
      for (int j = 0; j < P * W; ++j) sum[i][j] = I::dot(sum[i][j], x, weights[j]);
    }
    a += kRowStep;
    b += kPanelBytes;
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < P * W; ++j) {
      finish(t, i, j / W * kPanel + j % W * I::kLanes, I::to_float(sum[i][j]));
    }
  }
}

using Weights = decltype(I::load_weights(nullptr));

/// Weights of two steps, unpacked before or now; their values come times kFactor.
struct Unpacked {
  static constexpr int kBytes = 2 * kPanelBytes;
  static constexpr int kFactor = 16;
  static void load(const int8_t* b, int vector, Weights* even, Weights* odd) {
    *even = I::load_weights(b + vector * kVectorBytes);
    *odd = I::load_weights(b + kPanelBytes + vector * kVectorBytes);
  }
};
struct Direct {
  static constexpr int kBytes = kPanelBytes;
  static constexpr int kFactor = I::kHalfFactor;
  static void load(const int8_t* b, int vector, Weights* even, Weights* odd) {
    I::load_halves(reinterpret_cast<const uint8_t*>(b) + vector * kVectorBytes, even, odd);
    __builtin_prefetch(b + 16 * kPanelBytes + vector * kVectorBytes);
  }
};

/// Sums of groups in integers, over groups in floats: vectors [first, first + W) of a panel.
template <int R, class Source, int W>
void grouped_vectors(const GroupedTile& g, int first) {
  const ProductTile& t = g.tile;
  F::Type total[R][W];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < W; ++j) total[i][j] = F::zero();
  }
  const int8_t* scales = g.scales + first * I::kLanes * static_cast<int>(sizeof(uint16_t));
  const int8_t* b = t.b + first * kVectorBytes;
  const char* a = t.a;
  const int64_t stride = t.a_row_stride;
  const int64_t between = g.scales_stride - t.steps / 2 * kPanelBytes;
  for (int64_t group = 0; group < g.groups; ++group) {
    I::Type sum[R][W];
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < W; ++j) sum[i][j] = I::zero();
    }
    for (int64_t step = 0; step < t.steps; step += 2) {
      Weights even[W], odd[W];
#pragma GCC unroll 2
      for (int j = 0; j < W; ++j) Source::load(b, j, &even[j], &odd[j]);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        const I::Row* row = reinterpret_cast<const I::Row*>(a + i * stride);
        const auto one = I::broadcast(row), other = I::broadcast(row + I::kStep);
#pragma GCC unroll 2
        for (int j = 0; j < W; ++j) {
          sum[i][j] = I::dot(I::dot(sum[i][j], one, even[j]), other, odd[j]);
        }
      }
      a += 2 * kRowStep;
      b += Source::kBytes;
    }
#pragma GCC unroll 2
    for (int j = 0; j < W; ++j) {
      const F::Type scale = I::load_bf16(reinterpret_cast<const uint16_t*>(scales) + j * I::kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        total[i][j] = F::fma(I::to_float(sum[i][j]), scale, total[i][j]);
      }
    }
    scales += g.scales_stride;
    if (Source::kBytes == kPanelBytes) b += between;
  }
  const SumsOutput& o = t.output;
  const F::Type factor = F::set(1.0f / Source::kFactor);
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    const F::Type zero = F::set(-(o.rows[i * o.rows_stride + 1] + static_cast<float>(I::kOffset)));
#pragma GCC unroll 2
    for (int j = 0; j < W; ++j) {
      const int column = (first + j) * I::kLanes;
      const F::Type sums = F::load(o.scaled_weight_sums + column);
      finish(t, i, column, F::add(F::mul(total[i][j], factor), F::mul(zero, sums)));
    }
  }
}

/// A panel: vector by vector where the sums of all leave no registers.
template <int R, class Source>
void grouped(const GroupedTile& g) {
  if constexpr (R <= kGroupedRows) {
    grouped_vectors<R, Source, kVectors>(g, 0);
  } else {
    static_assert(kVectors == 2);
    grouped_vectors<R, Source, 1>(g, 0);
    grouped_vectors<R, Source, 1>(g, 1);
  }
}

void unpack(const uint8_t* from, int8_t* to, int64_t steps) {
  typedef uint8_t Bytes __attribute__((vector_size(kVectorBytes)));
  for (int64_t i = 0; i < steps * kPanelBytes; i += 2 * kPanelBytes) {
    for (int j = 0; j < kPanelBytes; j += kVectorBytes) {
      Bytes both;
      __builtin_memcpy(&both, from + i / 2 + j, sizeof(both));
      const Bytes even = both << 4, odd = both & 0xF0;
      __builtin_memcpy(to + i + j, &even, sizeof(even));
      __builtin_memcpy(to + i + kPanelBytes + j, &odd, sizeof(odd));
    }
  }
}

void store_row(const int8_t* from, char* to, int64_t n) {
  I::store_row(from, reinterpret_cast<I::Row*>(to), n);
}

void store_windows(const WindowRun<int8_t, char>& w) {
  for (int64_t pixel = 0; pixel < w.pixels; ++pixel) {
    char* out = w.out + pixel * w.out_row_stride;
    for (int64_t row = 0; row < w.kernel_rows; ++row) {
      I::store_row(w.in + pixel * w.pixel_step + row * w.row_step, reinterpret_cast<I::Row*>(out),
                   w.run);
      out += w.run * static_cast<int64_t>(sizeof(I::Row));
    }
  }
}

#define EXECUTORCH_TILE_ROW(r__) {tile<r__, 1, 1>, tile<r__, 1, 2>}

}  // namespace

const ProductKernels product_kernels_table = {
    kRows,
    kPanel,
    I::kStep,
    sizeof(I::Row),
    I::kOffset,
    store_row,
    store_windows,
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
    {nullptr, tile<1, 4, 2>, tile<2, 2, 2>},
    {0, 4, 2},
    kByteTiles,
    kGroupedRows,
    {nullptr, grouped<1, Unpacked>, grouped<2, Unpacked>,
#if defined(__AVX512F__) || defined(__aarch64__)
     grouped<3, Unpacked>, grouped<4, Unpacked>,
#endif
#if defined(__AVX512F__)
     grouped<5, Unpacked>, grouped<6, Unpacked>
#endif
    },
    kDirectRows,
    {nullptr, grouped<1, Direct>, grouped<2, Direct>,
#if defined(__AVX512F__) || defined(__aarch64__)
     grouped<3, Direct>, grouped<4, Direct>,
#endif
#if defined(__AVX512F__)
     grouped<5, Direct>, grouped<6, Direct>, grouped<7, Direct>, grouped<8, Direct>,
     grouped<9, Direct>, grouped<10, Direct>, grouped<11, Direct>, grouped<12, Direct>
#endif
    },
    unpack,
};

}  // namespace EXECUTORCH_ISA_NAMESPACE
