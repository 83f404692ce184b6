#include "compute/pool/pool.h"

#include <atomic>
#include <limits>
#include <type_traits>

#include "compute/norm/norm.h"
#include "compute/pool/pool_kernels.h"
#include "compute/pool/pool_windows.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(PoolKernels, pool_kernels);

namespace {

template <class T>
T smallest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::lowest();
}

template <class T>
const PoolLines<T>& lines() {
  const PoolKernels& kernels = pool_kernels();
  if constexpr (std::is_same_v<T, float>)
    return kernels.f32;
  else if constexpr (std::is_same_v<T, double>)
    return kernels.f64;
  else if constexpr (std::is_same_v<T, int8_t>)
    return kernels.i8;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return kernels.u8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return kernels.i16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return kernels.i32;
  else
    return kernels.i64;
}

/// Columns or channels that are added up together.
constexpr int64_t kColumns = 512;

/// A row of the output: all columns of one channel, or of all channels where they come last.
struct Row {
  int64_t image;  ///< of the batch, or plane of a channel
  int64_t z, y;
};

/// Calls f(row) for all output rows, in parallel.
template <class F>
void each_row(const PoolShape& s, F f) {
  const int64_t images = s.channels_last ? s.batch : s.batch * s.channels;
  const int64_t window = s.adaptive ? s.in_cells() / std::max<int64_t>(s.out_cells(), 1)
                                    : s.z.kernel * s.y.kernel * s.x.kernel;
  const double work = static_cast<double>(s.x.out) *
                      static_cast<double>(s.channels_last ? s.channels : 1) *
                      static_cast<double>(std::max<int64_t>(window, 1));
  const int64_t grain = std::max<int64_t>(static_cast<int64_t>(32.0 * 1024 / (work + 1)), 1);
  threadpool::parallel_for(0, images * s.z.out * s.y.out, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      f(Row{i / s.y.out / s.z.out, i / s.y.out % s.z.out, i % s.y.out});
    }
  });
}

/// A window over one image with all channels, or over one channel.
template <class T>
struct Cells {
  const PoolShape& shape;
  const T* image;
  Window window;

  int64_t position(int64_t z, int64_t y, int64_t x) const {
    return (z * shape.y.in + y) * shape.x.in + x;
  }
  int64_t start() const { return position(window.z.first, window.y.first, window.x.first); }

  /// Calls f(z, y) for the rows of the input that the window meets.
  template <class F>
  void each_row(F f) const {
    const Span1d &z = window.z, &y = window.y;
    for (int64_t i = 0; i < z.count; ++i) {
      for (int64_t j = 0; j < y.count; ++j) f(z.first + i * z.step, y.first + j * y.step);
    }
  }
  /// Calls f(position) for all cells.
  template <class F>
  void each(F f) const {
    each_row([&](int64_t z, int64_t y) {
      for (int64_t k = 0; k < window.x.count; ++k) {
        f(position(z, y, window.x.first + k * window.x.step));
      }
    });
  }
};

template <class T>
void max_cell(const Cells<T>& cells, T* out, int64_t* index) {
  T best = smallest<T>();
  // A window outside the image reports where it starts, as eager does.
  int64_t place = cells.start();
  cells.each([&](int64_t position) {
    const T value = cells.image[position];
    if (value > best || value != value) {
      best = value;
      place = position;
    }
  });
  *out = best;
  if (index != nullptr) *index = place;
}

PoolWindow float_window(const PoolShape& s, const float* in, int64_t image, const Window& w) {
  const PoolLayout layout = layout_of(s, s.z.in, s.y.in, s.x.in);
  return {in + image * layout.image + w.z.first * layout.plane + w.y.first * layout.row +
              w.x.first * layout.column,
          w.z.count,
          w.z.step * layout.plane,
          w.y.count,
          w.y.step * layout.row,
          w.x.count,
          w.x.step * layout.column};
}

/// Calls f(window, cell of the output) for each column of a row.
template <class F>
void each_column(const PoolShape& s, const Row& row, F f) {
  const int64_t cell = ((row.image * s.z.out + row.z) * s.y.out + row.y) * s.x.out;
  Window window = window_of(s, row.z, row.y, 0);
  for (int64_t x = 0; x < s.x.out; ++x) {
    window.x = window_span(s.x, x, s.adaptive);
    f(window, x, cell + x);
  }
}

/// The output columns [first, last) that see column tap `tap` of their windows inside the image,
/// and the input column that the first of them sees.
struct TapColumns {
  int64_t first, last, source;
};

