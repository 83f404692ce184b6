/**
 * @file
 * The step of fused elementwise operations: a small program run block by block, so that what lies
 * between the first operand and the last result never leaves the cache.
 */
#pragma once

#include <memory>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/steps/step.h"

namespace executorch::engine {

/// All operands share the sizes of the iteration; strides of inputs are 0 where they repeat.
struct ElementwiseOperands {
  Dims sizes;
  std::vector<TensorPlace> inputs;
  std::vector<TensorPlace> outputs;
};

/// True when the program can be run in blocks: every type is one that loops compute in, or a
/// boolean.
bool fusable(ElementwiseOp op, DType common, DType result, uint32_t unrounded);

/// Null when a loop or conversion does not exist.
std::unique_ptr<Step> make_fused_step(const FusedElementwise& program,
                                      const ElementwiseOperands& operands);

/// One operation of any types through compute::elementwise().
std::unique_ptr<Step> make_elementwise_step(const Elementwise& operation,
                                            const ElementwiseOperands& operands);

}  // namespace executorch::engine
