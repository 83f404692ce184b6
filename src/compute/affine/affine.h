/**
 * @file
 * Affine quantisation: number = (integer - zero_point) * scale, with one pair of parameters for all
 * elements or one for each index of a dimension. Computed in T, float or double; integers of any
 * width. Runs on the thread pool; allocates nothing.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/elementwise/types.h"
#include "compute/norm/norm.h"

namespace executorch::compute {

/// Elements that lie densely, in the order of the axis.
struct ConstElements {
  const void* data;
  DType dtype;
};
struct Elements {
  void* data;
  DType dtype;
};

/// Parameters of each index of the middle dimension of `axis`; one pair for all where it has one
/// index.
template <class T>
struct AffineParameters {
  DenseAxis axis;
  const T* scales;
  const T* zero_points;
};

enum class ZeroPointIsAdded { AfterRounding, BeforeRounding };

/// The integers that a result may have, of at most 32 bits. Bounds that T cannot hold count as the
/// nearest inside.
struct IntegerBounds {
  int64_t low;
  int64_t high;
};

/**
 * out = clamp(round(in / scale) + zero_point), half to even, or round(in / scale + zero_point). The
 * scales are given as their reciprocals, since it is these that are multiplied by. NaN becomes what
 * conversion to the integer type gives.
 */
template <class T>
EXECUTORCH_COMPUTE_API void quantize(const AffineParameters<T>& parameters, ZeroPointIsAdded order,
                                     const IntegerBounds& bounds, const ConstElements& in,
                                     const Elements& out);

/// out = (in - zero_point) * scale
template <class T>
EXECUTORCH_COMPUTE_API void dequantize(const AffineParameters<T>& parameters,
                                       const ConstElements& in, const Elements& out);

/// One operand of a sum of quantised tensors, or its result.
struct QuantizedOperand {
  float scale;  ///< of the result: the reciprocal
  float zero_point;
};

/// out = quantised(dequantised a + dequantised b) of `n` elements.
EXECUTORCH_COMPUTE_API void add_quantized(int64_t n, const ConstElements& a,
                                          const QuantizedOperand& a_parameters,
                                          const ConstElements& b,
                                          const QuantizedOperand& b_parameters, const Elements& out,
                                          const QuantizedOperand& out_parameters,
                                          const IntegerBounds& bounds);

/// Loops over a block in the type that is computed in; `out` may be `in`. Parameters advance by
/// `step`, 0 or 1.
template <class T>
struct AffineBlockLoops {
  void (*quantize)(const T* in, T* out, int64_t n, const T* reciprocals, const T* zero_points,
                   int64_t step, bool round_last, T low, T high);
  void (*dequantize)(const T* in, T* out, int64_t n, const T* scales, const T* zero_points,
                     int64_t step);
};
struct AffineLoops {
  AffineBlockLoops<float> f32;
  AffineBlockLoops<double> f64;
  /// Bytes in one pass, with one pair of parameters.
  void (*dequantize_i8)(const void* in, float* out, int64_t n, float scale, float zero_point);
  void (*dequantize_u8)(const void* in, float* out, int64_t n, float scale, float zero_point);
  /// Unsigned numbers of 4 bits, the first in the high half of a byte, and of 2 bits, the first in
  /// the lowest ones, minus 8 and 2. `n` is what whole bytes hold.
  void (*unpack4)(const uint8_t* in, float* out, int64_t n);
  void (*unpack2)(const uint8_t* in, float* out, int64_t n);
};
EXECUTORCH_DECLARE_ISA_TABLE(AffineLoops, affine_loops);

}  // namespace executorch::compute
