/**
 * @file
 * Convolution of any type over up to three spatial dimensions, in PyTorch's contiguous layout, and
 * its gradients: products with the explicit matrix of the convolution, a block of its columns at a
 * time. What conv.h does not cover.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/conv/columns.h"
#include "compute/cpu/cpu.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

/**
 * A convolution relates images on a large grid to images on a small one. An ordinary one computes
 * the small from the large, a transposed one the large from the small. In both cases PyTorch's
 * weight is [small_channels, large_channels / groups, kernel…].
 */
struct PlainConv {
  WindowGrid grid;
  int64_t batch = 1;
  int64_t large_channels = 1;
  int64_t small_channels = 1;
  int64_t groups = 1;
};

/// True for f32, f64, i32 and i64 (which wrap).
constexpr bool plain_conv_supported(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::i32 || dtype == DType::i64;
}

/// Scratch for each of the functions below.
EXECUTORCH_COMPUTE_API size_t plain_conv_scratch_bytes(DType dtype, const PlainConv& conv) noexcept;

// All operands have type `dtype` and do not overlap. Each value is summed in a fixed order.

/// small = weight * windows of large + bias; `bias` has small_channels elements or is null. The
/// ordinary convolution, and the input's gradient of a transposed one.
EXECUTORCH_COMPUTE_API void plain_conv_to_small(DType dtype, const PlainConv& conv,
                                                const void* large, const void* weight,
                                                const void* bias, void* small,
                                                void* scratch) noexcept;

/// The adjoint: large = sum of weighted windows of small + bias of large_channels. The transposed
/// convolution, and the input's gradient of an ordinary one.
EXECUTORCH_COMPUTE_API void plain_conv_to_large(DType dtype, const PlainConv& conv,
                                                const void* small, const void* weight,
                                                const void* bias, void* large,
                                                void* scratch) noexcept;

/// Gradient of the weight, from either images and the gradient of the others.
EXECUTORCH_COMPUTE_API void plain_conv_weight_gradient(DType dtype, const PlainConv& conv,
                                                       const void* large, const void* small,
                                                       void* grad_weight, void* scratch) noexcept;

}  // namespace executorch::compute
