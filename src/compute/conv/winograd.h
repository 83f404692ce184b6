/**
 * @file
 * Convolution with 3x3 kernels by Winograd's minimal filtering (winograd_kernels.h): 16
 * multiplications where the definition has 36, for a little more rounding. Called through conv.h.
 */
#pragma once

#include "compute/conv/conv.h"

namespace executorch::compute {

/// True for shapes that these functions take.
bool winograd_fits(const ConvShape& shape) noexcept;

/// Bytes of the packed weight: sixteen matrices [in_channels, out_channels] in panels. SIZE_MAX
/// when that overflows.
size_t winograd_packed_bytes(Isa isa, const ConvShape& shape) noexcept;

void winograd_pack(const ConvPlan& plan, const ConvWeight& weight, const float* scale,
                   float* packed) noexcept;

size_t winograd_scratch_bytes(const ConvPlan& plan) noexcept;

/// As conv_run; the epilogue's residual_stride is set.
void winograd_run(const ConvPlan& plan, const float* packed, const float* in, float* out,
                  const Epilogue& epilogue, void* scratch, size_t scratch_bytes) noexcept;

}  // namespace executorch::compute
