/**
 * @file
 * The Walsh-Hadamard transform of rows.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

namespace executorch::compute {

/// Rows of 2^power, or `blocks` times as many numbers with 28 as `blocks`: each block is
/// transformed and divided by the root of 2^power, then the matrix of order 28, which is not
/// scaled, mixes the blocks.
struct HadamardRows {
  int64_t blocks = 1;  ///< 1 or 28
  int power = 0;
};

constexpr int kHadamardBlocks = 28;

template <class T>
struct HadamardRowLoops {
  /// Transforms a row of blocks * 2^power numbers in place.
  void (*transform)(const HadamardRows& rows, T* row);
};
struct HadamardLoops {
  HadamardRowLoops<float> f32;
  HadamardRowLoops<double> f64;
};
EXECUTORCH_DECLARE_ISA_TABLE(HadamardLoops, hadamard_loops);

}  // namespace executorch::compute
