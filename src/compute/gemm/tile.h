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
inline void finish(V::Type (&v)[W], const Epilogue& e, const float* bias, const float* residual,
                   int64_t n) {
  if (e.alpha != 1.0f) {
    const V::Type alpha = V::set(e.alpha);
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) v[j] = V::mul(v[j], alpha);
  }
  if (bias != nullptr) {
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) {
      if (n > j * V::kLanes)
        v[j] = V::add(v[j], load_up_to(bias + j * V::kLanes, n - j * V::kLanes));
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

/// Row pointers in groups of three: base, base + stride, base + 2 * stride are x86 addresses with
/// one register for the stride, so that twelve rows need five registers. The barrier keeps the
/// compiler from merging them again.
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

/// What is done to sums while they are in registers.
struct RegisterEpilogue {
  bool clamp = false;
  float lo, hi;
  const float* residual = nullptr;  ///< added before
  int64_t residual_stride;
};

/// The sums of a tile in registers: out = A * B + start, or out + A * B. Rows of `out` are W whole
/// vectors.
template <int R, int W, bool kAccumulate>
inline void multiply(const TileArgs& t, const V::Type (&start)[W], const RegisterEpilogue& end,
                     float* out, int64_t out_stride) {
  constexpr int L = V::kLanes;
  V::Type sum[R][W];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j)
      sum[i][j] = kAccumulate ? V::load(out + i * out_stride + j * L) : start[j];
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
  if (end.residual != nullptr) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < W; ++j) {
        sum[i][j] = V::add(sum[i][j], V::load(end.residual + i * end.residual_stride + j * L));
      }
    }
  }
  if (end.clamp) {
    const V::Type lo = V::set(end.lo), hi = V::set(end.hi);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < W; ++j) sum[i][j] = V::at_most(V::at_least(sum[i][j], lo), hi);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) V::store(out + i * out_stride + j * L, sum[i][j]);
  }
}

/// Copies the part of a tile that has columns between C and a buffer of whole vectors.
template <int R, int W>
inline void load_columns(const TileArgs& t, float (&buffer)[R][W * V::kLanes]) {
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j * V::kLanes < t.columns; ++j) {
      const int64_t left = t.columns - j * V::kLanes;
      V::store(buffer[i] + j * V::kLanes,
               load_up_to(t.c + i * t.c_row_stride + j * V::kLanes, left));
    }
  }
}

/// The whole epilogue as a pass of its own, from `sums` to C.
template <int R, int W>
inline void finish_tile(const TileArgs& t, const Epilogue& epilogue, const float* residual,
                        const float* sums, int64_t sums_stride) {
  constexpr int L = V::kLanes;
  for (int i = 0; i < R; ++i) {
    V::Type row[W];
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) row[j] = V::load(sums + i * sums_stride + j * L);
    finish<W>(row, epilogue, t.bias, residual, t.columns);
    if (residual != nullptr) residual += epilogue.residual_stride;
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) {
      const int64_t left = t.columns - j * L;
      if (left > 0) store_up_to(t.c + i * t.c_row_stride + j * L, row[j], left);
    }
  }
}

/// Sums go straight to C when whole vectors fit there, finished in registers when the epilogue is a
/// plain one; else through a buffer in the first cache.
template <int R, int W>
void tile(const TileArgs& t) {
  constexpr int L = V::kLanes;
  constexpr float kInfinity = __builtin_inff();
  const Epilogue* e = t.epilogue;
  const bool plain = e == nullptr || (t.bias == nullptr && e->alpha == 1.0f && e->beta == 1.0f);
  const bool direct = plain && t.columns == W * L;
  V::Type start[W];
#pragma GCC unroll 4
  for (int j = 0; j < W; ++j) {
    const int64_t left = t.columns - j * L;
    start[j] = t.start != nullptr && left > 0 ? load_up_to(t.start + j * L, left) : V::zero();
  }
  RegisterEpilogue end;
  if (direct) {
    if (e != nullptr) {
      end = {e->lo > -kInfinity || e->hi < kInfinity, e->lo, e->hi, t.residual, e->residual_stride};
    }
    if (t.accumulate) {
      multiply<R, W, true>(t, start, end, t.c, t.c_row_stride);
    } else {
      multiply<R, W, false>(t, start, end, t.c, t.c_row_stride);
    }
    return;
  }
  alignas(64) float buffer[R][W * L];
  if (t.accumulate) {
    load_columns<R, W>(t, buffer);
    multiply<R, W, true>(t, start, end, buffer[0], W * L);
  } else {
    multiply<R, W, false>(t, start, end, buffer[0], W * L);
  }
  const Epilogue none;
  finish_tile<R, W>(t, e != nullptr ? *e : none, e != nullptr ? t.residual : nullptr, buffer[0],
                    W * L);
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
