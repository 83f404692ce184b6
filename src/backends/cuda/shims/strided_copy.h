/**
 * @file
 * A copy between tensors of the same sizes and different strides.
 */
#pragma once

#include <cstdint>

#include "backends/cuda/device/loops.h"

namespace executorch::backends::cuda {

/// Copies element i in row-major order.
struct StridedCopy {
  static constexpr int kMaxRank = 64;

  const uint8_t* from;
  uint8_t* to;
  int element_size;
  int rank;
  int64_t sizes[kMaxRank];
  int64_t from_strides[kMaxRank];
  int64_t to_strides[kMaxRank];

  ET_HOST_DEVICE void operator()(int64_t i) const {
    int64_t from_place = 0, to_place = 0;
    for (int d = rank; d-- > 0;) {
      const int64_t at = i % sizes[d];
      i /= sizes[d];
      from_place += at * from_strides[d];
      to_place += at * to_strides[d];
    }
    for (int b = 0; b < element_size; ++b)
      to[to_place * element_size + b] = from[from_place * element_size + b];
  }
};

/// The same for all elements on a device, in the stream's order.
Error copy_on_device(cudaStream_t stream, const StridedCopy& copy, int64_t numel);

}  // namespace executorch::backends::cuda
