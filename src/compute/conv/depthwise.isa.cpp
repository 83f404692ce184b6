#include "compute/conv/image_kernels.h"
#include "compute/gemm/pack.h"
#include "compute/gemm/tile.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

/// One vector of channels: everything that the loops over pixels need.
struct Lane {
  const DepthwiseArgs& args;
  const float* weights;  ///< [kernel_height][kernel_width][lanes]
  int64_t channel;
  int64_t live;  ///< channels of this vector, the others are padding
  bool plain;    ///< sums start from the bias and are only clamped
  V::Type start, lo, hi;
};

Lane make_lane(const DepthwiseArgs& a, int64_t channel) {
  const Epilogue& e = *a.epilogue;
  const int64_t live = a.channels - channel < V::kLanes ? a.channels - channel : V::kLanes;
  const bool at_start = starts_from_bias(e) && e.bias != nullptr;
  return {a,
          a.weights + channel * a.kernel_height * a.kernel_width,
          channel,
          live,
          e.residual == nullptr && (e.bias == nullptr || at_start) && e.alpha == 1.0f,
          at_start ? load_up_to(e.bias + channel, live) : V::zero(),
          V::set(e.lo),
          V::set(e.hi)};
}

inline void store_pixel(const Lane& lane, const DepthwiseLine& line, int64_t x, V::Type sum) {
  const DepthwiseArgs& a = lane.args;
  float* out = line.out + x * a.out_pixel_stride + lane.channel;
  if (lane.plain) {
    store_up_to(out, V::at_most(V::at_least(sum, lane.lo), lane.hi), lane.live);
    return;
  }
  const Epilogue& e = *a.epilogue;
  const float* bias = e.bias == nullptr || starts_from_bias(e) ? nullptr : e.bias + lane.channel;
  const float* residual =
      line.residual == nullptr ? nullptr : line.residual + x * e.residual_stride + lane.channel;
  V::Type v[1] = {sum};
  finish<1>(v, e, bias, residual, lane.live);
  store_up_to(out, v[0], lane.live);
}

/// A pixel whose window may reach into the padding, or of any kernel size.
void any_pixel(const Lane& lane, const DepthwiseLine& line, int64_t x) {
  const DepthwiseArgs& a = lane.args;
  const int64_t x0 = x * a.stride - a.pad_left;
  const int64_t first = x0 < 0 ? (-x0 + a.dilation - 1) / a.dilation : 0;
  const int64_t inside = x0 >= a.in_width ? 0 : (a.in_width - 1 - x0) / a.dilation + 1;
  const int64_t last = inside < a.kernel_width ? inside : a.kernel_width;
  V::Type sum = lane.start;
  for (int64_t i = 0; i < line.tap_count; ++i) {
    const float* weights = lane.weights + line.taps[i].kernel_row * a.kernel_width * V::kLanes;
    const float* in = line.taps[i].in + x0 * a.in_pixel_stride + lane.channel;
    for (int64_t kx = first; kx < last; ++kx) {
      const V::Type value = load_up_to(in + kx * a.dilation * a.in_pixel_stride, lane.live);
      sum = V::fma(value, V::load(weights + kx * V::kLanes), sum);
    }
  }
  store_pixel(lane, line, x, sum);
}

