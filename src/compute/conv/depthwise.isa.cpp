#include "compute/conv/image_kernels.h"
#include "compute/gemm/pack.h"
#include "compute/gemm/tile.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

/// One vector of channels of a row: everything that the loops over pixels need.
struct Lane {
  const DepthwiseRow& row;
  const float* weights;  ///< [kernel_height][kernel_width][lanes]
  int64_t channel;
  int64_t live;  ///< channels of this vector, the others are padding
  const float* bias;
};

inline void store_pixel(const Lane& lane, int64_t x, V::Type sum) {
  const DepthwiseRow& r = lane.row;
  V::Type v[1] = {sum};
  const float* residual =
      r.residual == nullptr ? nullptr : r.residual + x * r.epilogue->residual_stride + lane.channel;
  finish<1>(v, *r.epilogue, lane.bias, residual, lane.live);
  store_up_to(r.out + x * r.out_pixel_stride + lane.channel, v[0], lane.live);
}

/// A pixel whose window may reach into the padding, or of any kernel size.
void any_pixel(const Lane& lane, int64_t x) {
  const DepthwiseRow& r = lane.row;
  V::Type sum = V::zero();
  for (int64_t i = 0; i < r.row_count; ++i) {
    const float* weights = lane.weights + r.kernel_rows[i] * r.kernel_width * V::kLanes;
    for (int64_t kx = 0; kx < r.kernel_width; ++kx) {
      const int64_t ix = x * r.stride - r.pad_left + kx * r.dilation;
      if (ix < 0 || ix >= r.in_width) continue;
      const V::Type in = load_up_to(r.rows[i] + ix * r.in_pixel_stride + lane.channel, lane.live);
      sum = V::fma(in, V::load(weights + kx * V::kLanes), sum);
    }
  }
  store_pixel(lane, x, sum);
}

/// X neighbouring pixels whose windows lie inside the image, all kernel rows present, dilation 1: each input is
/// loaded once for all windows that it falls into.
template <int K, int S, int X, bool kPart>
inline void inner_pixels(const Lane& lane, int64_t x) {
  const DepthwiseRow& r = lane.row;
  V::Type sum[X];
#pragma GCC unroll 8
  for (int i = 0; i < X; ++i) sum[i] = V::zero();
#pragma GCC unroll 8
  for (int ky = 0; ky < K; ++ky) {
    const float* in = r.rows[ky] + (x * S - r.pad_left) * r.in_pixel_stride + lane.channel;
    const float* weights = lane.weights + ky * K * V::kLanes;
#pragma GCC unroll 16
    for (int column = 0; column < (X - 1) * S + K; ++column) {
      const float* p = in + column * r.in_pixel_stride;
      const V::Type value = kPart ? V::load_part(p, lane.live) : V::load(p);
#pragma GCC unroll 8
      for (int i = 0; i < X; ++i) {
        const int kx = column - i * S;
        if (kx >= 0 && kx < K) sum[i] = V::fma(value, V::load(weights + kx * V::kLanes), sum[i]);
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < X; ++i) store_pixel(lane, x + i, sum[i]);
}

template <int K, int S, bool kPart>
void square_row(const Lane& lane, int64_t first, int64_t last) {
  constexpr int kPixels = V::kRegisters >= 32 ? 6 : 4;
  int64_t x = first;
  for (; x + kPixels <= last; x += kPixels) inner_pixels<K, S, kPixels, kPart>(lane, x);
  for (; x < last; ++x) inner_pixels<K, S, 1, kPart>(lane, x);
}

using InnerLoop = void (*)(const Lane&, int64_t first, int64_t last);

InnerLoop inner_loop(const DepthwiseRow& r, bool part) {
  if (r.kernel_height != r.kernel_width || r.dilation != 1 || r.row_count != r.kernel_height) return nullptr;
  switch (r.kernel_width * 10 + r.stride) {
    case 31:
      return part ? square_row<3, 1, true> : square_row<3, 1, false>;
    case 32:
      return part ? square_row<3, 2, true> : square_row<3, 2, false>;
    case 51:
      return part ? square_row<5, 1, true> : square_row<5, 1, false>;
    case 52:
      return part ? square_row<5, 2, true> : square_row<5, 2, false>;
    default:
      return nullptr;
  }
}

int64_t clamp(int64_t value, int64_t lo, int64_t hi) { return value < lo ? lo : value > hi ? hi : value; }

void depthwise_row(const DepthwiseRow& r) {
  // Pixels [first, last) have their windows inside the row.
  const int64_t reach = r.in_width - 1 + r.pad_left - (r.kernel_width - 1) * r.dilation;
  const int64_t first = clamp((r.pad_left + r.stride - 1) / r.stride, 0, r.out_width);
  const int64_t last = clamp(reach < 0 ? 0 : reach / r.stride + 1, first, r.out_width);
  for (int64_t channel = 0; channel < r.channels; channel += V::kLanes) {
    const int64_t live = r.channels - channel < V::kLanes ? r.channels - channel : V::kLanes;
    const Lane lane{r, r.weights + channel * r.kernel_height * r.kernel_width, channel, live,
                    r.epilogue->bias == nullptr ? nullptr : r.epilogue->bias + channel};
    const InnerLoop inner = inner_loop(r, live < V::kLanes);
    const int64_t begin = inner == nullptr ? r.out_width : first, end = inner == nullptr ? r.out_width : last;
    for (int64_t x = 0; x < begin; ++x) any_pixel(lane, x);
    if (inner != nullptr) inner(lane, first, last);
    for (int64_t x = end; x < r.out_width; ++x) any_pixel(lane, x);
  }
  if (r.epilogue->map.apply == nullptr) return;
  for (int64_t x = 0; x < r.out_width; ++x) {
    r.epilogue->map.apply(r.epilogue->map.context, r.out + x * r.out_pixel_stride, r.channels);
  }
}

/// Whole vectors are stored: what lies behind a run is written by the next one, or is room.
void copy_windows(const WindowRun& w) {
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

const ImageKernels image_kernels_table = {V::kLanes, depthwise_row, copy_windows, transpose};

}  // namespace EXECUTORCH_ISA_NAMESPACE
