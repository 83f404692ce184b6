/**
 * @file
 * Products through the CPU's tiles of bytes (AMX), for *.isa.cpp files only.
 */
#pragma once

#include "compute/quantized/finish_sums.h"
#include "compute/quantized/product_kernels.h"

namespace EXECUTORCH_ISA_NAMESPACE {

#if defined(__AVX512F__) && defined(__GNUC__)

#define EXECUTORCH_TILES __attribute__((target("amx-tile,amx-int8")))

constexpr int kTileRows = 16;
constexpr int kTileBytes = 64;  // of a row
constexpr int kTilePanel = 2 * IntVector::kLanes;

/// Palette 1: for each tile its rows and the bytes of each.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

EXECUTORCH_TILES inline void begin_tiles() {
  TileConfiguration configuration;
  for (int i = 0; i < 8; ++i) {
    configuration.row_bytes[i] = kTileBytes;
    configuration.rows[i] = kTileRows;
  }
  // The intrinsic tells the compiler of its first bytes only.
  asm volatile("" : : "r"(&configuration) : "memory");
  _tile_loadconfig(&configuration);
}

EXECUTORCH_TILES inline void end_tiles() {
  _tile_release();
}

/// Sums of 32 or 16 rows by 32 columns: two or four accumulators, two tiles of A, two of B.
template <bool kBoth>
EXECUTORCH_TILES inline void multiply_tiles(const ProductTile& t, int32_t* sums) {
  constexpr int kStepBytes = kTilePanel * IntVector::kStep;
  const long a_stride = static_cast<long>(t.a_row_stride);
  const char* a = t.a;
  const int8_t* b = t.b;
  _tile_zero(0);
  _tile_zero(1);
  if (kBoth) {
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t step = 0; step < t.steps; step += kTileRows) {
    _tile_loadd(6, b, kStepBytes);
    _tile_loadd(7, b + kTileBytes, kStepBytes);
    _tile_loadd(4, a, a_stride);
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    if (kBoth) {
      _tile_loadd(5, a + kTileRows * a_stride, a_stride);
      _tile_dpbusd(2, 5, 6);
      _tile_dpbusd(3, 5, 7);
    }
    a += kTileBytes;
    b += kTileRows * kStepBytes;
  }
  constexpr int kSumsStride = kTilePanel * static_cast<int>(sizeof(int32_t));
  _tile_stored(0, sums, kSumsStride);
  _tile_stored(1, sums + kTileRows, kSumsStride);
  if (kBoth) {
    _tile_stored(2, sums + kTileRows * kTilePanel, kSumsStride);
    _tile_stored(3, sums + kTileRows * kTilePanel + kTileRows, kSumsStride);
  }
}

/// Static sums to bytes, a column's numbers in registers for all rows.
inline void finish_bytes(const ProductTile& t, int64_t rows, const int32_t* sums, int column) {
  using I = IntVector;
  using F = FloatVector;
  const SumsOutput& o = t.output;
  const int64_t live = t.columns - column;
  if (live <= 0) return;
  const I::Type start = I::load(o.start + column), zero = I::set(o.zero_point);
  const F::Type scale = F::load(o.scale + column), low = F::set(o.low), high = F::set(o.high);
  auto* out = reinterpret_cast<int8_t*>(t.c) + column;
#pragma GCC unroll 4
  for (int64_t row = 0; row < rows; ++row) {
    const I::Type sum = I::add(I::load(sums + row * kTilePanel + column), start);
    const F::Type value = clamp_to(F::mul(I::to_float(sum), scale), low, high);
    I::store_bytes(out + row * t.c_row_stride, I::add(I::round(value), zero), live);
  }
}

inline void tile_of_bytes(const ProductTile& t, int64_t rows) {
  alignas(64) int32_t sums[2 * kTileRows * kTilePanel];
  if (rows > kTileRows) {
    multiply_tiles<true>(t, sums);
  } else {
    multiply_tiles<false>(t, sums);
  }
  using I = IntVector;
  const bool bytes = !t.output.to_float && t.output.rows == nullptr;
  for (int column = 0; column < kTilePanel; column += I::kLanes) {
    if (bytes) {
      finish_bytes(t, rows, sums, column);
      continue;
    }
    for (int row = 0; row < rows; ++row) {
      const I::Type sum = I::load(sums + row * kTilePanel + column);
      finish(t, row, column, I::to_float(I::add(sum, start_of(t.output, row, column))));
    }
  }
}

constexpr ByteTiles kByteTiles = {2 * kTileRows, begin_tiles, end_tiles, tile_of_bytes};

#else

constexpr ByteTiles kByteTiles = {};

#endif

}  // namespace EXECUTORCH_ISA_NAMESPACE
