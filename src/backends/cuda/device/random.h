/**
 * @file
 * Bodies of the random operators. How far a device's stream of numbers has come is kept on the
 * device and moved by a kernel, so that a captured graph draws other numbers at each replay.
 */
#pragma once

#include <cstdint>

#include "backends/cuda/device/philox.h"

namespace executorch::backends::cuda {

/// Takes `count` draws from the stream of numbers: what has been taken before goes to `first`. Runs
/// with one index. Streams may take at the same time.
struct TakeDraws {
  unsigned long long* taken;
  unsigned long long* first;
  unsigned long long count;

  ET_HOST_DEVICE void operator()(int64_t) const {
#if defined(__CUDA_ARCH__)
    *first = atomicAdd(taken, count);
#else
    *first = *taken;
    *taken += count;
#endif
  }
};

/// Uniform floats in [0, 1): all multiples of 2^-24 are equally likely. Four to a draw.
struct UniformFloat {
  float* out;
  int64_t numel;
  uint64_t key;
  const unsigned long long* first;

  ET_HOST_DEVICE void operator()(int64_t i) const {
    const Words4 bits = philox_at(key, *first + static_cast<uint64_t>(i));
    for (int64_t k = 0; k < 4 && i * 4 + k < numel; ++k)
      out[i * 4 + k] = static_cast<float>(bits.word[k] >> 8) * 0x1p-24f;
  }
};

/// The same for bfloat16, whose numbers in [0, 1) are multiples of 2^-8 here. `out` are their bits.
struct UniformBFloat16 {
  uint16_t* out;
  int64_t numel;
  uint64_t key;
  const unsigned long long* first;

  ET_HOST_DEVICE void operator()(int64_t i) const {
    const Words4 bits = philox_at(key, *first + static_cast<uint64_t>(i));
    for (int64_t k = 0; k < 4 && i * 4 + k < numel; ++k) {
      union {
        float value;
        uint32_t bits;
      } number;
      number.value = static_cast<float>(bits.word[k] >> 24) * 0x1p-8f;
      out[i * 4 + k] = static_cast<uint16_t>(number.bits >> 16);
    }
  }
};

/// Uniform integers of [low, low + range). Two to a draw; a value's probability is off by less than
/// 2^-64.
struct UniformInteger {
  int64_t* out;
  int64_t numel;
  uint64_t key;
  const unsigned long long* first;
  int64_t low;
  uint64_t range;

  ET_HOST_DEVICE void operator()(int64_t i) const {
    const Words4 bits = philox_at(key, *first + static_cast<uint64_t>(i));
    for (int64_t k = 0; k < 2 && i * 2 + k < numel; ++k) {
      const uint64_t word = static_cast<uint64_t>(bits.word[2 * k + 1]) << 32 | bits.word[2 * k];
      out[i * 2 + k] =
          static_cast<int64_t>(static_cast<uint64_t>(low) + multiply_high(word, range));
    }
  }
};

}  // namespace executorch::backends::cuda
