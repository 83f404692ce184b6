#include "compute/resize/resize.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "compute/copy/word.h"
#include "compute/resize/resize_lines.h"
#include "compute/resize/taps.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(ResizeLines, resize_lines);

namespace {

constexpr size_t kAlignment = 64;

/// Hands out the caller's scratch memory.
class Arena {
 public:
  explicit Arena(void* memory)
      : next_((reinterpret_cast<uintptr_t>(memory) + kAlignment - 1) / kAlignment * kAlignment) {}

  void* take(size_t bytes) {
    void* memory = reinterpret_cast<void*>(next_);
    next_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return memory;
  }

 private:
  uintptr_t next_;
};

size_t add_saturating(size_t a, size_t b) {
  size_t sum;
  return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}

/// A thread's row of the input.
size_t row_bytes(const ResizeShape& s) {
  const size_t bytes = static_cast<size_t>(s.x.in * s.inner) * sizeof(double);
  return (bytes / kAlignment + 1) * kAlignment;
}

size_t table_bytes(const ResizeShape& s) {
  size_t bytes = kAlignment;
  for (const ResizeAxis* axis : {&s.z, &s.y, &s.x}) {
    bytes = add_saturating(bytes, add_saturating(tap_table_bytes(s, *axis), kAlignment));
  }
  return bytes;
}

template <class T>
const ResizeRowLoops<T>& row_loops() {
  if constexpr (std::is_same_v<T, float>)
    return resize_lines().f32;
  else
    return resize_lines().f64;
}

template <class T>
struct Tables {
  TapTable<T> z, y, x;

  Tables(const ResizeShape& s, Arena& arena)
      : z(make_tap_table<T>(s, s.z, arena.take(tap_table_bytes(s, s.z)))),
        y(make_tap_table<T>(s, s.y, arena.take(tap_table_bytes(s, s.y)))),
        x(make_tap_table<T>(s, s.x, arena.take(tap_table_bytes(s, s.x)))) {}
};

/// Calls f(row of the input, weight) for the rows that make output row (oz, oy).
template <class T, class F>
void each_tap_row(const ResizeShape& s, const Tables<T>& tables, int64_t oz, int64_t oy, F f) {
  const TapRange z = tables.z.ranges[oz], y = tables.y.ranges[oy];
  for (int64_t i = 0; i < z.count; ++i) {
    const T weight = tables.z.weights[oz * tables.z.most + i];
    for (int64_t j = 0; j < y.count; ++j) {
      f((z.first + i) * s.y.in + y.first + j, weight * tables.y.weights[oy * tables.y.most + j]);
    }
  }
}

/// Adds up weighted rows two at a time.
template <class T>
class RowSum {
 public:
  RowSum(int64_t n, T* out) : n_(n), out_(out) {}

  void add(const T* row, T weight) {
    if (row_ == nullptr) {
      row_ = row;
      weight_ = weight;
      return;
    }
    row_loops<T>().mix(row_, weight_, row, weight, started_, n_, out_);
    row_ = nullptr;
    started_ = true;
  }
  void finish() {
    if (row_ != nullptr) row_loops<T>().mix(row_, weight_, nullptr, T{}, started_, n_, out_);
    if (row_ == nullptr && !started_) std::fill(out_, out_ + n_, T{});
  }

