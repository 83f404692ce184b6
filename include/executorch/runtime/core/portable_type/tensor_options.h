/**
 * @file
 * Enumerations that operators take as arguments.
 */
#pragma once

#include <cstdint>

namespace executorch {
namespace runtime {
namespace etensor {

/// Order of a new tensor's elements in memory. The numbers are PyTorch's.
enum class MemoryFormat : int8_t {
  /// Row-major.
  Contiguous = 0,
  /// As the input's.
  Preserve = 1,
};

/// How a tensor's elements are stored. The number is PyTorch's.
enum class Layout : int8_t {
  /// Dense.
  Strided = 0,
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::Layout;
using ::executorch::runtime::etensor::MemoryFormat;
}  // namespace executor
}  // namespace torch
