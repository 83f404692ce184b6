/**
 * @file
 * Weights in the form that products and convolutions are fastest with, kept with the constants that
 * they were made from.
 */
#pragma once

#include "backends/aoti/shims/cpu/memory.h"
#include "compute/conv/conv.h"
#include "compute/gemm/gemm.h"

namespace executorch::backends::aoti {

/// The factor B[k,n] of a product, packed. Null where the storage is no constant, its budget does
/// not allow another form, or there is no memory: B is then used as it lies.
const compute::PackedMatrix* packed_factor(Storage* storage, const compute::MatrixView& b,
                                           int64_t k, int64_t n);

/// The weight of a convolution, packed for a plan: kept with its storage, or else in `scratch`.
/// `weight` has any strides and type.
Error packed_kernel(const ShimTensor& weight, const compute::ConvPlan& plan, Scratch* scratch,
                    const float** packed);

}  // namespace executorch::backends::aoti