TapColumns tap_columns(const PoolAxis& x, int64_t tap) {
  const int64_t offset = tap * x.dilation - x.pad;
  const int64_t first = offset < 0 ? divide_up(-offset, x.stride) : 0;
  const int64_t last = offset >= x.in ? 0 : (x.in - 1 - offset) / x.stride + 1;
  return {first, std::min(last, x.out), first * x.stride + offset};
}

/// A row of one channel under regular windows, tap by tap over all columns.
template <class T>
void max_row(const PoolShape& s, const Row& row, const T* in, T* out, int64_t* indices) {
  const Cells<T> cells{s, in + row.image * s.in_cells(), window_of(s, row.z, row.y, 0)};
  const int64_t cell = ((row.image * s.z.out + row.z) * s.y.out + row.y) * s.x.out;
  std::fill(out + cell, out + cell + s.x.out, smallest<T>());
  if (indices != nullptr) {
    each_column(s, row, [&](const Window& window, int64_t, int64_t at) {
      indices[at] = Cells<T>{s, nullptr, window}.start();
    });
  }
  cells.each_row([&](int64_t z, int64_t y) {
    for (int64_t tap = 0; tap < s.x.kernel; ++tap) {
      const TapColumns columns = tap_columns(s.x, tap);
      const int64_t count = columns.last - columns.first;
      if (count <= 0) continue;
      const int64_t position = cells.position(z, y, columns.source);
      const int64_t target = cell + columns.first;
      if (indices == nullptr) {
        lines<T>().max(cells.image + position, s.x.stride, count, out + target);
      } else {
        lines<T>().max_at(cells.image + position, s.x.stride, count, position, s.x.stride,
                          out + target, indices + target);
      }
    }
  });
}

/// One cell of all channels.
template <class T>
void max_channels(const PoolShape& s, const Cells<T>& cells, T* out, int64_t* indices) {
  std::fill(out, out + s.channels, smallest<T>());
  if (indices != nullptr) std::fill(indices, indices + s.channels, cells.start());
  cells.each([&](int64_t position) {
    const T* in = cells.image + position * s.channels;
    if (indices == nullptr) {
      lines<T>().max(in, 1, s.channels, out);
    } else {
      lines<T>().max_at(in, 1, s.channels, position, 0, out, indices);
    }
  });
}

template <class T>
void max_columns(const PoolShape& s, const Row& row, const T* in, T* out, int64_t* indices) {
  const int64_t width = s.channels_last ? s.channels : 1;
  const auto places = [&](int64_t cell) {
    return indices == nullptr ? nullptr : indices + cell * width;
  };
  each_column(s, row, [&](const Window& window, int64_t, int64_t cell) {
    const Cells<T> cells{s, in + row.image * s.in_cells() * width, window};
    if (!s.channels_last) return max_cell(cells, out + cell, places(cell));
    if constexpr (std::is_same_v<T, float>) {
      if (indices == nullptr && window.cells() > 0) {
        return pool_kernels().max(float_window(s, in, row.image, window), width,
                                  out + cell * width);
      }
    }
    max_channels(s, cells, out + cell * width, places(cell));
  });
}

void add_line(const float* in, int64_t n, double* sums) {
  pool_kernels().add_floats(in, n, sums);
}
void add_line(const double* in, int64_t n, double* sums) {
  pool_kernels().add_doubles(in, n, sums);
}

/// Input columns under a window.
int64_t reach(const PoolAxis& x) {
  return (x.kernel - 1) * x.dilation + 1;
}

/// A row of one channel under regular windows, which reach over kColumns at most: the input's rows
/// are added up before their columns are, a block of windows at a time.
template <class T>
void average_row(const PoolShape& s, const AverageDivisor& divisor, const Row& row, const T* in,
                 T* out) {
  const Cells<T> cells{s, in + row.image * s.in_cells(), window_of(s, row.z, row.y, 0)};
  const int64_t cell = ((row.image * s.z.out + row.z) * s.y.out + row.y) * s.x.out;
  const int64_t block = (kColumns - reach(s.x)) / s.x.stride + 1;
  double sums[kColumns];
  for (int64_t start = 0; start < s.x.out; start += block) {
    const int64_t end = std::min(start + block, s.x.out);
    const int64_t first = std::clamp<int64_t>(start * s.x.stride - s.x.pad, 0, s.x.in);
    const int64_t last = (end - 1) * s.x.stride - s.x.pad + reach(s.x);
    const int64_t count = std::clamp(last, first, s.x.in) - first;
    std::fill(sums, sums + count, 0.0);
    cells.each_row([&](int64_t z, int64_t y) {
      add_line(cells.image + cells.position(z, y, first), count, sums);
    });
    Window window = cells.window;
    for (int64_t x = start; x < end; ++x) {
      window.x = window_span(s.x, x, false);
      double sum = 0;
      for (int64_t k = 0; k < window.x.count; ++k)
        sum += sums[window.x.first + k * window.x.step - first];
      out[cell + x] = static_cast<T>(sum / divisor_of(s, divisor, window, row.z, row.y, x));
    }
  }
}

