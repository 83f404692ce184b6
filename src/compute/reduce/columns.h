/**
 * @file
 * Sums of rows, many columns side by side.
 */
#pragma once

#include <cstring>

#include "compute/reduce/block_loops.h"
#include "compute/reduce/reduce_nest.h"

namespace executorch::compute {

/// Adds rows of up to kColumnBlock columns: groups of rows, groups of groups and so on are summed
/// for themselves, so that rounding errors grow slowly. With another operation than Sum there is
/// one group.
class ColumnAccumulator {
 public:
  ColumnAccumulator(ReduceOp op, ComputeType compute, int64_t columns)
      : reduce_(block_reductions().columns[static_cast<int>(op)][static_cast<int>(compute)]),
        grouped_(op == ReduceOp::Sum),
        columns_(columns),
        size_(element_size(compute)) {}

  void add(const void* row) { add_at(0, row, 0, 1); }

  /// Adds `rows` rows, `step` elements apart.
  void add(const void* row, int64_t step, int64_t rows) {
    const char* from = static_cast<const char*>(row);
    while (rows > 0) {
      int64_t taken = grouped_ ? kGroup - rows_[0] : rows;
      if (taken > rows) taken = rows;
      add_at(0, from, step, taken);
      from += taken * step * static_cast<int64_t>(size_);
      rows -= taken;
    }
  }

  /// The result of at least one row.
  const void* total() {
    int top = kLevels - 1;
    while (rows_[top] == 0) --top;
    int first = 0;
    while (rows_[first] == 0) ++first;
    for (int level = first + 1; level <= top; ++level) {
      if (rows_[level] == 0) {
        std::memcpy(levels_[level], levels_[level - 1], static_cast<size_t>(columns_) * size_);
      } else {
        reduce_(levels_[level], levels_[level - 1], 0, 1, columns_, true);
      }
    }
    return levels_[top];
  }

 private:
  static constexpr int kLevels = 6;
  static constexpr int64_t kGroup = 32;

  /// The rows must not fill more than the group.
  void add_at(int level, const void* row, int64_t step, int64_t rows) {
    reduce_(levels_[level], row, step, rows, columns_, rows_[level] != 0);
    rows_[level] += rows;
    if (!grouped_ || rows_[level] < kGroup || level == kLevels - 1) return;
    rows_[level] = 0;
    add_at(level + 1, levels_[level], 0, 1);
  }

  void (*reduce_)(void*, const void*, int64_t, int64_t, int64_t, bool);
  bool grouped_;
  int64_t columns_;
  size_t size_;
  int64_t rows_[kLevels] = {};
  alignas(64) char levels_[kLevels][kColumnBlock * 8];
};

}  // namespace executorch::compute
