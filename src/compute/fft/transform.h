/**
 * @file
 * Fourier transforms of single lines of any length, in memory that the caller owns.
 */
#pragma once

#include <cstdint>

namespace executorch::compute {

template <class T>
struct ComplexNumber {
  T re;
  T im;
};

/// Longest line.
constexpr int64_t kMaxFftLength = int64_t{1} << 30;

/**
 * What a transform of n complex numbers needs beside them, prepared once for all lines. Lengths
 * with large prime factors become a convolution of a power of two (Bluestein's algorithm). T: float
 * or double. Read only once prepared.
 */
template <class T>
class FftPlan {
 public:
  /// Bytes of the plan's tables, and of the buffer that one transform works in.
  static int64_t table_bytes(int64_t n);
  static int64_t buffer_bytes(int64_t n);

  /// Fills `tables`, aligned to 64 bytes, with table_bytes(n).
  FftPlan(int64_t n, void* tables, void* buffer);

  /// Transforms the n numbers of `line` in place: out[k] = sum of in[j] exp(-2 pi i j k / n).
  /// `buffer` has buffer_bytes(n) and belongs to the caller's thread.
  void run(ComplexNumber<T>* line, void* buffer) const;

 private:
  void run_passes(ComplexNumber<T>* line, ComplexNumber<T>* other) const;
  void run_convolution(ComplexNumber<T>* line, ComplexNumber<T>* buffer) const;

  int64_t n_;       ///< length of the lines
  int64_t length_;  ///< of the passes: n, or a power of two for the convolution
  const ComplexNumber<T>* roots_ = nullptr;
  const ComplexNumber<T>* chirp_ = nullptr;
  const ComplexNumber<T>* filter_ = nullptr;  ///< the transform of the conjugate chirp
};

/// roots[k] = exp(-2 pi i k / n) for 0 <= k < count.
template <class T>
void fill_roots(int64_t n, int64_t count, ComplexNumber<T>* roots);

}  // namespace executorch::compute
