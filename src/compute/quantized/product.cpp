#include "compute/quantized/product.h"

#include <algorithm>
#include <cstring>

#include "compute/cpu/sizes.h"
#include "compute/gemm/task_grid.h"
#include "compute/quantized/packed_layout.h"
#include "compute/quantized/tile_support.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

constexpr int64_t kAlignment = 64;
// Multiply-adds that are worth a task of their own: some ten microseconds.
constexpr double kTaskWork = 1024.0 * 1024;
// Bytes of weights that are worth a task when they are used once.
constexpr int64_t kTaskBytes = 96 * 1024;

int64_t align_up(int64_t bytes) {
  return divide_up(bytes, kAlignment) * kAlignment;
}

bool uses_tiles(const QuantizedMatrix& weights, const ProductKernels& kernels) {
  return weights.bits == WeightBits::Int8 && kernels.tiles.rows > 0 && byte_tiles_usable();
}

/// Bytes between rows of a copied block of A: no multiple of a cache way.
int64_t copied_row_bytes(const PackedLayout& layout) {
  return align_up(layout.padded_k() * layout.kernels.row_bytes) + kAlignment;
}

int64_t tile_rows(const QuantizedMatrix& weights, const ProductKernels& kernels) {
  if (uses_tiles(weights, kernels)) return kernels.tiles.rows;
  return weights.bits == WeightBits::Int8 ? kernels.rows : kernels.grouped_rows;
}

/// Rows that are met without a grid: weights stream by once.
int64_t few_rows(const QuantizedMatrix& weights, const ProductKernels& kernels) {
  return weights.bits == WeightBits::Int8 ? kernels.rows : kernels.direct_rows;
}

/// Rows of A whose copies stay in the second cache.
int64_t rows_per_block(const PackedLayout& layout, int64_t tile) {
  const int64_t fitting = static_cast<int64_t>(cache_sizes().level2 / 4) / copied_row_bytes(layout);
  return std::clamp<int64_t>(fitting / tile, 1, 24) * tile;
}

/// One product under way.
struct Run {
  Run(const QuantizedProductArgs& args, void* scratch, size_t scratch_bytes)
      : args(args), layout(args.weights), element(args.output.to_float ? 4 : 1) {
    const int64_t tile = tile_rows(args.weights, layout.kernels);
    max_rows = std::max(few_rows(args.weights, layout.kernels), rows_per_block(layout, tile));
    max_rows = max_rows / tile * tile;
    row_bytes = copied_row_bytes(layout);
    slot_bytes = bytes_of_slot(layout, args.weights, args.m);
    const uintptr_t address = reinterpret_cast<uintptr_t>(scratch);
    const uintptr_t skip = (kAlignment - address % kAlignment) % kAlignment;
    slots = static_cast<char*>(scratch) + skip;
    slot_count = (scratch_bytes - skip) / slot_bytes;
  }

  static size_t bytes_of_slot(const PackedLayout& layout, const QuantizedMatrix& weights,
                              int64_t m) {
    const int64_t tile = tile_rows(weights, layout.kernels);
    const int64_t most = std::max(few_rows(weights, layout.kernels), rows_per_block(layout, tile));
    // Whole tiles are read.
    const int64_t rows = std::min(divide_up(m, tile) * tile, most);
    const int64_t unpacked =
        weights.bits == WeightBits::Int4 ? layout.padded_k() * layout.kernels.panel : 0;
    return static_cast<size_t>(align_up(rows * copied_row_bytes(layout)) + align_up(unpacked));
  }

  const int8_t* panel(int64_t group, int64_t column) const {
    return static_cast<const int8_t*>(args.weights.data) +
           group * static_cast<int64_t>(quantized_packed_bytes(args.weights)) +
           column / layout.kernels.panel * layout.panel_bytes;
  }

  /// Copies rows of A. Tiles need zeros up to their depth; elsewhere what lies behind k meets
  /// zeros of B.
  void copy_rows(int64_t group, int64_t first, int64_t rows, char* to) const {
    args.rows.copy(args.rows.context, group, first, rows, to, row_bytes);
    const int64_t used = args.weights.k * layout.kernels.row_bytes;
    const int64_t behind = (used + kByteTileDepth - 1) / kByteTileDepth * kByteTileDepth - used;
    if (behind == 0 || !uses_tiles(args.weights, layout.kernels)) return;
    for (int64_t i = 0; i < rows; ++i) {
      std::memset(to + i * row_bytes + used, 0, static_cast<size_t>(behind));
    }
  }

