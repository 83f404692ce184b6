#include "compute/reduce/reduce.h"

#include "compute/elementwise/operation.h"
#include "compute/reduce/columns.h"
#include "compute/reduce/partial_results.h"
#include "compute/reduce/reduce_nest.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// A single output's elements are shared among threads from this length on, in at most kMaxChunks
/// pieces whose borders depend on the length only.
constexpr int64_t kMinChunk = 64 * kReduceBlock;
constexpr int64_t kMaxChunks = 256;
/// Up to this many outputs are computed one after the other, each by all threads.
constexpr int64_t kFewOutputs = 8;

int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/// A number of any real compute type.
template <class T>
void put(void* to, T value) {
  std::memcpy(to, &value, sizeof(value));
}
void put_number(void* to, ComputeType type, double value) {
  switch (type) {
    case ComputeType::f32:
      return put(to, static_cast<float>(value));
    case ComputeType::f64:
      return put(to, value);
    case ComputeType::i32:
      return put(to, static_cast<int32_t>(value));
    default:
      return put(to, static_cast<int64_t>(value));
  }
}

class Reducer {
 public:
  explicit Reducer(const ReduceCall& call);
  void run();

 private:
  struct Partial {
    alignas(8) char value[8];
    int64_t index;
  };

  void run_outputs(int64_t first, int64_t last) const;
  void run_rows(int64_t first, int64_t last) const;
  bool chooses_bytes() const;
  void run_byte_rows(int64_t first, int64_t last) const;
  void run_columns(int64_t first, int64_t last) const;
  void run_few() const;
  void track_columns(int64_t base, int64_t columns, char* values, int64_t* indices) const;
  void sum_columns(int64_t base, int64_t columns, char* values) const;
  Partial reduce_range(int64_t base, int64_t first, int64_t last) const;
  Partial track_range(int64_t base, int64_t first, int64_t last) const;
  Partial combine(const Partial* partials, int64_t count) const;
  Partial identity() const;
  const void* truth(const void* block, void* buffer, int64_t n) const;
  void finish(int64_t out, int64_t out_stride, int64_t index, int64_t index_stride, char* values,
              const int64_t* indices, int64_t n) const;
  bool better(const void* value, const void* best) const;

  int op() const { return static_cast<int>(base_); }
  int type() const { return static_cast<int>(call_.compute); }

  const ReduceCall& call_;
  const BlockReductions& loops_;
  ReduceOp base_;  // Sum, Prod, Max or Min
  bool logical_;
  bool positions_;
  ReduceNest nest_;
  ResultWriter out_;
  ResultWriter index_out_;
};

ReduceOp base_operation(ReduceOp op) {
  if (op == ReduceOp::Any) return ReduceOp::Max;
  if (op == ReduceOp::All) return ReduceOp::Min;
  return op;
}

Reducer::Reducer(const ReduceCall& call)
    : call_(call),
      loops_(block_reductions()),
      base_(base_operation(call.op)),
      logical_(base_ != call.op),
      positions_(call.indices.data != nullptr),
      nest_(call.in, call.dims, call.compute, call.out, call.indices, positions_),
      out_(call.out, call.compute),
      index_out_(call.indices, ComputeType::i64) {}

void Reducer::run() {
  if (nest_.outputs == 0) return;
  const bool few = nest_.outputs <= kFewOutputs && nest_.count >= 2 * kMinChunk;
  if (few) return run_few();
  int64_t grain = output_grain(nest_);
  void (Reducer::*work)(int64_t, int64_t) const = &Reducer::run_outputs;
  if (nest_.by_rows() && !positions_) {
    work = chooses_bytes() ? &Reducer::run_byte_rows : &Reducer::run_rows;
  } else if (nest_.by_columns()) {
    work = &Reducer::run_columns;
    grain = (grain + kColumnBlock - 1) / kColumnBlock * kColumnBlock;
  }
  threadpool::parallel_for(0, nest_.outputs, grain,
                           [&](int64_t first, int64_t last) { (this->*work)(first, last); });
}

