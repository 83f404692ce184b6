/**
 * @file
 * Loops over quantised values, one table per instruction set: conversions, arithmetic on real
 * numbers that the values stand for, rows with ranges of their own.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"

namespace executorch::compute {

/// q stands for (q - zero_point) * scale.
struct QuantParams {
  float scale = 1;
  int32_t zero_point = 0;
};

/// What a real number y becomes: clamp(rint(y / scale) + zero_point, low, high). NaN gives low.
struct QuantizedOutput {
  QuantParams params;
  int32_t low = -128;
  int32_t high = 127;
};

enum class QuantizedOp : uint8_t {
  Quantize,    ///< f32 -> i8
  Dequantize,  ///< i8 -> f32
  Requantize,  ///< i8 -> i8
  Lookup,      ///< i8 -> i8, by a table
  Add,         ///< i8, i8 -> i8
  Sub,
  Mul,
  count,
};
constexpr int kQuantizedOpCount = static_cast<int>(QuantizedOp::count);

constexpr int64_t kLookupBytes = 256;

/// How operands and the result of a loop are read; what an operation lacks is not looked at.
struct QuantizedLoopParams {
  QuantizedLoopParams(const QuantParams& a, const QuantParams& b, const QuantizedOutput& to)
      : a_scale(a.scale),
        a_zero(static_cast<float>(a.zero_point)),
        b_scale(b.scale),
        b_zero(static_cast<float>(b.zero_point)),
        inverse(1.0f / to.params.scale),
        low(static_cast<float>(to.low) - static_cast<float>(to.params.zero_point)),
        high(static_cast<float>(to.high) - static_cast<float>(to.params.zero_point)),
        zero_point(to.params.zero_point) {}

  float a_scale, a_zero;
  float b_scale, b_zero;
  float inverse;    ///< 1 / scale of the result
  float low, high;  ///< bounds of the result less its zero point
  int32_t zero_point;
  const int8_t* table = nullptr;  ///< Lookup: kLookupBytes results, that of -128 first
};

/// Applies an operation to n adjacent elements; an operand whose bit is set in `scalars` is a
/// single value. Operands are rounded as PyTorch's eager arithmetic rounds them.
using QuantizedLoop = void (*)(const QuantizedLoopParams& params, const void* const* operands,
                               uint32_t scalars, void* out, int64_t n);

/// The mean of each channel over pixels.
struct MeanArgs {
  const int8_t* in;
  int64_t pixels, pixel_stride, channels;
  int32_t zero_point;  ///< of the input
  float factor;        ///< scale of the input / (pixels * scale of the result)
  float low, high;     ///< as QuantizedLoopParams
  int32_t out_zero_point;
  int8_t* out;
};

struct QuantizedLoops {
  QuantizedLoop loop[kQuantizedOpCount];
  /// Quantises n values by their own range, which zero belongs to; NaN counts for nothing in it.
  /// `params` receives the scale and the zero point, an integer.
  void (*quantize_row)(const float* x, int64_t n, int8_t* q, float* params);
  void (*mean)(const MeanArgs& args);
};
EXECUTORCH_DECLARE_ISA_TABLE(QuantizedLoops, quantized_loops);

}  // namespace executorch::compute
