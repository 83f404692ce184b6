#include "compute/reduce/vector_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace executorch::compute {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

float norm_of(const std::vector<float>& values, double p) {
  const auto size = static_cast<int64_t>(values.size());
  const int64_t stride = 1, none = 0;
  float out = -1;
  vector_norm({{values.data(), DType::f32, 1, &size, &stride}, 1, p, {&out, DType::f32, &none}});
  return out;
}

TEST(VectorNorm, EachOrder) {
  const std::vector<float> v = {3, -4, 0};
  EXPECT_FLOAT_EQ(norm_of(v, 2), 5);
  EXPECT_FLOAT_EQ(norm_of(v, 1), 7);
  EXPECT_FLOAT_EQ(norm_of(v, 0), 2);
  EXPECT_FLOAT_EQ(norm_of(v, kInfinity), 4);
  EXPECT_FLOAT_EQ(norm_of(v, -kInfinity), 0);
  EXPECT_FLOAT_EQ(norm_of(v, 3), std::cbrt(91.0f));
}

TEST(VectorNorm, NothingNanAndLargeNumbers) {
  EXPECT_EQ(norm_of({}, 2), 0);
  EXPECT_EQ(norm_of({}, -kInfinity), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(norm_of({1, NAN, 5}, kInfinity)));
  EXPECT_FLOAT_EQ(norm_of({3e30f, 4e30f}, 2), 5e30f);
  EXPECT_FLOAT_EQ(norm_of(std::vector<float>(10000, 0.5f), 2), 50);
}

TEST(VectorNorm, ColumnsOfAMatrix) {
  const std::vector<float> m = {3, 1, 4, 1};
  const int64_t sizes[] = {2, 2}, strides[] = {2, 1}, out_strides[] = {0, 1};
  float out[2];
  vector_norm({{m.data(), DType::f32, 2, sizes, strides}, 1, 2, {out, DType::f32, out_strides}});
  EXPECT_FLOAT_EQ(out[0], 5);
  EXPECT_FLOAT_EQ(out[1], std::sqrt(2.0f));
}

TEST(Distances, EachPairOfRows) {
  const std::vector<double> a = {0, 0, 1, 1}, b = {3, 4, 1, 1, 0, 1};
  std::vector<double> out(6);
  distances<double>({2, 2, 1, 2, 3, a.data(), 0, b.data(), 0, out.data()});
  EXPECT_DOUBLE_EQ(out[0], 5);
  EXPECT_DOUBLE_EQ(out[1], std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(out[3], std::sqrt(13.0));
  EXPECT_DOUBLE_EQ(out[4], 0);
}

TEST(Distances, WithinOneTensor) {
  const std::vector<float> rows = {0, 1, 3, 7};
  std::vector<float> out(6);
  distances_within<float>(1, 4, 1, rows.data(), out.data());
  EXPECT_EQ(out, (std::vector<float>{1, 3, 7, 2, 6, 4}));
  distances_within<float>(1, 1, 4, rows.data(), nullptr);  // no pairs
}

}  // namespace
}  // namespace executorch::compute