/// One cell of all channels, a block of them at a time.
template <class T>
void average_channels(const PoolShape& s, const Cells<T>& cells, double divisor, T* out) {
  double sums[kColumns];
  for (int64_t start = 0; start < s.channels; start += kColumns) {
    const int64_t count = std::min(kColumns, s.channels - start);
    std::fill(sums, sums + count, 0.0);
    cells.each([&](int64_t position) {
      add_line(cells.image + position * s.channels + start, count, sums);
    });
    for (int64_t c = 0; c < count; ++c) out[start + c] = static_cast<T>(sums[c] / divisor);
  }
}

/// Sum of a window of one channel without gaps; rows that follow each other are added up as one.
template <class T>
double sum_of(const Cells<T>& cells) {
  const Window& w = cells.window;
  const bool joined = w.x.count == cells.shape.x.in;
  const int64_t rows = joined ? 1 : w.y.count;
  const int64_t width = joined ? w.y.count * w.x.count : w.x.count;
  double sum = 0;
  for (int64_t z = w.z.first; z < w.z.first + w.z.count; ++z) {
    for (int64_t y = w.y.first; y < w.y.first + rows; ++y) {
      const T* row = cells.image + cells.position(z, y, w.x.first);
      sum += static_cast<double>(norm_row_loops<T>().sum(row, width));
    }
  }
  return sum;
}

template <class T>
void average_columns(const PoolShape& s, const AverageDivisor& divisor, const Row& row, const T* in,
                     T* out) {
  const int64_t width = s.channels_last ? s.channels : 1;
  each_column(s, row, [&](const Window& window, int64_t x, int64_t cell) {
    const double by = divisor_of(s, divisor, window, row.z, row.y, x);
    const Cells<T> cells{s, in + row.image * s.in_cells() * width, window};
    if constexpr (std::is_same_v<T, float>) {
      if (s.channels_last && window.cells() > 0) {
        return pool_kernels().average(float_window(s, in, row.image, window), width,
                                      static_cast<float>(by), out + cell * width);
      }
    }
    if (s.channels_last) return average_channels(s, cells, by, out + cell * width);
    out[cell] = static_cast<T>(sum_of(cells) / by);
  });
}

}  // namespace

template <class T>
void max_pool(const PoolShape& s, const T* in, T* out, int64_t* indices) noexcept {
  each_row(s, [&](const Row& row) {
    if (s.channels_last || s.adaptive) return max_columns(s, row, in, out, indices);
    max_row(s, row, in, out, indices);
  });
}

template <class T>
void avg_pool(const PoolShape& s, const AverageDivisor& divisor, const T* in, T* out) noexcept {
  const bool by_window = s.channels_last || s.adaptive || reach(s.x) > kColumns;
  each_row(s, [&](const Row& row) {
    if (by_window) return average_columns(s, divisor, row, in, out);
    average_row(s, divisor, row, in, out);
  });
}

void avg_pool_integers(const PoolShape& s, const AverageDivisor& divisor, const int64_t* in,
                       int64_t* out) noexcept {
  const int64_t width = s.channels_last ? s.channels : 1;
  each_row(s, [&](const Row& row) {
    each_column(s, row, [&](const Window& window, int64_t x, int64_t cell) {
      const Cells<int64_t> cells{s, in + row.image * s.in_cells() * width, window};
      const int64_t by =
          divisor.override_value != 0
              ? divisor.override_value
              : static_cast<int64_t>(divisor_of(s, divisor, window, row.z, row.y, x));
      for (int64_t c = 0; c < width; ++c) {
        uint64_t sum = 0;
        cells.each([&](int64_t position) {
          sum += static_cast<uint64_t>(cells.image[position * width + c]);
        });
        // The smallest number has no opposite.
        const bool divides = by != 0 && by != -1;
        const auto negated = static_cast<int64_t>(by == -1 ? 0 - sum : 0);
        out[cell * width + c] = divides ? static_cast<int64_t>(sum) / by : negated;
      }
    });
  });
}

