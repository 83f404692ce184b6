#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using namespace executorch::runtime;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;

/// A tensor with its arrays.
class Owned {
 public:
  Owned(ScalarType type, std::vector<int32_t> sizes, std::vector<uint8_t> order = {})
      : sizes_(std::move(sizes)), order_(std::move(order)), strides_(sizes_.size()) {
    if (order_.empty()) {
      for (size_t i = 0; i < sizes_.size(); ++i) order_.push_back(static_cast<uint8_t>(i));
    }
    dim_order_to_stride_nocheck(sizes_.data(), order_.data(), sizes_.size(), strides_.data());
    const auto numel =
        executorch::aten::compute_numel(sizes_.data(), static_cast<ssize_t>(sizes_.size()));
    data_.resize(static_cast<size_t>(numel) * elementSize(type) + 1);
    impl_ = std::make_unique<TensorImpl>(type, static_cast<ssize_t>(sizes_.size()), sizes_.data(),
                                         data_.data(), order_.data(), strides_.data());
  }

  Tensor get() const { return Tensor(impl_.get()); }

  template <typename T>
  Tensor with(T value) {
    *reinterpret_cast<T*>(data_.data()) = value;
    return get();
  }

 private:
  std::vector<int32_t> sizes_;
  std::vector<uint8_t> order_;
  std::vector<int32_t> strides_;
  std::vector<uint8_t> data_;
  std::unique_ptr<TensorImpl> impl_;
};

class TensorUtilTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime_init(); }
};

TEST_F(TensorUtilTest, ChecksTypes) {
  const Owned ints(ScalarType::Int, {2});
  const Owned bools(ScalarType::Bool, {2});
  EXPECT_TRUE(tensor_is_type(ints.get(), ScalarType::Long, ScalarType::Int));
  EXPECT_FALSE(tensor_is_floating_type(ints.get()));
  EXPECT_NE(std::string(last_error_message()).find("Int"), std::string::npos);
  EXPECT_TRUE(tensor_is_integral_type(bools.get(), true));
  EXPECT_FALSE(tensor_is_integral_type(bools.get()));
  EXPECT_FALSE(tensors_have_same_dtype(ints.get(), bools.get()));
  EXPECT_FALSE(tensor_can_cast_to(ints.get(), ScalarType::Bool));
}

TEST_F(TensorUtilTest, ChecksShapes) {
  const Owned a(ScalarType::Float, {2, 3});
  const Owned b(ScalarType::Float, {3, 2});
  const Owned one(ScalarType::Float, {1, 1});
  const Owned scalar(ScalarType::Float, {});
  EXPECT_TRUE(tensors_have_same_shape(one.get(), scalar.get()));
  EXPECT_FALSE(tensors_have_same_shape(a.get(), b.get()));
  EXPECT_NE(std::string(last_error_message()).find("(2, 3) and (3, 2)"), std::string::npos);
  EXPECT_TRUE(tensors_have_same_size_at_dims(a.get(), 0, b.get(), 1));
  EXPECT_FALSE(tensors_have_same_size_at_dims(a.get(), 2, b.get(), 1));
  const int32_t expected[] = {2, 3};
  EXPECT_TRUE(tensor_has_expected_size(a.get(), expected));
  EXPECT_TRUE(tensor_is_scalar(scalar.get()));
  EXPECT_TRUE(tensor_is_rank(a.get(), 2));
  EXPECT_FALSE(tensor_has_rank_greater_or_equal_to(a.get(), 3));
  EXPECT_FALSE(tensor_has_rank_smaller_or_equal_to(a.get(), 1));
}

TEST_F(TensorUtilTest, ChecksDimensionsAndIndices) {
  const Owned a(ScalarType::Float, {2, 0});
  const Owned scalar(ScalarType::Float, {});
  EXPECT_TRUE(tensor_has_dim(a.get(), -2));
  EXPECT_FALSE(tensor_has_dim(a.get(), 2));
  EXPECT_FALSE(tensor_has_dim(a.get(), -3));
  EXPECT_TRUE(tensor_has_dim(scalar.get(), -1));
  EXPECT_FALSE(tensor_has_dim(scalar.get(), 1));
  EXPECT_TRUE(tensor_has_non_empty_dim(a.get(), 0));
  EXPECT_FALSE(tensor_has_non_empty_dim(a.get(), -1));
  EXPECT_FALSE(tensor_has_non_empty_dim(a.get(), 7));
  EXPECT_TRUE(tensor_dim_has_index(a.get(), 0, -2));
  EXPECT_FALSE(tensor_dim_has_index(a.get(), 0, 2));
  EXPECT_FALSE(tensor_dim_has_index(a.get(), 5, 0));
  EXPECT_FALSE(tensor_dim_has_index(scalar.get(), 0, 0));
  EXPECT_FALSE(dim_is_valid(-3, 2));
  EXPECT_TRUE(dim_is_valid(1, 2));
}

