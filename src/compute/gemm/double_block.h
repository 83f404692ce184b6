/**
 * @file
 * The inner loops of double precision products.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

namespace executorch::compute {

/// Values in a row of a packed block of B.
constexpr int64_t kDoubleBlockWidth = 32;

struct DoubleBlockLoops {
  /// C[rows, width] += A[rows, depth] * B, with B packed as [depth, kDoubleBlockWidth]. Each value
  /// of C is summed over depth in ascending order.
  void (*add_block)(int64_t rows, int64_t width, int64_t depth, const double* a, int64_t a_row,
                    int64_t a_column, const double* b, double* c, int64_t c_row);
};
EXECUTORCH_DECLARE_ISA_TABLE(DoubleBlockLoops, double_block_loops);

}  // namespace executorch::compute
