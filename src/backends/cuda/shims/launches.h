/**
 * @file
 * The device's part of the operators: kernels, started on a stream. Arguments have been checked,
 * memory has been allocated.
 */
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "backends/cuda/device/int4pack_mm.h"
#include "backends/cuda/device/plain_mm.h"
#include "backends/cuda/device/random.h"

namespace executorch::backends::cuda {

/// Takes draws of the device's stream of numbers, then fills the body's output.
Error launch_random(cudaStream_t stream, const TakeDraws& take, const UniformFloat& body);
Error launch_random(cudaStream_t stream, const TakeDraws& take, const UniformBFloat16& body);
Error launch_random(cudaStream_t stream, const TakeDraws& take, const UniformInteger& body);

/// A sort of `outer * inner` lines. `permutations` are two of as many numbers as there are
/// elements.
struct SortArguments {
  const void* keys;
  void* values;
  int64_t* places;
  int64_t* permutations[2];
  int64_t numel;
  int64_t length;
  int64_t inner;
  bool descending;
};

/// What the keys are.
enum class SortKey { int32, int64, float32, float16, bfloat16 };

Error launch_sort(cudaStream_t stream, SortKey key, const SortArguments& arguments);

Error launch_quantize(cudaStream_t stream, int64_t blocks, const QuantizeActivations& body);
Error launch_product(cudaStream_t stream, const QuantizedProduct<Int4Weights>& product);
Error launch_product(cudaStream_t stream, const QuantizedProduct<Int5Weights>& product);
Error launch_product(cudaStream_t stream, const QuantizedProduct<Int6Weights>& product);
Error launch_product(cudaStream_t stream, const QuantizedProduct<Int8Weights>& product);
Error launch_product(cudaStream_t stream, const Int4PackProduct& product);

}  // namespace executorch::backends::cuda
