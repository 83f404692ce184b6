#include "compute/attention/hadamard.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

constexpr int kCirculant = 7;
/// First rows of the four symmetric circulants of Williamson's matrix of order 28: bit i is set
/// where element i is positive.
constexpr uint32_t kCirculants[4] = {0b0000001, 0b1000011, 0b0100101, 0b0011001};
/// Which circulant stands where, from 1 on, and its sign.
constexpr int kArrangement[4][4] = {{1, 2, 3, 4}, {-2, 1, -4, 3}, {-3, 4, 1, -2}, {-4, -3, 2, 1}};

struct Signs {
  float of[kHadamardBlocks][kHadamardBlocks];
};

constexpr Signs make_signs() {
  Signs signs = {};
  for (int i = 0; i < kHadamardBlocks; ++i) {
    for (int j = 0; j < kHadamardBlocks; ++j) {
      const int which = kArrangement[i / kCirculant][j / kCirculant];
      const int place = (j % kCirculant + kCirculant - i % kCirculant) % kCirculant;
      const bool set = (kCirculants[(which < 0 ? -which : which) - 1] >> place & 1) != 0;
      signs.of[i][j] = set == (which > 0) ? 1.0f : -1.0f;
    }
  }
  return signs;
}

constexpr Signs kSigns = make_signs();

template <class T>
void transform_block(T* row, int64_t n, T scale) {
  for (int64_t half = 1; half < n; half *= 2) {
    for (int64_t start = 0; start < n; start += 2 * half) {
      T* __restrict a = row + start;
      T* __restrict b = a + half;
      for (int64_t i = 0; i < half; ++i) {
        const T x = a[i], y = b[i];
        a[i] = x + y;
        b[i] = x - y;
      }
    }
  }
  for (int64_t i = 0; i < n; ++i) row[i] *= scale;
}

/// Mixes `width` columns of the blocks, which lie `stride` apart.
template <class T, int kWidth>
void mix_columns(T* row, int64_t stride) {
  T in[kHadamardBlocks][kWidth];
  for (int i = 0; i < kHadamardBlocks; ++i) {
    for (int c = 0; c < kWidth; ++c) in[i][c] = row[i * stride + c];
  }
  for (int j = 0; j < kHadamardBlocks; ++j) {
    T sum[kWidth] = {};
    for (int i = 0; i < kHadamardBlocks; ++i) {
      const T sign = kSigns.of[j][i];
      for (int c = 0; c < kWidth; ++c) sum[c] += sign * in[i][c];
    }
    for (int c = 0; c < kWidth; ++c) row[j * stride + c] = sum[c];
  }
}

template <class T>
void transform(const HadamardRows& rows, T* row) {
  const int64_t size = int64_t{1} << rows.power;
  T scale = 1;
  for (int i = 0; i < rows.power / 2; ++i) scale /= 2;
  if (rows.power % 2 != 0) scale *= static_cast<T>(0.70710678118654752440);
  for (int64_t block = 0; block < rows.blocks; ++block)
    transform_block(row + block * size, size, scale);
  if (rows.blocks == 1) return;
  int64_t column = 0;
  for (; column + 16 <= size; column += 16) mix_columns<T, 16>(row + column, size);
  for (; column < size; ++column) mix_columns<T, 1>(row + column, size);
}

}  // namespace

extern constexpr HadamardLoops hadamard_loops_table = {{transform<float>}, {transform<double>}};

}  // namespace EXECUTORCH_ISA_NAMESPACE
