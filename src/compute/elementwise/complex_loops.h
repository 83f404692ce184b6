/**
 * @file
 * Loops and casts of complex numbers: plain code, the same for every instruction set.
 */
#pragma once

#include "compute/elementwise/cast.h"
#include "compute/elementwise/operation.h"

namespace executorch::compute {

/// Copy, Neg, Add, Sub, Mul, Div, AddScaled, Eq, Ne, Where for c64 and c128; null for others.
BlockLoop complex_block_loop(ElementwiseOp op, ComputeType type);

/// Complex and real types to c64 and c128, and back (the real part).
LoadLoop complex_load_loop(DType from, ComputeType to);
StoreLoop complex_store_loop(ComputeType from, DType to);

/// The real part of complex numbers as a real compute type.
LoadLoop complex_to_real_loop(DType from, ComputeType to);
/// A real compute type to complex numbers without imaginary part.
StoreLoop real_to_complex_loop(ComputeType from, DType to);

/// What two operations on the parts do: magnitude and conjugate, contiguous.
/// out[i] = |in[i]| as f32 for c64, f64 for c128.
EXECUTORCH_COMPUTE_API void complex_magnitude(ComputeType type, void* out, const void* in,
                                              int64_t n);
/// out[i] = conj(in[i]); may be in place.
EXECUTORCH_COMPUTE_API void complex_conjugate(ComputeType type, void* out, const void* in,
                                              int64_t n);

}  // namespace executorch::compute
