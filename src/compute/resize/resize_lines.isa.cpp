#include "compute/resize/resize_lines.h"
#include "compute/math/math_double.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

template <class T>
void mix(const T* a, T wa, const T* b, T wb, bool add, int64_t n, T* __restrict out) {
  if (b == nullptr) {
    if (add) {
      for (int64_t i = 0; i < n; ++i) out[i] += a[i] * wa;
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = a[i] * wa;
    }
  } else if (add) {
    for (int64_t i = 0; i < n; ++i) out[i] += a[i] * wa + b[i] * wb;
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = a[i] * wa + b[i] * wb;
  }
}

template <class T>
inline T sum_taps(const T* in, const T* weights, int64_t count) {
  if (count == 2) return in[0] * weights[0] + in[1] * weights[1];
  T sum = 0;
  for (int64_t k = 0; k < count; ++k) sum += in[k] * weights[k];
  return sum;
}

template <class T>
void columns(const T* row, const TapTable<T>& table, int64_t inner, T* __restrict out) {
  for (int64_t i = 0; i < table.out; ++i) {
    const TapRange range = table.ranges[i];
    const T* weights = table.weights + i * table.most;
    const T* in = row + range.first * inner;
    if (inner == 1) {
      out[i] = sum_taps(in, weights, range.count);
      continue;
    }
    T* to = out + i * inner;
    for (int64_t c = 0; c < inner; ++c) to[c] = 0;
    for (int64_t k = 0; k < range.count; ++k) {
      for (int64_t c = 0; c < inner; ++c) to[c] += in[k * inner + c] * weights[k];
    }
  }
}

void mix_bytes(const uint8_t* rows, int64_t stride, const int16_t* weights, int64_t count,
               int digits, int64_t n, uint8_t* __restrict out) {
  constexpr int64_t kBlock = 64;
  const int32_t half = digits > 0 ? 1 << (digits - 1) : 0;
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t width = n - start < kBlock ? n - start : kBlock;
    int32_t sums[kBlock];
    for (int64_t i = 0; i < width; ++i) sums[i] = half;
    for (int64_t k = 0; k < count; ++k) {
      const uint8_t* row = rows + k * stride + start;
      for (int64_t i = 0; i < width; ++i) sums[i] += row[i] * weights[k];
    }
    for (int64_t i = 0; i < width; ++i) {
      const int32_t value = sums[i] >> digits;
      out[start + i] = static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }
}

double sine(double x) {
  double lanes[sizeof(F64) / sizeof(double)];
  const F64 result = sin(broadcast<F64>(x));
  __builtin_memcpy(lanes, &result, sizeof(result));
  return lanes[0];
}

}  // namespace

const ResizeLines resize_lines_table = {
    {mix<float>, columns<float>}, {mix<double>, columns<double>}, mix_bytes, sine};

}  // namespace EXECUTORCH_ISA_NAMESPACE
