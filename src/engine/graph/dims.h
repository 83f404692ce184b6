/**
 * @file
 * Sizes and strides of a tensor in the engine, and the arithmetic on them. All counts are in
 * elements.
 */
#pragma once

#include <cstdint>

#include <executorch/runtime/platform/export.h>

#include "compute/elementwise/types.h"

namespace executorch::engine {

using compute::DType;
using compute::kMaxRank;

/// Up to kMaxRank sizes or strides.
struct Dims {
  int rank = 0;
  int64_t values[kMaxRank] = {};

  int64_t& operator[](int d) { return values[d]; }
  int64_t operator[](int d) const { return values[d]; }
  void push(int64_t value) { values[rank++] = value; }
  int64_t back() const { return values[rank - 1]; }
  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.rank != b.rank) return false;
    for (int d = 0; d < a.rank; ++d) {
      if (a.values[d] != b.values[d]) return false;
    }
    return true;
  }
};

/// Number of elements; the front end has checked that the product fits.
EXECUTORCH_COMPUTE_API int64_t numel(const Dims& sizes);

/// Bytes of one element.
inline int64_t element_bytes(DType dtype) {
  return static_cast<int64_t>(compute::element_size(dtype));
}

/// Strides of the dense layout with the last dim innermost.
EXECUTORCH_COMPUTE_API Dims contiguous_strides(const Dims& sizes);

/// Strides of the dense layout that puts dim 1 innermost (NHWC for rank 4, NLC for rank 3).
EXECUTORCH_COMPUTE_API Dims channels_last_strides(const Dims& sizes);

/// Elements between neighbouring pixels where channels (dim 1) are adjacent and pixels follow each
/// other at one distance: in a channels-last image and in a slice of its channels. 0 elsewhere.
EXECUTORCH_COMPUTE_API int64_t pixel_stride(const Dims& sizes, const Dims& strides);

/// Dense strides in the order of `like`'s strides, largest outermost.
EXECUTORCH_COMPUTE_API Dims dense_strides_like(const Dims& sizes, const Dims& like);

/// Same addresses for all coordinates; strides of dims of size 1 do not matter.
EXECUTORCH_COMPUTE_API bool same_strides(const Dims& sizes, const Dims& a, const Dims& b);

inline bool is_contiguous(const Dims& sizes, const Dims& strides) {
  return same_strides(sizes, strides, contiguous_strides(sizes));
}

/// The elements fill a block of memory without gaps or repeats, in whatever order.
EXECUTORCH_COMPUTE_API bool is_dense(const Dims& sizes, const Dims& strides);

/// Strides that show a strided tensor under other sizes of the same element count without moving
/// anything. False when there are none.
EXECUTORCH_COMPUTE_API bool reshaped_strides(const Dims& sizes, const Dims& strides,
                                             const Dims& new_sizes, Dims* new_strides);

/// Strides with which a tensor of `sizes` repeats to `target` (right-aligned broadcasting). False
/// when it does not.
EXECUTORCH_COMPUTE_API bool broadcast_strides(const Dims& sizes, const Dims& strides,
                                              const Dims& target, Dims* result);

/// Sizes of the broadcast of both; `result` may be one of them. False when they do not match.
EXECUTORCH_COMPUTE_API bool broadcast_sizes(const Dims& a, const Dims& b, Dims* result);

}  // namespace executorch::engine
