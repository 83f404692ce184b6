/**
 * @file
 * Rows of the implicit matrix of a convolution: for each output pixel the inputs under the kernel's
 * window. A sink says how values are stored.
 */
#pragma once

#include <algorithm>
#include <cstdint>

#include "compute/conv/window_run.h"

namespace executorch::compute {

/// Taps of the kernel in one dimension, for output positions that share them: all of an ordinary
/// convolution, every stride-th of a transposed one. Tap t of output position o reads input
/// position o * step + first + t * tap_step.
struct TapAxis {
  int64_t count;
  int64_t step;
  int64_t first;
  int64_t tap_step;
  int64_t in_size;
  int64_t out_size;
};

template <class T>
struct GatherArgs {
  const T* in;
  int64_t in_pixel_stride;
  int64_t channels;  ///< per group; group g reads channels [g * channels, …)
  TapAxis y, x;
};

/**
 * Sink: In and Out, the types of a value as read and of a stored unit; units(n), how many of those
 * n values take; copy(from, to, n); pad(to, n), which stores padding; copy_windows(run).
 */
template <class Sink>
class RowGatherer {
 public:
  using In = typename Sink::In;
  using Out = typename Sink::Out;

  RowGatherer(const GatherArgs<In>& args, const Sink& sink, int64_t group, int64_t first_k,
              int64_t k)
      : a_(args), sink_(sink), group_(group), first_k_(first_k), end_k_(first_k + k) {}

  /// Stores columns [first_k, first_k + k) of rows [first_row, first_row + rows). Row numbers count
  /// batch, y and x of the output; columns count kernel row, kernel column and channel. Up to 64
  /// bytes behind a row may be overwritten.
  void gather(int64_t first_row, int64_t rows, Out* out, int64_t out_row_stride) const {
    if (first_k_ == end_k_) return;
    const int64_t columns = a_.x.count * a_.channels;
    const int64_t first_ky = first_k_ / columns, end_ky = (end_k_ - 1) / columns + 1;
    const WholeRows kernel = whole_kernel_rows();
    const Inner inner_x = inner_positions(a_.x);
    Position at{first_row / a_.x.out_size / a_.y.out_size,
                first_row / a_.x.out_size % a_.y.out_size, first_row % a_.x.out_size};
    int64_t row = 0;
    while (row < rows) {
      Out* to = out + row * out_row_stride;
      int64_t done = gather_inner(kernel, inner_x, at, rows - row, to, out_row_stride);
      if (done == 0) {
        for (int64_t ky = first_ky; ky < end_ky; ++ky) {
          const int64_t iy = at.y * a_.y.step + a_.y.first + ky * a_.y.tap_step;
          put_kernel_row(to, ky * columns, image_row(group_, at, iy),
                         at.x * a_.x.step + a_.x.first);
        }
        done = 1;
      }
      advance(&at, done);
      row += done;
    }
  }

 private:
  /// The row of the matrix being gathered.
  struct Position {
    int64_t image, y, x;
  };
  /// Output positions of one dimension, within [0, out_size), whose windows lie inside the image.
  struct Inner {
    int64_t first, last;
  };
  /// Kernel rows asked for, when they are whole ones and consecutive in memory; none otherwise.
  struct WholeRows {
    int64_t first = 0, count = 0;
  };

  /// Columns [column, column + count) come from `from`, or are padding when it is null.
  void put(Out* out, int64_t column, int64_t count, const In* from) const {
    const int64_t begin = std::max(column, first_k_), end = std::min(column + count, end_k_);
    if (begin >= end) return;
    Out* to = out + sink_.units(begin - first_k_);
    if (from == nullptr) {
      sink_.pad(to, end - begin);
    } else {
      sink_.copy(from + (begin - column), to, end - begin);
    }
  }

  /// One kernel row's columns, starting at `column`, of the window at input position x0.
  void put_kernel_row(Out* out, int64_t column, const In* pixels, int64_t x0) const {
    const int64_t channels = a_.channels;
    if (pixels == nullptr) {
      put(out, column, a_.x.count * channels, nullptr);
      return;
    }
    if (a_.x.tap_step == 1 && a_.in_pixel_stride == channels) {
      const int64_t before = std::clamp<int64_t>(-x0, 0, a_.x.count);
      const int64_t inside = std::clamp<int64_t>(a_.x.in_size - x0, before, a_.x.count);
      put(out, column, before * channels, nullptr);
      put(out, column + before * channels, (inside - before) * channels,
          pixels + (x0 + before) * channels);
      put(out, column + inside * channels, (a_.x.count - inside) * channels, nullptr);
      return;
    }
    for (int64_t tap = 0; tap < a_.x.count; ++tap) {
      const int64_t x = x0 + tap * a_.x.tap_step;
      const bool outside = x < 0 || x >= a_.x.in_size;
      put(out, column + tap * channels, channels,
          outside ? nullptr : pixels + x * a_.in_pixel_stride);
    }
  }

  static Inner inner_positions(const TapAxis& axis) {
    const int64_t reach = axis.in_size - 1 - axis.first - (axis.count - 1) * axis.tap_step;
    const int64_t first = axis.first < 0 ? (-axis.first + axis.step - 1) / axis.step : 0;
    return {first, reach < 0 ? 0 : std::min(reach / axis.step + 1, axis.out_size)};
  }

  WholeRows whole_kernel_rows() const {
    const int64_t columns = a_.x.count * a_.channels, k = end_k_ - first_k_;
    if (a_.x.tap_step != 1 || a_.in_pixel_stride != a_.channels || a_.x.step < 1 ||
        first_k_ % columns != 0 || k % columns != 0) {
      return {};
    }
    return {first_k_ / columns, k / columns};
  }

  const In* image_row(int64_t group, const Position& at, int64_t iy) const {
    if (iy < 0 || iy >= a_.y.in_size) return nullptr;
    return a_.in + ((at.image * a_.y.in_size + iy) * a_.x.in_size) * a_.in_pixel_stride +
           group * a_.channels;
  }

  /// As many rows as are neighbours with windows inside the image, at once; returns their number.
  int64_t gather_inner(const WholeRows& kernel, const Inner& inner_x, const Position& at,
                       int64_t rows, Out* out, int64_t out_row_stride) const {
    if (kernel.count == 0 || at.x < inner_x.first || at.x >= inner_x.last) return 0;
    const int64_t first_iy = at.y * a_.y.step + a_.y.first + kernel.first * a_.y.tap_step;
    const int64_t last_iy = first_iy + (kernel.count - 1) * a_.y.tap_step;
    if (std::min(first_iy, last_iy) < 0 || std::max(first_iy, last_iy) >= a_.y.in_size) return 0;
    WindowRun<In, Out> run;
    run.in = image_row(0, at, first_iy) + (at.x * a_.x.step + a_.x.first) * a_.channels;
    run.pixels = std::min(rows, inner_x.last - at.x);
    run.pixel_step = a_.x.step * a_.channels;
    run.kernel_rows = kernel.count;
    run.row_step = a_.y.tap_step * a_.x.in_size * a_.in_pixel_stride;
    run.run = a_.x.count * a_.channels;
    run.out = out;
    run.out_row_stride = out_row_stride;
    sink_.copy_windows(run);
    return run.pixels;
  }

  void advance(Position* at, int64_t pixels) const {
    at->x += pixels;
    if (at->x < a_.x.out_size) return;
    at->x = 0;
    if (++at->y == a_.y.out_size) at->y = 0, ++at->image;
  }

  const GatherArgs<In>& a_;
  const Sink& sink_;
  int64_t group_, first_k_, end_k_;
};

}  // namespace executorch::compute
