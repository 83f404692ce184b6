#include <algorithm>

#include "compute/conv/conv.h"
#include "compute/conv/image_kernels.h"
#include "compute/conv/phases.h"
#include "compute/conv/winograd.h"
#include "compute/gemm/gemm.h"
#include "compute/gemm/kernels.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

// Floats of a panel that are rearranged at a time, in the first cache.
constexpr int64_t kBlockFloats = 4096;

/// Weights of one group and some of the kernel's taps, as B[taps * channels, columns].
struct TapWeights {
  const float* weight;  ///< column 0, channel 0, first tap used
  int64_t column_stride, channel_stride;
  int64_t columns, channels;
  int64_t taps_y, step_y;
  int64_t taps_x, step_x;
  const float* scale;  ///< by column, or null

  int64_t taps() const { return taps_y * taps_x; }
  int64_t depth() const { return taps() * channels; }
  /// Values of one column lie as a panel has them.
  bool in_order() const {
    return channel_stride == 1 && (taps_x == 1 || step_x == channels) &&
           (taps_y == 1 || step_y == taps_x * channels);
  }
  /// Taps of one channel are adjacent, and so are channels.
  bool taps_innermost() const {
    return channel_stride == taps() && (taps_x == 1 || step_x == 1) &&
           (taps_y == 1 || step_y == taps_x);
  }
};

void scale_rows(const float* scale, int64_t columns, int64_t width, int64_t rows, float* panel) {
  for (float* row = panel; row < panel + rows * width; row += width) {
    for (int64_t j = 0; j < columns; ++j) row[j] *= scale[j];
  }
}

/// Columns of one panel whose taps are innermost: transposed to rows in the order in which they
/// lie, then moved to where they belong.
void pack_by_channels(const GemmKernels& kernels, const TapWeights& w, const float* from,
                      int64_t columns, const float* scale, float* panel) {
  float block[kBlockFloats];
  const int64_t width = kernels.panel, taps = w.taps();
  const int64_t at_once = kBlockFloats / (taps * width);
  for (int64_t c = 0; c < w.channels; c += at_once) {
    const int64_t channels = std::min(at_once, w.channels - c);
    kernels.pack_panel(from + c * taps, 1, w.column_stride, channels * taps, columns, block);
    if (scale != nullptr) scale_rows(scale, columns, width, channels * taps, block);
    for (int64_t tap = 0; tap < taps; ++tap) {
      kernels.copy_rows(block + tap * width, taps * width, 1, channels, width,
                        panel + (tap * w.channels + c) * width, width);
    }
  }
}

void pack_by_taps(const GemmKernels& kernels, const TapWeights& w, const float* from,
                  int64_t columns, const float* scale, float* panel) {
  for (int64_t y = 0; y < w.taps_y; ++y) {
    for (int64_t x = 0; x < w.taps_x; ++x, panel += w.channels * kernels.panel) {
      kernels.pack_panel(from + y * w.step_y + x * w.step_x, w.channel_stride, w.column_stride,
                         w.channels, columns, panel);
      if (scale != nullptr) scale_rows(scale, columns, kernels.panel, w.channels, panel);
    }
  }
}

void pack_taps(const GemmKernels& kernels, const TapWeights& w, float* packed) {
  const int64_t width = kernels.panel, depth = w.depth();
  const bool in_order = w.in_order();
  const bool by_channels = w.taps_innermost() && w.taps() * width <= kBlockFloats;
  threadpool::parallel_for(0, (w.columns + width - 1) / width, 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      const int64_t columns = std::min(width, w.columns - p * width);
      const float* from = w.weight + p * width * w.column_stride;
      const float* scale = w.scale == nullptr ? nullptr : w.scale + p * width;
      float* panel = packed + p * width * depth;
      if (in_order && scale == nullptr) {
        kernels.pack_panel(from, 1, w.column_stride, depth, columns, panel);
      } else if (by_channels) {
        pack_by_channels(kernels, w, from, columns, scale, panel);
      } else {
        pack_by_taps(kernels, w, from, columns, scale, panel);
      }
    }
  });
}

