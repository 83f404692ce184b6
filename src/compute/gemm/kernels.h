/**
 * @file
 * The register tiles under matrix products and convolutions, one table per instruction set.
 *
 * B lies in panels: `panel` columns wide, each panel k rows of panel floats, one panel after the
 * other; the last is padded with zeros. A tile computes up to `rows` rows by one panel with all
 * sums in registers.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/gemm/epilogue.h"

namespace executorch::compute {

/// Sums start from the bias, which saves a pass over them, unless they are to be scaled before it
/// is added.
inline bool starts_from_bias(const Epilogue& epilogue) {
  return epilogue.alpha == 1.0f;
}

/// Operands of one tile. Pointers are those of its first row and column.
struct TileArgs {
  const float* a;  ///< rows of consecutive k
  int64_t a_row_stride;
  const float* b;  ///< k rows, `columns` (rounded up to vectors) readable in each
  int64_t b_row_stride;
  float* c;
  int64_t c_row_stride;
  int64_t k;
  int64_t columns;     ///< of C that are stored, at most a panel
  bool accumulate;     ///< sums start from what C holds
  const float* start;  ///< else from these values, one per column, or from zero when null
  /// Scaling, bias, residual and bounds, applied with the last part of k; null before. Bias and
  /// residual are those of the tile; bias is null when the sums started from it. The map is not
  /// applied.
  const Epilogue* epilogue;
  const float* bias;
  const float* residual;
  /// Memory that will be wanted after this tile, brought towards the second cache meanwhile: so
  /// many bytes per k.
  const float* next = nullptr;
  int64_t next_step = 0;
};

/// Few rows of A times several neighbouring panels: streams B from memory, each byte once.
struct StreamArgs {
  const float* a;
  int64_t a_row_stride;
  const float* b;
  int64_t panel_stride;  ///< floats from one panel to the next
  float* c;
  int64_t c_row_stride;
  int64_t k;
  int64_t columns;     ///< over all panels
  const float* start;  ///< as of a tile
  const Epilogue* epilogue;
  const float* bias;
  const float* residual;
};

constexpr int kMaxTileRows = 14;
constexpr int kMaxPanel = 32;

struct TileKernels {
  int64_t rows;   ///< largest tile
  int64_t panel;  ///< panel width in floats
  /// By number of rows, 1..rows, and by whether more than half a panel is wanted (1) or not (0).
  void (*tile[kMaxTileRows + 1][2])(const TileArgs&);
};

/// Tiles of bfloat16 matrices, summed in float by the instruction for pairs: in the place of each
/// float of A and of B are two numbers that follow each other in k, the first one in the low bits,
/// and k counts pairs. `tiles.rows` is 0 where the instruction set has none.
struct Bfloat16Kernels {
  TileKernels tiles;
  /// Packs `columns` (at most a panel) of a [k, columns] view, one of whose strides is 1, into one
  /// panel of pairs, padding with zeros.
  void (*pack_panel)(const uint16_t* b, int64_t row_stride, int64_t column_stride, int64_t k,
                     int64_t columns, float* panel);
};

struct GemmKernels : TileKernels {
  /// By number of rows; null where the tile does as well. Takes exactly stream_panels[rows] panels.
  void (*stream[kMaxTileRows + 1])(const StreamArgs&);
  int stream_panels[kMaxTileRows + 1];
  /// Packs `columns` (at most a panel) of a [k, columns] view into one panel, padding with zeros.
  void (*pack_panel)(const float* b, int64_t row_stride, int64_t column_stride, int64_t k,
                     int64_t columns, float* panel);
  /// Copies a strided [rows, k] view into rows of consecutive k.
  void (*copy_rows)(const float* a, int64_t row_stride, int64_t column_stride, int64_t rows,
                    int64_t k, float* out, int64_t out_row_stride);
  /// The epilogue but for its map, in place, on one row of n values.
  void (*finish_row)(float* c, int64_t n, const Epilogue& epilogue, const float* bias,
                     const float* residual);
  Bfloat16Kernels bfloat16;
};

EXECUTORCH_DECLARE_ISA_TABLE(GemmKernels, gemm_kernels);

}  // namespace executorch::compute
