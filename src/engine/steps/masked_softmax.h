/**
 * @file
 * Softmax of one row, with the guard that attention puts around it.
 */
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "compute/norm/norm.h"

namespace executorch::engine {

/// Softmax of `n` adjacent values; `out` may be `in`. With `zero_masked` a row that is -inf
/// throughout gives zeros instead of NaN.
inline void softmax_row(const float* in, float* out, int64_t n, bool zero_masked) {
  constexpr float kMasked = -std::numeric_limits<float>::infinity();
  if (zero_masked && std::all_of(in, in + n, [](float value) { return value == kMasked; })) {
    std::fill(out, out + n, 0.0f);
    return;
  }
  compute::norm_row_loops<float>().softmax(in, out, n);
}

}  // namespace executorch::engine
