/**
 * @file
 * Rearranging B into panels, for *.isa.cpp files only.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/float_vector.h"

namespace EXECUTORCH_ISA_NAMESPACE {

// Transposes go through registers in squares of kSquare.
#if defined(__AVX2__)
constexpr int kSquare = 8;

/// to[i * to_stride + j] = from[j * from_stride + i] for i, j < kSquare.
inline void transpose_square(const float* from, int64_t from_stride, float* to, int64_t to_stride) {
  __m256 r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(from + i * from_stride);
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    r[4 * i + 0] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0x44);
    r[4 * i + 1] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0xEE);
    r[4 * i + 2] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
    r[4 * i + 3] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xEE);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * to_stride, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * to_stride, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}
#else
constexpr int kSquare = 4;

inline void transpose_square(const float* from, int64_t from_stride, float* to, int64_t to_stride) {
#if defined(__SSE2__)
  __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + from_stride),
         c = _mm_loadu_ps(from + 2 * from_stride), d = _mm_loadu_ps(from + 3 * from_stride);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  _mm_storeu_ps(to, a);
  _mm_storeu_ps(to + to_stride, b);
  _mm_storeu_ps(to + 2 * to_stride, c);
  _mm_storeu_ps(to + 3 * to_stride, d);
#else
  for (int i = 0; i < kSquare; ++i) {
    for (int j = 0; j < kSquare; ++j) to[i * to_stride + j] = from[j * from_stride + i];
  }
#endif
}
#endif

/// to[i * to_stride + j] = from[j * from_stride + i] for i < rows, j < columns.
inline void transpose(const float* from, int64_t from_stride, float* to, int64_t to_stride,
                      int64_t rows, int64_t columns) {
  const int64_t square_rows = rows / kSquare * kSquare,
                square_columns = columns / kSquare * kSquare;
  for (int64_t i = 0; i < square_rows; i += kSquare) {
    for (int64_t j = 0; j < square_columns; j += kSquare) {
      transpose_square(from + j * from_stride + i, from_stride, to + i * to_stride + j, to_stride);
    }
  }
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = j < square_columns ? square_rows : 0; i < rows; ++i) {
      to[i * to_stride + j] = from[j * from_stride + i];
    }
  }
}

inline void copy_floats(const float* from, float* to, int64_t n) {
  int64_t i = 0;
  for (; i + FloatVector::kLanes <= n; i += FloatVector::kLanes) {
    FloatVector::store(to + i, FloatVector::load(from + i));
  }
  if (i < n) FloatVector::store_part(to + i, FloatVector::load_part(from + i, n - i), n - i);
}

template <int kPanel>
void pack_columns(const float* b, int64_t row_stride, int64_t column_stride, int64_t k,
                  int64_t columns, float* panel) {
  if (columns < kPanel) {
    for (int64_t i = 0; i < k; ++i) {
      for (int64_t j = columns; j < kPanel; ++j) panel[i * kPanel + j] = 0.0f;
    }
  }
  if (row_stride == 1) {
    transpose(b, column_stride, panel, kPanel, k, columns);
    return;
  }
  for (int64_t i = 0; i < k; ++i) {
    const float* from = b + i * row_stride;
    float* to = panel + i * kPanel;
    if (column_stride == 1) {
      copy_floats(from, to, columns);
    } else {
      for (int64_t j = 0; j < columns; ++j) to[j] = from[j * column_stride];
    }
  }
}

}  // namespace EXECUTORCH_ISA_NAMESPACE
