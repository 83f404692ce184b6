#include "compute/conv/gather.h"

#include <algorithm>
#include <cstring>

namespace executorch::compute {
namespace {

constexpr size_t kFloat = sizeof(float);

/// Writes the columns of one row that fall into a range.
class RowWriter {
 public:
  RowWriter(float* out, int64_t first_k, int64_t k)
      : out_(out), first_(first_k), end_(first_k + k) {}

  /// Columns [column, column + count) come from `from`, or are zero when it is null.
  void put(int64_t column, int64_t count, const float* from) const {
    const int64_t begin = std::max(column, first_), end = std::min(column + count, end_);
    if (begin >= end) return;
    float* to = out_ + (begin - first_);
    const size_t bytes = static_cast<size_t>(end - begin) * kFloat;
    if (from == nullptr) {
      std::memset(to, 0, bytes);
    } else {
      std::memcpy(to, from + (begin - column), bytes);
    }
  }

 private:
  float* out_;
  int64_t first_, end_;
};

/// One kernel row's columns, starting at `column`, of the window at input position x0.
void put_kernel_row(const GatherArgs& a, const RowWriter& writer, int64_t column,
                    const float* pixels, int64_t x0) {
  const int64_t channels = a.channels;
  if (pixels == nullptr) {
    writer.put(column, a.x.count * channels, nullptr);
    return;
  }
  const bool joined = a.x.tap_step == 1 && a.in_pixel_stride == channels;
  if (joined) {
    const int64_t before = std::clamp<int64_t>(-x0, 0, a.x.count);
    const int64_t inside = std::clamp<int64_t>(a.x.in_size - x0, before, a.x.count);
    writer.put(column, before * channels, nullptr);
    writer.put(column + before * channels, (inside - before) * channels,
               pixels + (x0 + before) * channels);
    writer.put(column + inside * channels, (a.x.count - inside) * channels, nullptr);
    return;
  }
  for (int64_t tap = 0; tap < a.x.count; ++tap) {
    const int64_t x = x0 + tap * a.x.tap_step;
    const bool outside = x < 0 || x >= a.x.in_size;
    writer.put(column + tap * channels, channels,
               outside ? nullptr : pixels + x * a.in_pixel_stride);
  }
}

/// Output positions of one dimension, within [0, out_size), whose windows lie inside the image.
struct Inner {
  int64_t first, last;
};

Inner inner_positions(const TapAxis& axis) {
  const int64_t reach = axis.in_size - 1 - axis.first - (axis.count - 1) * axis.tap_step;
  const int64_t first = axis.first < 0 ? (-axis.first + axis.step - 1) / axis.step : 0;
  return {first, reach < 0 ? 0 : std::min(reach / axis.step + 1, axis.out_size)};
}

/// Kernel rows asked for, when they are whole ones and consecutive in memory; none otherwise.
struct WholeRows {
  int64_t first = 0, count = 0;
};

WholeRows whole_kernel_rows(const GatherArgs& a, int64_t first_k, int64_t k) {
  const int64_t columns = a.x.count * a.channels;
  if (a.x.tap_step != 1 || a.in_pixel_stride != a.channels || a.x.step < 1 ||
      first_k % columns != 0 || k % columns != 0) {
    return {};
  }
  return {first_k / columns, k / columns};
}

/// The row of the matrix being gathered.
struct Position {
  int64_t image, y, x;

  void advance(const GatherArgs& a, int64_t pixels) {
    x += pixels;
    if (x < a.x.out_size) return;
    x = 0;
    if (++y == a.y.out_size) y = 0, ++image;
  }
};

const float* image_row(const GatherArgs& a, int64_t group, const Position& at, int64_t iy) {
  if (iy < 0 || iy >= a.y.in_size) return nullptr;
  return a.in + ((at.image * a.y.in_size + iy) * a.x.in_size) * a.in_pixel_stride +
         group * a.channels;
}

/// As many rows as are neighbours with windows inside the image, at once; returns their number.
int64_t gather_inner(const GatherArgs& a, const WholeRows& kernel, const Inner& inner_x,
                     const Position& at, int64_t rows, float* out, int64_t out_row_stride) {
  if (kernel.count == 0 || at.x < inner_x.first || at.x >= inner_x.last) return 0;
  const int64_t first_iy = at.y * a.y.step + a.y.first + kernel.first * a.y.tap_step;
  const int64_t last_iy = first_iy + (kernel.count - 1) * a.y.tap_step;
  if (std::min(first_iy, last_iy) < 0 || std::max(first_iy, last_iy) >= a.y.in_size) return 0;
  WindowRun run;
  run.in = image_row(a, 0, at, first_iy) + (at.x * a.x.step + a.x.first) * a.channels;
  run.pixels = std::min(rows, inner_x.last - at.x);
  run.pixel_step = a.x.step * a.channels;
  run.kernel_rows = kernel.count;
  run.row_step = a.y.tap_step * a.x.in_size * a.in_pixel_stride;
  run.run = a.x.count * a.channels;
  run.out = out;
  run.out_row_stride = out_row_stride;
  a.kernels->copy_windows(run);
  return run.pixels;
}

}  // namespace

void gather_rows(const GatherArgs& a, int64_t group, int64_t first_row, int64_t rows,
                 int64_t first_k, int64_t k, float* out, int64_t out_row_stride) noexcept {
  if (k == 0) return;
  const int64_t kernel_row_columns = a.x.count * a.channels;
  const int64_t first_ky = first_k / kernel_row_columns;
  const int64_t end_ky = (first_k + k - 1) / kernel_row_columns + 1;
  const WholeRows kernel = whole_kernel_rows(a, first_k, k);
  const Inner inner_x = inner_positions(a.x);
  Position at{first_row / a.x.out_size / a.y.out_size, first_row / a.x.out_size % a.y.out_size,
              first_row % a.x.out_size};
  int64_t row = 0;
  while (row < rows) {
    float* to = out + row * out_row_stride;
    int64_t done = gather_inner(a, kernel, inner_x, at, rows - row, to, out_row_stride);
    if (done == 0) {
      const RowWriter writer(to, first_k, k);
      for (int64_t ky = first_ky; ky < end_ky; ++ky) {
        const int64_t iy = at.y * a.y.step + a.y.first + ky * a.y.tap_step;
        put_kernel_row(a, writer, ky * kernel_row_columns, image_row(a, group, at, iy),
                       at.x * a.x.step + a.x.first);
      }
      done = 1;
    }
    at.advance(a, done);
    row += done;
  }
}

}  // namespace executorch::compute
