/**
 * @file
 * Attention of few queries, which takes keys and values as they lie in memory, each byte once: as
 * when a model writes one token after another.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

namespace executorch::compute {

/// scores[i, j] = query[i] . key[j]. Columns are adjacent everywhere.
struct FewRowsScores {
  const float* query;  ///< [rows, depth], dense
  int64_t rows;
  int64_t depth;
  const void* keys;
  int64_t key_stride;  ///< elements
  int64_t count;
  float* scores;
  int64_t score_stride;
};

/// sums[i] += weights[i, j] * value[j], or = where there are none yet.
struct FewRowsSums {
  const float* weights;
  int64_t weight_stride;
  int64_t rows;
  int64_t width;
  const void* values;
  int64_t value_stride;  ///< elements
  int64_t count;
  float* sums;  ///< [rows, width], dense
  bool has_sums;
};

/// Null where the instruction set has no conversion of a type.
struct FewRowsTypeLoops {
  void (*score)(const FewRowsScores& args);
  void (*sum)(const FewRowsSums& args);
};
struct FewRowsLoops {
  FewRowsTypeLoops f32;
  FewRowsTypeLoops f16;
  FewRowsTypeLoops bf16;
};
EXECUTORCH_DECLARE_ISA_TABLE(FewRowsLoops, few_rows_loops);

}  // namespace executorch::compute