/// X neighbouring pixels whose windows lie inside the row, dilation 1: each input is loaded once
/// for all windows that it falls into.
template <int K, int S, int X, bool kPart>
inline void inner_pixels(const Lane& lane, const DepthwiseLine& line, int64_t x) {
  const DepthwiseArgs& a = lane.args;
  V::Type sum[X];
#pragma GCC unroll 8
  for (int i = 0; i < X; ++i) sum[i] = lane.start;
  for (int64_t tap = 0; tap < line.tap_count; ++tap) {
    const float* in = line.taps[tap].in + (x * S - a.pad_left) * a.in_pixel_stride + lane.channel;
    const float* weights = lane.weights + line.taps[tap].kernel_row * K * V::kLanes;
#pragma GCC unroll 16
    for (int column = 0; column < (X - 1) * S + K; ++column) {
      const float* p = in + column * a.in_pixel_stride;
      const V::Type value = kPart ? V::load_part(p, lane.live) : V::load(p);
#pragma GCC unroll 8
      for (int i = 0; i < X; ++i) {
        const int kx = column - i * S;
        if (kx >= 0 && kx < K) sum[i] = V::fma(value, V::load(weights + kx * V::kLanes), sum[i]);
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < X; ++i) store_pixel(lane, line, x + i, sum[i]);
}

using InnerLoop = void (*)(const Lane&, const DepthwiseLine&, int64_t first, int64_t last);

template <int K, int S, bool kPart>
void inner_row(const Lane& lane, const DepthwiseLine& line, int64_t first, int64_t last) {
  constexpr int kPixels = V::kRegisters >= 32 ? 6 : 4;
  int64_t x = first;
  for (; x + kPixels <= last; x += kPixels) inner_pixels<K, S, kPixels, kPart>(lane, line, x);
  for (; x < last; ++x) inner_pixels<K, S, 1, kPart>(lane, line, x);
}

InnerLoop inner_loop(const DepthwiseArgs& a, bool part) {
  if (a.dilation != 1 || a.kernel_width > 9) return nullptr;
  switch (a.kernel_width * 10 + a.stride) {
    case 31:
      return part ? inner_row<3, 1, true> : inner_row<3, 1, false>;
    case 32:
      return part ? inner_row<3, 2, true> : inner_row<3, 2, false>;
    case 51:
      return part ? inner_row<5, 1, true> : inner_row<5, 1, false>;
    case 52:
      return part ? inner_row<5, 2, true> : inner_row<5, 2, false>;
    default:
      return nullptr;
  }
}

int64_t clamp(int64_t value, int64_t lo, int64_t hi) {
  return value < lo ? lo : value > hi ? hi : value;
}

void depthwise(const DepthwiseArgs& a, const DepthwiseLine* lines, int64_t count) {
  // Pixels [first, last) have their windows inside the row.
  const int64_t reach = a.in_width - 1 + a.pad_left - (a.kernel_width - 1) * a.dilation;
  const int64_t first = clamp((a.pad_left + a.stride - 1) / a.stride, 0, a.out_width);
  const int64_t last = clamp(reach < 0 ? 0 : reach / a.stride + 1, first, a.out_width);
  for (int64_t channel = 0; channel < a.channels; channel += V::kLanes) {
    const Lane lane = make_lane(a, channel);
    const InnerLoop inner = inner_loop(a, lane.live < V::kLanes);
    for (int64_t i = 0; i < count; ++i) {
      const DepthwiseLine& line = lines[i];
      const int64_t begin = inner == nullptr ? a.out_width : first,
                    end = inner == nullptr ? a.out_width : last;
      for (int64_t x = 0; x < begin; ++x) any_pixel(lane, line, x);
      if (inner != nullptr) inner(lane, line, first, last);
      for (int64_t x = end; x < a.out_width; ++x) any_pixel(lane, line, x);
    }
  }
  const RowMap& map = a.epilogue->map;
  if (map.apply == nullptr) return;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t x = 0; x < a.out_width; ++x) {
      map.apply(map.context, lines[i].out + x * a.out_pixel_stride, a.channels);
    }
  }
}

/// Whole vectors are stored: what lies behind a run is written by the next one, or is room.
void copy_windows(const WindowRun<float, float>& w) {
  const int64_t whole = w.run / V::kLanes * V::kLanes, rest = w.run - whole;
  for (int64_t pixel = 0; pixel < w.pixels; ++pixel) {
    float* out = w.out + pixel * w.out_row_stride;
    for (int64_t row = 0; row < w.kernel_rows; ++row, out += w.run) {
      const float* in = w.in + pixel * w.pixel_step + row * w.row_step;
      for (int64_t i = 0; i < whole; i += V::kLanes) V::store(out + i, V::load(in + i));
      if (rest > 0) V::store(out + whole, V::load_part(in + whole, rest));
    }
  }
}

}  // namespace

const ImageKernels image_kernels_table = {V::kLanes, depthwise, copy_windows, transpose};

}  // namespace EXECUTORCH_ISA_NAMESPACE
