#include "compute/fft/transform.h"

#include <cstring>
#include <utility>

#include "compute/elementwise/operation.h"
#include "compute/fft/passes.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(FftPasses, fft_passes);

namespace {

constexpr int64_t kAlignment = 64;

int64_t aligned(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// The next factor to take out of n by a pass, 1 when none is left or it is too large.
int next_radix(int64_t n) {
  for (const int radix : {4, 2, 3, 5, 7, 11, 13}) {
    if (n % radix == 0) return radix;
  }
  return 1;
}

bool has_passes(int64_t n) {
  while (n > 1) {
    const int radix = next_radix(n);
    if (radix == 1) return false;
    n /= radix;
  }
  return true;
}

/// The length of the passes.
int64_t pass_length(int64_t n) {
  if (has_passes(n)) return n;
  int64_t length = 1;
  while (length < 2 * n - 1) length *= 2;
  return length;
}

void apply(ElementwiseOp op, double* block, int64_t n) {
  const void* operands[] = {block};
  block_loop(op, ComputeType::f64)(block, operands, 0, n);
}

/// exp(-2 pi i k / n) for the indices k < n that `index` gives. Angles are reduced to an eighth of
/// a turn in whole numbers, so that none loses digits.
template <class T, class Index>
void fill_roots_at(int64_t n, int64_t count, ComplexNumber<T>* roots, Index index) {
  constexpr int64_t kBlock = 256;
  constexpr double kQuarterPi = 0.78539816339744830962;
  double cosines[kBlock], sines[kBlock];
  int64_t octants[kBlock];
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t size = count - first < kBlock ? count - first : kBlock;
    for (int64_t i = 0; i < size; ++i) {
      const int64_t eighths = 8 * index(first + i);
      octants[i] = eighths / n;
      const int64_t rest = eighths % n;
      const int64_t part = octants[i] % 2 != 0 ? n - rest : rest;
      cosines[i] = kQuarterPi * (static_cast<double>(part) / static_cast<double>(n));
      sines[i] = cosines[i];
    }
    apply(ElementwiseOp::Cos, cosines, size);
    apply(ElementwiseOp::Sin, sines, size);
    for (int64_t i = 0; i < size; ++i) {
      // Odd multiples of a quarter turn exchange the two.
      const int64_t octant = octants[i];
      const bool exchanged = (octant + 1) / 2 % 2 != 0;
      const double c = exchanged ? sines[i] : cosines[i], s = exchanged ? cosines[i] : sines[i];
      const bool left = octant >= 2 && octant < 6, below = octant >= 4;
      roots[first + i] = {static_cast<T>(left ? -c : c), static_cast<T>(below ? s : -s)};
    }
  }
}

template <class T>
ComplexNumber<T> product(ComplexNumber<T> a, ComplexNumber<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class T>
ComplexNumber<T> conjugate(ComplexNumber<T> a) {
  return {a.re, -a.im};
}

void run_pass(const FftPass<float>& pass) {
  fft_passes().f32(pass);
}
void run_pass(const FftPass<double>& pass) {
  fft_passes().f64(pass);
}

}  // namespace

template <class T>
void fill_roots(int64_t n, int64_t count, ComplexNumber<T>* roots) {
  fill_roots_at(n, count, roots, [](int64_t k) { return k; });
}

template <class T>
int64_t FftPlan<T>::table_bytes(int64_t n) {
  const auto size = static_cast<int64_t>(sizeof(ComplexNumber<T>));
  const int64_t length = pass_length(n);
  return aligned(length * size) + (length == n ? 0 : aligned(n * size) + aligned(length * size));
}

template <class T>
int64_t FftPlan<T>::buffer_bytes(int64_t n) {
  const int64_t length = pass_length(n);
  return aligned((length == n ? 1 : 2) * length * static_cast<int64_t>(sizeof(ComplexNumber<T>)));
}

template <class T>
FftPlan<T>::FftPlan(int64_t n, void* tables, void* buffer) : n_(n), length_(pass_length(n)) {
  const auto size = static_cast<int64_t>(sizeof(ComplexNumber<T>));
  auto* bytes = static_cast<char*>(tables);
  auto* roots = reinterpret_cast<ComplexNumber<T>*>(bytes);
  fill_roots(length_, length_, roots);
  roots_ = roots;
  if (length_ == n_) return;
  auto* chirp = reinterpret_cast<ComplexNumber<T>*>(bytes + aligned(length_ * size));
  // exp(-pi i k^2 / n): squares modulo 2n keep the angle exact.
  fill_roots_at(2 * n, n, chirp, [n](int64_t k) { return k * k % (2 * n); });
  chirp_ = chirp;
  auto* filter =
      reinterpret_cast<ComplexNumber<T>*>(bytes + aligned(length_ * size) + aligned(n * size));
  for (int64_t k = 0; k < length_; ++k) filter[k] = {0, 0};
  for (int64_t k = 0; k < n; ++k) {
    filter[k] = conjugate(chirp[k]);
    if (k > 0) filter[length_ - k] = filter[k];
  }
  run_passes(filter, static_cast<ComplexNumber<T>*>(buffer));
  filter_ = filter;
}

template <class T>
void FftPlan<T>::run_passes(ComplexNumber<T>* line, ComplexNumber<T>* other) const {
  ComplexNumber<T>* from = line;
  ComplexNumber<T>* to = other;
  int64_t s = 1;
  for (int64_t left = length_; left > 1;) {
    const int radix = next_radix(left);
    left /= radix;
    run_pass(FftPass<T>{radix, left, s, &from->re, &to->re, &roots_->re});
    s *= radix;
    std::swap(from, to);
  }
  if (from != line) std::memcpy(line, from, static_cast<size_t>(length_) * sizeof(*line));
}

template <class T>
void FftPlan<T>::run_convolution(ComplexNumber<T>* line, ComplexNumber<T>* buffer) const {
  ComplexNumber<T>* padded = buffer;
  ComplexNumber<T>* other = buffer + length_;
  for (int64_t k = 0; k < n_; ++k) padded[k] = product(line[k], chirp_[k]);
  for (int64_t k = n_; k < length_; ++k) padded[k] = {0, 0};
  run_passes(padded, other);
  // The inverse transform is the transform between two conjugations.
  for (int64_t k = 0; k < length_; ++k) padded[k] = conjugate(product(padded[k], filter_[k]));
  run_passes(padded, other);
  const T scale = 1 / static_cast<T>(length_);
  for (int64_t k = 0; k < n_; ++k) {
    const ComplexNumber<T> value = {padded[k].re * scale, -padded[k].im * scale};
    line[k] = product(value, chirp_[k]);
  }
}

template <class T>
void FftPlan<T>::run(ComplexNumber<T>* line, void* buffer) const {
  auto* numbers = static_cast<ComplexNumber<T>*>(buffer);
  length_ == n_ ? run_passes(line, numbers) : run_convolution(line, numbers);
}

template void fill_roots(int64_t, int64_t, ComplexNumber<float>*);
template void fill_roots(int64_t, int64_t, ComplexNumber<double>*);
template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace executorch::compute
