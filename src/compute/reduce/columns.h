/**
 * @file
 * Sums of rows, many columns side by side.
 */
#pragma once

#include <cstring>

#include "compute/elementwise/operation.h"
#include "compute/reduce/reduce_nest.h"

namespace executorch::compute {

/// Adds rows of up to kColumnBlock columns: groups of rows, groups of groups and so on are summed
/// for themselves, so that rounding errors grow slowly. With another operation than Add there is
/// one group.
class ColumnAccumulator {
 public:
  ColumnAccumulator(ElementwiseOp op, ComputeType compute, int64_t columns)
      : loop_(block_loop(op, compute)),
        grouped_(op == ElementwiseOp::Add),
        columns_(columns),
        bytes_(static_cast<size_t>(columns) * element_size(compute)) {}

  void add(const void* row) { add_at(0, row); }

  /// The result of at least one row.
  const void* total() {
    int top = kLevels - 1;
    while (rows_[top] == 0) --top;
    int first = 0;
    while (rows_[first] == 0) ++first;
    for (int level = first + 1; level <= top; ++level) {
      if (rows_[level] == 0) {
        std::memcpy(levels_[level], levels_[level - 1], bytes_);
      } else {
        combine(levels_[level], levels_[level - 1]);
      }
    }
    return levels_[top];
  }

 private:
  static constexpr int kLevels = 6;
  static constexpr int64_t kGroup = 32;

  void combine(void* into, const void* row) {
    const void* operands[] = {into, row};
    loop_(into, operands, 0, columns_);
  }

  void add_at(int level, const void* row) {
    if (rows_[level] == 0) {
      std::memcpy(levels_[level], row, bytes_);
    } else {
      combine(levels_[level], row);
    }
    ++rows_[level];
    if (!grouped_ || rows_[level] < kGroup || level == kLevels - 1) return;
    rows_[level] = 0;
    add_at(level + 1, levels_[level]);
  }

  BlockLoop loop_;
  bool grouped_;
  int64_t columns_;
  size_t bytes_;
  int64_t rows_[kLevels] = {};
  alignas(64) char levels_[kLevels][kColumnBlock * 8];
};

}  // namespace executorch::compute