template <class T>
void avg_pool_backward(const PoolShape& s, const AverageDivisor& divisor, const T* grad_out,
                       T* grad_in) noexcept {
  threadpool::parallel_for(0, s.batch * s.channels, 1, [&](int64_t first, int64_t last) {
    for (int64_t plane = first; plane < last; ++plane) {
      T* target = grad_in + plane * s.in_cells();
      std::fill(target, target + s.in_cells(), T{});
      for (int64_t i = 0; i < s.out_cells(); ++i) {
        const int64_t oz = i / s.x.out / s.y.out, oy = i / s.x.out % s.y.out, ox = i % s.x.out;
        const Cells<T> cells{s, nullptr, window_of(s, oz, oy, ox)};
        const auto share = static_cast<T>(static_cast<double>(grad_out[plane * s.out_cells() + i]) /
                                          divisor_of(s, divisor, cells.window, oz, oy, ox));
        cells.each([&](int64_t position) { target[position] += share; });
      }
    }
  });
}

template <class T>
void max_pool_at(const PoolShape& s, const int64_t* corners, const T* in, T* out,
                 int64_t* indices) noexcept {
  each_row(s, [&](const Row& row) {
    const int64_t* z = corners + row.image * (s.z.out + s.y.out + s.x.out);
    const int64_t* y = z + s.z.out;
    const int64_t* x = y + s.y.out;
    Window window = {{z[row.z], 1, s.z.kernel}, {y[row.y], 1, s.y.kernel}, {0, 1, s.x.kernel}};
    const int64_t cell = ((row.image * s.z.out + row.z) * s.y.out + row.y) * s.x.out;
    for (int64_t i = 0; i < s.x.out; ++i) {
      window.x.first = x[i];
      max_cell(Cells<T>{s, in + row.image * s.in_cells(), window}, out + cell + i,
               indices + cell + i);
    }
  });
}

template <class T>
bool scatter_to_places(int64_t planes, int64_t from_cells, int64_t to_cells, const T* values,
                       const int64_t* places, bool add, T* out) noexcept {
  std::atomic<bool> inside{true};
  threadpool::parallel_for(0, planes, 1, [&](int64_t first, int64_t last) {
    for (int64_t plane = first; plane < last; ++plane) {
      T* to = out + plane * to_cells;
      std::fill(to, to + to_cells, T{});
      for (int64_t i = plane * from_cells; i < (plane + 1) * from_cells; ++i) {
        if (places[i] < 0 || places[i] >= to_cells) {
          inside = false;
          return;
        }
        to[places[i]] = add ? to[places[i]] + values[i] : values[i];
      }
    }
  });
  return inside;
}

#define EXECUTORCH_MAX_POOL(type__)                                                               \
  template EXECUTORCH_COMPUTE_API void max_pool<type__>(const PoolShape&, const type__*, type__*, \
                                                        int64_t*) noexcept;
EXECUTORCH_MAX_POOL(float)
EXECUTORCH_MAX_POOL(double)
EXECUTORCH_MAX_POOL(int8_t)
EXECUTORCH_MAX_POOL(uint8_t)
EXECUTORCH_MAX_POOL(int16_t)
EXECUTORCH_MAX_POOL(int32_t)
EXECUTORCH_MAX_POOL(int64_t)

#define EXECUTORCH_FLOAT_POOL(type__)                                                            \
  template EXECUTORCH_COMPUTE_API void avg_pool<type__>(const PoolShape&, const AverageDivisor&, \
                                                        const type__*, type__*) noexcept;        \
  template EXECUTORCH_COMPUTE_API void max_pool_at<type__>(                                      \
      const PoolShape&, const int64_t*, const type__*, type__*, int64_t*) noexcept;
EXECUTORCH_FLOAT_POOL(float)
EXECUTORCH_FLOAT_POOL(double)

#define EXECUTORCH_POOL_GRADIENT(type__)                                         \
  template EXECUTORCH_COMPUTE_API void avg_pool_backward<type__>(                \
      const PoolShape&, const AverageDivisor&, const type__*, type__*) noexcept; \
  template EXECUTORCH_COMPUTE_API bool scatter_to_places<type__>(                \
      int64_t, int64_t, int64_t, const type__*, const int64_t*, bool, type__*) noexcept;
EXECUTORCH_POOL_GRADIENT(float)
EXECUTORCH_POOL_GRADIENT(double)
EXECUTORCH_POOL_GRADIENT(int64_t)

}  // namespace executorch::compute
