#include "compute/gemm/block.h"

#include <algorithm>

#include "compute/cpu/sizes.h"
#include "compute/gemm/task_grid.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

// Parts of k are long, since sums are stored and loaded in between, as far as the second cache lets
// them.
constexpr int64_t kLongestPart = 1024;
constexpr int64_t kLongestPartOfSmallCache = 512;
constexpr size_t kSmallCache = 768 * 1024;
// Multiply-adds that are worth a task of their own: some ten microseconds.
constexpr double kTaskWork = 256.0 * 1024;

int64_t round_up(int64_t a, int64_t b) {
  return divide_up(a, b) * b;
}

/// A product under way.
struct Run {
  const Product& product;
  char* copies;
  size_t copy_bytes;
  int64_t k_part;
  TaskGrid grid;
};

void multiply_task(const Run& run, int64_t task, size_t thread) {
  const Product& p = run.product;
  const int64_t group = task / run.grid.tasks();
  task %= run.grid.tasks();
  const int64_t first_row = task / run.grid.column_groups * run.grid.rows_each;
  const int64_t column = task % run.grid.column_groups * run.grid.columns_each;
  Epilogue epilogue = *p.epilogue;
  epilogue.bias = shifted(epilogue.bias, group * p.n);

  BlockArgs block;
  block.kernels = p.kernels;
  block.panel_stride = p.k * p.kernels->panel;
  block.c = p.c + first_row * p.c_row_stride + group * p.n;
  block.c_row_stride = p.c_row_stride;
  block.rows = std::min(run.grid.rows_each, p.m - first_row);
  block.first_column = column;
  block.end_column = std::min(column + run.grid.columns_each, p.n);
  block.epilogue = &epilogue;
  block.residual = shifted(epilogue.residual, first_row * epilogue.residual_stride + group * p.n);
  const float* panels = p.panels + group * p.group_panels_stride;
  float* copy = reinterpret_cast<float*>(run.copies + thread * run.copy_bytes);
  // A depth of zero still stores the epilogue of zeros.
  int64_t k = 0;
  do {
    block.k = std::min(run.k_part, p.k - k);
    block.first_k = k == 0;
    block.last_k = k + block.k == p.k;
    block.a = p.rows.fetch(p.rows.context, group, first_row, block.rows, k, block.k, copy,
                           &block.a_row_stride);
    block.b = panels + k * p.kernels->panel;
    multiply_block(block);
    k += run.k_part;
  } while (k < p.k);
}

/// Rows of A for which a block of k columns stays in the second cache, a multiple of the tile's
/// rows.
int64_t rows_per_block(const TileKernels& kernels, int64_t k) {
  const int64_t bytes_per_row = copied_row_stride(k) * static_cast<int64_t>(sizeof(float));
  const int64_t fitting = static_cast<int64_t>(cache_sizes().level2 / 2) / bytes_per_row;
  return std::clamp<int64_t>(fitting / kernels.rows, 1, 20) * kernels.rows;
}

/// How many k a block takes at a time: all when few, else equal parts that keep a panel near the
/// first cache.
int64_t k_per_block(int64_t k) {
  const int64_t longest =
      cache_sizes().level2 < kSmallCache ? kLongestPartOfSmallCache : kLongestPart;
  if (k <= longest + longest / 4) return k;
  return round_up(divide_up(k, divide_up(k, longest)), 16);
}

}  // namespace

void multiply_block(const BlockArgs& block) noexcept {
  const TileKernels& kernels = *block.kernels;
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
    const float* bias = shifted(block.epilogue->bias, column);
    const bool at_start = starts_from_bias(*block.epilogue);
    tile.start = at_start ? bias : nullptr;
    tile.bias = at_start || epilogue == nullptr ? nullptr : bias;
    const bool residual = epilogue != nullptr && block.residual != nullptr;
    // While tiles share this panel, the next one comes nearer.
    const bool more = column + kernels.panel < block.end_column;
    tile.next = more ? tile.b + block.panel_stride : nullptr;
    tile.next_step = more ? kernels.panel * static_cast<int64_t>(sizeof(float)) / tiles : 0;
    const int wide = tile.columns > kernels.panel / 2;
    for (int64_t t = 0; t < tiles; ++t) {
      // Tiles of about equal height instead of full ones and a low last one.
      const int64_t first = block.rows * t / tiles, rows = block.rows * (t + 1) / tiles - first;
      tile.a = block.a + first * block.a_row_stride;
      tile.c = block.c + first * block.c_row_stride + column;
      tile.residual =
          residual ? block.residual + first * epilogue->residual_stride + column : nullptr;
      kernels.tile[rows][wide](tile);
      if (more) tile.next += block.k * kernels.panel / tiles;
    }
  }
  if (epilogue == nullptr || epilogue->map.apply == nullptr) return;
  for (int64_t row = 0; row < block.rows; ++row) {
    epilogue->map.apply(epilogue->map.context,
                        block.c + row * block.c_row_stride + block.first_column,
                        block.end_column - block.first_column);
  }
}

size_t product_copy_bytes(const TileKernels& kernels, int64_t m, int64_t k) noexcept {
  constexpr size_t kAlignment = 64;
  const int64_t part = k_per_block(k);
  const int64_t rows = std::min(rows_per_block(kernels, part), m);
  // Room for one tile's rows with undivided k, too.
  const int64_t floats =
      std::max(rows * copied_row_stride(part), std::min(kernels.rows, m) * copied_row_stride(k));
  return (static_cast<size_t>(floats) * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
}

void multiply_product(const Product& product, char* copies, size_t slots) noexcept {
  if (product.m <= 0 || product.n <= 0) return;
  const TileKernels& kernels = *product.kernels;
  // Sums cannot wait in C when C is also an operand of the epilogue.
  const bool in_place = product.epilogue->residual == product.c;
  const int64_t k_part = in_place ? product.k : k_per_block(product.k);
  const int64_t max_rows =
      k_part == k_per_block(product.k) ? rows_per_block(kernels, k_part) : kernels.rows;
  const double work = static_cast<double>(product.m) * static_cast<double>(product.n) *
                      static_cast<double>(product.k) / kTaskWork;
  const GridSizes sizes{product.m, product.n,      kernels.rows, kernels.panel,
                        max_rows,  product.groups, work};
  Run run{product, copies, product_copy_bytes(kernels, product.m, product.k), k_part,
          divide_product(sizes, static_cast<int64_t>(slots))};
  threadpool::run(
      static_cast<size_t>(product.groups * run.grid.tasks()),
      [](void* context, size_t task, size_t thread) {
        multiply_task(*static_cast<Run*>(context), static_cast<int64_t>(task), thread);
      },
      &run, slots);
}

}  // namespace executorch::compute
