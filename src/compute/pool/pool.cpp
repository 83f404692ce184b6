#include "compute/pool/pool.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "compute/pool/pool_kernels.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(PoolKernels, pool_kernels);

namespace {

/// Positions first, first + step, … of one dimension, `count` of them.
struct Span1d {
  int64_t first, step, count;
};

int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

/// The positions of a window that lie in the image.
Span1d window_span(int64_t out, int64_t stride, int64_t pad, int64_t kernel, int64_t dilation,
                   int64_t size) {
  const int64_t start = out * stride - pad;
  const int64_t skipped = start < 0 ? divide_up(-start, dilation) : 0;
  const int64_t first = start + skipped * dilation;
  const int64_t inside = first >= size ? 0 : (size - 1 - first) / dilation + 1;
  return {first, dilation, std::clamp<int64_t>(kernel - skipped, 0, inside)};
}

Span1d adaptive_span(int64_t out, int64_t in_size, int64_t out_size) {
  const int64_t first = out * in_size / out_size;
  return {first, 1, divide_up((out + 1) * in_size, out_size) - first};
}

/// Where the values of an image lie.
struct Layout {
  int64_t image, channel, row, column;
};

Layout layout_of(const PoolShape& s, int64_t height, int64_t width) {
  return s.channels_last ? Layout{height * width * s.channels, 1, width * s.channels, s.channels}
                         : Layout{height * width * s.channels, height * width, width, 1};
}

template <class T>
T smallest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::lowest();
}

template <class T>
bool is_nan(T value) {
  return value != value;
}

/// A window of one channel.
template <class T>
struct Cells {
  const T* plane;
  Span1d y, x;
  int64_t row, column;  ///< strides
  int64_t in_width;

  template <class F>
  void each(F f) const {
    for (int64_t i = 0; i < y.count; ++i) {
      const int64_t iy = y.first + i * y.step;
      for (int64_t j = 0; j < x.count; ++j) {
        const int64_t ix = x.first + j * x.step;
        f(plane[iy * row + ix * column], iy * in_width + ix);
      }
    }
  }
};

template <class T>
void max_cell(const Cells<T>& cells, T* out, int64_t* index) {
  T best = smallest<T>();
  // A window outside the image reports where it starts, as eager does.
  int64_t place = cells.y.first * cells.in_width + cells.x.first;
  cells.each([&](T value, int64_t position) {
    if (value > best || is_nan(value)) {
      best = value;
      place = position;
    }
  });
  *out = best;
  if (index != nullptr) *index = place;
}

template <class T>
void average_cell(const Cells<T>& cells, double divisor, T* out) {
  double sum = 0;
  cells.each([&](T value, int64_t) { sum += static_cast<double>(value); });
  *out = static_cast<T>(sum / divisor);
}

/// Calls f(image, y, x) for each output pixel, in parallel over output rows.
template <class F>
void each_pixel(const PoolShape& s, int64_t cells, F f) {
  const double row_work = static_cast<double>(s.out_width) * static_cast<double>(s.channels) *
                          static_cast<double>(std::max<int64_t>(cells, 1));
  const int64_t grain = std::max<int64_t>(static_cast<int64_t>(32.0 * 1024 / (row_work + 1)), 1);
  threadpool::parallel_for(0, s.batch * s.out_height, grain, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      for (int64_t x = 0; x < s.out_width; ++x) f(row / s.out_height, row % s.out_height, x);
    }
  });
}

/// Calls f(cells, output offset) for each output value of one pixel.
template <class T, class F>
void each_channel(const PoolShape& s, const T* in, int64_t image, int64_t oy, int64_t ox,
                  const Span1d& y, const Span1d& x, F f) {
  const Layout from = layout_of(s, s.in_height, s.in_width),
               to = layout_of(s, s.out_height, s.out_width);
  for (int64_t c = 0; c < s.channels; ++c) {
    const Cells<T> cells{
        in + image * from.image + c * from.channel, y, x, from.row, from.column, s.in_width};
    f(cells, image * to.image + c * to.channel + oy * to.row + ox * to.column);
  }
}

PoolWindow float_window(const PoolShape& s, const float* in, int64_t image, const Span1d& y,
                        const Span1d& x) {
  const Layout layout = layout_of(s, s.in_height, s.in_width);
  return {in + image * layout.image + y.first * layout.row + x.first * layout.column, y.count,
          y.step * layout.row, x.count, x.step * layout.column};
}

int64_t window_cells(const PoolShape& s) {
  return s.kernel_height * s.kernel_width;
}

