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
  for (int64_t y = 0; y < w.rows; ++y) {
    const float* in = w.in + y * w.row_stride + channel;
    V::Type row = start;
    for (int64_t x = 0; x < w.columns; ++x)
      row = Fold::step(row, load_up_to(in + x * w.column_stride, live));
    result = Fold::step(result, row);
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

}  // namespace

const PoolKernels pool_kernels_table = {max, average};

}  // namespace EXECUTORCH_ISA_NAMESPACE
