#include "compute/norm/norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace executorch::compute {
namespace {

std::vector<float> random_values(size_t n, float center = 0) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::normal_distribution<float> normal(center, 2);
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

/// Softmax along the middle dimension, in long double.
std::vector<float> reference_softmax(const DenseAxis& axis, const std::vector<float>& in,
                                     bool logarithm) {
  std::vector<float> out(in.size());
  for (int64_t o = 0; o < axis.outer; ++o) {
    for (int64_t i = 0; i < axis.inner; ++i) {
      const auto at = [&](int64_t k) {
        return static_cast<size_t>((o * axis.count + k) * axis.inner + i);
      };
      long double max = -INFINITY, sum = 0;
      for (int64_t k = 0; k < axis.count; ++k) max = std::fmax(max, in[at(k)]);
      for (int64_t k = 0; k < axis.count; ++k) sum += std::exp(in[at(k)] - max);
      for (int64_t k = 0; k < axis.count; ++k) {
        const long double shifted = in[at(k)] - max;
        out[at(k)] =
            static_cast<float>(logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum);
      }
    }
  }
  return out;
}

class NormLoopsTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!isa_supported(isa())) GTEST_SKIP() << "not on this machine";
  }
  Isa isa() const { return static_cast<Isa>(GetParam()); }
  const NormRowLoops<float>& loops() const { return norm_loops(isa()).f32; }
};
INSTANTIATE_TEST_SUITE_P(Isa, NormLoopsTest, testing::Range(0, static_cast<int>(kIsaCount)));

TEST_P(NormLoopsTest, SoftmaxRowsOfAnyLength) {
  for (int64_t n = 1; n < 100; n += n < 40 ? 1 : 13) {
    const std::vector<float> in = random_values(static_cast<size_t>(n));
    std::vector<float> out(in.size());
    loops().softmax(in.data(), out.data(), n);
    const auto expected = reference_softmax({1, n, 1}, in, false);
    for (size_t i = 0; i < in.size(); ++i) EXPECT_NEAR(out[i], expected[i], 1e-6f) << n;
    loops().log_softmax(in.data(), out.data(), n);
    const auto logarithms = reference_softmax({1, n, 1}, in, true);
    for (size_t i = 0; i < in.size(); ++i) EXPECT_NEAR(out[i], logarithms[i], 4e-6f) << n;
  }
}

TEST_P(NormLoopsTest, SoftmaxOfRowsOfAnyNumberAndLength) {
  for (const int64_t n : {1, 2, 3, 5, 8, 9, 17}) {
    for (const int64_t rows : {1, 4, 15, 16, 33}) {
      const std::vector<float> in = random_values(static_cast<size_t>(rows * n));
      std::vector<float> out(in.size() + 1, 7);
      for (const bool logarithm : {false, true}) {
        (logarithm ? loops().log_softmax_rows : loops().softmax_rows)(in.data(), out.data(), rows,
                                                                      n);
        const auto expected = reference_softmax({rows, n, 1}, in, logarithm);
        for (size_t i = 0; i < in.size(); ++i)
          ASSERT_NEAR(out[i], expected[i], 4e-6f) << n << " " << i;
        EXPECT_EQ(out.back(), 7);
      }
    }
  }
}

TEST_P(NormLoopsTest, SoftmaxColumnsOfAnyWidth) {
  for (int64_t width = 1; width < 70; ++width) {
    const DenseAxis axis = {1, 7, width};
    const std::vector<float> in = random_values(static_cast<size_t>(7 * width));
    std::vector<float> out(in.size());
    loops().softmax_columns(in.data(), out.data(), 7, width, width);
    const auto expected = reference_softmax(axis, in, false);
    for (size_t i = 0; i < in.size(); ++i) EXPECT_NEAR(out[i], expected[i], 1e-6f) << width;
  }
}

