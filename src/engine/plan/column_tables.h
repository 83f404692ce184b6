/**
 * @file
 * What quantised products know of their output channels, prepared when they are planned.
 */
#pragma once

#include "engine/graph/graph.h"
#include "engine/steps/quantized_steps.h"

namespace executorch::engine {

/// A quantised product or convolution as the graph has it. Scales f32 [1] or [O], or bf16 per
/// group, which are packed with the weight. Bias i32 (static) or f32 (dynamic) [O], null for none.
struct ColumnSource {
  const QuantizedProduct& product;
  const Value& scales;
  const Value* bias;
  DType result;  ///< f32 or i8
};

/// Zero points and bounds are those of i8, scales are positive numbers.
Error check_quantized(const QuantParams& params);
Error check_quantized(const QuantizedOutput& to);
/// A product whose result has this type can be computed.
Error check_quantized(const QuantizedProduct& product, DType result);

/// Bounds and zero point of the output, without tables.
compute::SumsOutput output_of(const ColumnSource& source);

/// Where columns stand: `groups` times `columns` of them, each group padded, with the sums of their
/// weights.
struct ColumnPlaces {
  int64_t groups = 1;
  int64_t columns = 0;
  int64_t padded = 0;
  const int32_t* sums = nullptr;  ///< of the first group; null: not needed
  int64_t sums_stride = 0;        ///< elements from group to group
  int32_t offset = 0;             ///< what inputs count too much
};
/// `groups` packed matrices one after the other.
ColumnPlaces columns_of(const compute::QuantizedMatrix& matrix, int64_t groups);

Error fill_tables(const ColumnSource& source, const ColumnPlaces& places, ColumnTables* tables);

}  // namespace executorch::engine
