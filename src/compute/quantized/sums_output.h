/**
 * @file
 * What becomes of the integer sums of a quantised product or convolution.
 */
#pragma once

#include <cstdint>

namespace executorch::compute {

/**
 * Static: out = scale[column] * (start[column] + sum a * w), where start holds the bias and what
 * the zero point of A takes away.
 * Dynamic: out = row scale * scale[column] * (sum (a - row zero point) * w) + bias[column].
 *
 * To i8: clamp(rint(out), low, high) + zero_point, low for NaN; to f32: clamp(out, low, high), NaN
 * stays. Arrays of columns are padded to whole panels, see padded_columns().
 */
struct SumsOutput {
  const int32_t* start = nullptr;  ///< static
  /// Dynamic: scale and zero point of row r at r * rows_stride and one behind; null: static.
  const float* rows = nullptr;
  int64_t rows_stride = 2;
  const int32_t* weight_sums = nullptr;       ///< dynamic: each column's sum of weights
  const float* scaled_weight_sums = nullptr;  ///< half bytes: those of groups, times their scales
  const float* scale = nullptr;
  const float* bias = nullptr;  ///< dynamic; null: none

  bool to_float = false;
  float low = -__builtin_inff();
  float high = __builtin_inff();
  int32_t zero_point = 0;

  /// That of the part from this row and column on.
  SumsOutput at(int64_t row, int64_t column) const {
    SumsOutput part = *this;
    const auto shift = [](auto*& pointer, int64_t by) { pointer += pointer == nullptr ? 0 : by; };
    shift(part.start, column);
    shift(part.rows, row * rows_stride);
    shift(part.weight_sums, column);
    shift(part.scaled_weight_sums, column);
    shift(part.scale, column);
    shift(part.bias, column);
    return part;
  }
};

}  // namespace executorch::compute
