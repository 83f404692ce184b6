#include "compute/affine/affine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "compute/affine/mixed_product.h"
#include "compute/affine/table_rows.h"

namespace executorch::compute {
namespace {

class AffineTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    before_ = active_isa();
    if (!set_active_isa(static_cast<Isa>(GetParam()))) GTEST_SKIP() << "not on this machine";
  }
  void TearDown() override { set_active_isa(before_); }

  std::vector<float> numbers(int64_t n) {
    std::vector<float> result(static_cast<size_t>(n));
    for (float& x : result) x = std::uniform_real_distribution<float>(-5, 5)(engine_);
    return result;
  }
  std::vector<int8_t> integers(int64_t n) {
    std::vector<int8_t> result(static_cast<size_t>(n));
    for (int8_t& x : result) x = static_cast<int8_t>(engine_());
    return result;
  }

  std::mt19937 engine_{7};

 private:
  Isa before_;
};

const DenseAxis kAxes[] = {{1, 1, 5000}, {3, 7, 50}, {2, 300, 1}, {2, 5, 700}, {40, 9, 1}};

TEST_P(AffineTest, QuantizesAndDequantizesAlongAnAxis) {
  for (const DenseAxis& axis : kAxes) {
    const int64_t n = axis.outer * axis.count * axis.inner;
    const std::vector<float> in = numbers(n);
    std::vector<float> reciprocals = numbers(axis.count), zeros(reciprocals.size());
    for (size_t i = 0; i < zeros.size(); ++i) zeros[i] = static_cast<float>(i % 11) - 5;
    std::vector<int8_t> out(in.size());
    const AffineParameters<float> parameters{axis, reciprocals.data(), zeros.data()};
    quantize(parameters, ZeroPointIsAdded::AfterRounding, {-100, 90}, {in.data(), DType::f32},
             {out.data(), DType::i8});
    std::vector<float> back(in.size());
    dequantize(parameters, {out.data(), DType::i8}, {back.data(), DType::f32});
    for (int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<size_t>(i);
      const auto c = static_cast<size_t>(i / axis.inner % axis.count);
      const float rounded = std::nearbyint(in[at] * reciprocals[c]) + zeros[c];
      ASSERT_EQ(out[at], std::min(std::max(rounded, -100.0f), 90.0f)) << i;
      ASSERT_EQ(back[at], (static_cast<float>(out[at]) - zeros[c]) * reciprocals[c]) << i;
    }
  }
}

TEST_P(AffineTest, BoundsThatFloatsCannotHold) {
  const float in[] = {1e20f, -1e20f, 3.0f};
  const float reciprocal = 1, zero = 0;
  int32_t out[3];
  quantize<float>({{1, 1, 3}, &reciprocal, &zero}, ZeroPointIsAdded::AfterRounding,
                  {INT32_MIN, INT32_MAX}, {in, DType::f32}, {out, DType::i32});
  EXPECT_EQ(out[0], 2147483520);
  EXPECT_EQ(out[1], INT32_MIN);
  EXPECT_EQ(out[2], 3);
}

TEST_P(AffineTest, PackedRows) {
  const uint8_t bytes[] = {0x4f, 0xe1};
  const float scales[] = {2.0f};
  QuantizedTable table;
  table.data = bytes;
  table.format = TableFormat::u4;
  table.columns = table.group = 4;
  table.scales = {scales, DType::f32};
  float out[8];
  read_table_row(table, 0, 0, 4, out);
  EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{-8, 14, 12, -14}));
  table.format = TableFormat::u2;
  table.columns = table.group = 8;
  read_table_row(table, 0, 0, 8, out);
  EXPECT_EQ(std::vector<float>(out, out + 8), (std::vector<float>{2, 2, -4, -2, -2, -4, 0, 2}));
}

TEST_P(AffineTest, ProductsWithQuantizedWeights) {
  for (const bool transposed : {false, true}) {
    for (const int64_t m : {1, 5, 40}) {
      MixedProduct product;
      product.m = m;
      product.n = 200;
      product.k = 700;
      product.transposed = transposed;
      const std::vector<float> a = numbers(m * product.k);
      const std::vector<int8_t> weight = integers(product.n * product.k);
      const int64_t rows = transposed ? product.n : product.k;
      const std::vector<float> scales = numbers(rows);
      std::vector<float> c(static_cast<size_t>(m * product.n));
      product.a = a.data();
      product.c = c.data();
      product.weight.data = weight.data();
      product.weight.columns = product.weight.group = transposed ? product.k : product.n;
      product.weight.scales = {scales.data(), DType::f32};
      std::vector<char> scratch(mixed_product_scratch_bytes(product) + 64);
      void* aligned =
          reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
      mixed_product(product, aligned, mixed_product_scratch_bytes(product));
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < product.n; ++j) {
          double sum = 0, magnitude = 0;
          for (int64_t k = 0; k < product.k; ++k) {
            const int64_t row = transposed ? j : k, column = transposed ? k : j;
            const double w = weight[static_cast<size_t>(row * product.weight.columns + column)] *
                             static_cast<double>(scales[static_cast<size_t>(row)]);
            sum += a[static_cast<size_t>(i * product.k + k)] * w;
            magnitude += std::abs(a[static_cast<size_t>(i * product.k + k)] * w);
          }
          ASSERT_NEAR(c[static_cast<size_t>(i * product.n + j)], sum, magnitude * 1e-6);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EachIsa, AffineTest, testing::Range(0, static_cast<int>(kIsaCount)));

}  // namespace
}  // namespace executorch::compute