 private:
  int64_t n_;
  T* out_;
  const T* row_ = nullptr;
  T weight_{};
  bool started_ = false;
};

/// One row of the output; `buffer` holds a row of the input.
template <class T>
void resize_row(const ResizeShape& s, const Tables<T>& tables, int64_t row, const T* in, T* out,
                T* buffer) {
  const int64_t oz = row / s.y.out % s.z.out, oy = row % s.y.out;
  const int64_t in_row = s.x.in * s.inner;
  const T* image = in + row / s.y.out / s.z.out * s.z.in * s.y.in * in_row;
  T* target = out + row * s.x.out * s.inner;
  const T* mixed = nullptr;
  if (tables.z.identity && tables.y.identity) {
    mixed = image + (oz * s.y.in + oy) * in_row;
    if (tables.x.identity) std::copy(mixed, mixed + in_row, target);
  } else {
    T* to = tables.x.identity ? target : buffer;
    RowSum<T> sum(in_row, to);
    each_tap_row(s, tables, oz, oy,
                 [&](int64_t at, T weight) { sum.add(image + at * in_row, weight); });
    sum.finish();
    mixed = to;
  }
  if (!tables.x.identity) row_loops<T>().columns(mixed, tables.x, s.inner, target);
}

/// Rows that are worth a task.
int64_t rows_per_task(const ResizeShape& s) {
  constexpr int64_t kValues = 16 * 1024;
  return kValues / std::max<int64_t>(s.x.out * s.inner, 1) + 1;
}

/// Rows of bytes with their columns resized: [outer, y.in, x.out, inner].
void resize_columns(const ResizeShape& s, const TapTable<int16_t>& x, int digits, const uint8_t* in,
                    uint8_t* out) {
  threadpool::parallel_for(0, s.outer * s.y.in, rows_per_task(s), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      for (int64_t i = 0; i < x.out; ++i) {
        const TapRange range = x.ranges[i];
        resize_lines().mix_bytes(in + (row * s.x.in + range.first) * s.inner, s.inner,
                                 x.weights + i * x.most, range.count, digits, s.inner,
                                 out + (row * x.out + i) * s.inner);
      }
    }
  });
}

template <class T>
void gather_row(const T* in, const int64_t* columns, int64_t count, T* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = in[columns[i]];
}

/// Copies the pixels of one row, `pixel` bytes each.
void copy_pixels(const char* in, const int64_t* columns, int64_t count, size_t pixel, char* out) {
  const bool is_word = with_word(pixel, [&](auto word) {
    using Word = decltype(word);
    gather_row(reinterpret_cast<const Word*>(in), columns, count, reinterpret_cast<Word*>(out));
  });
  if (is_word) return;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(out + static_cast<size_t>(i) * pixel, in + static_cast<size_t>(columns[i]) * pixel,
                pixel);
  }
}

}  // namespace

size_t resize_scratch_bytes(const ResizeShape& s) noexcept {
  const size_t threads = std::max<size_t>(threadpool::pool_thread_count(), 1);
  return add_saturating(table_bytes(s), threads * row_bytes(s));
}

template <class T>
void resize(const ResizeShape& s, const T* in, T* out, void* scratch,
            size_t scratch_bytes) noexcept {
  Arena arena(scratch);
  struct Loop {
    const ResizeShape& s;
    Tables<T> tables;
    const T* in;
    T* out;
    char* buffers;
    int64_t rows, rows_each;
  } loop{s, Tables<T>(s, arena), in, out, nullptr, s.outer * s.z.out * s.y.out, rows_per_task(s)};
  loop.buffers = static_cast<char*>(arena.take(0));
  threadpool::run(
      static_cast<size_t>((loop.rows + loop.rows_each - 1) / loop.rows_each),
      [](void* context, size_t task, size_t thread) {
        const Loop& l = *static_cast<Loop*>(context);
        const int64_t first = static_cast<int64_t>(task) * l.rows_each;
        const int64_t last = std::min(first + l.rows_each, l.rows);
        T* buffer = reinterpret_cast<T*>(l.buffers + thread * row_bytes(l.s));
        for (int64_t row = first; row < last; ++row) {
          resize_row(l.s, l.tables, row, l.in, l.out, buffer);
        }
      },
      &loop, (scratch_bytes - table_bytes(s)) / row_bytes(s));
}

