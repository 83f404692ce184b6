#include "kernels/support/promotion.h"

#include <gtest/gtest.h>

namespace executorch {
namespace kernels {
namespace {

/// A tensor of a dtype and rank, without data.
struct Shape {
  Shape(ScalarType dtype, ssize_t rank) : impl(dtype, rank, sizes, nullptr, order, strides) {}
  Tensor tensor() { return Tensor(&impl); }

  Tensor::SizesType sizes[2] = {1, 1};
  Tensor::DimOrderType order[2] = {0, 1};
  Tensor::StridesType strides[2] = {1, 1};
  aten::TensorImpl impl;
};

TEST(PromoteTypes, FollowsTorch) {
  EXPECT_EQ(promote_types(ScalarType::Byte, ScalarType::Char), ScalarType::Short);
  EXPECT_EQ(promote_types(ScalarType::Bool, ScalarType::Byte), ScalarType::Byte);
  EXPECT_EQ(promote_types(ScalarType::Int, ScalarType::Half), ScalarType::Half);
  EXPECT_EQ(promote_types(ScalarType::Half, ScalarType::BFloat16), ScalarType::Float);
  EXPECT_EQ(promote_types(ScalarType::Long, ScalarType::Double), ScalarType::Double);
  EXPECT_EQ(promote_types(ScalarType::Double, ScalarType::ComplexFloat), ScalarType::ComplexDouble);
  EXPECT_EQ(promote_types(ScalarType::Float, ScalarType::QInt8), ScalarType::Undefined);
}

TEST(ResultTypeTest, DimensionsOutweighNumbers) {
  Shape half(ScalarType::Half, 1);
  Shape zero_dim(ScalarType::Double, 0);
  Shape integers(ScalarType::Int, 2);
  EXPECT_EQ(ResultType().add(half.tensor()).add(zero_dim.tensor()).get(), ScalarType::Half);
  EXPECT_EQ(ResultType().add(integers.tensor()).add(zero_dim.tensor()).get(), ScalarType::Double);
  EXPECT_EQ(ResultType().add(integers.tensor()).add(Scalar(1.5)).get(), ScalarType::Float);
  EXPECT_EQ(ResultType().add(integers.tensor()).add(Scalar(int64_t{3})).get(), ScalarType::Int);
  EXPECT_EQ(ResultType().add(zero_dim.tensor()).add(Scalar(1.5)).get(), ScalarType::Double);
}

TEST(CanCast, NarrowsWithinACategoryOnly) {
  EXPECT_TRUE(can_cast(ScalarType::Double, ScalarType::Half));
  EXPECT_FALSE(can_cast(ScalarType::Float, ScalarType::Long));
  EXPECT_FALSE(can_cast(ScalarType::Int, ScalarType::Bool));
  EXPECT_FALSE(can_cast(ScalarType::ComplexFloat, ScalarType::Float));
  EXPECT_TRUE(can_cast(ScalarType::Bool, ScalarType::ComplexFloat));
}

TEST(CheckFits, RefusesWhatOverflows) {
  EXPECT_EQ(check_fits(Scalar(int64_t{127}), ScalarType::Char, "value"), Error::Ok);
  EXPECT_EQ(check_fits(Scalar(int64_t{128}), ScalarType::Char, "value"), Error::InvalidArgument);
  EXPECT_EQ(check_fits(Scalar(1e30), ScalarType::Half, "value"), Error::InvalidArgument);
  EXPECT_EQ(check_fits(Scalar(__builtin_inf()), ScalarType::Half, "value"), Error::Ok);
  EXPECT_EQ(check_fits(Scalar(1e30), ScalarType::Long, "value"), Error::InvalidArgument);
}

TEST(Numbers, SaturateWhenCut) {
  EXPECT_EQ(to_int64(Scalar(1e300)), INT64_MAX);
  EXPECT_EQ(to_int64(Scalar(-1e300)), INT64_MIN);
  EXPECT_EQ(to_int64(Scalar(__builtin_nan(""))), 0);
  EXPECT_EQ(to_int64(Scalar(-2.9)), -2);
  EXPECT_EQ(to_double(Scalar(true)), 1.0);
}

}  // namespace
}  // namespace kernels
}  // namespace executorch
