#include "engine/plan/conv_geometry.h"

#include <algorithm>
#include <utility>

namespace executorch::engine {

int64_t memory_order(const Dims& sizes, const Dims& strides) {
  int dims[kMaxRank], count = 0;
  for (int d = 0; d < sizes.rank; ++d) {
    if (sizes[d] > 1) dims[count++] = d;
  }
  std::stable_sort(dims, dims + count, [&](int a, int b) { return strides[a] > strides[b]; });
  int64_t order = 0;
  for (int i = 0; i < count; ++i) order = order * kMaxRank + dims[i];
  return order;
}

bool lay_down(compute::ConvShape* s) {
  const bool column = s->in_width == 1 && s->kernel_width == 1 && s->pad_left == 0 &&
                      s->pad_right == 0 && !s->transposed;
  if (!column) return false;
  std::swap(s->in_height, s->in_width);
  std::swap(s->kernel_height, s->kernel_width);
  std::swap(s->stride_height, s->stride_width);
  std::swap(s->dilation_height, s->dilation_width);
  std::swap(s->pad_top, s->pad_left);
  std::swap(s->pad_bottom, s->pad_right);
  return true;
}

}  // namespace executorch::engine
