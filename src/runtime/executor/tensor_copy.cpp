#include "runtime/executor/tensor_copy.h"

#include <cstring>
#include <utility>

#include "runtime/program/serialized_tensor.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace {

/// Dimensions that matter, ordered so that the destination is written front to back.
struct Loop {
  size_t rank = 0;
  int64_t sizes[kMaxRank];
  int64_t to_strides[kMaxRank];
  int64_t from_strides[kMaxRank];
};

Loop make_loop(const Arrangement& to, const Arrangement& from) {
  Loop loop;
  for (size_t d = 0; d < to.rank; ++d) {
    if (to.sizes[d] == 1) continue;
    loop.sizes[loop.rank] = to.sizes[d];
    loop.to_strides[loop.rank] = to.strides[d];
    loop.from_strides[loop.rank] = from.strides[d];
    ++loop.rank;
  }
  for (size_t i = 1; i < loop.rank; ++i) {
    for (size_t j = i; j > 0 && loop.to_strides[j - 1] < loop.to_strides[j]; --j) {
      std::swap(loop.sizes[j - 1], loop.sizes[j]);
      std::swap(loop.to_strides[j - 1], loop.to_strides[j]);
      std::swap(loop.from_strides[j - 1], loop.from_strides[j]);
    }
  }
  return loop;
}

template <class T>
void copy_loop(const Loop& loop, T* to, const T* from) {
  if (loop.rank == 0) {
    *to = *from;
    return;
  }
  const size_t inner = loop.rank - 1;
  int64_t index[kMaxRank] = {};
  for (;;) {
    const int64_t to_stride = loop.to_strides[inner];
    const int64_t from_stride = loop.from_strides[inner];
    for (int64_t i = 0; i < loop.sizes[inner]; ++i) to[i * to_stride] = from[i * from_stride];
    size_t d = inner;
    for (; d > 0; --d) {
      to += loop.to_strides[d - 1];
      from += loop.from_strides[d - 1];
      if (++index[d - 1] < loop.sizes[d - 1]) break;
      to -= loop.to_strides[d - 1] * loop.sizes[d - 1];
      from -= loop.from_strides[d - 1] * loop.sizes[d - 1];
      index[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

/// An element of any type of that size; copied as bytes, so that the data need not be aligned to
/// it.
template <size_t kSize>
struct Bytes {
  unsigned char bytes[kSize];
};

}  // namespace

bool same_arrangement(const Arrangement& a, const Arrangement& b) {
  for (size_t d = 0; d < a.rank; ++d) {
    if (a.sizes[d] == 0) return true;
  }
  for (size_t d = 0; d < a.rank; ++d) {
    if (a.sizes[d] != 1 && a.strides[d] != b.strides[d]) return false;
  }
  return true;
}

void copy_rearranged(void* to, const Arrangement& to_arrangement, const void* from,
                     const Arrangement& from_arrangement, size_t element_size) {
  for (size_t d = 0; d < to_arrangement.rank; ++d) {
    if (to_arrangement.sizes[d] == 0) return;
  }
  const Loop loop = make_loop(to_arrangement, from_arrangement);
  switch (element_size) {
    case 1:
      return copy_loop(loop, static_cast<Bytes<1>*>(to), static_cast<const Bytes<1>*>(from));
    case 2:
      return copy_loop(loop, static_cast<Bytes<2>*>(to), static_cast<const Bytes<2>*>(from));
    case 4:
      return copy_loop(loop, static_cast<Bytes<4>*>(to), static_cast<const Bytes<4>*>(from));
    default:
      return copy_loop(loop, static_cast<Bytes<8>*>(to), static_cast<const Bytes<8>*>(from));
  }
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