Reducer::Partial Reducer::identity() const {
  Partial partial = {};
  const bool one = call_.op == ReduceOp::Prod || call_.op == ReduceOp::All;
  put_number(partial.value, call_.compute, one ? 1 : 0);
  return partial;
}

/// Converts to 0 and 1 where the reduction is a logical one.
const void* Reducer::truth(const void* block, void* buffer, int64_t n) const {
  if (!logical_) return block;
  const int64_t zero = 0;
  const void* operands[] = {block, &zero};
  block_loop(ElementwiseOp::Ne, call_.compute)(buffer, operands, 2, n);
  return buffer;
}

/// Divides `n` results by the call's divisor.
void divide(const ReduceCall& call, void* values, int64_t n) {
  if (call.divisor == 1) return;
  alignas(8) char divisor[8];
  put_number(divisor, call.compute, call.divisor);
  const void* operands[] = {values, divisor};
  const bool floating = call.compute == ComputeType::f32 || call.compute == ComputeType::f64;
  block_loop(floating ? ElementwiseOp::Div : ElementwiseOp::DivTrunc, call.compute)(values,
                                                                                    operands, 2, n);
}

/// Divides and stores `n` results.
void Reducer::finish(int64_t out, int64_t out_stride, int64_t index, int64_t index_stride,
                     char* values, const int64_t* indices, int64_t n) const {
  if (out_.wanted()) {
    divide(call_, values, n);
    out_.write(out, out_stride, values, n);
  }
  if (positions_) index_out_.write(index, index_stride, indices, n);
}

// ---- output by output ----

Reducer::Partial Reducer::reduce_range(int64_t base, int64_t first, int64_t last) const {
  if (first == last) return identity();
  if (positions_) return track_range(base, first, last);
  const auto reduce = loops_.reduce[op()][type()];
  PairwiseTree tree(reduce, nest_.compute_size());
  ReduceBuffer buffer;
  Partial partial = {};
  LayoutCursor cursor(nest_.reduced, first);
  while (first < last) {
    int64_t n;
    const void* block = nest_.next_block(cursor, base, last - first, buffer.bytes, &n);
    reduce(partial.value, truth(block, buffer.bytes, n), n);
    first += n;
    tree.add(partial.value);
  }
  tree.total(partial.value);
  return partial;
}

/// A value replaces the best before it when the two together reduce to something that the best
/// alone is not.
bool Reducer::better(const void* value, const void* best) const {
  int64_t unused;
  alignas(8) char copy[8];
  std::memcpy(copy, best, sizeof(copy));
  unused = 0;
  loops_.track[base_ == ReduceOp::Max ? 0 : 1][type()](copy, &unused, value, 1, 1);
  return unused == 1;
}

Reducer::Partial Reducer::track_range(int64_t base, int64_t first, int64_t last) const {
  const auto reduce = loops_.reduce[op()][type()];
  ReduceBuffer buffer;
  Partial best = {};
  bool started = false;
  LayoutCursor cursor(nest_.reduced, first);
  while (first < last) {
    int64_t n;
    const void* block = nest_.next_block(cursor, base, last - first, buffer.bytes, &n);
    Partial found = {};
    reduce(found.value, block, n);
    if (!started || better(found.value, best.value)) {
      found.index = first + loops_.find[type()](block, n, found.value);
      best = found;
      started = true;
    }
    first += n;
  }
  return best;
}

Reducer::Partial Reducer::combine(const Partial* partials, int64_t count) const {
  if (positions_) {
    Partial best = partials[0];
    for (int64_t i = 1; i < count; ++i) {
      if (better(partials[i].value, best.value)) best = partials[i];
    }
    return best;
  }
  PairwiseTree tree(loops_.reduce[op()][type()], nest_.compute_size());
  for (int64_t i = 0; i < count; ++i) tree.add(partials[i].value);
  Partial total = {};
  tree.total(total.value);
  return total;
}

