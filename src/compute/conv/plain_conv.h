/**
 * @file
 * Convolution of any type over up to three spatial dimensions, in PyTorch's contiguous layout. A
 * direct loop: the fallback for what conv.h does not cover.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/cpu.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

constexpr int kSpatial = 3;

/// Dimensions that an operation lacks come first and have size 1, stride 1, no padding.
struct PlainConv {
  int64_t batch = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  int64_t groups = 1;
  bool transposed = false;
  int64_t in[kSpatial] = {1, 1, 1};
  int64_t out[kSpatial] = {1, 1, 1};
  int64_t kernel[kSpatial] = {1, 1, 1};
  int64_t stride[kSpatial] = {1, 1, 1};
  int64_t padding[kSpatial] = {0, 0, 0};
  int64_t dilation[kSpatial] = {1, 1, 1};
};

/// True for f32, f64, i32 and i64 (which wrap).
constexpr bool plain_conv_supported(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::i32 || dtype == DType::i64;
}

/// Weights as PyTorch keeps them: [out, in / groups, …], transposed [in, out / groups, …]. `bias`
/// has out_channels elements or is null. All of type `dtype`; no overlap. Each value is summed in a
/// fixed order.
EXECUTORCH_COMPUTE_API void plain_conv(DType dtype, const PlainConv& conv, const void* in,
                                       const void* weight, const void* bias, void* out);

}  // namespace executorch::compute