  ProductTile tile(int64_t group, int64_t row, int64_t column, const char* a,
                   int64_t columns) const {
    ProductTile t;
    t.a = a;
    t.a_row_stride = row_bytes;
    t.b = panel(group, column);
    t.panel_stride = layout.panel_bytes;
    t.steps = layout.steps;
    t.columns = columns;
    t.c_row_stride = args.c_row_stride * element;
    t.c = static_cast<char*>(args.c) + row * t.c_row_stride +
          (group * args.weights.n + column) * element;
    t.output = args.output.at(row, group * layout.columns + column);
    return t;
  }

  GroupedTile grouped(const ProductTile& tile, const int8_t* panel) const {
    return {tile, layout.groups, panel + layout.scales_offset, layout.group_bytes};
  }

  const QuantizedProductArgs& args;
  PackedLayout layout;
  int64_t element;
  int64_t max_rows;
  int64_t row_bytes;
  char* slots;
  size_t slot_bytes;
  size_t slot_count;
};

/// Columns [first, last) of a few rows, copied before.
void stream_columns(const Run& run, int64_t group, const char* a, int64_t first, int64_t last) {
  const ProductKernels& kernels = run.layout.kernels;
  const int64_t rows = run.args.m, panel = kernels.panel;
  const bool bytes = run.args.weights.bits == WeightBits::Int8;
  const int64_t wide = bytes && kernels.wide_tile[rows] != nullptr ? kernels.wide_panels[rows] : 0;
  for (int64_t column = first; column < last;) {
    // Several panels together may end in the middle of the last, not before.
    if (wide > 0 && last - column > (wide - 1) * panel) {
      kernels.wide_tile[rows](run.tile(group, 0, column, a, std::min(wide * panel, last - column)));
      column += wide * panel;
      continue;
    }
    const int64_t columns = std::min(panel, last - column);
    const ProductTile tile = run.tile(group, 0, column, a, columns);
    if (bytes) {
      kernels.tile[rows][columns > panel / 2](tile);
    } else {
      kernels.direct_tile[rows](run.grouped(tile, tile.b));
    }
    column += panel;
  }
}

void multiply_few_rows(const Run& run) {
  const int64_t n = run.args.weights.n, panel = run.layout.kernels.panel;
  for (int64_t group = 0; group < run.args.groups; ++group) {
    run.copy_rows(group, 0, run.args.m, run.slots);
    const int64_t panels =
        std::max<int64_t>(kTaskBytes / std::max<int64_t>(run.layout.panel_bytes, 1), 1);
    const int64_t grain = divide_up(panels, 4) * 4 * panel;
    threadpool::parallel_for(0, n, grain, [&](int64_t first, int64_t last) {
      stream_columns(run, group, run.slots, first, last);
    });
  }
}

/// One panel's columns of a block of rows.
void multiply_panel(const Run& run, int64_t group, int64_t first_row, int64_t rows, int64_t column,
                    int64_t columns, const char* a, int8_t* unpacked) {
  const ProductKernels& kernels = run.layout.kernels;
  const int8_t* const panel = run.panel(group, column);
  const bool bytes = run.args.weights.bits == WeightBits::Int8;
  if (!bytes) {
    const int64_t group_unpacked = run.layout.steps * kernels.step * kernels.panel;
    for (int64_t g = 0; g < run.layout.groups; ++g) {
      kernels.unpack(reinterpret_cast<const uint8_t*>(panel) + g * run.layout.group_bytes,
                     unpacked + g * group_unpacked, run.layout.steps);
    }
  }
  if (uses_tiles(run.args.weights, kernels)) {
    for (int64_t first = 0; first < rows; first += kernels.tiles.rows) {
      kernels.tiles.tile(
          run.tile(group, first_row + first, column, a + first * run.row_bytes, columns),
          std::min(kernels.tiles.rows, rows - first));
    }
    return;
  }
  const int64_t tiles = divide_up(rows, bytes ? kernels.rows : kernels.grouped_rows);
  for (int64_t i = 0; i < tiles; ++i) {
    // Tiles of about equal height instead of full ones and a low last one.
    const int64_t first = rows * i / tiles, height = rows * (i + 1) / tiles - first;
    ProductTile tile =
        run.tile(group, first_row + first, column, a + first * run.row_bytes, columns);
    if (bytes) {
      kernels.tile[height][columns > kernels.panel / 2](tile);
    } else {
      tile.b = unpacked;
      kernels.unpacked_tile[height](run.grouped(tile, panel));
    }
  }
}