void Reducer::run_outputs(int64_t first, int64_t last) const {
  LayoutCursor cursor(nest_.kept, first);
  for (; first < last; ++first) {
    Partial result = reduce_range(cursor.offset(0), 0, nest_.count);
    finish(cursor.offset(1), 1, cursor.offset(2), 1, result.value, &result.index, 1);
    cursor.advance(1);
  }
}

/// Rows of one block each: nothing to combine, and results are stored many at a time.
void Reducer::run_rows(int64_t first, int64_t last) const {
  alignas(64) char values[kColumnBlock * 8];
  const auto reduce = loops_.rows[op()][type()];
  const int64_t step = nest_.kept.inner_stride(0);
  const bool in_place = nest_.reads_in_place(1) && !logical_;
  // Rows that are converted go through the buffer as many at a time as it holds, if they adjoin.
  const int64_t at_once = in_place              ? kColumnBlock
                          : step == nest_.count ? kReduceBlock / nest_.count
                                                : 1;
  ReduceBuffer buffer;
  LayoutCursor cursor(nest_.kept, first);
  while (first < last) {
    const int64_t rows = smaller(smaller(cursor.left_in_row(), last - first), kColumnBlock);
    for (int64_t r = 0; r < rows; r += at_once) {
      const int64_t part = smaller(at_once, rows - r);
      const int64_t n = part * nest_.count;
      const void* row = nest_.read(cursor.offset(0) + r * step, 1, n, buffer.bytes);
      reduce(values + r * nest_.compute_size(), truth(row, buffer.bytes, n), step, part,
             nest_.count);
    }
    finish(cursor.offset(1), nest_.kept.inner_stride(1), 0, 0, values, nullptr, rows);
    cursor.advance(rows);
    first += rows;
  }
}

/// Extrema of bytes are found without widening them.
bool Reducer::chooses_bytes() const {
  const bool bytes = call_.in.dtype == DType::u8 || call_.in.dtype == DType::i8;
  return bytes && call_.compute == ComputeType::i32 &&
         (call_.op == ReduceOp::Max || call_.op == ReduceOp::Min);
}

void Reducer::run_byte_rows(int64_t first, int64_t last) const {
  alignas(64) char values[kColumnBlock * 8];
  const auto reduce =
      loops_.byte_rows[call_.in.dtype == DType::i8][call_.op == ReduceOp::Max ? 0 : 1];
  const int64_t step = nest_.kept.inner_stride(0);
  const auto* data = static_cast<const char*>(call_.in.data);
  LayoutCursor cursor(nest_.kept, first);
  while (first < last) {
    const int64_t rows = smaller(smaller(cursor.left_in_row(), last - first), kColumnBlock);
    reduce(reinterpret_cast<int32_t*>(values), data + cursor.offset(0), step, rows, nest_.count);
    finish(cursor.offset(1), nest_.kept.inner_stride(1), 0, 0, values, nullptr, rows);
    cursor.advance(rows);
    first += rows;
  }
}

void Reducer::run_few() const {
  int64_t chunk = (nest_.count + kMaxChunks - 1) / kMaxChunks;
  chunk = (chunk + kMinChunk - 1) / kMinChunk * kMinChunk;
  const int64_t chunks = (nest_.count + chunk - 1) / chunk;
  LayoutCursor cursor(nest_.kept, 0);
  for (int64_t output = 0; output < nest_.outputs; ++output) {
    Partial partials[kMaxChunks];
    threadpool::parallel_for(0, chunks, 1, [&](int64_t first, int64_t last) {
      for (int64_t c = first; c < last; ++c) {
        partials[c] =
            reduce_range(cursor.offset(0), c * chunk, smaller((c + 1) * chunk, nest_.count));
      }
    });
    Partial result = combine(partials, chunks);
    finish(cursor.offset(1), 1, cursor.offset(2), 1, result.value, &result.index, 1);
    cursor.advance(1);
  }
}

// ---- columns side by side ----

