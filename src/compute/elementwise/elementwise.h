/**
 * @file
 * Elementwise operations over tensors of any type, shape and stride: broadcasting, casts, tails and
 * threads live here once, the arithmetic is in operation.h.
 */
#pragma once

#include <cstdint>

#include "compute/elementwise/operation.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

/// An operand: strides are in elements, one per dimension of the result, 0 where it is broadcast.
struct Operand {
  const void* data;
  DType dtype;
  int64_t strides[kMaxRank];
};

/// The result.
struct Target {
  void* data;
  DType dtype;
  int64_t strides[kMaxRank];
};

/// One operation over tensors.
struct ElementwiseCall {
  ElementwiseOp op;
  /// Type that the arithmetic rounds to: operands of other types are converted to it, then computed
  /// in compute_type(common). The result is converted from it to the target's type.
  DType common;
  int rank;
  int64_t sizes[kMaxRank];
  Target out;
  Operand in[kMaxOperands];
  /// Operands (bit set) that are converted to the compute type only, keeping more digits than
  /// `common`: numbers and single values beside half types, as in eager.
  uint32_t unrounded = 0;
};

/// A single value as an operand, held by the caller.
struct ScalarOperand {
  union {
    double f64;
    int64_t i64;
    bool boolean;
  };
  DType dtype;
};

/// True when elementwise() can do the call: the operation exists for the types.
EXECUTORCH_COMPUTE_API bool elementwise_supported(ElementwiseOp op, DType common);

/**
 * Runs the call on the thread pool. `out` may be the memory of an operand with the same type and
 * strides; other overlaps are the caller's to avoid. Sizes may be zero. Allocates nothing. The
 * caller has checked elementwise_supported() and that every type has casts. Results depend neither
 * on layout nor on the number of threads.
 */
EXECUTORCH_COMPUTE_API void elementwise(const ElementwiseCall& call);

/// True when an element is zero, of an integer type: the check before a division.
EXECUTORCH_COMPUTE_API bool any_zero(const Operand& operand, int rank, const int64_t* sizes);

}  // namespace executorch::compute
