/**
 * @file
 * How device code is written here: a body that says what one index does, and the loop that runs it.
 * Compiled by nvcc, the loop is a kernel on a stream. Compiled by a C++ compiler alone, it runs on
 * the host, so that every body is tested where there is no GPU: the same body, the same order of
 * additions, the same bits.
 */
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include <executorch/runtime/core/error.h>

#include "backends/cuda/runtime/cuda_error.h"

#if defined(__CUDACC__)
#define ET_HOST_DEVICE __host__ __device__
#else
#define ET_HOST_DEVICE
#endif

namespace executorch::backends::cuda {

/// Threads that exchange values without memory.
constexpr int kWarp = 32;

#if defined(__CUDACC__)

constexpr int kBlock = 256;
/// Enough blocks for every multiprocessor there is; a thread takes several indices beyond them.
constexpr int64_t kMostBlocks = 1 << 16;

inline unsigned blocks_for(int64_t threads) {
  const int64_t blocks = (threads + kBlock - 1) / kBlock;
  return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

template <class Body>
__global__ void __launch_bounds__(kBlock) run_indices(int64_t count, Body body) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBlock;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x; i < count; i += stride)
    body(i);
}

template <int kSums, class Body>
__global__ void __launch_bounds__(kBlock) run_sums(int64_t groups, Body body) {
  const int lane = threadIdx.x % kWarp;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * (kBlock / kWarp);
  // All lanes of a warp have the same group.
  for (int64_t group = (static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x) / kWarp;
       group < groups; group += stride) {
    float sums[kSums] = {};
    body.add(group, lane, sums);
    for (int step = kWarp / 2; step > 0; step /= 2) {
      for (int s = 0; s < kSums; ++s) sums[s] += __shfl_xor_sync(0xFFFFFFFFu, sums[s], step);
    }
    if (lane == 0) body.store(group, sums);
  }
}

/// body(i) for each i below `count`, in any order.
template <class Body>
Error for_each_index(cudaStream_t stream, int64_t count, const Body& body) {
  if (count <= 0) return Error::Ok;
  // An error that others left is not this launch's.
  cudaGetLastError();
  run_indices<<<blocks_for(count), kBlock, 0, stream>>>(count, body);
  return check_cuda(cudaGetLastError(), "a kernel's launch");
}

/// For each group: every lane of a warp adds to its own `kSums` sums (body.add(group, lane, sums)),
/// then their totals are stored (body.store(group, sums)).
template <int kSums, class Body>
Error for_each_sum(cudaStream_t stream, int64_t groups, const Body& body) {
  if (groups <= 0) return Error::Ok;
  cudaGetLastError();
  run_sums<kSums><<<blocks_for(groups * kWarp), kBlock, 0, stream>>>(groups, body);
  return check_cuda(cudaGetLastError(), "a kernel's launch");
}

#else

template <class Body>
Error for_each_index(cudaStream_t, int64_t count, const Body& body) {
  for (int64_t i = 0; i < count; ++i) body(i);
  return Error::Ok;
}

template <int kSums, class Body>
Error for_each_sum(cudaStream_t, int64_t groups, const Body& body) {
  for (int64_t group = 0; group < groups; ++group) {
    float sums[kWarp][kSums] = {};
    for (int lane = 0; lane < kWarp; ++lane) body.add(group, lane, sums[lane]);
    for (int step = kWarp / 2; step > 0; step /= 2) {
      for (int lane = 0; lane < step; ++lane) {
        for (int s = 0; s < kSums; ++s) sums[lane][s] += sums[lane + step][s];
      }
    }
    body.store(group, sums[0]);
  }
  return Error::Ok;
}

#endif

}  // namespace executorch::backends::cuda
