/**
 * @file
 * A transposed convolution as ordinary ones. Output position o of a dimension receives tap t from
 * input position i where i * stride + t * dilation = o + padding. Positions with the same (o +
 * padding) mod stride use the same taps, a phase: every step-th of the kernel. Phases are numbered
 * by their first tap. Their taps are taken from the last to the first, so that the input is read
 * forwards.
 */
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace executorch::compute {

struct Phases {
  int64_t kernel, stride, dilation;

  /// Taps of one phase are this far apart.
  int64_t step() const { return stride / std::gcd(stride, dilation); }
  /// Phases with any tap.
  int64_t count() const { return std::min(kernel, step()); }
  /// Taps of a phase.
  int64_t taps(int64_t phase) const { return (kernel - phase - 1) / step() + 1; }
  /// The phase of an output position, padding added; -1 when no tap reaches it.
  int64_t of(int64_t position) const {
    for (int64_t phase = 0; phase < count(); ++phase) {
      if ((position - phase * dilation) % stride == 0) return phase;
    }
    return -1;
  }
  int64_t last_tap(int64_t phase) const { return phase + (taps(phase) - 1) * step(); }
  /// Input position that the phase's last tap reads for an output position, and the distance to
  /// that of the tap before it.
  int64_t first_input(int64_t position, int64_t phase) const {
    return (position - last_tap(phase) * dilation) / stride;
  }
  int64_t input_step() const { return step() * dilation / stride; }
};

}  // namespace executorch::compute
