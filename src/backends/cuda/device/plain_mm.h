/**
 * @file
 * Products of bfloat16 activations and quantised weights. The activations are quantised to signed
 * bytes, 32 to a scale (their largest magnitude / 127, nearest, ties to even), so that products are
 * of bytes and exact. Made for few rows, as decoding has.
 */
#pragma once

#include <cmath>
#include <cstdint>

#include "backends/cuda/device/weights.h"

namespace executorch::backends::cuda {

/// Activations that share a scale.
constexpr int kActivationBlock = 32;
/// Rows of activations that read a weight together.
constexpr int kRowTile = 4;

/// Quantised activations of `m` rows: bytes by unit, scales by block, and the sum of each unit's
/// bytes.
struct Activations {
  Bytes16* bytes;
  float* scales;
  int32_t* sums;
};

/// Where activation `i` of 8 lies: the even ones, then the odd ones, as the nibbles of weights.
ET_HOST_DEVICE inline int planar_place(int i, bool nibbles) {
  return nibbles ? i / 2 + i % 2 * 4 : i;
}

/// One index for each block of 32.
struct QuantizeActivations {
  const c10::BFloat16* x;
  int64_t row_stride;
  int64_t column_stride;
  int64_t k;
  bool nibbles;
  Activations to;

  ET_HOST_DEVICE void operator()(int64_t block) const {
    const int64_t blocks = k / kActivationBlock;
    const int64_t row = block / blocks, column = block % blocks * kActivationBlock;
    const c10::BFloat16* from = x + row * row_stride + column * column_stride;
    float largest = 0.0f;
    bool finite = true;
    for (int i = 0; i < kActivationBlock; ++i) {
      const float magnitude = fabsf(static_cast<float>(from[i * column_stride]));
      finite = finite && magnitude <= 3.4028234e38f;
      largest = magnitude > largest ? magnitude : largest;
    }
    // Infinities and NaN reach every product of the row.
    const float scale = finite ? largest / 127.0f : NAN;
    const float inverse = finite && largest > 0.0f ? 127.0f / largest : 0.0f;
    for (int unit = 0; unit < kActivationBlock / kUnit; ++unit) {
      uint32_t word[4] = {};
      int32_t sum = 0;
      for (int i = 0; i < kUnit; ++i) {
        const float value = static_cast<float>(from[(unit * kUnit + i) * column_stride]);
        const int32_t byte = finite ? static_cast<int32_t>(rintf(value * inverse)) : 0;
        const int place = i / 8 * 8 + planar_place(i % 8, nibbles);
        word[place / 4] |= static_cast<uint32_t>(byte & 0xFF) << (8 * (place % 4));
        sum += byte;
      }
      const int64_t index = block * (kActivationBlock / kUnit) + unit;
      for (int i = 0; i < 4; ++i) to.bytes[index].word[i] = static_cast<int32_t>(word[i]);
      to.sums[index] = sum;
    }
    to.scales[block] = scale;
  }
};

/// A group is a row of weights and kRowTile rows of activations; its sums are the products'
/// elements.
template <class Weights>
struct QuantizedProduct {
  Weights weights;
  Activations activations;
  int64_t m;
  int64_t n;
  int64_t k;
  c10::BFloat16* out;

  ET_HOST_DEVICE void add(int64_t group, int lane, float sums[kRowTile]) const {
    const int64_t row = group % n, first = group / n * kRowTile;
    const int64_t units = k / kUnit;
    for (int64_t u = lane; u < units; u += kWarp) {
      const Unit unit = weights.load(row, u);
      for (int i = 0; i < kRowTile; ++i) {
        if (first + i >= m) break;
        const int64_t index = (first + i) * units + u;
        int32_t dot = 0;
        for (int w = 0; w < 4; ++w)
          dot = dot4(unit.bytes.word[w], activations.bytes[index].word[w], dot);
        const float centred = static_cast<float>(dot) - unit.zero * activations.sums[index];
        sums[i] += activations.scales[index / 2] * unit.scale * centred;
      }
    }
  }

  ET_HOST_DEVICE void store(int64_t group, const float sums[kRowTile]) const {
    const int64_t row = group % n, first = group / n * kRowTile;
    for (int i = 0; i < kRowTile && first + i < m; ++i)
      out[(first + i) * n + row] = c10::BFloat16(sums[i]);
  }
};

}  // namespace executorch::backends::cuda
