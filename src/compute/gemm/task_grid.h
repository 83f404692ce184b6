/**
 * @file
 * How a matrix product is divided among threads.
 */
#pragma once

#include <algorithm>
#include <cstdint>

namespace executorch::compute {

/// A grid of about equal tasks over the rows and panels of a product.
struct TaskGrid {
  int64_t row_blocks, rows_each;  ///< the last block may hold fewer rows
  int64_t column_groups, columns_each;
  int64_t tasks() const { return row_blocks * column_groups; }
};

struct GridSizes {
  int64_t m, n;
  int64_t tile_rows, panel;
  int64_t max_rows;  ///< of a block, a multiple of tile_rows
  int64_t groups;    ///< products side by side
  double work;       ///< of one product, in tasks worth having
};

/// Divides a product for `threads`. More tasks than threads, so that a thread which the system
/// holds up does not hold up the others.
inline TaskGrid divide_product(const GridSizes& p, int64_t threads) {
  constexpr int64_t kTasksPerThread = 3;
  const auto divide_up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const int64_t tile_rows = divide_up(p.m, p.tile_rows);
  const int64_t panels = divide_up(p.n, p.panel);
  int64_t row_blocks = divide_up(p.m, p.max_rows), column_groups = 1;
  const int64_t wanted_tasks = divide_up(threads * kTasksPerThread, p.groups);
  const int64_t wanted = threads <= 1 || p.work < 2                   ? 1
                         : p.work < static_cast<double>(wanted_tasks) ? static_cast<int64_t>(p.work)
                                                                      : wanted_tasks;
  while (row_blocks * column_groups < wanted) {
    const bool rows_divide = row_blocks * 2 <= tile_rows;
    const bool columns_divide = column_groups * 2 <= panels;
    if (!rows_divide && !columns_divide) break;
    const bool rows_longer = p.m / row_blocks >= p.n / column_groups;
    if (rows_divide && (rows_longer || !columns_divide)) {
      row_blocks *= 2;
    } else {
      column_groups *= 2;
    }
  }
  const int64_t step = std::min(p.tile_rows, p.m);
  TaskGrid grid;
  grid.rows_each = std::min(divide_up(divide_up(p.m, row_blocks), step) * step, p.max_rows);
  grid.row_blocks = divide_up(p.m, grid.rows_each);
  grid.columns_each = divide_up(panels, column_groups) * p.panel;
  grid.column_groups = divide_up(p.n, grid.columns_each);
  return grid;
}

}  // namespace executorch::compute
