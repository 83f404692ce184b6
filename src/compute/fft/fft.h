/**
 * @file
 * Fourier transforms along one dimension of a view: complex to complex, real to complex and back.
 * Results are multiplied by a factor. Lines run on the thread pool; results do not depend on it.
 */
#pragma once

#include <cstddef>

#include "compute/copy/tensor_view.h"
#include "compute/cpu/cpu.h"
#include "compute/fft/transform.h"

namespace executorch::compute {

enum class FftKind {
  forward,          ///< complex to complex, exp(-2 pi i j k / n)
  inverse,          ///< complex to complex, exp(2 pi i j k / n)
  real_to_complex,  ///< forward, only the first n / 2 + 1 results
  complex_to_real,  ///< inverse of n / 2 + 1 numbers; the rest is their mirror image
};

/// Both views are of one precision: c64 with f32, c128 with f64. Their sizes differ in `dim` only,
/// where the longer one has n, the shorter one, if any, n / 2 + 1 elements. `out` may be `in` when
/// both are complex.
struct FftCall {
  FftKind kind;
  TensorView in;
  TensorView out;
  int dim;
  int64_t n;  ///< 1 to kMaxFftLength
  double factor;
};

EXECUTORCH_COMPUTE_API size_t fft_scratch_bytes(const FftCall& call);

/// `scratch` has the bytes that fft_scratch_bytes(call) said, aligned to 64.
EXECUTORCH_COMPUTE_API void fft(const FftCall& call, void* scratch, size_t bytes);

}  // namespace executorch::compute
