#include "compute/gemm/block.h"

#include <algorithm>

namespace executorch::compute {
namespace {

// Long enough that loading and storing the sums between parts does not show.
constexpr int64_t kLongestPart = 512;
constexpr int64_t kUndividedLimit = 640;
// Multiply-adds that are worth a task of their own: some ten microseconds.
constexpr double kTaskWork = 256.0 * 1024;
// More tasks than threads, so that a thread which the system holds up does not hold up the others.
constexpr int64_t kTasksPerThread = 3;

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }

}  // namespace

void multiply_block(const BlockArgs& block) noexcept {
  const GemmKernels& kernels = *block.kernels;
  const Epilogue* epilogue = block.last_k ? block.epilogue : nullptr;
  const int64_t tiles = divide_up(block.rows, kernels.rows);
  for (int64_t column = block.first_column; column < block.end_column; column += kernels.panel) {
    TileArgs tile;
    tile.a_row_stride = block.a_row_stride;
    tile.b = block.b + column / kernels.panel * block.panel_stride;
    tile.b_row_stride = kernels.panel;
    tile.c_row_stride = block.c_row_stride;
    tile.k = block.k;
    tile.columns = std::min(kernels.panel, block.end_column - column);
    tile.accumulate = !block.first_k;
    tile.epilogue = epilogue;
    tile.bias = epilogue != nullptr && epilogue->bias != nullptr ? epilogue->bias + column : nullptr;
    const bool residual = epilogue != nullptr && block.residual != nullptr;
    const int wide = tile.columns > kernels.panel / 2;
    for (int64_t t = 0; t < tiles; ++t) {
      // Tiles of about equal height instead of full ones and a low last one.
      const int64_t first = block.rows * t / tiles, rows = block.rows * (t + 1) / tiles - first;
      tile.a = block.a + first * block.a_row_stride;
      tile.c = block.c + first * block.c_row_stride + column;
      tile.residual = residual ? block.residual + first * epilogue->residual_stride + column : nullptr;
      kernels.tile[rows][wide](tile);
    }
  }
  if (epilogue == nullptr || epilogue->map.apply == nullptr) return;
  for (int64_t row = 0; row < block.rows; ++row) {
    epilogue->map.apply(epilogue->map.context, block.c + row * block.c_row_stride + block.first_column,
                        block.end_column - block.first_column);
  }
}

int64_t k_per_block(int64_t k) noexcept {
  if (k <= kUndividedLimit) return k;
  return round_up(divide_up(k, divide_up(k, kLongestPart)), 16);
}

int64_t rows_per_block(const GemmKernels& kernels, int64_t k) noexcept {
  const int64_t bytes_per_row = copied_row_stride(k) * static_cast<int64_t>(sizeof(float));
  const int64_t fitting = static_cast<int64_t>(cache_sizes().level2 / 2) / bytes_per_row;
  return std::clamp<int64_t>(fitting / kernels.rows, 1, 20) * kernels.rows;
}

TaskGrid divide_product(const GemmKernels& kernels, int64_t m, int64_t n, int64_t k, int64_t max_rows,
                        int64_t threads) noexcept {
  const int64_t tile_rows = divide_up(m, kernels.rows);
  const int64_t panels = divide_up(n, kernels.panel);
  int64_t row_blocks = divide_up(m, max_rows), column_groups = 1;
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / kTaskWork;
  const int64_t wanted = threads <= 1 || work < 2 ? 1
                         : work < static_cast<double>(threads * kTasksPerThread)
                             ? static_cast<int64_t>(work)
                             : threads * kTasksPerThread;
  while (row_blocks * column_groups < wanted) {
    const bool rows_divide = row_blocks * 2 <= tile_rows;
    const bool columns_divide = column_groups * 2 <= panels;
    if (!rows_divide && !columns_divide) break;
    const bool rows_longer = m / row_blocks >= n / column_groups;
    if (rows_divide && (rows_longer || !columns_divide)) {
      row_blocks *= 2;
    } else {
      column_groups *= 2;
    }
  }
  TaskGrid grid;
  grid.rows_each = round_up(divide_up(m, row_blocks), std::min(kernels.rows, m));
  grid.rows_each = std::min(grid.rows_each, max_rows);
  grid.row_blocks = divide_up(m, grid.rows_each);
  grid.columns_each = divide_up(panels, column_groups) * kernels.panel;
  grid.column_groups = divide_up(n, grid.columns_each);
  return grid;
}

}  // namespace executorch::compute
