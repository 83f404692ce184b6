#include "compute/affine/affine.h"

#include "compute/math/vector.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

template <class V, bool kEach>
inline V parameter(const Element<V>* values, int64_t i) {
  return kEach ? load<V>(values + i) : broadcast<V>(values[0]);
}

/// Applies f(vector, parameter, parameter) to a block; the tail goes through a padded copy, for
/// which the parameters are repeated from the last ones.
template <class V, bool kEach, class F>
inline void map_block(const Element<V>* in, Element<V>* out, int64_t n, const Element<V>* a,
                      const Element<V>* b, F f) {
  constexpr int L = kLanes<V>;
  int64_t i = 0;
  for (; i + L <= n; i += L)
    store<V>(out + i, f(load<V>(in + i), parameter<V, kEach>(a, i), parameter<V, kEach>(b, i)));
  if (i == n) return;
  Element<V> x[L] = {}, pa[L], pb[L];
  for (int j = 0; j < L; ++j) {
    const int64_t at = i + j < n ? i + j : n - 1;
    x[j] = in[at];
    pa[j] = a[kEach ? at : 0];
    pb[j] = b[kEach ? at : 0];
  }
  store<V>(x, f(load<V>(x), load<V>(pa), load<V>(pb)));
  for (int64_t j = i; j < n; ++j) out[j] = x[j - i];
}

// The comparisons keep NaN.
template <class V>
inline V clamp(V x, V low, V high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

template <class V, bool kEach>
void quantize_block(const Element<V>* in, Element<V>* out, int64_t n, const Element<V>* reciprocals,
                    const Element<V>* zero_points, bool round_last, Element<V> low,
                    Element<V> high) {
  const V lo = broadcast<V>(low), hi = broadcast<V>(high);
  if (round_last) {
    map_block<V, kEach>(in, out, n, reciprocals, zero_points,
                        [=](V x, V r, V z) { return clamp<V>(rint(x * r + z), lo, hi); });
  } else {
    map_block<V, kEach>(in, out, n, reciprocals, zero_points,
                        [=](V x, V r, V z) { return clamp<V>(rint(x * r) + z, lo, hi); });
  }
}

template <class V>
void quantize(const Element<V>* in, Element<V>* out, int64_t n, const Element<V>* reciprocals,
              const Element<V>* zero_points, int64_t step, bool round_last, Element<V> low,
              Element<V> high) {
  const auto run = step == 0 ? quantize_block<V, false> : quantize_block<V, true>;
  run(in, out, n, reciprocals, zero_points, round_last, low, high);
}

template <class V>
void dequantize(const Element<V>* in, Element<V>* out, int64_t n, const Element<V>* scales,
                const Element<V>* zero_points, int64_t step) {
  const auto f = [](V x, V s, V z) { return (x - z) * s; };
  if (step == 0) {
    map_block<V, false>(in, out, n, scales, zero_points, f);
  } else {
    map_block<V, true>(in, out, n, scales, zero_points, f);
  }
}

template <class Byte>
void dequantize_bytes(const void* in, float* __restrict out, int64_t n, float scale,
                      float zero_point) {
  const auto* bytes = static_cast<const Byte*>(in);
  for (int64_t i = 0; i < n; ++i) out[i] = (static_cast<float>(bytes[i]) - zero_point) * scale;
}

void unpack4(const uint8_t* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n / 2; ++i) {
    const int32_t pair = in[i];
    out[2 * i] = static_cast<float>((pair >> 4) - 8);
    out[2 * i + 1] = static_cast<float>((pair & 15) - 8);
  }
}

void unpack2(const uint8_t* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n / 4; ++i) {
    const int32_t four = in[i];
    for (int j = 0; j < 4; ++j) out[4 * i + j] = static_cast<float>((four >> (2 * j) & 3) - 2);
  }
}

}  // namespace

extern constexpr AffineLoops affine_loops_table = {{quantize<F32>, dequantize<F32>},
                                                   {quantize<F64>, dequantize<F64>},
                                                   dequantize_bytes<int8_t>,
                                                   dequantize_bytes<uint8_t>,
                                                   unpack4,
                                                   unpack2};

}  // namespace EXECUTORCH_ISA_NAMESPACE
