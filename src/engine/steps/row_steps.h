/**
 * @file
 * Steps over rows: softmax, layer norm, RMS norm, reductions. Elements of a row are adjacent, rows
 * may lie anywhere.
 */
#pragma once

#include <memory>

#include "engine/graph/graph.h"
#include "engine/steps/step.h"

namespace executorch::engine {

/// Rows of `length` adjacent floats; row r of a tensor starts at the sum over `sizes` of position
/// times stride.
struct Rows {
  Dims sizes;
  int64_t length;
  Dims in_strides;
  Dims out_strides;
};

std::unique_ptr<Step> make_softmax_step(const Rows& rows, bool zero_masked_rows, Place in,
                                        Place out);

struct NormOperands {
  Place in, out;
  Place weight, bias;  ///< `length` floats; storage -1: none
  Place mean,
      reciprocal_deviation;  ///< one float per row, in row-major order; storage -1: not wanted
};
std::unique_ptr<Step> make_layer_norm_step(const Rows& rows, double epsilon,
                                           const NormOperands& operands);
std::unique_ptr<Step> make_rms_norm_step(const Rows& rows, double epsilon,
                                         const NormOperands& operands);

/// Reduces the dims whose bit is set. `out_strides` has an entry per dim of the input.
std::unique_ptr<Step> make_reduce_step(const Reduce& operation, const TensorPlace& in,
                                       const TensorPlace& out, const Dims& out_strides);

}  // namespace executorch::engine
