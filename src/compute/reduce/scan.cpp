#include <cstring>

#include "compute/elementwise/operation.h"
#include "compute/reduce/reduce.h"
#include "compute/reduce/reduce_nest.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// Replaces a block by its running sums, beginning with `sum`, which is updated.
template <class T, class Sum>
void accumulate(void* block, int64_t n, void* sum) {
  auto* values = static_cast<T*>(block);
  Sum running;
  std::memcpy(&running, sum, sizeof(running));
  for (int64_t i = 0; i < n; ++i) {
    running += static_cast<Sum>(values[i]);
    values[i] = static_cast<T>(running);
  }
  std::memcpy(sum, &running, sizeof(running));
}

class ScanTask {
 public:
  explicit ScanTask(const ScanCall& call)
      : call_(call),
        nest_(call.in, uint32_t{1} << call.dim, call.compute, call.out, {}, true),
        out_(call.out, call.compute),
        in_step_(call.in.strides[call.dim]),
        out_step_(call.out.strides[call.dim]) {}

  void run() {
    if (nest_.outputs == 0 || nest_.count == 0) return;
    const bool columns = nest_.by_columns();
    threadpool::parallel_for(0, nest_.outputs, output_grain(nest_),
                             [&](int64_t first, int64_t last) {
                               columns ? run_columns(first, last) : run_lines(first, last);
                             });
  }

 private:
  void run_lines(int64_t first, int64_t last) const {
    ReduceBuffer buffer;
    LayoutCursor cursor(nest_.kept, first);
    for (; first < last; ++first) {
      alignas(8) char sum[8] = {};
      for (int64_t done = 0; done < nest_.count; done += kReduceBlock) {
        const int64_t n = nest_.count - done < kReduceBlock ? nest_.count - done : kReduceBlock;
        const void* block =
            nest_.read(cursor.offset(0) + done * in_step_, in_step_, n, buffer.bytes);
        if (block != buffer.bytes)
          std::memcpy(buffer.bytes, block, static_cast<size_t>(n * nest_.compute_size()));
        if (call_.compute == ComputeType::f64) {
          accumulate<double, double>(buffer.bytes, n, sum);
        } else {
          accumulate<int64_t, uint64_t>(buffer.bytes, n, sum);
        }
        out_.write(cursor.offset(1) + done * out_step_, out_step_, buffer.bytes, n);
      }
      cursor.advance(1);
    }
  }

  void run_columns(int64_t first, int64_t last) const {
    const BlockLoop add = block_loop(ElementwiseOp::Add, call_.compute);
    alignas(64) char sums[kColumnBlock * 8];
    ReduceBuffer buffer;
    LayoutCursor cursor(nest_.kept, first);
    while (first < last) {
      int64_t columns = cursor.left_in_row() < last - first ? cursor.left_in_row() : last - first;
      columns = columns < kColumnBlock ? columns : kColumnBlock;
      for (int64_t r = 0; r < nest_.count; ++r) {
        const void* row = nest_.read(cursor.offset(0) + r * in_step_, nest_.kept.inner_stride(0),
                                     columns, buffer.bytes);
        if (r == 0) {
          std::memcpy(sums, row, static_cast<size_t>(columns * nest_.compute_size()));
        } else {
          const void* operands[] = {sums, row};
          add(sums, operands, 0, columns);
        }
        out_.write(cursor.offset(1) + r * out_step_, nest_.kept.inner_stride(1), sums, columns);
      }
      cursor.advance(columns);
      first += columns;
    }
  }

  const ScanCall& call_;
  ReduceNest nest_;
  ResultWriter out_;
  int64_t in_step_;
  int64_t out_step_;
};

}  // namespace

void cumulative_sum(const ScanCall& call) {
  ScanTask(call).run();
}

}  // namespace executorch::compute
