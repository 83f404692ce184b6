#include <algorithm>
#include <iterator>

#include "compute/conv/conv.h"
#include "compute/conv/image_kernels.h"
#include "compute/conv/phases.h"
#include "compute/conv/winograd.h"
#include "compute/gemm/gemm.h"
#include "compute/gemm/kernels.h"

namespace executorch::compute {
namespace {

/// Adds and multiplies, remembering overflow.
class Checked {
 public:
  int64_t times(int64_t a, int64_t b) {
    int64_t result;
    if (__builtin_mul_overflow(a, b, &result)) ok_ = false, result = 0;
    return result;
  }
  int64_t plus(int64_t a, int64_t b) {
    int64_t result;
    if (__builtin_add_overflow(a, b, &result)) ok_ = false, result = 0;
    return result;
  }
  bool ok() const { return ok_; }

 private:
  bool ok_ = true;
};

bool sizes_make_sense(const ConvShape& s) {
  const int64_t positive[] = {s.in_channels,   s.out_channels, s.kernel_height,   s.kernel_width,
                              s.stride_height, s.stride_width, s.dilation_height, s.dilation_width,
                              s.groups,        s.kernel_depth, s.stride_depth,    s.dilation_depth};
  const int64_t not_negative[] = {s.batch,
                                  s.in_height,
                                  s.in_width,
                                  s.pad_top,
                                  s.pad_bottom,
                                  s.pad_left,
                                  s.pad_right,
                                  s.in_pixel_stride,
                                  s.out_pixel_stride,
                                  s.output_padding_height,
                                  s.output_padding_width,
                                  s.in_depth,
                                  s.pad_front,
                                  s.pad_back};
  if (std::any_of(std::begin(positive), std::end(positive), [](int64_t v) { return v < 1; }))
    return false;
  if (std::any_of(std::begin(not_negative), std::end(not_negative),
                  [](int64_t v) { return v < 0; }))
    return false;
  if (s.transposed && (s.in_depth != 1 || s.kernel_depth != 1 || s.pad_front + s.pad_back != 0))
    return false;
  if (s.in_pixel_stride != 0 && s.in_pixel_stride < s.in_channels) return false;
  if (s.out_pixel_stride != 0 && s.out_pixel_stride < s.out_channels) return false;
  return s.in_channels % s.groups == 0 && s.out_channels % s.groups == 0;
}

/// Output size of one dimension; below 1 when the kernel does not fit.
int64_t out_size(Checked& c, const ConvShape& s, int64_t in, int64_t kernel, int64_t stride,
                 int64_t dilation, int64_t before, int64_t after, int64_t output_padding) {
  const int64_t span = c.plus(c.times(kernel - 1, dilation), 1);
  const int64_t padding = c.plus(before, after);
  if (s.transposed) {
    return c.plus(c.plus(c.plus(c.times(in - 1, stride), span), -padding), output_padding);
  }
  const int64_t room = c.plus(c.plus(in, padding), -span);
  return room < 0 ? 0 : room / stride + 1;
}

ConvAlgorithm choose_algorithm(const ConvShape& s) {
  if (s.transposed) return ConvAlgorithm::transposed;
  if (s.groups > 1 && s.groups == s.in_channels && s.groups == s.out_channels &&
      s.kernel_height <= kMaxDepthwiseRows / s.kernel_depth) {
    return ConvAlgorithm::depthwise;
  }
  const bool pointwise = s.kernel_depth == 1 && s.kernel_height == 1 && s.kernel_width == 1 &&
                         s.stride_depth == 1 && s.stride_height == 1 && s.stride_width == 1 &&
                         s.pad_front == 0 && s.pad_back == 0 && s.pad_top == 0 &&
                         s.pad_bottom == 0 && s.pad_left == 0 && s.pad_right == 0;
  return pointwise ? ConvAlgorithm::matrix : ConvAlgorithm::gather;
}

int64_t taps_of(const ConvShape& s) {
  return s.kernel_depth * s.kernel_height * s.kernel_width;
}

// Sizes from which Winograd's algorithm pays, and up to which its weights, 16 values for 9, are
// worth their memory: measured, see benchmarks/compute_benchmark.cpp.
constexpr size_t kMostWinogradBytes = size_t{5} << 20;
constexpr int64_t kLeastWinogradChannels = 16;
constexpr int64_t kLeastWinogradTiles = 24;
// With inputs below 2^64, sums of products of such weights do not overflow.
constexpr float kLargestWeight = 1 << 20;

bool winograd_pays(const ConvPlan& plan) {
  const ConvShape& s = plan.shape;
  return winograd_fits(s) && winograd_packed_bytes(plan.isa, s) <= kMostWinogradBytes &&
         std::min(s.in_channels, s.out_channels) >= kLeastWinogradChannels &&
         (plan.out_height + 1) / 2 * ((plan.out_width + 1) / 2) >= kLeastWinogradTiles;
}

bool all_moderate(const float* values, int64_t count) {
  bool moderate = true;
  for (int64_t i = 0; i < count; ++i)
    moderate &= values[i] > -kLargestWeight && values[i] < kLargestWeight;
  return moderate;
}

size_t times_saturating(size_t a, size_t b) {
  size_t result;
  return __builtin_mul_overflow(a, b, &result) ? SIZE_MAX : result;
}

size_t plus_saturating(size_t a, size_t b) {
  size_t result;
  return __builtin_add_overflow(a, b, &result) ? SIZE_MAX : result;
}

size_t packed_bytes(const ConvPlan& plan) {
  const ConvShape& s = plan.shape;
  const size_t groups = static_cast<size_t>(s.groups);
  const int64_t out_each = s.out_channels / s.groups, in_each = s.in_channels / s.groups;
  switch (plan.algorithm) {
    case ConvAlgorithm::depthwise: {
      const int64_t lanes = image_kernels(plan.isa).lanes;
      const size_t padded = static_cast<size_t>((s.in_channels + lanes - 1) / lanes * lanes);
      return times_saturating(padded, static_cast<size_t>(taps_of(s)) * sizeof(float));
    }
    case ConvAlgorithm::transposed: {
      const Phases y{s.kernel_height, s.stride_height, s.dilation_height};
      const Phases x{s.kernel_width, s.stride_width, s.dilation_width};
      size_t bytes = 0;
      for (int64_t i = 0; i < y.count(); ++i) {
        for (int64_t j = 0; j < x.count(); ++j) {
          bytes = plus_saturating(
              bytes, gemm_packed_bytes(plan.isa, y.taps(i) * x.taps(j) * in_each, out_each));
        }
      }
      return times_saturating(bytes, groups);
    }
    default:
      return times_saturating(gemm_packed_bytes(plan.isa, taps_of(s) * in_each, out_each), groups);
  }
}

}  // namespace

bool conv_plan(const ConvShape& shape, Isa isa, ConvPlan* plan) noexcept {
  if (!sizes_make_sense(shape)) return false;
  Checked c;
  ConvPlan p;
  p.shape = shape;
  p.isa = isa;
  ConvShape& s = p.shape;
  p.out_depth = s.transposed ? 1
                             : out_size(c, s, s.in_depth, s.kernel_depth, s.stride_depth,
                                        s.dilation_depth, s.pad_front, s.pad_back, 0);
  p.out_height = out_size(c, s, s.in_height, s.kernel_height, s.stride_height, s.dilation_height,
                          s.pad_top, s.pad_bottom, s.output_padding_height);
  p.out_width = out_size(c, s, s.in_width, s.kernel_width, s.stride_width, s.dilation_width,
                         s.pad_left, s.pad_right, s.output_padding_width);
  if (s.in_pixel_stride == 0) s.in_pixel_stride = s.in_channels;
  if (s.out_pixel_stride == 0) s.out_pixel_stride = s.out_channels;
  // The products that index images, the matrix and the weights.
  c.times(c.times(c.times(c.times(s.batch, s.in_depth), s.in_height), s.in_width),
          c.times(s.in_pixel_stride, sizeof(float)));
  c.times(c.times(c.times(c.times(s.batch, p.out_depth), p.out_height), p.out_width),
          c.times(s.out_pixel_stride, sizeof(float)));
  c.times(c.times(c.times(s.in_channels, s.out_channels),
                  c.times(c.times(s.kernel_depth, s.kernel_height), s.kernel_width)),
          sizeof(float));
  if (!c.ok() || p.out_depth < 1 || p.out_height < 1 || p.out_width < 1) return false;
  p.algorithm = choose_algorithm(s);
  p.packed_bytes = packed_bytes(p);
  if (p.packed_bytes > static_cast<size_t>(INT64_MAX)) return false;
  *plan = p;
  return true;
}

bool conv_prefer_winograd(ConvPlan* plan, const float* weight, const float* scale) noexcept {
  const ConvShape& s = plan->shape;
  if (!winograd_pays(*plan) || !all_moderate(weight, s.in_channels * s.out_channels * taps_of(s)) ||
      (scale != nullptr && !all_moderate(scale, s.out_channels))) {
    return false;
  }
  plan->algorithm = ConvAlgorithm::winograd;
  plan->packed_bytes = winograd_packed_bytes(plan->isa, s);
  return true;
}

bool conv_same_packing(const ConvPlan& a, const ConvPlan& b) noexcept {
  const ConvShape &s = a.shape, &t = b.shape;
  // Ordinary products share one layout.
  const auto layout = [](ConvAlgorithm algorithm) {
    return algorithm == ConvAlgorithm::gather ? ConvAlgorithm::matrix : algorithm;
  };
  const bool same_weight = layout(a.algorithm) == layout(b.algorithm) && a.isa == b.isa &&
                           s.in_channels == t.in_channels && s.out_channels == t.out_channels &&
                           s.groups == t.groups && s.kernel_depth == t.kernel_depth &&
                           s.kernel_height == t.kernel_height && s.kernel_width == t.kernel_width;
  return same_weight &&
         (a.algorithm != ConvAlgorithm::transposed ||
          (s.stride_height == t.stride_height && s.stride_width == t.stride_width &&
           s.dilation_height == t.dilation_height && s.dilation_width == t.dilation_width));
}

}  // namespace executorch::compute
