/**
 * @file
 * How quantised weights lie in memory, read 16 at a time: the signed bytes that a dot product of
 * bytes takes, and what scales them. A row has `k` weights, 16 of them are a unit. Layouts are
 * those of the exporter's weight tensors:
 *
 *  - 4 bits: nibbles, the even weight in the lower one.
 *  - 5 bits: the lower 4 as above; of each 8 weights a byte with the fifth bits: those of the even
 * weights in its lower nibble, of the odd ones in its upper.
 *  - 6 bits, 32 too large: the lower 4 as above; of each 32 weights 4 bytes with the upper 2 bits
 * of the even weights (one byte for 8 weights), then 4 with those of the odd ones.
 *  - 8 bits: signed bytes.
 *
 * With nibbles, 8 weights become two words: the even ones, then the odd ones. The activations are
 * laid out the same way.
 */
#pragma once

#include <cstdint>

#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/half.h>

#include "backends/cuda/device/loops.h"

namespace executorch::backends::cuda {

constexpr int kUnit = 16;
/// Weights to a step of the second level of scales.
constexpr int kSuperBlock = 256;

/// 16 signed bytes.
struct Bytes16 {
  int32_t word[4];
};

/// Sum of the products of the signed bytes of two words, and of `sum`.
ET_HOST_DEVICE inline int32_t dot4(int32_t a, int32_t b, int32_t sum) {
#if defined(__CUDA_ARCH__)
  return __dp4a(a, b, sum);
#else
  for (int shift = 0; shift < 32; shift += 8)
    sum += static_cast<int8_t>(a >> shift) * static_cast<int8_t>(b >> shift);
  return sum;
#endif
}

/// Weight, scale and zero point of a unit: a weight is (byte - zero) * scale.
struct Unit {
  Bytes16 bytes;
  float scale;
  float zero;
};

/// Four bytes at an address that is a multiple of 4.
ET_HOST_DEVICE inline uint32_t load4(const uint8_t* address) {
  return *reinterpret_cast<const uint32_t*>(address);
}

/// Two words of nibbles of a unit: 8 weights each.
ET_HOST_DEVICE inline void load_nibbles(const uint8_t* nibbles, int64_t unit, uint32_t word[4]) {
  const uint8_t* address = nibbles + unit * (kUnit / 2);
  for (int half = 0; half < 2; ++half) {
    const uint32_t packed = load4(address + 4 * half);
    word[2 * half] = packed & 0x0F0F0F0Fu;
    word[2 * half + 1] = (packed >> 4) & 0x0F0F0F0Fu;
  }
}

/// Four bits, each moved to bit 4 of a byte of its own.
ET_HOST_DEVICE inline uint32_t spread_bits(uint32_t nibble) {
  return ((nibble & 1u) << 4) | ((nibble & 2u) << 11) | ((nibble & 4u) << 18) |
         ((nibble & 8u) << 25);
}

/// Four pairs of bits, each moved to bits 4 and 5 of a byte of its own.
ET_HOST_DEVICE inline uint32_t spread_pairs(uint32_t byte) {
  return ((byte & 0x03u) << 4) | ((byte & 0x0Cu) << 10) | ((byte & 0x30u) << 16) |
         ((byte & 0xC0u) << 22);
}

/// A scale of two levels: a code for each group, a step for each kSuperBlock weights.
template <class Code>
struct TwoLevel {
  const Code* codes;
  const c10::Half* steps;

  ET_HOST_DEVICE float at(int64_t row, int64_t unit, int64_t k, int64_t group_size) const {
    const int64_t column = unit * kUnit;
    return static_cast<float>(codes[row * (k / group_size) + column / group_size]) *
           static_cast<float>(steps[row * (k / kSuperBlock) + column / kSuperBlock]);
  }
};

struct Int4Weights {
  static constexpr bool kNibbles = true;
  const uint8_t* nibbles;
  TwoLevel<uint8_t> scales;
  TwoLevel<uint8_t> zeros;
  int64_t k;
  int64_t group_size;

  ET_HOST_DEVICE Unit load(int64_t row, int64_t unit) const {
    uint32_t word[4];
    load_nibbles(nibbles + row * (k / 2), unit, word);
    Unit result;
    for (int i = 0; i < 4; ++i) result.bytes.word[i] = static_cast<int32_t>(word[i]);
    result.scale = scales.at(row, unit, k, group_size);
    result.zero = zeros.at(row, unit, k, group_size);
    return result;
  }
};

struct Int5Weights {
  static constexpr bool kNibbles = true;
  const uint8_t* nibbles;
  const uint8_t* high;
  TwoLevel<uint8_t> scales;
  TwoLevel<uint8_t> zeros;
  int64_t k;
  int64_t group_size;

  ET_HOST_DEVICE Unit load(int64_t row, int64_t unit) const {
    uint32_t word[4];
    load_nibbles(nibbles + row * (k / 2), unit, word);
    const uint8_t* bits = high + row * (k / 8) + unit * 2;
    Unit result;
    for (int i = 0; i < 4; ++i) {
      const uint32_t nibble = (i % 2 == 0 ? bits[i / 2] : bits[i / 2] >> 4) & 0xFu;
      result.bytes.word[i] = static_cast<int32_t>(word[i] | spread_bits(nibble));
    }
    result.scale = scales.at(row, unit, k, group_size);
    result.zero = zeros.at(row, unit, k, group_size);
    return result;
  }
};

struct Int6Weights {
  static constexpr bool kNibbles = true;
  const uint8_t* nibbles;
  const uint8_t* high;
  TwoLevel<int8_t> scales;
  int64_t k;
  int64_t group_size;

  ET_HOST_DEVICE Unit load(int64_t row, int64_t unit) const {
    uint32_t word[4];
    load_nibbles(nibbles + row * (k / 2), unit, word);
    // Two units share 4 bytes of the even weights and 4 of the odd ones.
    const uint8_t* pairs = high + row * (k / 4) + unit / 2 * 8 + unit % 2 * 2;
    Unit result;
    for (int i = 0; i < 4; ++i) {
      const uint32_t byte = pairs[i / 2 + i % 2 * 4];
      result.bytes.word[i] = static_cast<int32_t>(word[i] | spread_pairs(byte));
    }
    result.scale = scales.at(row, unit, k, group_size);
    result.zero = 32.0f;
    return result;
  }
};

struct Int8Weights {
  static constexpr bool kNibbles = false;
  const int8_t* bytes;
  const c10::BFloat16* scales;
  const int8_t* zeros;
  int64_t k;
  int64_t group_size;

  ET_HOST_DEVICE Unit load(int64_t row, int64_t unit) const {
    const uint8_t* address = reinterpret_cast<const uint8_t*>(bytes + row * k + unit * kUnit);
    const int64_t group = row * (k / group_size) + unit * kUnit / group_size;
    Unit result;
    for (int i = 0; i < 4; ++i) result.bytes.word[i] = static_cast<int32_t>(load4(address + 4 * i));
    result.scale = static_cast<float>(scales[group]);
    result.zero = static_cast<float>(zeros[group]);
    return result;
  }
};

}  // namespace executorch::backends::cuda
