/**
 * @file
 * A tensor as the compute layer sees it: bytes, dtype, sizes and strides. Owns nothing.
 */
#pragma once

#include <cstdint>

#include <executorch/runtime/core/portable_type/scalar_type.h>

namespace executorch {
namespace compute {

using ScalarType = runtime::etensor::ScalarType;

/// Highest rank of a tensor.
constexpr int kMaxRank = 16;

struct TensorView {
  /// First element. May be null when a size is 0.
  void* data = nullptr;
  ScalarType dtype = ScalarType::Float;
  int rank = 0;
  int64_t sizes[kMaxRank] = {};
  /// In elements; 0 repeats, negative walks backwards.
  int64_t strides[kMaxRank] = {};

  int64_t numel() const {
    int64_t count = 1;
    for (int d = 0; d < rank; ++d) count *= sizes[d];
    return count;
  }
};

}  // namespace compute
}  // namespace executorch
