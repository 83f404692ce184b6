/**
 * @file
 * Which cells of the input belong to an output cell.
 */
#pragma once

#include <algorithm>
#include <cstdint>

#include "compute/cpu/sizes.h"
#include "compute/pool/pool.h"

namespace executorch::compute {

/// Positions first, first + step, … of one dimension, `count` of them.
struct Span1d {
  int64_t first, step, count;
};

/// The positions of a window that lie in the image.
inline Span1d window_span(const PoolAxis& a, int64_t out, bool adaptive) {
  if (adaptive) {
    const int64_t first = out * a.in / a.out;
    return {first, 1, divide_up((out + 1) * a.in, a.out) - first};
  }
  const int64_t start = out * a.stride - a.pad;
  if (start >= 0 && start + (a.kernel - 1) * a.dilation < a.in)
    return {start, a.dilation, a.kernel};
  const int64_t skipped = start < 0 ? divide_up(-start, a.dilation) : 0;
  const int64_t first = start + skipped * a.dilation;
  const int64_t inside = first >= a.in ? 0 : (a.in - 1 - first) / a.dilation + 1;
  return {first, a.dilation, std::clamp<int64_t>(a.kernel - skipped, 0, inside)};
}

struct Window {
  Span1d z, y, x;
  int64_t cells() const { return z.count * y.count * x.count; }
};

inline Window window_of(const PoolShape& s, int64_t oz, int64_t oy, int64_t ox) {
  return {window_span(s.z, oz, s.adaptive), window_span(s.y, oy, s.adaptive),
          window_span(s.x, ox, s.adaptive)};
}

/// Cells of a window in one dimension when padding counts but what lies beyond it does not.
/// `far_pad`: padding on the far side, -1: as on the near side.
inline int64_t padded_cells(const PoolAxis& a, int64_t out, int64_t far_pad) {
  const int64_t start = out * a.stride - a.pad;
  const int64_t end = std::min(start + a.kernel, a.in + (far_pad < 0 ? a.pad : far_pad));
  return std::max<int64_t>(end - start, 0);
}

inline double divisor_of(const PoolShape& s, const AverageDivisor& divisor, const Window& window,
                         int64_t oz, int64_t oy, int64_t ox) {
  if (window.cells() == 0) return 1;  // nothing to divide: eager yields 0
  if (divisor.override_value != 0) return static_cast<double>(divisor.override_value);
  if (s.adaptive || !divisor.count_include_pad) return static_cast<double>(window.cells());
  return static_cast<double>(padded_cells(s.z, oz, -1) * padded_cells(s.y, oy, divisor.pad_bottom) *
                             padded_cells(s.x, ox, divisor.pad_right));
}

/// Where the values of an image lie.
struct PoolLayout {
  int64_t image, channel, plane, row, column;
};

inline PoolLayout layout_of(const PoolShape& s, int64_t depth, int64_t height, int64_t width) {
  const int64_t image = depth * height * width * s.channels;
  if (s.channels_last) {
    return {image, 1, height * width * s.channels, width * s.channels, s.channels};
  }
  return {image, depth * height * width, height * width, width, 1};
}

}  // namespace executorch::compute
