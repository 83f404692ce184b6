/**
 * @file
 * Products of few rows of floats with rows or columns that are met as they lie in memory, each byte
 * once, whatever their type: keys and values of attention, quantised weights.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

/// out[i, j] = rows[i] . others[j]. The numbers of a row are adjacent everywhere.
struct FewRowsDots {
  const float* rows;
  int64_t row_stride;
  int64_t count;
  int64_t depth;
  const void* others;
  int64_t other_stride;  ///< elements
  int64_t other_count;
  float* out;
  int64_t out_stride;
};

/// sums[i] += sum over j of weights[i, j] * others[j], or = where there are no sums yet.
struct FewRowsSums {
  const float* weights;
  int64_t weight_stride;
  int64_t count;
  int64_t width;
  const void* others;
  int64_t other_stride;  ///< elements
  int64_t other_count;
  float* sums;
  int64_t sums_stride;
  bool has_sums;
};

/// The same of bfloat16 numbers on both sides, by the instruction for pairs.
struct FewRowsPairDots {
  const uint16_t* rows;
  int64_t row_stride;
  int64_t count;
  int64_t depth;
  const uint16_t* others;
  int64_t other_stride;
  int64_t other_count;
  float* out;
  int64_t out_stride;
};

/// Sums are written, and have room for a multiple of kPairSums columns in each row.
struct FewRowsPairSums {
  const uint16_t* weights;
  int64_t weight_stride;
  int64_t count;
  int64_t width;
  const uint16_t* others;
  int64_t other_stride;
  int64_t other_count;  ///< at least 1
  float* sums;
  int64_t sums_stride;
};
constexpr int64_t kPairSums = 32;

/// Null where the instruction set has no such instruction.
struct FewRowsPairLoops {
  void (*dot)(const FewRowsPairDots& args);
  void (*sum)(const FewRowsPairSums& args);
};

/// Null where the instruction set has no conversion of a type.
struct FewRowsTypeLoops {
  void (*dot)(const FewRowsDots& args);
  void (*sum)(const FewRowsSums& args);
};
struct FewRowsLoops {
  FewRowsTypeLoops f32;
  FewRowsTypeLoops f16;
  FewRowsTypeLoops bf16;
  FewRowsTypeLoops i8;
  FewRowsPairLoops pairs;
};
EXECUTORCH_DECLARE_ISA_TABLE(FewRowsLoops, few_rows_loops);

/// The loops of the active instruction set for rows of a type; without functions where there are
/// none.
FewRowsTypeLoops few_rows_loops(DType type);

}  // namespace executorch::compute
