#include <cstring>

#include "compute/elementwise/operation.h"
#include "compute/reduce/reduce.h"
#include "compute/reduce/reduce_nest.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

constexpr ElementwiseOp step_of(ScanOp op) {
  switch (op) {
    case ScanOp::Sum:
      return ElementwiseOp::Add;
    case ScanOp::Prod:
      return ElementwiseOp::Mul;
    default:
      return ElementwiseOp::LogAddExp;
  }
}

/// Replaces a block by its running sums or products, beginning with `result`, which is updated.
template <class T>
void accumulate(ScanOp op, void* block, int64_t n, void* result) {
  auto* values = static_cast<T*>(block);
  T running;
  std::memcpy(&running, result, sizeof(running));
  for (int64_t i = 0; i < n; ++i) {
    running = op == ScanOp::Sum ? running + values[i] : running * values[i];
    values[i] = running;
  }
  std::memcpy(result, &running, sizeof(running));
}

/// A first result that changes nothing.
template <class T>
void write_identity(ScanOp op, void* result) {
  const T identity = op == ScanOp::Sum ? 0 : 1;
  std::memcpy(result, &identity, sizeof(identity));
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
    // A step of LogSumExp is worth a call of its vector loop also for a single line.
    const bool columns = call_.op == ScanOp::LogSumExp || nest_.by_columns();
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
      const bool floating = call_.compute == ComputeType::f64;
      alignas(8) char result[8];
      floating ? write_identity<double>(call_.op, result)
               : write_identity<uint64_t>(call_.op, result);
      for (int64_t done = 0; done < nest_.count; done += kReduceBlock) {
        const int64_t n = nest_.count - done < kReduceBlock ? nest_.count - done : kReduceBlock;
        const void* block =
            nest_.read(cursor.offset(0) + done * in_step_, in_step_, n, buffer.bytes);
        if (block != buffer.bytes)
          std::memcpy(buffer.bytes, block, static_cast<size_t>(n * nest_.compute_size()));
        floating ? accumulate<double>(call_.op, buffer.bytes, n, result)
                 : accumulate<uint64_t>(call_.op, buffer.bytes, n, result);
        out_.write(cursor.offset(1) + done * out_step_, out_step_, buffer.bytes, n);
      }
      cursor.advance(1);
    }
  }

  void run_columns(int64_t first, int64_t last) const {
    const BlockLoop step = block_loop(step_of(call_.op), call_.compute);
    alignas(64) char results[kColumnBlock * 8];
    ReduceBuffer buffer;
    LayoutCursor cursor(nest_.kept, first);
    while (first < last) {
      int64_t columns = cursor.left_in_row() < last - first ? cursor.left_in_row() : last - first;
      columns = columns < kColumnBlock ? columns : kColumnBlock;
      for (int64_t r = 0; r < nest_.count; ++r) {
        const void* row = nest_.read(cursor.offset(0) + r * in_step_, nest_.kept.inner_stride(0),
                                     columns, buffer.bytes);
        if (r == 0) {
          std::memcpy(results, row, static_cast<size_t>(columns * nest_.compute_size()));
        } else {
          const void* operands[] = {results, row};
          step(results, operands, 0, columns);
        }
        out_.write(cursor.offset(1) + r * out_step_, nest_.kept.inner_stride(1), results, columns);
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

/// Walks the lines of a running extremum.
template <class T>
class ExtremumScan {
 public:
  explicit ExtremumScan(const ExtremumScanCall& call)
      : call_(call),
        nest_(call.in, uint32_t{1} << call.dim, call.compute, call.values, call.indices, true),
        values_(call.values, call.compute),
        indices_(call.indices, ComputeType::i64) {}

  void run() {
    if (nest_.outputs == 0 || nest_.count == 0) return;
    threadpool::parallel_for(0, nest_.outputs, output_grain(nest_),
                             [&](int64_t first, int64_t last) { run_lines(first, last); });
  }

 private:
  struct Running {
    T value;
    int64_t index;
  };

  void run_lines(int64_t first, int64_t last) const {
    const int64_t in_step = call_.in.strides[call_.dim];
    const int64_t value_step = call_.values.strides[call_.dim];
    const int64_t index_step = call_.indices.strides[call_.dim];
    ReduceBuffer buffer;
    T values[kReduceBlock];
    int64_t indices[kReduceBlock];
    LayoutCursor cursor(nest_.kept, first);
    for (; first < last; ++first, cursor.advance(1)) {
      Running running = {};
      for (int64_t done = 0; done < nest_.count; done += kReduceBlock) {
        const int64_t n = nest_.count - done < kReduceBlock ? nest_.count - done : kReduceBlock;
        const auto* block = static_cast<const T*>(
            nest_.read(cursor.offset(0) + done * in_step, in_step, n, buffer.bytes));
        for (int64_t i = 0; i < n; ++i) {
          take(block[i], done + i, running);
          values[i] = running.value;
          indices[i] = running.index;
        }
        values_.write(cursor.offset(1) + done * value_step, value_step, values, n);
        indices_.write(cursor.offset(2) + done * index_step, index_step, indices, n);
      }
    }
  }

  void take(T value, int64_t index, Running& running) const {
    const bool better = call_.largest ? value >= running.value : value <= running.value;
    if (index == 0 || value != value || (running.value == running.value && better))
      running = {value, index};
  }

  const ExtremumScanCall& call_;
  ReduceNest nest_;
  ResultWriter values_;
  ResultWriter indices_;
};

}  // namespace

void scan(const ScanCall& call) {
  ScanTask(call).run();
}

void scan_extremum(const ExtremumScanCall& call) {
  call.compute == ComputeType::f64 ? ExtremumScan<double>(call).run()
                                   : ExtremumScan<int64_t>(call).run();
}

}  // namespace executorch::compute