TEST_F(TensorUtilTest, ChecksOrders) {
  const Owned contiguous(ScalarType::Float, {1, 2, 3, 4});
  const Owned channels_last(ScalarType::Float, {1, 2, 3, 4}, {0, 2, 3, 1});
  const Owned other(ScalarType::Float, {1, 2, 3, 4}, {3, 2, 1, 0});
  EXPECT_TRUE(tensor_is_contiguous(contiguous.get()));
  EXPECT_FALSE(tensor_is_contiguous(channels_last.get()));
  EXPECT_TRUE(tensor_is_channels_last_dim_order(channels_last.get()));
  EXPECT_FALSE(tensor_is_default_or_channels_last_dim_order(other.get()));
  EXPECT_FALSE(tensors_have_same_dim_order(contiguous.get(), channels_last.get()));
  EXPECT_TRUE(tensors_have_same_dim_order(other.get(), other.get(), other.get()));
  EXPECT_FALSE(tensors_have_same_strides(contiguous.get(), channels_last.get()));
  executorch::aten::DimOrderType order[4];
  EXPECT_EQ(get_dim_order(channels_last.get(), order, 4), Error::Ok);
  EXPECT_EQ(order[3], 1);
  EXPECT_EQ(get_dim_order(channels_last.get(), order, 3), Error::InvalidArgument);
}

TEST_F(TensorUtilTest, WalksIndices) {
  const Owned a(ScalarType::Float, {2, 3, 4});
  EXPECT_EQ(getLeadingDims(a.get(), 2), 6u);
  EXPECT_EQ(getTrailingDims(a.get(), 0), 12u);
  EXPECT_EQ(getTrailingDims(a.get(), -1), 24u);
  size_t memo[kTensorDimensionLimit];
  memoizeTrailingDims(a.get(), memo);
  for (size_t index = 0; index < 24; ++index) {
    size_t coordinate[3];
    indexToCoordinate(a.get(), index, coordinate);
    EXPECT_EQ(coordinateToIndex(a.get(), coordinate), index);
    EXPECT_EQ(coordinateToIndexWithTrailingDimsMemo(a.get(), coordinate, memo), index);
  }
}

TEST_F(TensorUtilTest, ReadsTheSingleElement) {
  Owned wide(ScalarType::Long, {1});
  Owned half(ScalarType::Half, {});
  Owned truth(ScalarType::Bool, {1, 1});
  int8_t small = 0;
  EXPECT_TRUE(extract_scalar_tensor(wide.with(int64_t{-128}), &small));
  EXPECT_EQ(small, -128);
  EXPECT_FALSE(extract_scalar_tensor(wide.with(int64_t{128}), &small));
  uint64_t unsigned_value = 0;
  EXPECT_FALSE(extract_scalar_tensor(wide.with(int64_t{-1}), &unsigned_value));
  float value = 0;
  EXPECT_TRUE(extract_scalar_tensor(half.with(executorch::aten::Half(1.5f)), &value));
  EXPECT_EQ(value, 1.5f);
  bool flag = false;
  EXPECT_TRUE(extract_scalar_tensor(truth.with(uint8_t{1}), &flag));
  EXPECT_TRUE(flag);
  EXPECT_FALSE(extract_scalar_tensor(half.get(), &small));
  EXPECT_FALSE(extract_scalar_tensor(Owned(ScalarType::Long, {2}).get(), &small));
}

