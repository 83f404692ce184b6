/**
 * @file
 * A tensor as the compute layer sees it: bytes, element size and type, sizes and strides. Owns
 * nothing.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/elementwise/types.h"

namespace executorch::compute {

/// Views may have more dimensions than tensors: some operators split each dimension in two.
constexpr int kMaxViewRank = 2 * kMaxRank;

struct TensorView {
  /// First element. May be null when a size is 0.
  char* data = nullptr;
  DType dtype = DType::f32;
  /// Bytes of an element, also for types without arithmetic.
  size_t element_size = sizeof(float);
  int rank = 0;
  // Not zeroed: only `rank` of them count, and a view is made at every call.
  int64_t sizes[kMaxViewRank];
  /// In elements; 0 repeats, negative walks backwards.
  int64_t strides[kMaxViewRank];

  int64_t numel() const {
    int64_t count = 1;
    for (int d = 0; d < rank; ++d) count *= sizes[d];
    return count;
  }

  /// Moves the first element by a number of elements.
  void advance(int64_t elements) {
    if (data != nullptr) data += elements * static_cast<int64_t>(element_size);
  }

  /// Keeps `length` indices of a dimension, from `start` on, `step` apart.
  void narrow(int d, int64_t start, int64_t length, int64_t step = 1) {
    if (length > 0) advance(start * strides[d]);
    sizes[d] = length;
    if (length > 1) strides[d] *= step;
  }

  /// Drops a dimension, keeping one index of it.
  void select(int d, int64_t index) {
    advance(index * strides[d]);
    remove(d);
  }

  /// Reverses a dimension.
  void flip(int d) {
    if (sizes[d] > 0) advance((sizes[d] - 1) * strides[d]);
    strides[d] = -strides[d];
  }

  /// Drops a dimension as if it had size 1.
  void remove(int d) {
    for (int i = d; i + 1 < rank; ++i) {
      sizes[i] = sizes[i + 1];
      strides[i] = strides[i + 1];
    }
    --rank;
  }

  /// Inserts a dimension before `d`. The caller keeps the rank in bounds.
  void insert(int d, int64_t size, int64_t stride) {
    for (int i = rank; i > d; --i) {
      sizes[i] = sizes[i - 1];
      strides[i] = strides[i - 1];
    }
    sizes[d] = size;
    strides[d] = stride;
    ++rank;
  }

  /// Splits dimension `d` into [size / inner, inner]; `inner` divides the size.
  void split(int d, int64_t inner) {
    insert(d, inner == 0 ? 0 : sizes[d] / inner, strides[d] * inner);
    sizes[d + 1] = inner;
  }
};

/// True when the elements are adjacent in row-major order.
inline bool is_contiguous(const TensorView& view) {
  int64_t expected = 1;
  for (int d = view.rank - 1; d >= 0; --d) {
    if (view.sizes[d] == 1) continue;
    if (view.strides[d] != expected) return false;
    expected *= view.sizes[d];
  }
  return true;
}

/// A row-major view over memory of `rank` sizes.
inline TensorView contiguous_view(void* data, DType dtype, size_t element_size, int rank,
                                  const int64_t* sizes) {
  TensorView view;
  view.data = static_cast<char*>(data);
  view.dtype = dtype;
  view.element_size = element_size;
  view.rank = rank;
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    view.sizes[d] = sizes[d];
    view.strides[d] = stride;
    stride *= sizes[d] > 1 ? sizes[d] : 1;
  }
  return view;
}

}  // namespace executorch::compute