void multiply_task(const Run& run, const TaskGrid& grid, int64_t task, char* slot) {
  const int64_t group = task / grid.tasks();
  task %= grid.tasks();
  const int64_t first_row = task / grid.column_groups * grid.rows_each;
  const int64_t rows = std::min(grid.rows_each, run.args.m - first_row);
  const int64_t first = task % grid.column_groups * grid.columns_each;
  const int64_t last = std::min(first + grid.columns_each, run.args.weights.n);
  run.copy_rows(group, first_row, rows, slot);
  int8_t* const unpacked = reinterpret_cast<int8_t*>(slot + align_up(rows * run.row_bytes));
  const ProductKernels& kernels = run.layout.kernels;
  const bool tiles = uses_tiles(run.args.weights, kernels);
  if (tiles) kernels.tiles.begin();
  for (int64_t column = first; column < last; column += kernels.panel) {
    multiply_panel(run, group, first_row, rows, column, std::min(kernels.panel, last - column),
                   slot, unpacked);
  }
  if (tiles) kernels.tiles.end();
}

void multiply_many_rows(const Run& run) {
  const QuantizedProductArgs& args = run.args;
  const double work = static_cast<double>(args.m) * static_cast<double>(args.weights.n) *
                      static_cast<double>(args.weights.k) / kTaskWork;
  const size_t threads = std::min(run.slot_count, threadpool::thread_count());
  const GridSizes sizes{args.m,
                        args.weights.n,
                        tile_rows(args.weights, run.layout.kernels),
                        run.layout.kernels.panel,
                        run.max_rows,
                        args.groups,
                        work};
  struct Tasks {
    const Run& run;
    TaskGrid grid;
  } tasks{run, divide_product(sizes, static_cast<int64_t>(threads))};
  threadpool::run(
      static_cast<size_t>(args.groups * tasks.grid.tasks()),
      [](void* context, size_t task, size_t thread) {
        const Tasks& t = *static_cast<Tasks*>(context);
        multiply_task(t.run, t.grid, static_cast<int64_t>(task),
                      t.run.slots + thread * t.run.slot_bytes);
      },
      &tasks, threads);
}

void copy_plain_rows(const void* context, int64_t group, int64_t first, int64_t rows, char* copy,
                     int64_t row_stride) {
  const PlainRows& plain = *static_cast<const PlainRows*>(context);
  const ProductKernels& kernels = product_kernels(plain.isa);
  for (int64_t i = 0; i < rows; ++i) {
    kernels.store_row(plain.data + (first + i) * plain.row_stride + group * plain.k,
                      copy + i * row_stride, plain.k);
  }
}

}  // namespace

size_t quantized_product_scratch_bytes(int64_t m, const QuantizedMatrix& weights,
                                       size_t threads) noexcept {
  if (m <= 0 || weights.n <= 0) return 0;
  const PackedLayout layout(weights);
  return static_cast<size_t>(kAlignment) + threads * Run::bytes_of_slot(layout, weights, m);
}

void quantized_product(const QuantizedProductArgs& args, void* scratch,
                       size_t scratch_bytes) noexcept {
  if (args.m <= 0 || args.weights.n <= 0) return;
  const Run run(args, scratch, scratch_bytes);
  if (args.m <= few_rows(args.weights, run.layout.kernels)) {
    multiply_few_rows(run);
  } else {
    multiply_many_rows(run);
  }
}

ByteRowSource source_of(const PlainRows& rows) noexcept {
  return {copy_plain_rows, &rows};
}

}  // namespace executorch::compute