template <class T>
void resize_backward(const ResizeShape& s, const T* grad_out, T* grad_in, void* scratch) noexcept {
  Arena arena(scratch);
  const Tables<T> tables(s, arena);
  const int64_t out_cells = s.z.out * s.y.out * s.x.out, in_cells = s.z.in * s.y.in * s.x.in;
  std::fill(grad_in, grad_in + s.outer * in_cells, T{});
  T* buffer = static_cast<T*>(arena.take(row_bytes(s)));
  for (int64_t row = 0; row < s.outer * s.z.out * s.y.out; ++row) {
    const int64_t oz = row / s.y.out % s.z.out, oy = row % s.y.out;
    const T* from = grad_out + row * s.x.out;
    std::fill(buffer, buffer + s.x.in, T{});
    for (int64_t i = 0; i < s.x.out; ++i) {
      const TapRange range = tables.x.ranges[i];
      for (int64_t k = 0; k < range.count; ++k) {
        buffer[range.first + k] += from[i] * tables.x.weights[i * tables.x.most + k];
      }
    }
    T* image = grad_in + row * s.x.out / out_cells * in_cells;
    each_tap_row(s, tables, oz, oy, [&](int64_t at, T weight) {
      row_loops<T>().mix(buffer, weight, nullptr, T{}, true, s.x.in, image + at * s.x.in);
    });
  }
}

template void resize<float>(const ResizeShape&, const float*, float*, void*, size_t) noexcept;
template void resize<double>(const ResizeShape&, const double*, double*, void*, size_t) noexcept;
template void resize_backward<float>(const ResizeShape&, const float*, float*, void*) noexcept;
template void resize_backward<double>(const ResizeShape&, const double*, double*, void*) noexcept;

size_t resize_bytes_scratch_bytes(const ResizeShape& s) noexcept {
  // The image between the passes.
  return add_saturating(table_bytes(s), static_cast<size_t>(s.outer * s.y.in * s.x.out * s.inner));
}

void resize_bytes(const ResizeShape& s, const uint8_t* in, uint8_t* out, void* scratch) noexcept {
  Arena arena(scratch);
  const Tables<double> tables(s, arena);
  TapTable<int16_t> x, y;
  const int x_digits = quantize_taps(tables.x, &x), y_digits = quantize_taps(tables.y, &y);
  const int64_t row = s.x.out * s.inner;
  const uint8_t* rows = in;
  if (!x.identity) {
    uint8_t* to = out;
    if (!y.identity) {
      to = static_cast<uint8_t*>(arena.take(static_cast<size_t>(s.outer * s.y.in * row)));
    }
    resize_columns(s, x, x_digits, in, to);
    rows = to;
  }
  if (y.identity) {
    if (x.identity) std::copy(in, in + s.outer * s.y.out * row, out);
    return;
  }
  threadpool::parallel_for(
      0, s.outer * s.y.out, rows_per_task(s), [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          const TapRange range = y.ranges[i % s.y.out];
          resize_lines().mix_bytes(rows + (i / s.y.out * s.y.in + range.first) * row, row,
                                   y.weights + i % s.y.out * y.most, range.count, y_digits, row,
                                   out + i * row);
        }
      });
}

void resize_nearest(const ResizeShape& s, size_t element_size, const void* in, void* out,
                    void* scratch) noexcept {
  Arena arena(scratch);
  auto* columns = static_cast<int64_t*>(arena.take(tap_table_bytes(s, s.x)));
  for (int64_t i = 0; i < s.x.out; ++i) columns[i] = nearest_position(s, s.x, i);
  const size_t pixel = element_size * static_cast<size_t>(s.inner);
  const int64_t rows = s.outer * s.z.out * s.y.out;
  threadpool::parallel_for(0, rows, rows_per_task(s), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const int64_t z = nearest_position(s, s.z, row / s.y.out % s.z.out);
      const int64_t y = nearest_position(s, s.y, row % s.y.out);
      const int64_t source = (row / s.y.out / s.z.out * s.z.in + z) * s.y.in + y;
      copy_pixels(static_cast<const char*>(in) + static_cast<size_t>(source * s.x.in) * pixel,
                  columns, s.x.out, pixel,
                  static_cast<char*>(out) + static_cast<size_t>(row * s.x.out) * pixel);
    }
  });
}

}  // namespace executorch::compute
