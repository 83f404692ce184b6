/**
 * @file
 * Loops of resizing, one table per instruction set.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/resize/taps.h"

namespace executorch::compute {

template <class T>
struct ResizeRowLoops {
  /// out[i] = a[i] * wa + b[i] * wb, plus out[i] where `add` is set. `b` may be null.
  void (*mix)(const T* a, T wa, const T* b, T wb, bool add, int64_t n, T* out);
  /// One row of pixels of `inner` values.
  void (*columns)(const T* row, const TapTable<T>& table, int64_t inner, T* out);
};

struct ResizeLines {
  ResizeRowLoops<float> f32;
  ResizeRowLoops<double> f64;
  /// out[i] = the sum of rows k, `stride` apart, times weights[k], rounded and cut to a byte.
  void (*mix_bytes)(const uint8_t* rows, int64_t stride, const int16_t* weights, int64_t count,
                    int digits, int64_t n, uint8_t* out);
  double (*sine)(double);
};

EXECUTORCH_DECLARE_ISA_TABLE(ResizeLines, resize_lines);

}  // namespace executorch::compute
