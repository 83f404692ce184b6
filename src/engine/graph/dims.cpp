#include "engine/graph/dims.h"

namespace executorch::engine {

int64_t numel(const Dims& sizes) {
  int64_t count = 1;
  for (int d = 0; d < sizes.rank; ++d) count *= sizes[d];
  return count;
}

Dims contiguous_strides(const Dims& sizes) {
  Dims strides;
  strides.rank = sizes.rank;
  int64_t stride = 1;
  for (int d = sizes.rank - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= sizes[d] > 1 ? sizes[d] : 1;
  }
  return strides;
}

Dims channels_last_strides(const Dims& sizes) {
  if (sizes.rank < 3) return contiguous_strides(sizes);
  Dims strides;
  strides.rank = sizes.rank;
  strides[1] = 1;
  int64_t stride = sizes[1];
  for (int d = sizes.rank - 1; d >= 2; --d) {
    strides[d] = stride;
    stride *= sizes[d];
  }
  strides[0] = stride;
  return strides;
}

int64_t pixel_stride(const Dims& sizes, const Dims& strides) {
  if (sizes.rank < 3 || (sizes[1] != 1 && strides[1] != 1)) return 0;
  int64_t distance = 0, pixels = 1;
  const auto follows = [&](int d) {
    if (sizes[d] == 1) return true;
    if (distance == 0) distance = strides[d];
    const bool expected = strides[d] == distance * pixels;
    pixels *= sizes[d];
    return expected;
  };
  for (int d = sizes.rank - 1; d >= 2; --d) {
    if (!follows(d)) return 0;
  }
  if (!follows(0)) return 0;
  if (distance == 0) return sizes[1];
  return distance >= sizes[1] ? distance : 0;
}

Dims dense_strides_like(const Dims& sizes, const Dims& like) {
  int order[kMaxRank];
  for (int i = 0; i < sizes.rank; ++i) {
    // Insertion by descending stride; equal strides keep the order of the dims.
    int place = i;
    while (place > 0 && like[order[place - 1]] < like[i]) {
      order[place] = order[place - 1];
      --place;
    }
    order[place] = i;
  }
  Dims strides;
  strides.rank = sizes.rank;
  int64_t stride = 1;
  for (int i = sizes.rank - 1; i >= 0; --i) {
    strides[order[i]] = stride;
    stride *= sizes[order[i]] > 1 ? sizes[order[i]] : 1;
  }
  return strides;
}

bool same_strides(const Dims& sizes, const Dims& a, const Dims& b) {
  for (int d = 0; d < sizes.rank; ++d) {
    if (sizes[d] != 1 && a[d] != b[d]) return false;
  }
  return true;
}

bool is_dense(const Dims& sizes, const Dims& strides) {
  return same_strides(sizes, strides, dense_strides_like(sizes, strides));
}

bool reshaped_strides(const Dims& sizes, const Dims& strides, const Dims& new_sizes,
                      Dims* new_strides) {
  new_strides->rank = new_sizes.rank;
  if (numel(sizes) == 0) {
    *new_strides = contiguous_strides(new_sizes);
    return true;
  }
  // Runs of old dims that lie adjacent are matched with runs of new dims of the same product,
  // innermost first.
  int old_dim = sizes.rank - 1;
  int new_dim = new_sizes.rank - 1;
  while (old_dim >= 0) {
    if (sizes[old_dim] == 1) {
      --old_dim;
      continue;
    }
    const int64_t base = strides[old_dim];
    int64_t old_count = sizes[old_dim];
    int next = old_dim - 1;
    while (next >= 0 && (sizes[next] == 1 || strides[next] == base * old_count)) {
      old_count *= sizes[next];
      --next;
    }
    int64_t covered = 1;
    while (new_dim >= 0 && covered < old_count) {
      (*new_strides)[new_dim] = base * covered;
      covered *= new_sizes[new_dim];
      --new_dim;
    }
    if (covered != old_count) return false;
    old_dim = next;
  }
  int64_t outer =
      new_dim + 1 < new_sizes.rank ? (*new_strides)[new_dim + 1] * new_sizes[new_dim + 1] : 1;
  for (; new_dim >= 0; --new_dim) (*new_strides)[new_dim] = outer;
  return true;
}

bool broadcast_strides(const Dims& sizes, const Dims& strides, const Dims& target, Dims* result) {
  if (sizes.rank > target.rank) return false;
  result->rank = target.rank;
  const int shift = target.rank - sizes.rank;
  for (int d = 0; d < target.rank; ++d) {
    if (d < shift || (sizes[d - shift] == 1 && target[d] != 1)) {
      (*result)[d] = 0;
    } else if (sizes[d - shift] == target[d]) {
      (*result)[d] = strides[d - shift];
    } else {
      return false;
    }
  }
  return true;
}

bool broadcast_sizes(const Dims& a, const Dims& b, Dims* result) {
  const int rank = a.rank > b.rank ? a.rank : b.rank;
  Dims sizes;
  sizes.rank = rank;
  for (int d = 0; d < rank; ++d) {
    const int64_t left = d >= rank - a.rank ? a[d - (rank - a.rank)] : 1;
    const int64_t right = d >= rank - b.rank ? b[d - (rank - b.rank)] : 1;
    if (left != right && left != 1 && right != 1) return false;
    sizes[d] = left == 1 ? right : left;
  }
  *result = sizes;
  return true;
}

}  // namespace executorch::engine
