/**
 * @file
 * How far a tensor's shape may change at run time.
 */
#pragma once

#include <cstdint>

namespace executorch {
namespace runtime {

/// Whether, and within which bound, a tensor may be resized. The rank never changes.
enum class TensorShapeDynamism : uint8_t {
  /// The sizes are fixed.
  STATIC = 0,
  /// The sizes may change within an upper bound.
  DYNAMIC_BOUND = 1,
  /// The sizes may change; memory is provided when they are known. Handled as DYNAMIC_BOUND today.
  DYNAMIC_UNBOUND = 2,
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::TensorShapeDynamism;
}  // namespace executor
}  // namespace torch
