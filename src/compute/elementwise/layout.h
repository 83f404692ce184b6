/**
 * @file
 * How a loop over several tensors of one shape is walked: dimensions in the order of the result's
 * memory, neighbours joined where all tensors allow it.
 */
#pragma once

#include <cstdint>

#include <executorch/runtime/platform/export.h>

#include "compute/elementwise/types.h"

namespace executorch::compute {

constexpr int kMaxLayoutTensors = 6;

/// A loop nest, outermost dimension first. Strides are in elements.
struct Layout {
  int rank = 0;
  int tensors = 0;
  int64_t sizes[kMaxRank];
  int64_t strides[kMaxLayoutTensors][kMaxRank];

  int64_t numel() const {
    int64_t count = 1;
    for (int d = 0; d < rank; ++d) count *= sizes[d];
    return count;
  }
  /// Length of the innermost loop, 1 for a single element.
  int64_t row() const { return rank == 0 ? 1 : sizes[rank - 1]; }
  int64_t inner_stride(int tensor) const { return rank == 0 ? 0 : strides[tensor][rank - 1]; }
};

/// Adds a dimension inside those there are, joining it with its neighbour where every tensor's
/// strides continue. Dimensions of size 1 vanish.
EXECUTORCH_COMPUTE_API void append_dimension(Layout& layout, int64_t size, const int64_t* strides);

/// Fills the order of dims (indices into `sizes`) so that |strides| of the first tensor fall, ties
/// by the next tensors; dims that no tensor tells apart keep their order.
EXECUTORCH_COMPUTE_API void order_dimensions(int rank, const int64_t* sizes,
                                             const int64_t* const* strides, int tensors,
                                             int* order);

/// The loop nest over `sizes` for `tensors` stride lists, the first of which leads.
EXECUTORCH_COMPUTE_API Layout make_layout(int rank, const int64_t* sizes,
                                          const int64_t* const* strides, int tensors);

/// Position of a walk over rows: offsets of each tensor at flat index `index` of the nest.
class EXECUTORCH_COMPUTE_API LayoutCursor {
 public:
  LayoutCursor(const Layout& layout, int64_t index);

  /// Offset in elements of the current element.
  int64_t offset(int tensor) const { return offset_[tensor]; }
  /// Elements left in the current row.
  int64_t left_in_row() const { return layout_.row() - inner_; }
  /// Moves on by `count` elements, at most to the end of the row.
  void advance(int64_t count);

 private:
  const Layout& layout_;
  int64_t inner_ = 0;
  // Not zeroed: only those of the layout's dimensions and tensors count.
  int64_t position_[kMaxRank];
  int64_t offset_[kMaxLayoutTensors];
};

}  // namespace executorch::compute