TEST_F(TensorUtilTest, SharesAndCopiesData) {
  Owned a(ScalarType::Int, {1});
  Owned b(ScalarType::Int, {1});
  const Owned larger(ScalarType::Int, {2});
  a.with(int32_t{7});
  EXPECT_EQ(internal::copy_tensor_data(b.get(), a.get()), Error::Ok);
  EXPECT_EQ(b.get().const_data_ptr<int32_t>()[0], 7);
  EXPECT_EQ(internal::copy_tensor_data(larger.get(), a.get()), Error::InvalidArgument);
  EXPECT_EQ(internal::share_tensor_data(b.get(), a.get()), Error::Ok);
  EXPECT_EQ(b.get().const_data_ptr(), a.get().const_data_ptr());
  EXPECT_EQ(internal::share_tensor_data(larger.get(), a.get()), Error::InvalidArgument);
  int32_t buffer = 0;
  EXPECT_EQ(internal::set_tensor_data(a.get(), &buffer, 3), Error::InvalidArgument);
  EXPECT_EQ(internal::set_tensor_data(a.get(), &buffer, 4), Error::Ok);
  internal::reset_data_ptr(a.get());
  EXPECT_EQ(a.get().const_data_ptr(), nullptr);
  EXPECT_EQ(internal::copy_tensor_data(b.get(), a.get()), Error::InvalidArgument);
  EXPECT_EQ(internal::share_tensor_data(b.get(), a.get()), Error::InvalidArgument);
}

bool checked_kernel(KernelRuntimeContext& ctx, Tensor a, Tensor b) {
  ET_KERNEL_CHECK(ctx, tensors_have_same_dtype(a, b), InvalidArgument, false);
  ET_KERNEL_CHECK_MSG(ctx, a.numel() > 1, InvalidType, false, "numel is %zd", a.numel());
  return true;
}

TEST_F(TensorUtilTest, KernelChecksFailTheContext) {
  const Owned ints(ScalarType::Int, {2});
  const Owned floats(ScalarType::Float, {2});
  const Owned single(ScalarType::Int, {1});
  KernelRuntimeContext ctx;
  EXPECT_TRUE(checked_kernel(ctx, ints.get(), ints.get()));
  EXPECT_EQ(ctx.failure_state(), Error::Ok);
  EXPECT_FALSE(checked_kernel(ctx, ints.get(), floats.get()));
  EXPECT_EQ(ctx.failure_state(), Error::InvalidArgument);
  EXPECT_NE(std::string(last_error_message()).find("the dtypes differ: Int and Float"),
            std::string::npos);
  EXPECT_FALSE(checked_kernel(ctx, single.get(), ints.get()));
  EXPECT_EQ(ctx.failure_state(), Error::InvalidType);
  EXPECT_NE(std::string(last_error_message()).find("numel is 1"), std::string::npos);
}

using TensorUtilDeathTest = TensorUtilTest;

TEST_F(TensorUtilDeathTest, CheckMacrosAbort) {
  const Owned a(ScalarType::Int, {2, 3});
  const Owned b(ScalarType::Int, {3, 2});
  ET_CHECK_SAME_SHAPE2(a.get(), a.get());
  ET_CHECK_SAME_SHAPE_AND_DTYPE3(a.get(), a.get(), a.get());
  ET_CHECK_CONTIGUOUS(a.get());
  ET_CHECK_VALID_DIM(-2, a.get().dim());
  EXPECT_DEATH(ET_CHECK_SAME_SHAPE2(a.get(), b.get()), "shapes differ");
  EXPECT_DEATH(ET_CHECK_VALID_IX(2, 2), "range");
}

TEST(TensorShapeTextTest, ShowsShapes) {
  const int32_t shape[] = {1, 20, 2147483647};
  EXPECT_STREQ(tensor_shape_to_c_string(Span<const int32_t>(shape)).data(), "(1, 20, 2147483647)");
  EXPECT_STREQ(tensor_shape_to_c_string(Span<const int32_t>()).data(), "()");
  const int64_t odd[] = {-1, int64_t{1} << 40};
  EXPECT_STREQ(tensor_shape_to_c_string(Span<const int64_t>(odd)).data(), "(ERR, ERR)");
  const std::vector<int32_t> largest(16, 2147483647);
  EXPECT_EQ(std::string(tensor_shape_to_c_string({largest.data(), 16}).data()).size(),
            16u * 10 + 15 * 2 + 2);
  const std::vector<int32_t> too_many(17, 1);
  EXPECT_NE(std::string(tensor_shape_to_c_string({too_many.data(), 17}).data()).find("17"),
            std::string::npos);
}

}  // namespace
