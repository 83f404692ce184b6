/**
 * @file
 * The passes of a Fourier transform, compiled once per instruction set.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

namespace executorch::compute {

/// Largest prime factor that a pass handles.
constexpr int kMaxRadix = 13;

/**
 * One pass of a transform of `radix * m * s` complex numbers (pairs of T): combines `radix` parts
 * of length m, each element of which stands for s numbers that belong to finished passes.
 * `twiddles` holds exp(-2 pi i k / n) for k below n = radix * m * s. `in` and `out` are different
 * memory.
 */
template <class T>
struct FftPass {
  int radix;
  int64_t m;
  int64_t s;
  const T* in;
  T* out;
  const T* twiddles;
};

struct FftPasses {
  void (*f32)(const FftPass<float>&);
  void (*f64)(const FftPass<double>&);
};
EXECUTORCH_DECLARE_ISA_TABLE(FftPasses, fft_passes);

}  // namespace executorch::compute
