#include "compute/conv/gather.h"

#include <algorithm>
#include <cstring>

namespace executorch::compute {
namespace {

constexpr size_t kFloat = sizeof(float);

/// Writes the columns of one row that fall into a range.
class RowWriter {
 public:
  RowWriter(float* out, int64_t first_k, int64_t k) : out_(out), first_(first_k), end_(first_k + k) {}

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
void put_kernel_row(const GatherArgs& a, const RowWriter& writer, int64_t column, const float* image_row,
                    int64_t x0) {
  const int64_t channels = a.channels;
  if (image_row == nullptr) {
    writer.put(column, a.x.count * channels, nullptr);
    return;
  }
  const bool joined = a.x.tap_step == 1 && a.in_pixel_stride == channels;
  if (joined) {
    const int64_t before = std::clamp<int64_t>(-x0, 0, a.x.count);
    const int64_t inside = std::clamp<int64_t>(a.x.in_size - x0, before, a.x.count);
    writer.put(column, before * channels, nullptr);
    writer.put(column + before * channels, (inside - before) * channels,
               image_row + (x0 + before) * channels);
    writer.put(column + inside * channels, (a.x.count - inside) * channels, nullptr);
    return;
  }
  for (int64_t tap = 0; tap < a.x.count; ++tap) {
    const int64_t x = x0 + tap * a.x.tap_step;
    const bool outside = x < 0 || x >= a.x.in_size;
    writer.put(column + tap * channels, channels, outside ? nullptr : image_row + x * a.in_pixel_stride);
  }
}

}  // namespace

void gather_rows(const GatherArgs& a, int64_t group, int64_t first_row, int64_t rows, int64_t first_k, int64_t k,
                 float* out, int64_t out_row_stride) noexcept {
  if (k == 0) return;
  const int64_t kernel_row_columns = a.x.count * a.channels;
  const int64_t first_ky = first_k / kernel_row_columns;
  const int64_t end_ky = (first_k + k - 1) / kernel_row_columns + 1;
  int64_t x = first_row % a.x.out_size, y = first_row / a.x.out_size % a.y.out_size;
  int64_t image = first_row / a.x.out_size / a.y.out_size;
  for (int64_t row = 0; row < rows; ++row) {
    const RowWriter writer(out + row * out_row_stride, first_k, k);
    const int64_t x0 = x * a.x.step + a.x.first, y0 = y * a.y.step + a.y.first;
    for (int64_t ky = first_ky; ky < end_ky; ++ky) {
      const int64_t iy = y0 + ky * a.y.tap_step;
      const bool outside = iy < 0 || iy >= a.y.in_size;
      const float* image_row =
          outside ? nullptr
                  : a.in + ((image * a.y.in_size + iy) * a.x.in_size) * a.in_pixel_stride + group * a.channels;
      put_kernel_row(a, writer, ky * kernel_row_columns, image_row, x0);
    }
    if (++x == a.x.out_size) {
      x = 0;
      if (++y == a.y.out_size) y = 0, ++image;
    }
  }
}

}  // namespace executorch::compute
