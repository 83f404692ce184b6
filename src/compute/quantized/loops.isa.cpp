#include "compute/quantized/loops.h"

#include <cstring>

#include "compute/quantized/byte_lookup.h"
#include "compute/quantized/int_vector.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

using I = IntVector;
using F = FloatVector;
constexpr int64_t kLanes = I::kLanes;

F::Type load_real(const int8_t* p, int64_t n) {
  if (n >= kLanes) return I::to_float(I::load_bytes(p));
  int8_t lanes[kLanes] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
  return I::to_float(I::load_bytes(lanes));
}

F::Type real(F::Type q, float zero, float scale) {
  return F::mul(F::add(q, F::set(-zero)), F::set(scale));
}

/// An operand at element i, n elements before the end.
struct Operand {
  const int8_t* data;
  bool scalar;
  float zero, scale;

  F::Type at(int64_t i, int64_t n) const {
    if (scalar) return real(F::set(static_cast<float>(*data)), zero, scale);
    return real(load_real(data + i, n), zero, scale);
  }
};

void store_quantized(const QuantizedLoopParams& p, F::Type y, int8_t* out, int64_t n) {
  const F::Type q = clamp_to(F::mul(y, F::set(p.inverse)), F::set(p.low), F::set(p.high));
  I::store_bytes(out, I::add(I::round(q), I::set(p.zero_point)), n);
}

void quantize(const QuantizedLoopParams& p, const void* const* operands, uint32_t scalars,
              void* out, int64_t n) {
  const auto* x = static_cast<const float*>(operands[0]);
  for (int64_t i = 0; i < n; i += kLanes) {
    const F::Type value = scalars != 0 ? F::set(*x) : load_up_to(x + i, n - i);
    store_quantized(p, value, static_cast<int8_t*>(out) + i, n - i);
  }
}

Operand first_operand(const QuantizedLoopParams& p, const void* const* operands, uint32_t scalars) {
  return {static_cast<const int8_t*>(operands[0]), (scalars & 1) != 0, p.a_zero, p.a_scale};
}

Operand second_operand(const QuantizedLoopParams& p, const void* const* operands,
                       uint32_t scalars) {
  return {static_cast<const int8_t*>(operands[1]), (scalars & 2) != 0, p.b_zero, p.b_scale};
}

void dequantize(const QuantizedLoopParams& p, const void* const* operands, uint32_t scalars,
                void* out, int64_t n) {
  const Operand a = first_operand(p, operands, scalars);
  for (int64_t i = 0; i < n; i += kLanes) {
    store_up_to(static_cast<float*>(out) + i, a.at(i, n - i), n - i);
  }
}

void requantize(const QuantizedLoopParams& p, const void* const* operands, uint32_t scalars,
                void* out, int64_t n) {
  const Operand a = first_operand(p, operands, scalars);
  for (int64_t i = 0; i < n; i += kLanes) {
    store_quantized(p, a.at(i, n - i), static_cast<int8_t*>(out) + i, n - i);
  }
}

void lookup(const QuantizedLoopParams& p, const void* const* operands, uint32_t scalars, void* out,
            int64_t n) {
  const auto* x = static_cast<const int8_t*>(operands[0]);
  auto* to = static_cast<int8_t*>(out);
  if (scalars != 0) {
    std::memset(to, p.table[*x + 128], static_cast<size_t>(n));
  } else {
    ByteLookup(p.table).apply(x, to, n);
  }
}

struct Add {
  static F::Type apply(F::Type a, F::Type b) { return F::add(a, b); }
};
struct Sub {
  static F::Type apply(F::Type a, F::Type b) { return F::add(a, F::mul(b, F::set(-1.0f))); }
};
struct Mul {
  static F::Type apply(F::Type a, F::Type b) { return F::mul(a, b); }
};

template <class Op>
void binary(const QuantizedLoopParams& p, const void* const* operands, uint32_t scalars, void* out,
            int64_t n) {
  const Operand a = first_operand(p, operands, scalars), b = second_operand(p, operands, scalars);
  for (int64_t i = 0; i < n; i += kLanes) {
    store_quantized(p, Op::apply(a.at(i, n - i), b.at(i, n - i)), static_cast<int8_t*>(out) + i,
                    n - i);
  }
}

