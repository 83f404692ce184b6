/**
 * @file
 * Products of floats with a quantised weight, which stays quantised in memory: stretches of it are
 * turned into floats on the way.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/affine/table_rows.h"

namespace executorch::compute {

/// c[m, n] = a[m, k] * weight, all row-major.
struct MixedProduct {
  int64_t m = 0, n = 0, k = 0;
  const float* a = nullptr;
  QuantizedTable weight;
  /// The weight's rows are the columns of c (a linear layer's weight [n, k]) instead of [k, n].
  bool transposed = false;
  float* c = nullptr;
};

EXECUTORCH_COMPUTE_API size_t mixed_product_scratch_bytes(const MixedProduct& product) noexcept;

/// Computes on the thread pool. `scratch` of at least mixed_product_scratch_bytes, 64-byte aligned.
EXECUTORCH_COMPUTE_API void mixed_product(const MixedProduct& product, void* scratch,
                                          size_t bytes) noexcept;

}  // namespace executorch::compute
