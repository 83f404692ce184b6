/**
 * @file
 * Loops of pooling, one table per instruction set: float windows over adjacent channels in
 * registers, and lines of any type, which are adjacent channels of one cell or cells of one channel
 * that lie `stride` apart.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

namespace executorch::compute {

/// The input cells of one output cell, channels last: planes, rows and columns in steps.
struct PoolWindow {
  const float* in;               ///< first cell of the window
  int64_t planes, plane_stride;  ///< count, and floats from one to the next
  int64_t rows, row_stride;
  int64_t columns, column_stride;
};

template <class T>
struct PoolLines {
  /// best[i] = the larger of it and in[i * stride]; NaN wins.
  void (*max)(const T* in, int64_t stride, int64_t n, T* best);
  /// The same, noting position + i * position_step in places[i] where the input wins.
  void (*max_at)(const T* in, int64_t stride, int64_t n, int64_t position, int64_t position_step,
                 T* best, int64_t* places);
};

struct PoolKernels {
  /// out[c] = the largest value, NaN first. The window holds a cell.
  void (*max)(const PoolWindow& window, int64_t channels, float* out);
  /// out[c] = sum / divisor.
  void (*average)(const PoolWindow& window, int64_t channels, float divisor, float* out);
  /// sums[i] += in[i]
  void (*add_floats)(const float* in, int64_t n, double* sums);
  void (*add_doubles)(const double* in, int64_t n, double* sums);

  PoolLines<float> f32;
  PoolLines<double> f64;
  PoolLines<int8_t> i8;
  PoolLines<uint8_t> u8;
  PoolLines<int16_t> i16;
  PoolLines<int32_t> i32;
  PoolLines<int64_t> i64;
};

EXECUTORCH_DECLARE_ISA_TABLE(PoolKernels, pool_kernels);

}  // namespace executorch::compute
