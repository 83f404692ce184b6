/**
 * @file
 * Philox4x32-10, a counter-based random number generator: Salmon, Moraes, Dror, Shaw, "Parallel
 * random numbers: as easy as 1, 2, 3", SC 2011. The same key and counter give the same numbers on
 * every thread of every device.
 */
#pragma once

#include <cstdint>

#include "backends/cuda/device/loops.h"

namespace executorch::backends::cuda {

/// Four words of 32 bits.
struct Words4 {
  uint32_t word[4];
};

ET_HOST_DEVICE inline Words4 philox(uint64_t key, Words4 counter) {
  constexpr uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  constexpr uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  uint32_t key0 = static_cast<uint32_t>(key), key1 = static_cast<uint32_t>(key >> 32);
  Words4 c = counter;
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = static_cast<uint64_t>(kMultiplier0) * c.word[0];
    const uint64_t p1 = static_cast<uint64_t>(kMultiplier1) * c.word[2];
    c = {{static_cast<uint32_t>(p1 >> 32) ^ c.word[1] ^ key0, static_cast<uint32_t>(p1),
          static_cast<uint32_t>(p0 >> 32) ^ c.word[3] ^ key1, static_cast<uint32_t>(p0)}};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return c;
}

/// Draw number `index` of a stream of numbers.
ET_HOST_DEVICE inline Words4 philox_at(uint64_t key, uint64_t index) {
  return philox(key, {{static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), 0u, 0u}});
}

/// The upper half of a product of 64-bit numbers.
ET_HOST_DEVICE inline uint64_t multiply_high(uint64_t a, uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  const uint64_t a0 = static_cast<uint32_t>(a), a1 = a >> 32;
  const uint64_t b0 = static_cast<uint32_t>(b), b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const uint64_t low = a0 * b1 + static_cast<uint32_t>(middle);
  return a1 * b1 + (middle >> 32) + (low >> 32);
#endif
}

}  // namespace executorch::backends::cuda
