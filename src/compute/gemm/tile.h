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

/// A step of the sums: one number of A and of B, or on some instruction sets a pair of bfloat16
/// numbers of each in the place of a float.
struct FloatTerms {
  static V::Type add(V::Type a, V::Type b, V::Type sum) { return V::fma(a, b, sum); }
};
#if defined(__AVX512BF16__)
struct Bfloat16Terms {
  static V::Type add(V::Type a, V::Type b, V::Type sum) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
};
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
struct Bfloat16Terms {
  static V::Type add(V::Type a, V::Type b, V::Type sum) {
    return vbfdotq_f32(sum, vreinterpretq_bf16_f32(a), vreinterpretq_bf16_f32(b));
  }
};
#endif

/// What is done to sums while they are in registers.
struct RegisterEpilogue {
  bool clamp = false;
  float lo = 0.0f, hi = 0.0f;
  const float* residual = nullptr;  ///< added before
  int64_t residual_stride = 0;
};

/// The sums of a tile in registers: out = A * B + start, or out + A * B where they accumulate. Rows
/// of `out` are W whole vectors.
template <int R, int W, class Terms>
inline void multiply(const TileArgs& t, const V::Type (&start)[W], const RegisterEpilogue& end,
                     float* out, int64_t out_stride) {
  constexpr int L = V::kLanes;
  V::Type sum[R][W];
  if (t.accumulate) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < W; ++j) sum[i][j] = V::load(out + i * out_stride + j * L);
    }
  } else {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < W; ++j) sum[i][j] = start[j];
    }
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
      for (int j = 0; j < W; ++j) sum[i][j] = Terms::add(x, row[j], sum[i][j]);
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
template <int W>
void load_columns(const TileArgs& t, int rows, float* buffer) {
  constexpr int L = V::kLanes;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j * L < t.columns; ++j) {
      const float* from = t.c + i * t.c_row_stride + j * L;
      V::store(buffer + (i * W + j) * L, load_up_to(from, t.columns - j * L));
    }
  }
}

/// The whole epilogue as a pass of its own, from `sums` to C.
template <int W>
void finish_tile(const TileArgs& t, int rows, const float* sums) {
  constexpr int L = V::kLanes;
  const Epilogue none;
  const Epilogue& epilogue = t.epilogue != nullptr ? *t.epilogue : none;
  const float* residual = t.epilogue != nullptr ? t.residual : nullptr;
  for (int i = 0; i < rows; ++i) {
    V::Type row[W];
#pragma GCC unroll 4
    for (int j = 0; j < W; ++j) row[j] = V::load(sums + (i * W + j) * L);
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
template <int R, int W, class Terms = FloatTerms>
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
  alignas(64) float buffer[R * W * L];
  RegisterEpilogue end;
  if (direct && e != nullptr)
    end = {e->lo > -kInfinity || e->hi < kInfinity, e->lo, e->hi, t.residual, e->residual_stride};
  if (!direct && t.accumulate) load_columns<W>(t, R, buffer);
  // One call for both: the loop is there once.
  multiply<R, W, Terms>(t, start, end, direct ? t.c : buffer, direct ? t.c_row_stride : W * L);
  if (!direct) finish_tile<W>(t, R, buffer);
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
