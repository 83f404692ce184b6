/**
 * @file
 * Tables of the input positions and weights that make each output position of one dimension.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/resize/resize.h"

namespace executorch::compute {

/// Consecutive input positions.
struct TapRange {
  int64_t first, count;
};

/// Weights of output position o stand at weights[o * most].
template <class W>
struct TapTable {
  int64_t out = 0;
  int64_t most = 0;
  const TapRange* ranges = nullptr;
  const W* weights = nullptr;
  bool identity = false;  ///< output positions are the input's
};

/// Most taps of any output position.
int64_t most_taps(const ResizeShape& shape, const ResizeAxis& axis) noexcept;

/// Bytes of a table with weights in double and with quantized ones beside them.
size_t tap_table_bytes(const ResizeShape& shape, const ResizeAxis& axis) noexcept;

/// Fills memory of tap_table_bytes(), aligned to 8 bytes. T: float, double.
template <class T>
TapTable<T> make_tap_table(const ResizeShape& shape, const ResizeAxis& axis, void* memory) noexcept;

/// Positions that nearest interpolation reads.
int64_t nearest_position(const ResizeShape& shape, const ResizeAxis& axis, int64_t index) noexcept;

/// Writes the weights as integers of 16 bits behind those of the table. Returns the binary digits
/// behind the point.
int quantize_taps(const TapTable<double>& table, TapTable<int16_t>* quantized) noexcept;

}  // namespace executorch::compute
