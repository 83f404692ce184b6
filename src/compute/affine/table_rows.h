/**
 * @file
 * Rows of a table of quantised numbers, the weight of an embedding or a linear layer, as floats.
 */
#pragma once

#include <cstdint>

#include "compute/affine/affine.h"

namespace executorch::compute {

enum class TableFormat : uint8_t {
  i8,
  u8,
  u4,  ///< two numbers in a byte, the first in the high half; the number is what is stored minus 8
  u2,  ///< four in a byte, the first in the lowest bits; what is stored minus 2
};

/// Numbers of a row per byte.
constexpr int64_t numbers_per_byte(TableFormat format) {
  return format == TableFormat::u4 ? 2 : format == TableFormat::u2 ? 4 : 1;
}

/// Each row has `columns` numbers in groups of `group` columns, the last of which may be shorter; a
/// group has one scale and zero point.
struct QuantizedTable {
  const void* data = nullptr;
  TableFormat format = TableFormat::i8;
  int64_t columns = 0;  ///< a multiple of numbers_per_byte
  int64_t group = 1;
  ConstElements scales{};       ///< row by row, floating
  ConstElements zero_points{};  ///< the same, without data: zero
};

/// Groups of a row.
constexpr int64_t group_count(const QuantizedTable& table) {
  return (table.columns + table.group - 1) / table.group;
}

/// Columns [first, last) of a row as floats. `first` is a multiple of 4, and `last` too, or the
/// end.
EXECUTORCH_COMPUTE_API void read_table_row(const QuantizedTable& table, int64_t row, int64_t first,
                                           int64_t last, float* out);

/// Writes the rows that `rows` names to adjacent rows of `out`, a floating type. On the thread
/// pool.
EXECUTORCH_COMPUTE_API void gather_table_rows(const QuantizedTable& table, const int64_t* rows,
                                              int64_t count, const Elements& out);

}  // namespace executorch::compute
