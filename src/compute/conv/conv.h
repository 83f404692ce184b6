/**
 * @file
 * Convolution over NHWC images or NDHWC volumes, single precision. One-dimensional convolution is
 * height 1.
 *
 *   ConvPlan plan;
 *   if (!conv_plan(shape, active_isa(), &plan)) …   // sizes that make no sense
 *   conv_pack(plan, weight, scale, packed);         // plan.packed_bytes, once
 *   conv_run(plan, packed, in, out, epilogue, scratch, conv_scratch_bytes(plan));
 *
 * The packed weight does not depend on batch and image size: when only those change, make a new
 * plan and keep the packed weight if conv_same_packing() says so. Sums run in a fixed order:
 * results do not depend on thread count.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

#include "compute/cpu/cpu.h"
#include "compute/gemm/epilogue.h"

namespace executorch::compute {

/// Sizes in elements, paddings on each side. For a transposed convolution `in` is what is given and
/// `out` what is computed, padding and stride are those of the layer as PyTorch has them.
struct ConvShape {
  int64_t batch = 1;
  int64_t in_height = 1, in_width = 1, in_channels = 1;
  int64_t out_channels = 1;
  int64_t kernel_height = 1, kernel_width = 1;
  int64_t stride_height = 1, stride_width = 1;
  int64_t dilation_height = 1, dilation_width = 1;
  int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  int64_t groups = 1;
  bool transposed = false;
  int64_t output_padding_height = 0, output_padding_width = 0;  ///< transposed only
  /// Of volumes; they cannot be transposed.
  int64_t in_depth = 1, kernel_depth = 1, stride_depth = 1, dilation_depth = 1;
  int64_t pad_front = 0, pad_back = 0;
  /// Elements between pixels of the input and the output; 0 means dense (the number of channels).
  /// Larger when the image is a slice of channels of a wider one (concatenation written in place).
  int64_t in_pixel_stride = 0, out_pixel_stride = 0;
};

enum class ConvAlgorithm : uint8_t {
  matrix,      ///< 1x1, stride 1: the image is the matrix
  gather,      ///< implicit matrix product, rows gathered in cache
  depthwise,   ///< one input channel per output channel
  transposed,  ///< product, then scattered sum
  winograd,    ///< 3x3: minimal filtering, chosen by conv_prefer_winograd() only
};

struct ConvPlan {
  ConvShape shape;
  int64_t out_depth = 1, out_height = 0, out_width = 0;
  ConvAlgorithm algorithm = ConvAlgorithm::matrix;
  Isa isa = Isa::baseline;
  size_t packed_bytes = 0;
};

/// Fills the plan. False when a size is negative or zero where it must not be, channels are not
/// divisible by groups, the kernel does not fit the padded image, a volume is transposed, or a
/// product of sizes overflows.
[[nodiscard]] EXECUTORCH_COMPUTE_API bool conv_plan(const ConvShape& shape, Isa isa,
                                                    ConvPlan* plan) noexcept;

/// Turns the plan of a 3x3 convolution to Winograd's algorithm where that is faster and its weight
/// still fits the caches. It rounds a little more, with an error that is relative to the largest
/// products of a window; inputs that are infinite or near it are convolved by the definition.
/// `weight`: all values, in any order, and `scale` as for conv_pack(); where one of them is not
/// finite or huge the plan stays as it is. Returns whether the plan was changed.
EXECUTORCH_COMPUTE_API bool conv_prefer_winograd(ConvPlan* plan, const float* weight,
                                                 const float* scale) noexcept;

/// True when weights packed for one plan serve the other.
EXECUTORCH_COMPUTE_API bool conv_same_packing(const ConvPlan& a, const ConvPlan& b) noexcept;

/// A weight where it lies, in any layout; strides in elements. `in` counts within its group (`out`
/// when transposed). Rows of all planes of a volume's kernel follow each other.
struct ConvWeight {
  const float* data;
  int64_t out_stride, in_stride;
  int64_t row_stride, column_stride;  ///< between the kernel's taps
};

/// A weight as PyTorch keeps it, contiguous: [out, in/groups, (kd,) kh, kw], or [in, out/groups,
/// kh, kw] when transposed.
EXECUTORCH_COMPUTE_API ConvWeight contiguous_weight(const ConvShape& shape,
                                                    const float* data) noexcept;

/// Packs the weight. `scale`, one factor per output channel or null, is multiplied in (a folded
/// batch norm).
EXECUTORCH_COMPUTE_API void conv_pack(const ConvPlan& plan, const ConvWeight& weight,
                                      const float* scale, float* packed) noexcept;

/// Scratch for conv_run with the threads of the pool.
EXECUTORCH_COMPUTE_API size_t conv_scratch_bytes(const ConvPlan& plan) noexcept;

/// in: [batch, in_depth, in_height, in_width, in_channels]; out: [batch, out_depth, out_height,
/// out_width, out_channels]; no overlap. The epilogue's residual_stride counts elements between
/// pixels (0: dense).
EXECUTORCH_COMPUTE_API void conv_run(const ConvPlan& plan, const float* packed, const float* in,
                                     float* out, const Epilogue& epilogue, void* scratch,
                                     size_t scratch_bytes) noexcept;

/// Rearranges one batch of images. `channels` and `pixels` (height * width) in elements, both
/// dense.
EXECUTORCH_COMPUTE_API void nchw_to_nhwc(const float* in, float* out, int64_t batch,
                                         int64_t channels, int64_t pixels) noexcept;
EXECUTORCH_COMPUTE_API void nhwc_to_nchw(const float* in, float* out, int64_t batch,
                                         int64_t channels, int64_t pixels) noexcept;

}  // namespace executorch::compute