void Reducer::track_columns(int64_t base, int64_t columns, char* values, int64_t* indices) const {
  const auto track = loops_.track[base_ == ReduceOp::Max ? 0 : 1][type()];
  const int64_t stride = nest_.kept.inner_stride(0);
  ReduceBuffer buffer;
  LayoutCursor cursor(nest_.reduced, 0);
  for (int64_t r = 0; r < nest_.count; ++r) {
    const void* row = nest_.read(base + cursor.offset(0), stride, columns, buffer.bytes);
    if (r == 0) {
      std::memcpy(values, row, static_cast<size_t>(columns * nest_.compute_size()));
      std::memset(indices, 0, static_cast<size_t>(columns) * sizeof(int64_t));
    } else {
      track(values, indices, row, columns, r);
    }
    cursor.advance(1);
  }
}

void Reducer::sum_columns(int64_t base, int64_t columns, char* values) const {
  ColumnAccumulator accumulator(base_, call_.compute, columns);
  const int64_t stride = nest_.kept.inner_stride(0);
  const bool in_place = nest_.reads_in_place(stride) && !logical_;
  const int64_t step = nest_.reduced.inner_stride(0);
  // Rows that are converted go through the buffer as many at a time as it holds, if they adjoin.
  const int64_t at_once = in_place                         ? nest_.count
                          : stride == 1 && step == columns ? kReduceBlock / columns
                                                           : 1;
  ReduceBuffer buffer;
  LayoutCursor cursor(nest_.reduced, 0);
  for (int64_t r = 0; r < nest_.count;) {
    const int64_t rows = smaller(cursor.left_in_row(), at_once);
    const int64_t n = rows * columns;
    const void* row = nest_.read(base + cursor.offset(0), stride, n, buffer.bytes);
    accumulator.add(truth(row, buffer.bytes, n), step, rows);
    cursor.advance(rows);
    r += rows;
  }
  std::memcpy(values, accumulator.total(), static_cast<size_t>(columns * nest_.compute_size()));
}

void Reducer::run_columns(int64_t first, int64_t last) const {
  alignas(64) char values[kColumnBlock * 8];
  int64_t indices[kColumnBlock];
  LayoutCursor cursor(nest_.kept, first);
  while (first < last) {
    const int64_t columns = smaller(smaller(cursor.left_in_row(), last - first), kColumnBlock);
    if (positions_) {
      track_columns(cursor.offset(0), columns, values, indices);
    } else {
      sum_columns(cursor.offset(0), columns, values);
    }
    finish(cursor.offset(1), nest_.kept.inner_stride(1), cursor.offset(2),
           nest_.kept.inner_stride(2), values, indices, columns);
    cursor.advance(columns);
    first += columns;
  }
}

/// A small row-major matrix of the compute type: one call of a loop, in the order of additions that
/// the Reducer has. False for anything else.
bool reduce_small_matrix(const ReduceCall& call) {
  constexpr int64_t kSmall = 4096, kLeast = 16, kMostRows = 32;
  const ReduceSource& in = call.in;
  if (in.rank != 2 || (call.dims != 1 && call.dims != 2) || call.indices.data != nullptr ||
      call.out.data == nullptr || call.op == ReduceOp::Any || call.op == ReduceOp::All ||
      in.dtype != storage_type(call.compute) || call.out.dtype != in.dtype) {
    return false;
  }
  const int64_t rows = in.sizes[0], columns = in.sizes[1];
  if (in.strides[0] != columns || in.strides[1] != 1 || rows < kLeast || columns < kLeast ||
      rows * columns > kSmall) {
    return false;
  }
  const auto op = static_cast<size_t>(call.op), type = static_cast<size_t>(call.compute);
  if (call.dims == 2) {
    if (columns > kReduceBlock || call.out.strides[0] != 1) return false;
    block_reductions().rows[op][type](call.out.data, in.data, columns, rows, columns);
  } else {
    if (rows > kMostRows || call.out.strides[1] != 1) return false;
    block_reductions().columns[op][type](call.out.data, in.data, columns, rows, columns, false);
  }
  divide(call, call.out.data, call.dims == 2 ? rows : columns);
  return true;
}

}  // namespace

void reduce(const ReduceCall& call) {
  if (!reduce_small_matrix(call)) Reducer(call).run();
}

}  // namespace executorch::compute
