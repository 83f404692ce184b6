/**
 * @file
 * Convolution of bytes over NHWC images. Sums are exact; padding counts as the input's zero point.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

#include "compute/conv/conv.h"
#include "compute/quantized/product.h"

namespace executorch::compute {

struct ByteConvPlan {
  ConvPlan conv;           ///< sizes; packed_bytes is not that of bytes
  bool depthwise = false;  ///< else a product, for each group
  QuantizedMatrix matrix;  ///< of one group: k = taps * channels; depthwise: all channels, k = taps
  size_t packed_bytes = 0;
  /// Columns stand as `groups` times `padded`, the first matrix.n of each in use: so are tables.
  int64_t groups = 1;
  int64_t padded = 0;
  int32_t offset = 0;  ///< what inputs count too much in sums
};

/// Fills the plan. `dynamic`: rows of images have parameters of their own. False as conv_plan() is,
/// or when the packed weight is too large.
[[nodiscard]] EXECUTORCH_COMPUTE_API bool byte_conv_plan(const ConvShape& shape, Isa isa,
                                                         bool dynamic, ByteConvPlan* plan) noexcept;

/// Packs a weight [out, in / groups, height, width], or transposed [in, out / groups, height,
/// width], given by its strides. `packed` is 64-byte aligned, of plan.packed_bytes.
EXECUTORCH_COMPUTE_API void byte_conv_pack(const ByteConvPlan& plan, const int8_t* weight,
                                           const int64_t (&strides)[4], void* packed) noexcept;

/// Each column's sum of weights: of group g at g * sums_stride(plan).
EXECUTORCH_COMPUTE_API const int32_t* byte_conv_sums(const ByteConvPlan& plan,
                                                     const void* packed) noexcept;
EXECUTORCH_COMPUTE_API int64_t byte_conv_sums_stride(const ByteConvPlan& plan) noexcept;

struct ByteConvArgs {
  const void* packed = nullptr;
  const int8_t* in = nullptr;
  void* out = nullptr;
  int32_t zero_point = 0;  ///< static: of the input
  /// Tables as the plan's columns stand; dynamic: rows are those of images.
  SumsOutput output;
};

EXECUTORCH_COMPUTE_API size_t byte_conv_scratch_bytes(const ByteConvPlan& plan,
                                                      size_t threads) noexcept;
/// No overlap of in and out.
EXECUTORCH_COMPUTE_API void byte_conv_run(const ByteConvPlan& plan, const ByteConvArgs& args,
                                          void* scratch, size_t scratch_bytes) noexcept;

}  // namespace executorch::compute
