#include "compute/elementwise/operation.h"
#include "compute/reduce/columns.h"
#include "compute/reduce/partial_results.h"
#include "compute/reduce/reduce.h"
#include "compute/reduce/reduce_nest.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

constexpr ComputeType kCompute = ComputeType::f64;

class VarianceTask {
 public:
  explicit VarianceTask(const VarianceCall& call)
      : call_(call),
        nest_(call.in, call.dims, kCompute, call.variance, call.mean, false),
        variance_(call.variance, kCompute),
        mean_(call.mean, kCompute) {
    const double freedom = static_cast<double>(nest_.count) - call.correction;
    divisor_ = freedom > 0 && nest_.count > 0 ? freedom : 0;
  }

  void run() {
    if (nest_.outputs == 0) return;
    const bool columns = nest_.by_columns();
    const int64_t grain = output_grain(nest_);
    threadpool::parallel_for(0, nest_.outputs, grain, [&](int64_t first, int64_t last) {
      columns ? run_columns(first, last) : run_outputs(first, last);
    });
  }

 private:
  template <class F>
  double sum_blocks(int64_t base, F block_sum) const {
    if (nest_.count == 0) return 0;
    PairwiseTree tree(
        block_reductions().reduce[static_cast<int>(ReduceOp::Sum)][static_cast<int>(kCompute)],
        sizeof(double));
    ReduceBuffer buffer;
    LayoutCursor cursor(nest_.reduced, 0);
    for (int64_t done = 0; done < nest_.count;) {
      int64_t n;
      const auto* block = static_cast<const double*>(
          nest_.next_block(cursor, base, nest_.count - done, buffer.bytes, &n));
      const double sum = block_sum(block, n);
      tree.add(&sum);
      done += n;
    }
    double total;
    tree.total(&total);
    return total;
  }

  void run_outputs(int64_t first, int64_t last) const {
    const BlockReductions& loops = block_reductions();
    const auto add = loops.reduce[static_cast<int>(ReduceOp::Sum)][static_cast<int>(kCompute)];
    LayoutCursor cursor(nest_.kept, first);
    for (; first < last; ++first) {
      const int64_t base = cursor.offset(0);
      double mean = sum_blocks(base, [&](const double* block, int64_t n) {
        double sum;
        add(&sum, block, n);
        return sum;
      });
      mean /= static_cast<double>(nest_.count);
      double variance = sum_blocks(
          base, [&](const double* block, int64_t n) { return loops.square_sum(block, n, mean); });
      finish(cursor, &variance, &mean, 1);
      cursor.advance(1);
    }
  }

  template <class F>
  void add_rows(ColumnAccumulator& sum, int64_t base, int64_t columns, F prepare) const {
    ReduceBuffer buffer;
    LayoutCursor cursor(nest_.reduced, 0);
    for (int64_t r = 0; r < nest_.count; ++r) {
      const void* row =
          nest_.read(base + cursor.offset(0), nest_.kept.inner_stride(0), columns, buffer.bytes);
      sum.add(prepare(row, buffer.bytes));
      cursor.advance(1);
    }
  }

  void run_columns(int64_t first, int64_t last) const {
    const BlockLoop subtract = block_loop(ElementwiseOp::Sub, kCompute);
    const BlockLoop square = block_loop(ElementwiseOp::Square, kCompute);
    LayoutCursor cursor(nest_.kept, first);
    while (first < last) {
      int64_t columns = cursor.left_in_row() < last - first ? cursor.left_in_row() : last - first;
      columns = columns < kColumnBlock ? columns : kColumnBlock;
      double mean[kColumnBlock], variance[kColumnBlock];
      ColumnAccumulator sum(ReduceOp::Sum, kCompute, columns);
      add_rows(sum, cursor.offset(0), columns, [](const void* row, void*) { return row; });
      const double count = static_cast<double>(nest_.count);
      divide(mean, sum.total(), count, columns);
      ColumnAccumulator squares(ReduceOp::Sum, kCompute, columns);
      add_rows(squares, cursor.offset(0), columns,
               [&](const void* row, void* buffer) -> const void* {
                 const void* operands[] = {row, mean};
                 subtract(buffer, operands, 0, columns);
                 const void* difference[] = {buffer};
                 square(buffer, difference, 0, columns);
                 return buffer;
               });
      std::memcpy(variance, squares.total(), static_cast<size_t>(columns) * sizeof(double));
      finish(cursor, variance, mean, columns);
      cursor.advance(columns);
      first += columns;
    }
  }

  static void divide(double* out, const void* values, double divisor, int64_t n) {
    const void* operands[] = {values, &divisor};
    block_loop(ElementwiseOp::Div, kCompute)(out, operands, 2, n);
  }

  /// Turns sums of squares into results and stores both.
  void finish(const LayoutCursor& cursor, double* variance, const double* mean, int64_t n) const {
    if (variance_.wanted()) {
      divide(variance, variance, divisor_, n);
      if (call_.square_root) {
        const void* operands[] = {variance};
        block_loop(ElementwiseOp::Sqrt, kCompute)(variance, operands, 0, n);
      }
      variance_.write(cursor.offset(1), n == 1 ? 1 : nest_.kept.inner_stride(1), variance, n);
    }
    if (mean_.wanted())
      mean_.write(cursor.offset(2), n == 1 ? 1 : nest_.kept.inner_stride(2), mean, n);
  }

  const VarianceCall& call_;
  ReduceNest nest_;
  ResultWriter variance_;
  ResultWriter mean_;
  double divisor_;
};

}  // namespace

void variance(const VarianceCall& call) {
  VarianceTask(call).run();
}

}  // namespace executorch::compute