/// Smallest and largest value of a row, zero among them.
struct Range {
  float low = 0, high = 0;
};

Range range_of(const float* x, int64_t n) {
  constexpr int kChains = 4;
  F::Type low[kChains], high[kChains];
  for (int j = 0; j < kChains; ++j) low[j] = high[j] = F::zero();
  int64_t i = 0;
  // Swapped operands: the bound stays where the value is NaN.
  for (; i + kChains * kLanes <= n; i += kChains * kLanes) {
#pragma GCC unroll 4
    for (int j = 0; j < kChains; ++j) {
      const F::Type value = F::load(x + i + j * kLanes);
      low[j] = I::smaller(value, low[j]);
      high[j] = I::larger(value, high[j]);
    }
  }
  for (; i < n; i += kLanes) {
    const F::Type value = load_up_to(x + i, n - i);
    low[0] = I::smaller(value, low[0]);
    high[0] = I::larger(value, high[0]);
  }
  Range range;
  for (int j = 0; j < kChains; ++j) {
    float lows[kLanes], highs[kLanes];
    F::store(lows, low[j]);
    F::store(highs, high[j]);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (lows[lane] < range.low) range.low = lows[lane];
      if (highs[lane] > range.high) range.high = highs[lane];
    }
  }
  return range;
}

float rounded_zero_point(float zero) {
  float lanes[kLanes];
  F::store(lanes, I::to_float(I::round(clamp_to(F::set(zero), F::set(-128.0f), F::set(127.0f)))));
  return lanes[0];
}

void quantize_row(const float* x, int64_t n, int8_t* q, float* params) {
  const Range range = range_of(x, n);
  const float scale = range.low == range.high ? 1.0f : 255.0f / (range.high - range.low);
  // Of the two ends, that with the smaller error decides.
  const float low_error = -128.0f + range.low * scale, high_error = 127.0f + range.high * scale;
  const float zero = rounded_zero_point(low_error + high_error > 0 ? -128.0f - range.low * scale
                                                                   : 127.0f - range.high * scale);
  params[0] = 1.0f / scale;
  params[1] = zero;
  const F::Type low = F::set(-128.0f - zero), high = F::set(127.0f - zero);
  const I::Type offset = I::set(static_cast<int32_t>(zero));
  for (int64_t i = 0; i < n; i += kLanes) {
    const F::Type y = clamp_to(F::mul(load_up_to(x + i, n - i), F::set(scale)), low, high);
    I::store_bytes(q + i, I::add(I::round(y), offset), n - i);
  }
}

void mean(const MeanArgs& a) {
  const int32_t zeros = static_cast<int32_t>((0u - static_cast<uint32_t>(a.zero_point)) *
                                             static_cast<uint32_t>(a.pixels));
  for (int64_t c = 0; c < a.channels; c += kLanes) {
    const int64_t live = a.channels - c;
    I::Type sum = I::set(zeros);
    for (int64_t i = 0; i < a.pixels; ++i) {
      const int8_t* p = a.in + i * a.pixel_stride + c;
      if (live >= kLanes) {
        sum = I::add(sum, I::load_bytes(p));
      } else {
        int8_t lanes[kLanes] = {};
        for (int64_t j = 0; j < live; ++j) lanes[j] = p[j];
        sum = I::add(sum, I::load_bytes(lanes));
      }
    }
    const F::Type y =
        clamp_to(F::mul(I::to_float(sum), F::set(a.factor)), F::set(a.low), F::set(a.high));
    I::store_bytes(a.out + c, I::add(I::round(y), I::set(a.out_zero_point)), live);
  }
}

}  // namespace

const QuantizedLoops quantized_loops_table = {
    {quantize, dequantize, requantize, lookup, binary<Add>, binary<Sub>, binary<Mul>},
    quantize_row,
    mean};

}  // namespace EXECUTORCH_ISA_NAMESPACE
