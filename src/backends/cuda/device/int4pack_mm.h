/**
 * @file
 * Product of bfloat16 activations and 4-bit weights in PyTorch's tile layout for tensor cores
 * (_convert_weight_to_int4pack): shape [n / 8][k / (16 t)][32][t / 2], t in {2, 4, 8} tiles of 16
 * x 8. Lane 4 i + j of a tile holds weights of row i; a word has those of columns 2 j + {0, 1, 8,
 * 9, 16, 17, 24, 25}, even ones in its lower half. A weight is (nibble - 8) * scale + zero.
 */
#pragma once

#include <cstdint>

#include "backends/cuda/device/plain_mm.h"

namespace executorch::backends::cuda {

/// A group is a row of weights and kRowTile rows of activations. The lanes of a warp read the row's
/// words 4 at a time side by side, 8 outer tiles at once.
struct Int4PackProduct {
  const c10::BFloat16* x;
  int64_t row_stride;
  int64_t column_stride;
  const uint32_t* weights;
  /// Words of a lane in an outer tile: t / 2.
  int64_t words;
  /// [k / group_size][n][2]: scale, zero.
  const c10::BFloat16* scale_zero;
  int64_t group_size;
  int64_t m;
  int64_t n;
  int64_t k;
  c10::BFloat16* out;

  ET_HOST_DEVICE void add(int64_t group, int lane, float sums[kRowTile]) const {
    constexpr int kLanes = 4;     // of a row in a tile
    constexpr int kColumns = 32;  // of a word
    const int64_t row = group % n, first = group / n * kRowTile;
    const int64_t outer_tiles = k / (kColumns * words);
    const int column_lane = lane % kLanes;
    for (int64_t tile = lane / kLanes; tile < outer_tiles; tile += kWarp / kLanes) {
      const uint32_t* from =
          weights +
          ((row / 8 * outer_tiles + tile) * kWarp + row % 8 * kLanes + column_lane) * words;
      for (int64_t w = 0; w < words; ++w) {
        const int64_t column = (tile * words + w) * kColumns + 2 * column_lane;
        const c10::BFloat16* pair = scale_zero + (column / group_size * n + row) * 2;
        add_word(from[w], column, static_cast<float>(pair[0]), static_cast<float>(pair[1]), first,
                 sums);
      }
    }
  }

  ET_HOST_DEVICE void store(int64_t group, const float sums[kRowTile]) const {
    const int64_t row = group % n, first = group / n * kRowTile;
    for (int i = 0; i < kRowTile && first + i < m; ++i)
      out[(first + i) * n + row] = c10::BFloat16(sums[i]);
  }

 private:
  ET_HOST_DEVICE void add_word(uint32_t word, int64_t column, float scale, float zero,
                               int64_t first, float sums[kRowTile]) const {
    for (int i = 0; i < 8; ++i) {
      const uint32_t nibble = (word >> (i / 2 * 4 + i % 2 * 16)) & 0xFu;
      const float weight = (static_cast<float>(nibble) - 8.0f) * scale + zero;
      const int64_t at = column + i / 2 * 8 + i % 2;
      for (int r = 0; r < kRowTile; ++r) {
        if (first + r >= m) break;
        sums[r] += weight * static_cast<float>(x[(first + r) * row_stride + at * column_stride]);
      }
    }
  }
};

}  // namespace executorch::backends::cuda
