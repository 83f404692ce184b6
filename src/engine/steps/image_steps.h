/**
 * @file
 * Steps over images with channels innermost.
 */
#pragma once

#include <memory>
#include <string>

#include "compute/conv/conv.h"
#include "compute/pool/pool.h"
#include "compute/resize/resize.h"
#include "engine/graph/graph.h"
#include "engine/steps/step.h"

namespace executorch::engine {

struct ConvolutionOperands {
  Place in, out;
  const float* packed;  ///< lives as long as the plan
  Place bias;           ///< storage -1: none
  Place residual;       ///< storage -1: none
  int64_t residual_pixel_stride = 0;
};

std::unique_ptr<Step> make_convolution_step(const compute::ConvPlan& plan, const Epilogue& epilogue,
                                            const ConvolutionOperands& operands);

/// Of f32 or i8. `indices`: i64, the place of the largest value in its window; storage -1: not
/// wanted.
std::unique_ptr<Step> make_max_pool_step(DType dtype, const compute::PoolShape& shape, Place in,
                                         Place out, Place indices);

std::unique_ptr<Step> make_average_pool_step(const compute::PoolShape& shape,
                                             const compute::AverageDivisor& divisor, Place in,
                                             Place out);

std::unique_ptr<Step> make_resize_step(const compute::ResizeShape& shape, Place in, Place out);

}  // namespace executorch::engine
