#include "compute/elementwise/layout.h"

namespace executorch::compute {
namespace {

int64_t magnitude(int64_t x) {
  return x < 0 ? -x : x;
}

// -1 when dimension `a` belongs outside `b`, 1 inside, 0 when this tensor does not say.
int compare(const int64_t* strides, int a, int b) {
  const int64_t x = magnitude(strides[a]), y = magnitude(strides[b]);
  if (x == 0 || y == 0 || x == y) return 0;
  return x > y ? -1 : 1;
}

}  // namespace

void append_dimension(Layout& layout, int64_t size, const int64_t* strides) {
  if (size == 1) return;
  const int last = layout.rank - 1;
  bool joins = last >= 0;
  for (int t = 0; joins && t < layout.tensors; ++t)
    joins = layout.strides[t][last] == strides[t] * size;
  if (joins) {
    layout.sizes[last] *= size;
    for (int t = 0; t < layout.tensors; ++t) layout.strides[t][last] = strides[t];
    return;
  }
  layout.sizes[layout.rank] = size;
  for (int t = 0; t < layout.tensors; ++t) layout.strides[t][layout.rank] = strides[t];
  ++layout.rank;
}

void order_dimensions(int rank, const int64_t* sizes, const int64_t* const* strides, int tensors,
                      int* order) {
  for (int d = 0; d < rank; ++d) {
    int place = d;
    // Insertion: move the new dimension outwards past those that belong inside it.
    for (int k = d - 1; k >= 0; --k) {
      if (sizes[order[k]] == 1 || sizes[d] == 1) continue;
      int side = 0;
      for (int t = 0; side == 0 && t < tensors; ++t) side = compare(strides[t], d, order[k]);
      if (side > 0) break;
      if (side < 0) place = k;
    }
    for (int k = d; k > place; --k) order[k] = order[k - 1];
    order[place] = d;
  }
}

Layout make_layout(int rank, const int64_t* sizes, const int64_t* const* strides, int tensors) {
  Layout layout;
  layout.tensors = tensors;
  int order[kMaxRank];
  order_dimensions(rank, sizes, strides, tensors, order);
  for (int k = 0; k < rank; ++k) {
    int64_t steps[kMaxLayoutTensors];
    for (int t = 0; t < tensors; ++t) steps[t] = strides[t][order[k]];
    append_dimension(layout, sizes[order[k]], steps);
  }
  return layout;
}

LayoutCursor::LayoutCursor(const Layout& layout, int64_t index) : layout_(layout) {
  for (int d = 0; d < layout.rank; ++d) position_[d] = 0;
  for (int t = 0; t < layout.tensors; ++t) offset_[t] = 0;
  for (int d = layout.rank - 1; d >= 0 && index != 0; --d) {
    position_[d] = index % layout.sizes[d];
    index /= layout.sizes[d];
    for (int t = 0; t < layout.tensors; ++t) offset_[t] += position_[d] * layout.strides[t][d];
  }
  if (layout.rank > 0) inner_ = position_[layout.rank - 1];
}

void LayoutCursor::advance(int64_t count) {
  const int rank = layout_.rank;
  inner_ += count;
  if (rank == 0) return;
  for (int t = 0; t < layout_.tensors; ++t) offset_[t] += count * layout_.strides[t][rank - 1];
  if (inner_ < layout_.sizes[rank - 1]) return;
  inner_ = 0;
  for (int t = 0; t < layout_.tensors; ++t) {
    offset_[t] -= layout_.sizes[rank - 1] * layout_.strides[t][rank - 1];
  }
  for (int d = rank - 2; d >= 0; --d) {
    for (int t = 0; t < layout_.tensors; ++t) offset_[t] += layout_.strides[t][d];
    if (++position_[d] < layout_.sizes[d]) return;
    position_[d] = 0;
    for (int t = 0; t < layout_.tensors; ++t)
      offset_[t] -= layout_.sizes[d] * layout_.strides[t][d];
  }
}

}  // namespace executorch::compute
