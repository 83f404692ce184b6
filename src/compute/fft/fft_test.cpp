#include "compute/fft/fft.h"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <vector>

namespace executorch::compute {
namespace {

using Number = std::complex<double>;
constexpr long double kPi = 3.14159265358979323846L;

/// Aligned memory of the size that a call asks for.
class Memory {
 public:
  explicit Memory(size_t bytes) : bytes_(bytes), memory_(bytes + 64) {}
  void* data() {
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    return memory_.data() + (64 - address % 64) % 64;
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_;
  std::vector<char> memory_;
};

void run(const FftCall& call) {
  Memory memory(fft_scratch_bytes(call));
  fft(call, memory.data(), memory.bytes());
}

template <class T>
TensorView line(std::vector<T>& values, DType dtype) {
  const auto n = static_cast<int64_t>(values.size());
  return contiguous_view(values.data(), dtype, sizeof(T), 1, &n);
}

std::vector<Number> direct(const std::vector<Number>& in, int sign) {
  const size_t n = in.size();
  std::vector<std::complex<long double>> roots(n);
  for (size_t k = 0; k < n; ++k)
    roots[k] = std::polar(
        1.0L, sign * 2 * kPi * static_cast<long double>(k) / static_cast<long double>(n));
  std::vector<Number> out(n);
  for (size_t k = 0; k < n; ++k) {
    std::complex<long double> sum = 0;
    for (size_t j = 0; j < n; ++j) sum += std::complex<long double>(in[j]) * roots[j * k % n];
    out[k] = static_cast<Number>(sum);
  }
  return out;
}

std::vector<Number> random_numbers(size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::normal_distribution<double> normal;
  std::vector<Number> numbers(n);
  for (Number& x : numbers) x = {normal(random), normal(random)};
  return numbers;
}

template <class A, class B>
void expect_close(const std::vector<A>& found, const std::vector<B>& expected, double tolerance) {
  double scale = 0;
  for (const B& x : expected) scale = std::max(scale, static_cast<double>(std::abs(x)));
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(Number(found[i]) - Number(expected[i])), tolerance * scale) << i;
}

class Lengths : public testing::TestWithParam<int64_t> {};

TEST_P(Lengths, ComplexBothWays) {
  const auto n = static_cast<size_t>(GetParam());
  std::vector<Number> in = random_numbers(n), out(n);
  run({FftKind::forward, line(in, DType::c128), line(out, DType::c128), 0, GetParam(), 1});
  expect_close(out, direct(in, -1), 2e-15);
  run({FftKind::inverse, line(out, DType::c128), line(out, DType::c128), 0, GetParam(),
       1.0 / static_cast<double>(n)});
  expect_close(out, in, 3e-15);
}

TEST_P(Lengths, SinglePrecision) {
  const auto n = static_cast<size_t>(GetParam());
  const std::vector<Number> in = random_numbers(n);
  std::vector<std::complex<float>> narrow(in.begin(), in.end()), out(n);
  run({FftKind::forward, line(narrow, DType::c64), line(out, DType::c64), 0, GetParam(), 1});
  expect_close(out, direct(in, -1), 1.5e-6);
}

TEST_P(Lengths, RealBothWays) {
  const auto n = static_cast<size_t>(GetParam());
  std::vector<Number> numbers = random_numbers(n);
  std::vector<double> in(n), back(n);
  for (size_t i = 0; i < n; ++i) numbers[i] = in[i] = numbers[i].real();
  std::vector<Number> half(n / 2 + 1), expected = direct(numbers, -1);
  expected.resize(half.size());
  run({FftKind::real_to_complex, line(in, DType::f64), line(half, DType::c128), 0, GetParam(), 1});
  expect_close(half, expected, 2e-15);
  run({FftKind::complex_to_real, line(half, DType::c128), line(back, DType::f64), 0, GetParam(),
       1.0 / static_cast<double>(n)});
  expect_close(back, in, 3e-15);
}

INSTANTIATE_TEST_SUITE_P(All, Lengths,
                         testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 17, 19, 30, 34, 49,
                                         64, 97, 120, 143, 210, 256, 289, 1000, 1009, 1024, 2018));

TEST(Fft, MiddleDimensionOfStridedViews) {
  std::vector<Number> in = random_numbers(3 * 6 * 5), out(in.size());
  const int64_t sizes[] = {3, 6, 5};
  const TensorView from = contiguous_view(in.data(), DType::c128, sizeof(Number), 3, sizes);
  const TensorView to = contiguous_view(out.data(), DType::c128, sizeof(Number), 3, sizes);
  run({FftKind::forward, from, to, 1, 6, 0.5});
  for (size_t a = 0; a < 3; ++a) {
    for (size_t c = 0; c < 5; ++c) {
      std::vector<Number> column(6), found(6);
      for (size_t b = 0; b < 6; ++b) {
        column[b] = in[(a * 6 + b) * 5 + c] * 0.5;
        found[b] = out[(a * 6 + b) * 5 + c];
      }
      expect_close(found, direct(column, -1), 2e-15);
    }
  }
}

}  // namespace
}  // namespace executorch::compute
