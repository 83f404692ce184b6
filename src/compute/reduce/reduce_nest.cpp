#include "compute/reduce/reduce_nest.h"

namespace executorch::compute {
namespace {

constexpr int64_t kNoStrides[kMaxRank] = {};
/// Elements that are worth handing to a thread.
constexpr int64_t kGrain = 32 * 1024;

const int64_t* strides_of(const ReduceTarget& target) {
  return target.data == nullptr ? kNoStrides : target.strides;
}

}  // namespace

ReduceNest::ReduceNest(const ReduceSource& in, uint32_t dims, ComputeType compute,
                       const ReduceTarget& first, const ReduceTarget& second, bool row_major) {
  const int64_t* strides[] = {in.strides, strides_of(first), strides_of(second)};
  int order[kMaxRank];
  order_dimensions(in.rank, in.sizes, strides, 1, order);
  kept.tensors = 3;
  reduced.tensors = 1;
  for (int k = 0; k < in.rank; ++k) {
    const int d = order[k];
    if (dims >> d & 1) continue;
    const int64_t steps[] = {strides[0][d], strides[1][d], strides[2][d]};
    append_dimension(kept, in.sizes[d], steps);
  }
  for (int k = 0; k < in.rank; ++k) {
    const int d = row_major ? k : order[k];
    if (dims >> d & 1) append_dimension(reduced, in.sizes[d], &in.strides[d]);
  }
  outputs = kept.numel();
  count = reduced.numel();
  data_ = static_cast<const char*>(in.data);
  element_size_ = static_cast<int64_t>(element_size(in.dtype));
  compute_size_ = static_cast<int64_t>(element_size(compute));
  native_ = in.dtype == storage_type(compute);
  load_ = load_loop(in.dtype, compute);
}

bool ReduceNest::by_rows() const {
  // Shorter rows cost less side by side.
  constexpr int64_t kMinRow = 16;
  return reduced.rank == 1 && reduced.inner_stride(0) == 1 && kMinRow <= count &&
         count <= kReduceBlock;
}

bool ReduceNest::by_columns() const {
  constexpr int64_t kMinColumns = 16, kShortReduction = 32;
  if (count == 0 || kept.row() < kMinColumns) return false;
  const bool runs_across = kept.inner_stride(0) == 1 && reduced.inner_stride(0) != 1;
  return runs_across || count <= kShortReduction;
}

const void* ReduceNest::read(int64_t offset, int64_t stride, int64_t n, void* buffer) const {
  const char* from = data_ + offset * element_size_;
  if (reads_in_place(stride)) return from;
  load_(buffer, from, stride, n);
  return buffer;
}

const void* ReduceNest::next_block(LayoutCursor& cursor, int64_t base, int64_t limit, void* buffer,
                                   int64_t* n) const {
  const int64_t want = limit < kReduceBlock ? limit : kReduceBlock;
  const int64_t stride = reduced.inner_stride(0);
  if (cursor.left_in_row() >= want) {
    const void* block = read(base + cursor.offset(0), stride, want, buffer);
    cursor.advance(want);
    *n = want;
    return block;
  }
  for (int64_t done = 0; done < want;) {
    const int64_t left = cursor.left_in_row();
    const int64_t run = left < want - done ? left : want - done;
    load_(static_cast<char*>(buffer) + done * compute_size_,
          data_ + (base + cursor.offset(0)) * element_size_, stride, run);
    cursor.advance(run);
    done += run;
  }
  *n = want;
  return buffer;
}

ResultWriter::ResultWriter(const ReduceTarget& target, ComputeType compute)
    : data_(static_cast<char*>(target.data)),
      element_size_(static_cast<int64_t>(element_size(target.dtype))),
      store_(store_loop(compute, target.dtype)) {}

int64_t output_grain(const ReduceNest& nest) {
  const int64_t grain = kGrain / (nest.count > 0 ? nest.count : 1);
  return grain > 0 ? grain : 1;
}

}  // namespace executorch::compute