void pack_depthwise(const ConvPlan& plan, const ConvWeight& weight, const float* scale,
                    float* packed) {
  const ConvShape& s = plan.shape;
  const int64_t lanes = image_kernels(plan.isa).lanes;
  for (int64_t c = 0; c < s.in_channels; c += lanes) {
    const int64_t live = std::min(lanes, s.in_channels - c);
    for (int64_t y = 0; y < s.kernel_depth * s.kernel_height; ++y) {
      for (int64_t x = 0; x < s.kernel_width; ++x, packed += lanes) {
        const float* from =
            weight.data + c * weight.out_stride + y * weight.row_stride + x * weight.column_stride;
        for (int64_t i = 0; i < live; ++i) packed[i] = from[i * weight.out_stride];
        std::fill(packed + live, packed + lanes, 0.0f);
        if (scale != nullptr) scale_rows(scale + c, live, lanes, 1, packed);
      }
    }
  }
}

void pack_ordinary(const ConvPlan& plan, const ConvWeight& weight, const float* scale,
                   float* packed) {
  const ConvShape& s = plan.shape;
  const GemmKernels& kernels = gemm_kernels(plan.isa);
  const int64_t in_each = s.in_channels / s.groups, out_each = s.out_channels / s.groups;
  TapWeights w{weight.data, weight.out_stride, weight.in_stride, out_each, in_each,
               // Rows of all planes of the kernel follow each other.
               s.kernel_depth * s.kernel_height, weight.row_stride, s.kernel_width,
               weight.column_stride, scale};
  for (int64_t g = 0; g < s.groups; ++g) {
    pack_taps(kernels, w, packed);
    packed += gemm_packed_bytes(plan.isa, w.depth(), out_each) / sizeof(float);
    w.weight += out_each * weight.out_stride;
    if (w.scale != nullptr) w.scale += out_each;
  }
}

void pack_transposed(const ConvPlan& plan, const ConvWeight& weight, const float* scale,
                     float* packed) {
  const ConvShape& s = plan.shape;
  const GemmKernels& kernels = gemm_kernels(plan.isa);
  const int64_t in_each = s.in_channels / s.groups, out_each = s.out_channels / s.groups;
  const Phases y{s.kernel_height, s.stride_height, s.dilation_height};
  const Phases x{s.kernel_width, s.stride_width, s.dilation_width};
  for (int64_t g = 0; g < s.groups; ++g) {
    for (int64_t i = 0; i < y.count(); ++i) {
      for (int64_t j = 0; j < x.count(); ++j) {
        const TapWeights w{weight.data + g * in_each * weight.in_stride +
                               y.last_tap(i) * weight.row_stride +
                               x.last_tap(j) * weight.column_stride,
                           weight.out_stride,
                           weight.in_stride,
                           out_each,
                           in_each,
                           y.taps(i),
                           -y.step() * weight.row_stride,
                           x.taps(j),
                           -x.step() * weight.column_stride,
                           scale == nullptr ? nullptr : scale + g * out_each};
        pack_taps(kernels, w, packed);
        packed += gemm_packed_bytes(plan.isa, w.depth(), out_each) / sizeof(float);
      }
    }
  }
}

}  // namespace

ConvWeight contiguous_weight(const ConvShape& s, const float* data) noexcept {
  const int64_t taps = s.kernel_depth * s.kernel_height * s.kernel_width;
  const int64_t outer = (s.transposed ? s.out_channels : s.in_channels) / s.groups * taps;
  return {data, s.transposed ? taps : outer, s.transposed ? outer : taps, s.kernel_width, 1};
}

void conv_pack(const ConvPlan& plan, const ConvWeight& weight, const float* scale,
               float* packed) noexcept {
  switch (plan.algorithm) {
    case ConvAlgorithm::depthwise:
      return pack_depthwise(plan, weight, scale, packed);
    case ConvAlgorithm::transposed:
      return pack_transposed(plan, weight, scale, packed);
    case ConvAlgorithm::winograd:
      return winograd_pack(plan, weight, scale, packed);
    default:
      return pack_ordinary(plan, weight, scale, packed);
  }
}

}  // namespace executorch::compute
