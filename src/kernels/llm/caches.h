/**
 * @file
 * Writing rows into key and value caches.
 */
#pragma once

#include "kernels/support/tensors.h"

namespace executorch {
namespace kernels {

/// Copies the rows of `value` [batch, rows, ...] over those of `cache` [batch, length, ...] from
/// `start` on, whatever the elements are, if only as large.
Error write_cache_rows(const Tensor& value, const char* name, const Tensor& cache,
                       const char* cache_name, int64_t start);

/// The views of a value and the cache that it goes to, after checking them against each other.
Error cache_views(const Tensor& value, const char* name, const Tensor& cache,
                  const char* cache_name, TensorView* from, TensorView* to);

}  // namespace kernels
}  // namespace executorch
