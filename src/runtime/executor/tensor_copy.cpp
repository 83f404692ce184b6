#include "runtime/executor/tensor_copy.h"

#include <algorithm>
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

/// Goes through an arrangement in the order of its indices, row by row.
class RowWalk {
 public:
  explicit RowWalk(const Arrangement& arrangement) : arrangement_(arrangement) {}

  int64_t offset() const { return offset_; }
  int64_t stride() const { return rank() == 0 ? 1 : arrangement_.strides[rank() - 1]; }
  /// Elements before the present row ends.
  int64_t left() const { return row_length() - index_in_row_; }

  void advance(int64_t count) {
    offset_ += count * stride();
    index_in_row_ += count;
    if (index_in_row_ < row_length() || rank() == 0) return;
    offset_ -= index_in_row_ * stride();
    index_in_row_ = 0;
    for (size_t d = rank() - 1; d > 0; --d) {
      offset_ += arrangement_.strides[d - 1];
      if (++index_[d - 1] < arrangement_.sizes[d - 1]) return;
      offset_ -= int64_t{arrangement_.sizes[d - 1]} * arrangement_.strides[d - 1];
      index_[d - 1] = 0;
    }
  }

 private:
  size_t rank() const { return arrangement_.rank; }
  int64_t row_length() const { return rank() == 0 ? 1 : arrangement_.sizes[rank() - 1]; }

  const Arrangement& arrangement_;
  int64_t index_[kMaxRank] = {};
  int64_t index_in_row_ = 0;
  int64_t offset_ = 0;
};

int64_t count_elements(const Arrangement& arrangement) {
  int64_t count = 1;
  for (size_t d = 0; d < arrangement.rank; ++d) count *= arrangement.sizes[d];
  return count;
}

template <class T>
void copy_rows(T* to, const Arrangement& to_arrangement, const T* from,
               const Arrangement& from_arrangement) {
  RowWalk target(to_arrangement);
  RowWalk source(from_arrangement);
  for (int64_t rest = count_elements(to_arrangement); rest > 0;) {
    const int64_t count = std::min(target.left(), source.left());
    T* to_row = to + target.offset();
    const T* from_row = from + source.offset();
    for (int64_t i = 0; i < count; ++i) to_row[i * target.stride()] = from_row[i * source.stride()];
    target.advance(count);
    source.advance(count);
    rest -= count;
  }
}

/// An element of any type of that size; copied as bytes, so that the data need not be aligned to
/// it.
template <size_t kSize>
struct Bytes {
  unsigned char bytes[kSize];
};

/// Calls copy() with both buffers as elements of that size.
template <class Copy>
void with_element(size_t element_size, void* to, const void* from, Copy copy) {
  switch (element_size) {
    case 1:
      return copy(static_cast<Bytes<1>*>(to), static_cast<const Bytes<1>*>(from));
    case 2:
      return copy(static_cast<Bytes<2>*>(to), static_cast<const Bytes<2>*>(from));
    case 4:
      return copy(static_cast<Bytes<4>*>(to), static_cast<const Bytes<4>*>(from));
    default:
      return copy(static_cast<Bytes<8>*>(to), static_cast<const Bytes<8>*>(from));
  }
}

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
  with_element(element_size, to, from,
               [&](auto* target, const auto* source) { copy_loop(loop, target, source); });
}

void copy_reshaped(void* to, const Arrangement& to_arrangement, const void* from,
                   const Arrangement& from_arrangement, size_t element_size) {
  with_element(element_size, to, from, [&](auto* target, const auto* source) {
    copy_rows(target, to_arrangement, source, from_arrangement);
  });
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
