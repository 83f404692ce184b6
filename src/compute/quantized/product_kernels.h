/**
 * @file
 * The register tiles under quantised products and convolutions, one table per instruction set.
 *
 * B lies in panels of `panel` columns, zero beyond the last. A panel is a sequence of steps: for
 * each `step` values of k, those of its columns one after the other. Rows of A are copied first, in
 * the form that the instruction set multiplies exactly (`row_bytes` a value, `offset` added).
 */
#pragma once

#include <cstdint>

#include "compute/conv/window_run.h"
#include "compute/cpu/isa.h"
#include "compute/quantized/sums_output.h"

namespace executorch::compute {

struct ProductTile {
  const char* a;
  int64_t a_row_stride;  ///< bytes
  const int8_t* b;
  int64_t panel_stride;  ///< bytes from one panel to the next, for tiles of several
  int64_t steps;
  int64_t columns;  ///< that are stored
  char* c;
  int64_t c_row_stride;  ///< bytes
  SumsOutput output;     ///< pointers are those of the tile
};

/// Half-byte weights, two's complement: each group of `steps` (even) is followed by its scales in
/// bf16, a panel of them. Unpacked, the weights of a group are bytes and lie in `b`, the scales
/// stay in `scales`.
struct GroupedTile {
  ProductTile tile;  ///< `steps` of one group; `b` of half bytes when not unpacked
  int64_t groups;
  const int8_t* scales;   ///< of the first group
  int64_t scales_stride;  ///< bytes from group to group
};

constexpr int kMaxProductRows = 12;
constexpr int kMaxGroupedRows = 6;
constexpr int kMaxDirectRows = 12;

/// Tiles of bytes as a unit of the CPU multiplies them.
struct ByteTiles {
  int64_t rows = 0;  ///< of A at a time; 0: there are none
  /// Prepares the calling thread, and lets it go.
  void (*begin)() = nullptr;
  void (*end)() = nullptr;
  /// Of up to `rows` rows and a panel of columns. Reads whole tiles: kByteTileDepth bytes of A's
  /// rows at a time and as many of B's steps, and all `rows` rows.
  void (*tile)(const ProductTile&, int64_t rows) = nullptr;
};
/// Bytes of a row that tiles take at a time. What B holds beyond k meets zeros of A.
constexpr int64_t kByteTileDepth = 64;

struct ProductKernels {
  int64_t rows;   ///< largest tile
  int64_t panel;  ///< columns
  int64_t step;
  int64_t row_bytes;
  int32_t offset;
  /// n values; up to 64 bytes behind them may be overwritten.
  void (*store_row)(const int8_t* from, char* to, int64_t n);
  void (*store_windows)(const WindowRun<int8_t, char>& run);

  /// By number of rows, and by whether more than half a panel is wanted.
  void (*tile[kMaxProductRows + 1][2])(const ProductTile&);
  /// A few panels together, for few rows; null where the tile does as well.
  void (*wide_tile[kMaxProductRows + 1])(const ProductTile&);
  int wide_panels[kMaxProductRows + 1];

  /// To be used where byte_tiles_usable().
  ByteTiles tiles;

  int64_t grouped_rows;
  void (*unpacked_tile[kMaxGroupedRows + 1])(const GroupedTile&);
  /// Reads half bytes as they lie: for few rows.
  int64_t direct_rows;
  void (*direct_tile[kMaxDirectRows + 1])(const GroupedTile&);
  /// Half bytes of an even number of steps to bytes, 16 times their values.
  void (*unpack)(const uint8_t* from, int8_t* to, int64_t steps);
};

EXECUTORCH_DECLARE_ISA_TABLE(ProductKernels, product_kernels);

}  // namespace executorch::compute
