#include "compute/gemm/double_block.h"

#include "compute/math/vector.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

/// Vectors of columns that are summed in registers at a time, for `height` rows.
constexpr int kVectors = 2;
constexpr int64_t kTileWidth = kVectors * kLanes<F64>;

/// One tile of C in registers.
template <int height>
void add_tile(int64_t width, int64_t depth, const double* a, int64_t a_row, int64_t a_column,
              const double* b, double* c, int64_t c_row) {
  F64 sums[height][kVectors];
  double buffer[height][kTileWidth] = {};
  const bool whole = width >= kTileWidth;
  for (int i = 0; i < height; ++i) {
    if (!whole)
      __builtin_memcpy(buffer[i], c + i * c_row, static_cast<size_t>(width) * sizeof(double));
    for (int v = 0; v < kVectors; ++v) {
      sums[i][v] = load<F64>((whole ? c + i * c_row : buffer[i]) + v * kLanes<F64>);
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    F64 line[kVectors];
    for (int v = 0; v < kVectors; ++v)
      line[v] = load<F64>(b + k * kDoubleBlockWidth + v * kLanes<F64>);
    for (int i = 0; i < height; ++i) {
      const F64 factor = broadcast<F64>(a[i * a_row + k * a_column]);
      for (int v = 0; v < kVectors; ++v) sums[i][v] = fma(factor, line[v], sums[i][v]);
    }
  }
  for (int i = 0; i < height; ++i) {
    for (int v = 0; v < kVectors; ++v) {
      store<F64>((whole ? c + i * c_row : buffer[i]) + v * kLanes<F64>, sums[i][v]);
    }
    if (!whole)
      __builtin_memcpy(c + i * c_row, buffer[i], static_cast<size_t>(width) * sizeof(double));
  }
}

void add_block(int64_t rows, int64_t width, int64_t depth, const double* a, int64_t a_row,
               int64_t a_column, const double* b, double* c, int64_t c_row) {
  for (int64_t column = 0; column < width; column += kTileWidth) {
    const int64_t left = width - column;
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
      add_tile<4>(left, depth, a + i * a_row, a_row, a_column, b + column, c + i * c_row + column,
                  c_row);
    }
    for (; i < rows; ++i) {
      add_tile<1>(left, depth, a + i * a_row, a_row, a_column, b + column, c + i * c_row + column,
                  c_row);
    }
  }
}

}  // namespace

extern const DoubleBlockLoops double_block_loops_table;
const DoubleBlockLoops double_block_loops_table = {add_block};

}  // namespace EXECUTORCH_ISA_NAMESPACE
