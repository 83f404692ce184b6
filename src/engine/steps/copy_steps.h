/**
 * @file
 * Steps that move elements: strided copies, rows gathered by index, rows written at indices,
 * foreign calls.
 */
#pragma once

#include <memory>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/steps/step.h"

namespace executorch::engine {

/// to = from, equal sizes and dtypes.
std::unique_ptr<Step> make_copy_step(const TensorPlace& from, const TensorPlace& to);

/// The table has dense rows of `row_bytes`, `row_stride` bytes apart. Indices are dense i64 or i32.
struct GatherRowsShape {
  int64_t rows;
  int64_t row_bytes;
  int64_t row_stride;
  int64_t count;
  bool wrap;
  DType index_dtype;
};
std::unique_ptr<Step> make_gather_rows_step(const GatherRowsShape& shape, Place table,
                                            Place indices, Place out);

/// Writes `values` at dim positions `indices` of `target`. `values` has the target's sizes but for
/// dim, strides with repeats allowed. Indices are dense i64 or i32; all are checked before anything
/// is written.
std::unique_ptr<Step> make_index_put_step(const TensorPlace& target, int dim,
                                          const TensorPlace& indices, const TensorPlace& values);

/// Operands are dense.
std::unique_ptr<Step> make_foreign_step(std::shared_ptr<ForeignCall> call,
                                        std::vector<Place> operands);

}  // namespace executorch::engine
