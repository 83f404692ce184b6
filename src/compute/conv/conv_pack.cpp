#include <algorithm>

#include "compute/conv/conv.h"
#include "compute/conv/image_kernels.h"
#include "compute/conv/phases.h"
#include "compute/gemm/gemm.h"
#include "compute/gemm/kernels.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

// So many channels at a time that the lines they are written to stay in the first cache.
constexpr int64_t kChannelsAtOnce = 16;

/// Weights of one group and some of the kernel's taps, as B[taps * channels, columns].
struct TapWeights {
  const float* weight;  ///< column 0, channel 0, tap 0 of the kernel
  int64_t column_stride, channel_stride;
  int64_t columns, channels;
  /// Taps used: first_y, first_y + step_y, … of the kernel's rows, and so on.
  int64_t taps_y, first_y, step_y;
  int64_t taps_x, first_x, step_x;
  int64_t kernel_width;
  const float* scale;  ///< by column, or null
};

void pack_column(const TapWeights& w, int64_t column, int64_t first_channel, int64_t channels,
                 int64_t panel_width, float* panel) {
  const float scale = w.scale == nullptr ? 1.0f : w.scale[column];
  const float* from = w.weight + column * w.column_stride;
  for (int64_t c = first_channel; c < first_channel + channels; ++c) {
    int64_t row = c;
    for (int64_t y = 0; y < w.taps_y; ++y) {
      const float* taps =
          from + c * w.channel_stride + (w.first_y + y * w.step_y) * w.kernel_width + w.first_x;
      for (int64_t x = 0; x < w.taps_x; ++x, row += w.channels) {
        panel[row * panel_width] = taps[x * w.step_x] * scale;
      }
    }
  }
}

void pack_taps(const GemmKernels& kernels, const TapWeights& w, float* packed) {
  const int64_t width = kernels.panel;
  const int64_t depth = w.taps_y * w.taps_x * w.channels;
  const int64_t panels = (w.columns + width - 1) / width;
  threadpool::parallel_for(0, panels, 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      float* panel = packed + p * width * depth;
      const int64_t columns = std::min(width, w.columns - p * width);
      if (columns < width) std::fill(panel, panel + width * depth, 0.0f);
      for (int64_t c = 0; c < w.channels; c += kChannelsAtOnce) {
        const int64_t channels = std::min(kChannelsAtOnce, w.channels - c);
        for (int64_t j = 0; j < columns; ++j)
          pack_column(w, p * width + j, c, channels, width, panel + j);
      }
    }
  });
}

void pack_depthwise(const ConvPlan& plan, const float* weight, const float* scale, float* packed) {
  const int64_t lanes = image_kernels(plan.isa).lanes;
  const int64_t taps = plan.shape.kernel_depth * plan.shape.kernel_height * plan.shape.kernel_width;
  const int64_t padded = (plan.shape.in_channels + lanes - 1) / lanes * lanes;
  for (int64_t c = 0; c < padded; ++c) {
    float* to = packed + c / lanes * lanes * taps + c % lanes;
    const bool live = c < plan.shape.in_channels;
    const float factor = live && scale != nullptr ? scale[c] : 1.0f;
    for (int64_t tap = 0; tap < taps; ++tap)
      to[tap * lanes] = live ? weight[c * taps + tap] * factor : 0.0f;
  }
}

void pack_ordinary(const ConvPlan& plan, const float* weight, const float* scale, float* packed) {
  const ConvShape& s = plan.shape;
  const GemmKernels& kernels = gemm_kernels(plan.isa);
  // Rows of all planes of the kernel follow each other.
  const int64_t rows = s.kernel_depth * s.kernel_height;
  const int64_t taps = rows * s.kernel_width;
  const int64_t in_each = s.in_channels / s.groups, out_each = s.out_channels / s.groups;
  const size_t group_floats = gemm_packed_bytes(plan.isa, taps * in_each, out_each) / sizeof(float);
  for (int64_t g = 0; g < s.groups; ++g) {
    const TapWeights w{weight + g * out_each * in_each * taps,
                       in_each * taps,
                       taps,
                       out_each,
                       in_each,
                       rows,
                       0,
                       1,
                       s.kernel_width,
                       0,
                       1,
                       s.kernel_width,
                       scale == nullptr ? nullptr : scale + g * out_each};
    pack_taps(kernels, w, packed + static_cast<size_t>(g) * group_floats);
  }
}

void pack_transposed(const ConvPlan& plan, const float* weight, const float* scale, float* packed) {
  const ConvShape& s = plan.shape;
  const GemmKernels& kernels = gemm_kernels(plan.isa);
  const int64_t taps = s.kernel_height * s.kernel_width;
  const int64_t in_each = s.in_channels / s.groups, out_each = s.out_channels / s.groups;
  const Phases y{s.kernel_height, s.stride_height, s.dilation_height};
  const Phases x{s.kernel_width, s.stride_width, s.dilation_width};
  for (int64_t g = 0; g < s.groups; ++g) {
    for (int64_t i = 0; i < y.count(); ++i) {
      for (int64_t j = 0; j < x.count(); ++j) {
        const TapWeights w{weight + g * in_each * out_each * taps,
                           taps,
                           out_each * taps,
                           out_each,
                           in_each,
                           y.taps(i),
                           y.last_tap(i),
                           -y.step(),
                           x.taps(j),
                           x.last_tap(j),
                           -x.step(),
                           s.kernel_width,
                           scale == nullptr ? nullptr : scale + g * out_each};
        pack_taps(kernels, w, packed);
        packed +=
            gemm_packed_bytes(plan.isa, y.taps(i) * x.taps(j) * in_each, out_each) / sizeof(float);
      }
    }
  }
}

}  // namespace

void conv_pack(const ConvPlan& plan, const float* weight, const float* scale,
               float* packed) noexcept {
  switch (plan.algorithm) {
    case ConvAlgorithm::depthwise:
      return pack_depthwise(plan, weight, scale, packed);
    case ConvAlgorithm::transposed:
      return pack_transposed(plan, weight, scale, packed);
    default:
      return pack_ordinary(plan, weight, scale, packed);
  }
}

}  // namespace executorch::compute