/// Averages whose windows and divisors f(oy, ox, &y, &x) yields.
template <class T, class F>
void average(const PoolShape& s, int64_t cells, const T* in, T* out, F spans) {
  each_pixel(s, cells, [&](int64_t image, int64_t oy, int64_t ox) {
    Span1d y, x;
    const double divisor = spans(oy, ox, &y, &x);
    if constexpr (std::is_same_v<T, float>) {
      if (s.channels_last && y.count > 0 && x.count > 0) {
        const int64_t pixel = (image * s.out_height + oy) * s.out_width + ox;
        pool_kernels().average(float_window(s, in, image, y, x), s.channels,
                               static_cast<float>(divisor), out + pixel * s.channels);
        return;
      }
    }
    each_channel(s, in, image, oy, ox, y, x, [&](const Cells<T>& window, int64_t offset) {
      average_cell(window, divisor, out + offset);
    });
  });
}

/// Cells of a window in one dimension when padding counts but what lies beyond it does not.
int64_t padded_cells(int64_t out, int64_t stride, int64_t pad, int64_t kernel, int64_t size,
                     int64_t far_pad) {
  const int64_t start = out * stride - pad;
  return std::max<int64_t>(std::min(start + kernel, size + (far_pad < 0 ? pad : far_pad)) - start,
                           0);
}

}  // namespace

template <class T>
void max_pool2d(const PoolShape& s, const T* in, T* out, int64_t* indices) noexcept {
  each_pixel(s, window_cells(s), [&](int64_t image, int64_t oy, int64_t ox) {
    const Span1d y = window_span(oy, s.stride_height, s.pad_height, s.kernel_height,
                                 s.dilation_height, s.in_height);
    const Span1d x =
        window_span(ox, s.stride_width, s.pad_width, s.kernel_width, s.dilation_width, s.in_width);
    if constexpr (std::is_same_v<T, float>) {
      if (s.channels_last && indices == nullptr && y.count > 0 && x.count > 0) {
        const int64_t pixel = (image * s.out_height + oy) * s.out_width + ox;
        pool_kernels().max(float_window(s, in, image, y, x), s.channels, out + pixel * s.channels);
        return;
      }
    }
    each_channel(s, in, image, oy, ox, y, x, [&](const Cells<T>& cells, int64_t offset) {
      max_cell(cells, out + offset, indices == nullptr ? nullptr : indices + offset);
    });
  });
}

template <class T>
void avg_pool2d(const PoolShape& s, const AverageDivisor& divisor, const T* in, T* out) noexcept {
  average(s, window_cells(s), in, out, [&](int64_t oy, int64_t ox, Span1d* y, Span1d* x) {
    *y = window_span(oy, s.stride_height, s.pad_height, s.kernel_height, 1, s.in_height);
    *x = window_span(ox, s.stride_width, s.pad_width, s.kernel_width, 1, s.in_width);
    if (divisor.override_value != 0) return static_cast<double>(divisor.override_value);
    if (!divisor.count_include_pad) return static_cast<double>(y->count * x->count);
    return static_cast<double>(padded_cells(oy, s.stride_height, s.pad_height, s.kernel_height,
                                            s.in_height, divisor.pad_bottom) *
                               padded_cells(ox, s.stride_width, s.pad_width, s.kernel_width,
                                            s.in_width, divisor.pad_right));
  });
}

template <class T>
void adaptive_avg_pool2d(const PoolShape& s, const T* in, T* out) noexcept {
  const int64_t cells = s.in_height * s.in_width / std::max<int64_t>(s.out_height * s.out_width, 1);
  average(s, cells, in, out, [&](int64_t oy, int64_t ox, Span1d* y, Span1d* x) {
    *y = adaptive_span(oy, s.in_height, s.out_height);
    *x = adaptive_span(ox, s.in_width, s.out_width);
    return static_cast<double>(y->count * x->count);
  });
}

#define EXECUTORCH_MAX_POOL(type__)                                                        \
  template EXECUTORCH_COMPUTE_API void max_pool2d<type__>(const PoolShape&, const type__*, \
                                                          type__*, int64_t*) noexcept;
EXECUTORCH_MAX_POOL(float)
EXECUTORCH_MAX_POOL(double)
EXECUTORCH_MAX_POOL(int8_t)
EXECUTORCH_MAX_POOL(uint8_t)
EXECUTORCH_MAX_POOL(int16_t)
EXECUTORCH_MAX_POOL(int32_t)
EXECUTORCH_MAX_POOL(int64_t)

#define EXECUTORCH_AVERAGE_POOL(type__)                                                            \
  template EXECUTORCH_COMPUTE_API void avg_pool2d<type__>(const PoolShape&, const AverageDivisor&, \
                                                          const type__*, type__*) noexcept;        \
  template EXECUTORCH_COMPUTE_API void adaptive_avg_pool2d<type__>(                                \
      const PoolShape&, const type__*, type__*) noexcept;
EXECUTORCH_AVERAGE_POOL(float)
EXECUTORCH_AVERAGE_POOL(double)

}  // namespace executorch::compute
