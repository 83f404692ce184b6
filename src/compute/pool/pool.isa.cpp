#include "compute/cpu/float_vector.h"
#include "compute/pool/pool_kernels.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

using V = FloatVector;

struct Largest {
  static V::Type start(V::Type first) { return first; }
  static V::Type step(V::Type sum, V::Type value) { return V::max_nan(sum, value); }
};

struct Sum {
  static V::Type start(V::Type) { return V::zero(); }
  static V::Type step(V::Type sum, V::Type value) { return V::add(sum, value); }
};

/// Folds the window for `live` channels from `channel` on, each row by itself, so that long sums
/// stay exact.
template <class Fold>
inline V::Type fold(const PoolWindow& w, int64_t channel, int64_t live) {
  const V::Type start = Fold::start(load_up_to(w.in + channel, live));
  V::Type result = start;
  for (int64_t z = 0; z < w.planes; ++z) {
    for (int64_t y = 0; y < w.rows; ++y) {
      const float* in = w.in + z * w.plane_stride + y * w.row_stride + channel;
      V::Type row = start;
      for (int64_t x = 0; x < w.columns; ++x)
        row = Fold::step(row, load_up_to(in + x * w.column_stride, live));
      result = Fold::step(result, row);
    }
  }
  return result;
}

void max(const PoolWindow& window, int64_t channels, float* out) {
  for (int64_t c = 0; c < channels; c += V::kLanes) {
    store_up_to(out + c, fold<Largest>(window, c, channels - c), channels - c);
  }
}

void average(const PoolWindow& window, int64_t channels, float divisor, float* out) {
  for (int64_t c = 0; c < channels; c += V::kLanes) {
    store_up_to(out + c, V::mul(fold<Sum>(window, c, channels - c), V::set(1.0f / divisor)),
                channels - c);
  }
}

/// Calls body(i, in[i * stride]), with the usual strides as constants.
template <class T, class Body>
inline void each_value(const T* in, int64_t stride, int64_t n, Body body) {
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) body(i, in[i]);
  } else if (stride == 2) {
    for (int64_t i = 0; i < n; ++i) body(i, in[2 * i]);
  } else {
    for (int64_t i = 0; i < n; ++i) body(i, in[i * stride]);
  }
}

template <class T>
void max_line(const T* in, int64_t stride, int64_t n, T* __restrict best) {
  each_value(in, stride, n, [best](int64_t i, T value) {
    const bool wins = (value > best[i]) | (value != value);
    best[i] = wins ? value : best[i];
  });
}

template <class T>
void max_line_at(const T* in, int64_t stride, int64_t n, int64_t position, int64_t position_step,
                 T* __restrict best, int64_t* __restrict places) {
  each_value(in, stride, n, [=](int64_t i, T value) {
    const bool wins = (value > best[i]) | (value != value);
    best[i] = wins ? value : best[i];
    places[i] = wins ? position + i * position_step : places[i];
  });
}

template <class T>
void add_line(const T* in, int64_t n, double* __restrict sums) {
  for (int64_t i = 0; i < n; ++i) sums[i] += static_cast<double>(in[i]);
}

template <class T>
constexpr PoolLines<T> lines = {max_line<T>, max_line_at<T>};

}  // namespace

const PoolKernels pool_kernels_table = {
    max,           average,        add_line<float>, add_line<double>, lines<float>,  lines<double>,
    lines<int8_t>, lines<uint8_t>, lines<int16_t>,  lines<int32_t>,   lines<int64_t>};

}  // namespace EXECUTORCH_ISA_NAMESPACE
