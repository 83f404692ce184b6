/**
 * @file
 * The register tile: R rows by W vectors of C, for *.isa.cpp files only.
 */
#pragma once

#include "compute/cpu/float_vector.h"
#include "compute/gemm/kernels.h"

namespace EXECUTORCH_ISA_NAMESPACE {

using V = FloatVector;

/// Values of one row with scaling, bias, residual and bounds applied; `n` columns count.
template <int W>
inline void finish(V::Type (&v)[W], const Epilogue& e, const float* bias, const float* residual, int64_t n) {
  if (e.alpha != 1.0f) {
    const V::Type alpha = V::set(e.alpha);
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) v[j] = V::mul(v[j], alpha);
  }
  if (bias != nullptr) {
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) {
      if (n > j * V::kLanes) v[j] = V::add(v[j], load_up_to(bias + j * V::kLanes, n - j * V::kLanes));
    }
  }
  if (residual != nullptr) {
    const V::Type beta = V::set(e.beta);
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) {
      if (n <= j * V::kLanes) continue;
      const V::Type r = load_up_to(residual + j * V::kLanes, n - j * V::kLanes);
      v[j] = e.beta == 1.0f ? V::add(v[j], r) : V::fma(beta, r, v[j]);
    }
  }
  const V::Type lo = V::set(e.lo), hi = V::set(e.hi);
#pragma GCC unroll 4
  for (int j = 0; j < W; ++j) v[j] = V::at_most(V::at_least(v[j], lo), hi);
}

/// Row pointers in groups of three: base, base + stride, base + 2 * stride are x86 addresses with one register for
/// the stride, so that twelve rows need five registers. The barrier keeps the compiler from merging them again.
template <int R>
struct RowPointers {
  static constexpr int kGroups = (R + 2) / 3;
  RowPointers(const float* a, int64_t row_stride) : stride(row_stride) {
#pragma GCC unroll 8
    for (int i = 0; i < kGroups; ++i) {
      base[i] = a + 3 * i * row_stride;
      asm("" : "+r"(base[i]));
    }
  }
  float at(int row) const { return base[row / 3][(row % 3) * stride]; }
  void advance() {
#pragma GCC unroll 8
    for (int i = 0; i < kGroups; ++i) ++base[i];
  }
  const float* base[kGroups];
  int64_t stride;
};

/// The sums of a tile in registers: out = A * B, or out + A * B. Rows of `out` are W whole vectors.
template <int R, int W, bool kAccumulate>
inline void multiply(const TileArgs& t, float* out, int64_t out_stride) {
  constexpr int L = V::kLanes;
  V::Type sum[R][W];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) sum[i][j] = kAccumulate ? V::load(out + i * out_stride + j * L) : V::zero();
  }
  RowPointers<R> a(t.a, t.a_row_stride);
  const float* b = t.b;
  const int64_t b_row_stride = t.b_row_stride;
  // Always an address that is mapped: a prefetch of any other walks the page tables each time.
  const char* next = reinterpret_cast<const char*>(t.next != nullptr ? t.next : t.b);
#pragma GCC unroll 4
  for (int64_t k = t.k; k > 0; --k) {
    __builtin_prefetch(next, 0, 2);
    next += t.next_step;
    V::Type row[W];
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) {
      row[j] = V::load(b + j * L);
      __builtin_prefetch(b + 32 * b_row_stride + j * L);
    }
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const V::Type x = V::set(a.at(i));
#pragma GCC unroll 4
      for (int j = 0; j < W; ++j) sum[i][j] = V::fma(x, row[j], sum[i][j]);
    }
    a.advance();
    b += b_row_stride;
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) V::store(out + i * out_stride + j * L, sum[i][j]);
  }
}

/// Sums go straight to C when whole vectors fit there, else through a buffer; the epilogue passes over them while
/// they are in the first cache. Keeping it out of the registers' way costs little and keeps the loop free of spills.
template <int R, int W>
void tile(const TileArgs& t) {
  constexpr int L = V::kLanes;
  alignas(64) float buffer[R][W * L];
  // A residual that is C itself must be read before C is written.
  const bool whole = t.columns == W * L && t.residual != t.c;
  float* out = whole ? t.c : buffer[0];
  const int64_t out_stride = whole ? t.c_row_stride : W * L;
  if (t.accumulate) {
    for (int i = 0; !whole && i < R; ++i) {
      for (int j = 0; j * L < t.columns; ++j) {
        V::store(buffer[i] + j * L, load_up_to(t.c + i * t.c_row_stride + j * L, t.columns - j * L));
      }
    }
    multiply<R, W, true>(t, out, out_stride);
  } else {
    multiply<R, W, false>(t, out, out_stride);
  }
  if (whole && t.epilogue == nullptr) return;

  const float* residual = t.residual;
  for (int i = 0; i < R; ++i) {
    V::Type row[W];
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) row[j] = V::load(out + i * out_stride + j * L);
    if (t.epilogue != nullptr) {
      finish<W>(row, *t.epilogue, t.bias, residual, t.columns);
      if (residual != nullptr) residual += t.epilogue->residual_stride;
    }
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) {
      const int64_t left = t.columns - j * L;
      if (left > 0) store_up_to(t.c + i * t.c_row_stride + j * L, row[j], left);
    }
  }
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