TEST_P(NormLoopsTest, SquareSumKeepsDigitsBesideALargeMean) {
  const std::vector<float> in = random_values(10000, 1e4f);
  long double mean = 0, squares = 0;
  for (float x : in) mean += x;
  mean /= in.size();
  for (float x : in) squares += (x - mean) * (x - mean);
  const float sum = loops().sum(in.data(), 10000);
  EXPECT_NEAR(sum / 10000, static_cast<double>(mean), 2e-3);
  const float found = loops().square_sum(in.data(), 10000, sum / 10000);
  EXPECT_NEAR(found, static_cast<double>(squares), 1e-4 * static_cast<double>(squares));
}

TEST(Softmax, RowsAndPlanesAgree) {
  for (const DenseAxis axis :
       {DenseAxis{3, 50, 1}, DenseAxis{2, 9, 77}, DenseAxis{4, 1, 5}, DenseAxis{1, 3, 300}}) {
    const auto in = random_values(static_cast<size_t>(axis.outer * axis.count * axis.inner));
    std::vector<float> out(in.size());
    softmax(SoftmaxKind::Softmax, axis, in.data(), out.data());
    const auto expected = reference_softmax(axis, in, false);
    for (size_t i = 0; i < in.size(); ++i) EXPECT_NEAR(out[i], expected[i], 1e-6f);
  }
}

TEST(Softmax, InfinitiesAndNan) {
  const float inf = std::numeric_limits<float>::infinity();
  float all_masked[] = {-inf, -inf, -inf};
  softmax(SoftmaxKind::Softmax, {1, 3, 1}, all_masked, all_masked);
  for (float x : all_masked) EXPECT_TRUE(std::isnan(x));
  float masked[] = {0, -inf, 0};
  softmax(SoftmaxKind::Softmax, {1, 3, 1}, masked, masked);
  EXPECT_EQ(masked[0], 0.5f);
  EXPECT_EQ(masked[1], 0.0f);
  float bad[] = {0, NAN, 1};
  softmax(SoftmaxKind::LogSoftmax, {1, 3, 1}, bad, bad);
  for (float x : bad) EXPECT_TRUE(std::isnan(x));
}

TEST(LayerNorm, NormalisesScalesAndReportsStatistics) {
  const int64_t n = 37;
  const auto in = random_values(2 * n, 3);
  const auto weight = random_values(n);
  const auto bias = random_values(n + 1);
  std::vector<float> out(in.size());
  float mean[2], rstd[2];
  layer_norm<float>(2, n, in.data(), weight.data(), bias.data(), 1e-5, out.data(), mean, rstd);
  for (int row = 0; row < 2; ++row) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) sum += in[static_cast<size_t>(row * n + i)];
    for (int64_t i = 0; i < n; ++i)
      squares += std::pow(in[static_cast<size_t>(row * n + i)] - sum / n, 2);
    const double deviation = std::sqrt(squares / n + 1e-5);
    EXPECT_NEAR(mean[row], sum / n, 1e-5);
    EXPECT_NEAR(rstd[row], 1 / deviation, 1e-5);
    for (int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<size_t>(i);
      const double expected =
          (in[static_cast<size_t>(row * n + i)] - sum / n) / deviation * weight[k] + bias[k];
      EXPECT_NEAR(out[static_cast<size_t>(row * n + i)], expected, 1e-5);
    }
  }
}

TEST(ScaleShift, BothMemoryOrders) {
  const float in[] = {1, 2, 3, 4, 5, 6};
  const float scale[] = {1, 10, 100};
  const float shift[] = {0, 1, 2};
  float out[6];
  scale_shift<float>({2, 3, 1}, in, scale, shift, out);
  EXPECT_EQ(std::vector<float>(out, out + 6), (std::vector<float>{1, 21, 302, 4, 51, 602}));
  scale_shift<float>({1, 3, 2}, in, scale, shift, out);
  EXPECT_EQ(std::vector<float>(out, out + 6), (std::vector<float>{1, 2, 31, 41, 502, 602}));
}

}  // namespace
}  // namespace executorch::compute
