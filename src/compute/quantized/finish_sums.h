/**
 * @file
 * What sums start from and what becomes of them, for *.isa.cpp files only.
 */
#pragma once

#include "compute/quantized/int_vector.h"
#include "compute/quantized/product_kernels.h"

namespace EXECUTORCH_ISA_NAMESPACE {

/// Columns [column, column + lanes) of a row, from sums that still lack the row's and the column's
/// scale.
inline void finish(const ProductTile& t, int row, int column, FloatVector::Type sum) {
  const SumsOutput& o = t.output;
  if (t.columns <= column) return;
  const int64_t left = t.columns - column;
  FloatVector::Type value = sum;
  if (o.rows != nullptr)
    value = FloatVector::mul(value, FloatVector::set(o.rows[row * o.rows_stride]));
  value = FloatVector::mul(value, FloatVector::load(o.scale + column));
  if (o.bias != nullptr) value = FloatVector::add(value, FloatVector::load(o.bias + column));
  char* const out = t.c + row * t.c_row_stride;
  if (o.to_float) {
    value = FloatVector::at_most(FloatVector::at_least(value, FloatVector::set(o.low)),
                                 FloatVector::set(o.high));
    store_up_to(reinterpret_cast<float*>(out) + column, value, left);
  } else {
    value = clamp_to(value, FloatVector::set(o.low), FloatVector::set(o.high));
    IntVector::store_bytes(reinterpret_cast<int8_t*>(out) + column,
                           IntVector::add(IntVector::round(value), IntVector::set(o.zero_point)),
                           left);
  }
}

/// What a sum starts from, for the row's zero point and the offset of A.
inline IntVector::Type start_of(const SumsOutput& o, int row, int column) {
  if (o.rows == nullptr) return IntVector::load(o.start + column);
  const int32_t zero = static_cast<int32_t>(o.rows[row * o.rows_stride + 1]) + IntVector::kOffset;
  return IntVector::mul(IntVector::load(o.weight_sums + column), IntVector::set(-zero));
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
