/**
 * @file
 * Steps over quantised values.
 */
#pragma once

#include <memory>
#include <string>

#include "compute/elementwise/layout.h"
#include "compute/quantized/conv.h"
#include "compute/quantized/loops.h"
#include "compute/quantized/product.h"
#include "engine/graph/memory_block.h"
#include "engine/steps/step.h"

namespace executorch::engine {

/// Elementwise work. Tensor 0 of the layout is the result, then come the operands; along the inner
/// dim the result is adjacent, operands are adjacent or repeat.
struct QuantizedMap {
  compute::QuantizedOp op;
  compute::QuantizedLoopParams params;
  compute::Layout layout;
  Place out;
  Place operands[2];
  /// Bytes of an element, by tensor of the layout.
  int64_t element_bytes[3];
};
std::unique_ptr<Step> make_quantized_map_step(const QuantizedMap& map);

/// `rows` rows of `length` adjacent floats -> i8, and scale and zero point of each.
std::unique_ptr<Step> make_quantize_rows_step(int64_t rows, int64_t length, Place x, Place q,
                                              Place params);

/// Images with channels innermost; `args` without addresses.
std::unique_ptr<Step> make_quantized_mean_step(int64_t images, const compute::MeanArgs& args,
                                               Place x, Place out);

/// Factors and starting values of the output channels, padded to whole panels.
struct ColumnTables {
  MemoryBlock memory;
  const int32_t* start = nullptr;  ///< static
  const float* scale = nullptr;
  const float* bias = nullptr;    ///< dynamic with bias
  const int32_t* sums = nullptr;  ///< dynamic, of weights
};

/// A linear layer: `rows` rows of x, dense.
struct QuantizedLinearShape {
  int64_t rows = 0;
  int64_t x_row_stride = 0;  ///< elements
  compute::QuantizedMatrix weights;
  compute::SumsOutput output;  ///< without addresses of a run
  ColumnTables tables;
};
struct QuantizedProductOperands {
  Place x, out;
  Place row_params;  ///< dynamic: of rows or images; storage -1: static
};
std::unique_ptr<Step> make_quantized_linear_step(QuantizedLinearShape shape,
                                                 const QuantizedProductOperands& operands);

/// A convolution over images with channels innermost. Weight and tables as the plan has columns.
struct QuantizedConvolutionShape {
  compute::ByteConvPlan plan;
  const void* packed = nullptr;  ///< lives as long as the plan
  int32_t zero_point = 0;        ///< static: of the input
  compute::SumsOutput output;    ///< without addresses of a run
  ColumnTables tables;
};
std::unique_ptr<Step> make_quantized_convolution_step(QuantizedConvolutionShape shape,
                                                      const QuantizedProductOperands& operands);

}  // namespace executorch::engine
