#include "compute/norm/norm.h"

#include <cmath>
#include <limits>

#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(NormLoops, norm_loops);

namespace {

/// Elements that are worth a thread of their own.
constexpr int64_t kGrainElements = 16 * 1024;

int64_t grain_for(int64_t elements_per_item) {
  const int64_t grain = kGrainElements / (elements_per_item > 0 ? elements_per_item : 1);
  return grain > 0 ? grain : 1;
}

/// Columns handed to one thread at a time: whole cache lines.
constexpr int64_t kColumnBlock = 64;

template <class T>
T reciprocal_deviation(T variance, double eps) {
  return static_cast<T>(1) / std::sqrt(variance + static_cast<T>(eps));
}

}  // namespace

template <class T>
void softmax(SoftmaxKind kind, const DenseAxis& axis, const T* in, T* out) {
  const NormRowLoops<T>& l = norm_row_loops<T>();
  const bool logarithm = kind == SoftmaxKind::LogSoftmax;
  if (axis.count == 0 || axis.inner == 0) return;
  if (axis.inner == 1) {
    const auto rows = logarithm ? l.log_softmax_rows : l.softmax_rows;
    threadpool::parallel_for(0, axis.outer, grain_for(axis.count),
                             [&](int64_t first, int64_t last) {
                               const int64_t offset = first * axis.count;
                               rows(in + offset, out + offset, last - first, axis.count);
                             });
    return;
  }
  const auto columns = logarithm ? l.log_softmax_columns : l.softmax_columns;
  const int64_t blocks = (axis.inner + kColumnBlock - 1) / kColumnBlock;
  threadpool::parallel_for(0, axis.outer * blocks, grain_for(axis.count * kColumnBlock),
                           [&](int64_t first, int64_t last) {
                             for (int64_t i = first; i < last; ++i) {
                               const int64_t column = i % blocks * kColumnBlock;
                               const int64_t width = axis.inner - column < kColumnBlock
                                                         ? axis.inner - column
                                                         : kColumnBlock;
                               const int64_t offset = i / blocks * axis.count * axis.inner + column;
                               columns(in + offset, out + offset, axis.count, axis.inner, width);
                             }
                           });
}

template <class T>
Moments<T> moments(const T* in, int64_t n) {
  if (n == 0) return {0, std::numeric_limits<T>::quiet_NaN()};
  const NormRowLoops<T>& l = norm_row_loops<T>();
  const T mean = l.sum(in, n) / static_cast<T>(n);
  return {mean, l.square_sum(in, n, mean) / static_cast<T>(n)};
}

template <class T>
void layer_norm(int64_t rows, int64_t n, const T* in, const T* weight, const T* bias, double eps,
                T* out, T* mean, T* rstd) {
  const NormRowLoops<T>& l = norm_row_loops<T>();
  threadpool::parallel_for(0, rows, grain_for(n), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const Moments<T> row = moments(in + i * n, n);
      const T scale = reciprocal_deviation(row.variance, eps);
      l.normalize(in + i * n, out + i * n, n, row.mean, scale, weight, bias);
      if (mean != nullptr) mean[i] = row.mean;
      if (rstd != nullptr) rstd[i] = scale;
    }
  });
}

template <class T>
void rms_norm(int64_t rows, int64_t n, const T* in, const T* weight, double eps, T* out) {
  const NormRowLoops<T>& l = norm_row_loops<T>();
  threadpool::parallel_for(0, rows, grain_for(n), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const T square = l.square_sum(in + i * n, n, 0) / static_cast<T>(n);
      l.normalize(in + i * n, out + i * n, n, 0, reciprocal_deviation(square, eps), weight,
                  nullptr);
    }
  });
}

template <class T>
void scale_shift(const DenseAxis& axis, const T* in, const T* scale, const T* shift, T* out) {
  const NormRowLoops<T>& l = norm_row_loops<T>();
  if (axis.inner == 1) {
    threadpool::parallel_for(
        0, axis.outer, grain_for(axis.count), [&](int64_t first, int64_t last) {
          for (int64_t i = first; i < last; ++i) {
            l.scale_shift_each(in + i * axis.count, out + i * axis.count, axis.count, scale, shift);
          }
        });
    return;
  }
  threadpool::parallel_for(
      0, axis.outer * axis.count, grain_for(axis.inner), [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          const int64_t c = i % axis.count;
          l.scale_shift(in + i * axis.inner, out + i * axis.inner, axis.inner, scale[c], shift[c]);
        }
      });
}

/// Moments of one channel. The stretches may be many and short: their sums add up in double.
template <class T>
void channel_moments_of(const DenseAxis& axis, const T* values, T* mean, T* variance) {
  const NormRowLoops<T>& l = norm_row_loops<T>();
  const int64_t stride = axis.count * axis.inner;
  const double count = static_cast<double>(axis.outer) * static_cast<double>(axis.inner);
  double sum = 0;
  for (int64_t o = 0; o < axis.outer; ++o) sum += l.sum(values + o * stride, axis.inner);
  *mean = static_cast<T>(sum / count);
  double squares = 0;
  for (int64_t o = 0; o < axis.outer; ++o) {
    squares += l.square_sum(values + o * stride, axis.inner, *mean);
  }
  *variance = static_cast<T>(squares / count);
}

template <class T>
void channel_moments(const DenseAxis& axis, const T* in, T* mean, T* variance) {
  // An input without elements may have no memory to step through.
  const int64_t step = axis.outer > 0 ? axis.inner : 0;
  threadpool::parallel_for(0, axis.count, grain_for(axis.outer * axis.inner),
                           [&](int64_t first, int64_t last) {
                             for (int64_t c = first; c < last; ++c) {
                               channel_moments_of(axis, in + c * step, mean + c, variance + c);
                             }
                           });
}

#define EXECUTORCH_INSTANTIATE_NORM(T__)                                                      \
  template void softmax<T__>(SoftmaxKind, const DenseAxis&, const T__*, T__*);                \
  template void layer_norm<T__>(int64_t, int64_t, const T__*, const T__*, const T__*, double, \
                                T__*, T__*, T__*);                                            \
  template void rms_norm<T__>(int64_t, int64_t, const T__*, const T__*, double, T__*);        \
  template void scale_shift<T__>(const DenseAxis&, const T__*, const T__*, const T__*, T__*); \
  template Moments<T__> moments<T__>(const T__*, int64_t);                                    \
  template void channel_moments<T__>(const DenseAxis&, const T__*, T__*, T__*);
EXECUTORCH_INSTANTIATE_NORM(float)
EXECUTORCH_INSTANTIATE_NORM(double)
#undef EXECUTORCH_INSTANTIATE_NORM

}  // namespace executorch::compute
