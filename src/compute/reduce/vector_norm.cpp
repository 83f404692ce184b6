#include "compute/reduce/vector_norm.h"

#include <type_traits>

#include "compute/elementwise/operation.h"
#include "compute/norm/norm.h"
#include "compute/reduce/reduce_nest.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// Folds blocks of numbers into a norm.
class Norm {
 public:
  /// `counts_nan`: the norm of order 0 takes NaN for a number like others, rather than return it.
  Norm(double p, bool counts_nan) : p_(p), nan_(counts_nan ? 1 : __builtin_nan("")) {
    constexpr double infinity = __builtin_inf();
    kind_ = p == 0           ? Kind::count
            : p == 1         ? Kind::sum
            : p == 2         ? Kind::squares
            : p == infinity  ? Kind::largest
            : p == -infinity ? Kind::smallest
                             : Kind::powers;
  }

  double start() const { return kind_ == Kind::smallest ? __builtin_inf() : 0; }

  /// `total` with `n` more numbers, which are overwritten.
  template <class T>
  double add(double total, T* block, int64_t n) const {
    switch (kind_) {
      case Kind::count:
        for (int64_t i = 0; i < n; ++i)
          total += block[i] != block[i] ? nan_ : (block[i] != 0 ? 1 : 0);
        return total;
      case Kind::sum:
        apply<T>(ElementwiseOp::Abs, block, n);
        break;
      case Kind::squares:
        apply<T>(ElementwiseOp::Square, block, n);
        break;
      case Kind::largest:
      case Kind::smallest:
        return extremum(total, block, n);
      case Kind::powers: {
        const T exponent = static_cast<T>(p_);
        apply<T>(ElementwiseOp::Abs, block, n);
        const void* operands[] = {block, &exponent};
        block_loop(ElementwiseOp::Pow, type<T>())(block, operands, 2, n);
      }
    }
    return total + static_cast<double>(norm_row_loops<T>().sum(block, n));
  }

  double finish(double total) const {
    if (kind_ == Kind::squares) apply<double>(ElementwiseOp::Sqrt, &total, 1);
    if (kind_ == Kind::powers) {
      const double exponent = 1 / p_;
      const void* operands[] = {&total, &exponent};
      block_loop(ElementwiseOp::Pow, ComputeType::f64)(&total, operands, 0, 1);
    }
    return total;
  }

 private:
  enum class Kind { count, sum, squares, largest, smallest, powers };

  template <class T>
  static constexpr ComputeType type() {
    return std::is_same_v<T, float> ? ComputeType::f32 : ComputeType::f64;
  }

  template <class T>
  static void apply(ElementwiseOp op, T* block, int64_t n) {
    const void* operands[] = {block};
    block_loop(op, type<T>())(block, operands, 0, n);
  }

  // NaN wins.
  template <class T>
  double extremum(double total, const T* block, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) {
      const double x =
          block[i] < 0 ? -static_cast<double>(block[i]) : static_cast<double>(block[i]);
      const bool better = kind_ == Kind::largest ? x > total : x < total;
      if (total == total && (better || x != x)) total = x;
    }
    return total;
  }

  double p_;
  double nan_;
  Kind kind_;
};

constexpr int64_t kBlock = 512;

/// The norm of the difference of two rows.
template <class T>
T distance(const Norm& norm, const T* a, const T* b, int64_t length) {
  const BlockLoop subtract = block_loop(
      ElementwiseOp::Sub, std::is_same_v<T, float> ? ComputeType::f32 : ComputeType::f64);
  T differences[kBlock];
  double total = norm.start();
  for (int64_t done = 0; done < length; done += kBlock) {
    const int64_t n = length - done < kBlock ? length - done : kBlock;
    const void* operands[] = {a + done, b + done};
    subtract(differences, operands, 0, n);
    total = norm.add(total, differences, n);
  }
  return static_cast<T>(norm.finish(total));
}

/// Rows of results that are worth a thread.
int64_t row_grain(int64_t results, int64_t length) {
  constexpr int64_t kGrain = 16 * 1024;
  const int64_t cost = results * (length + 16);
  return cost >= kGrain ? 1 : kGrain / (cost > 0 ? cost : 1);
}

}  // namespace

void vector_norm(const NormCall& call) {
  const Norm norm(call.p, true);
  const ReduceNest nest(call.in, call.dims, ComputeType::f64, call.out, {}, false);
  const ResultWriter out(call.out, ComputeType::f64);
  if (nest.outputs == 0) return;
  threadpool::parallel_for(0, nest.outputs, output_grain(nest), [&](int64_t first, int64_t last) {
    ReduceBuffer buffer;
    alignas(64) double numbers[kReduceBlock];
    LayoutCursor cursor(nest.kept, first);
    for (; first < last; ++first, cursor.advance(1)) {
      double total = norm.start();
      LayoutCursor elements(nest.reduced, 0);
      for (int64_t done = 0, n = 0; done < nest.count; done += n) {
        const void* block =
            nest.next_block(elements, cursor.offset(0), nest.count - done, buffer.bytes, &n);
        __builtin_memcpy(numbers, block, static_cast<size_t>(n) * sizeof(double));
        total = norm.add(total, numbers, n);
      }
      total = norm.finish(total);
      out.write(cursor.offset(1), 1, &total, 1);
    }
  });
}

template <class T>
void distances(const DistanceCall<T>& call) {
  const Norm norm(call.p, false);
  threadpool::parallel_for(0, call.batches * call.a_rows, row_grain(call.b_rows, call.length),
                           [&](int64_t first, int64_t last) {
                             for (; first < last; ++first) {
                               const int64_t batch = first / call.a_rows, i = first % call.a_rows;
                               const T* a = call.a + batch * call.a_batch_step + i * call.length;
                               const T* b = call.b + batch * call.b_batch_step;
                               for (int64_t j = 0; j < call.b_rows; ++j)
                                 call.out[first * call.b_rows + j] =
                                     distance(norm, a, b + j * call.length, call.length);
                             }
                           });
}

template <class T>
void distances_within(double p, int64_t rows, int64_t length, const T* in, T* out) {
  const Norm norm(p, false);
  threadpool::parallel_for(
      0, rows, row_grain(rows / 2 + 1, length), [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          int64_t pair = i * rows - i * (i + 1) / 2;
          for (int64_t j = i + 1; j < rows; ++j)
            out[pair++] = distance(norm, in + i * length, in + j * length, length);
        }
      });
}

template void distances(const DistanceCall<float>&);
template void distances(const DistanceCall<double>&);
template void distances_within(double, int64_t, int64_t, const float*, float*);
template void distances_within(double, int64_t, int64_t, const double*, double*);

}  // namespace executorch::compute
