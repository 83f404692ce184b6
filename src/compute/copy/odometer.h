/**
 * @file
 * Walks the coordinates of several views of one shape together, in row-major order, line by line.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/copy/tensor_view.h"

namespace executorch::compute {

/// The number of lines and their length; an empty shape has no lines, a 0-d one has one of
/// length 1.
struct Lines {
  int64_t count;
  int64_t length;
};

inline Lines lines_of(const TensorView& view) {
  Lines lines = {1, view.rank > 0 ? view.sizes[view.rank - 1] : 1};
  for (int d = 0; d + 1 < view.rank; ++d) lines.count *= view.sizes[d];
  if (lines.length == 0) lines.count = 0;
  return lines;
}

/// Element offsets of the start of the current line in each of `views` views, which may differ in
/// strides only.
template <int views>
class Odometer {
 public:
  template <class... Views>
  explicit Odometer(const Views&... view)
      : strides_{view.strides...}, sizes_(first(view...).sizes) {
    static_assert(sizeof...(Views) == views);
    rank_ = first(view...).rank - 1;
  }

  int64_t offset(int view) const { return offsets_[view]; }
  int64_t line_stride(int view) const { return rank_ >= 0 ? strides_[view][rank_] : 0; }
  /// The coordinate of the current line in dimension d, d < rank - 1.
  int64_t coordinate(int d) const { return index_[d]; }

  void next() {
    for (int d = rank_ - 1; d >= 0; --d) {
      ++index_[d];
      for (int v = 0; v < views; ++v) offsets_[v] += strides_[v][d];
      if (index_[d] < sizes_[d]) return;
      for (int v = 0; v < views; ++v) offsets_[v] -= sizes_[d] * strides_[v][d];
      index_[d] = 0;
    }
  }

 private:
  static const TensorView& first(const TensorView& view) { return view; }
  template <class... Rest>
  static const TensorView& first(const TensorView& view, const Rest&...) {
    return view;
  }

  const int64_t* strides_[views];
  const int64_t* sizes_;
  int rank_;
  int64_t index_[kMaxViewRank] = {};
  int64_t offsets_[views] = {};
};

}  // namespace executorch::compute
