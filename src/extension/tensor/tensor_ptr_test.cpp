#include <executorch/extension/tensor/tensor.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace extension {
namespace {

using executorch::aten::DeviceType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::TensorShapeDynamism;
using runtime::Error;

template <typename T>
std::vector<T> elements(const TensorPtr& tensor) {
  const T* data = tensor->const_data_ptr<T>();
  return std::vector<T>(data, data + tensor->numel());
}

std::vector<SizesType> sizes(const TensorPtr& tensor) {
  return {tensor->sizes().begin(), tensor->sizes().end()};
}

std::vector<int> strides(const TensorPtr& tensor) {
  return {tensor->strides().begin(), tensor->strides().end()};
}

std::vector<int> dim_order(const TensorPtr& tensor) {
  return {tensor->dim_order().begin(), tensor->dim_order().end()};
}

TEST(MakeTensorPtrTest, OverMemoryOfTheCaller) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  const TensorPtr tensor = make_tensor_ptr({2, 3}, data);
  EXPECT_EQ(tensor->const_data_ptr<float>(), data);
  EXPECT_EQ(sizes(tensor), (std::vector<SizesType>{2, 3}));
  EXPECT_EQ(strides(tensor), (std::vector<int>{3, 1}));
  EXPECT_EQ(tensor->scalar_type(), ScalarType::Float);
  EXPECT_EQ(tensor->shape_dynamism(), TensorShapeDynamism::DYNAMIC_BOUND);
}

TEST(MakeTensorPtrTest, DerivesOrderFromStridesAndBack) {
  std::vector<float> data(24);
  EXPECT_EQ(dim_order(make_tensor_ptr({1, 2, 3, 4}, data.data(), {}, {24, 1, 8, 2})),
            (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(strides(make_tensor_ptr({1, 2, 3, 4}, data.data(), {0, 2, 3, 1}, {})),
            (std::vector<int>{24, 1, 8, 2}));
  // The stride of a dimension of one element means nothing.
  EXPECT_EQ(strides(make_tensor_ptr({2, 1, 3}, data.data(), {}, {3, 3, 1})),
            (std::vector<int>{3, 3, 1}));
}

TEST(MakeTensorPtrTest, OwnsVectors) {
  EXPECT_EQ(elements<int64_t>(make_tensor_ptr({2, 2}, std::vector<int64_t>{1, 2, 3, 4})),
            (std::vector<int64_t>{1, 2, 3, 4}));
  const TensorPtr row = make_tensor_ptr(std::vector<double>{1, 2, 3});
  EXPECT_EQ(row->scalar_type(), ScalarType::Double);
  EXPECT_EQ(sizes(row), (std::vector<SizesType>{3}));
  EXPECT_EQ(elements<float>(make_tensor_ptr({1.0f, 2.0f})), (std::vector<float>{1, 2}));
  EXPECT_EQ(elements<int32_t>(make_tensor_ptr({3}, {1, 2, 3})), (std::vector<int32_t>{1, 2, 3}));
  const TensorPtr number = make_tensor_ptr(42);
  EXPECT_EQ(number->dim(), 0);
  EXPECT_EQ(elements<int32_t>(number), (std::vector<int32_t>{42}));
  const TensorPtr bytes =
      make_tensor_ptr({2}, std::vector<uint8_t>{0, 0, 128, 63, 0, 0, 0, 64}, ScalarType::Float);
  EXPECT_EQ(elements<float>(bytes), (std::vector<float>{1, 2}));
}

TEST(MakeTensorPtrTest, CastsVectors) {
  EXPECT_EQ(elements<double>(
                make_tensor_ptr({2}, std::vector<int32_t>{1, -2}, {}, {}, ScalarType::Double)),
            (std::vector<double>{1, -2}));
  const TensorPtr half = make_tensor_ptr(std::vector<float>{0.5f}, ScalarType::Half);
  EXPECT_EQ(static_cast<float>(half->const_data_ptr<executorch::aten::Half>()[0]), 0.5f);
}

TEST(MakeTensorPtrTest, RunsTheDeleterOnce) {
  int data[2] = {1, 2};
  int calls = 0;
  void* seen = nullptr;
  {
    TensorPtr tensor = from_blob(data, {2}, ScalarType::Int, DeviceType::CPU, [&](void* pointer) {
      ++calls;
      seen = pointer;
    });
    const TensorPtr other = tensor;
    tensor.reset();
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(seen, data);
}

TEST(MakeTensorPtrTest, ViewsShareElements) {
  TensorPtr base = make_tensor_ptr({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const TensorPtr view = make_tensor_ptr(base, {3, 2});
  const TensorPtr same = make_tensor_ptr(*base);
  base->mutable_data_ptr<float>()[5] = 9;
  base.reset();
  EXPECT_EQ(elements<float>(view)[5], 9.0f);
  EXPECT_EQ(strides(view), (std::vector<int>{2, 1}));

  std::vector<float> data(24);
  const TensorPtr nhwc = make_tensor_ptr({1, 2, 3, 4}, data.data(), {0, 2, 3, 1}, {});
  EXPECT_EQ(dim_order(make_tensor_ptr(nhwc)), (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(dim_order(make_tensor_ptr(nhwc, {24})), (std::vector<int>{0}));
}

TEST(MakeTensorPtrDeathTest, ImpossibleArgumentsAbortWithAText) {
  float data[6] = {};
  EXPECT_DEATH(make_tensor_ptr({2, 3}, std::vector<float>(5)), "5 elements");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {0}, {}), "dim order of 1");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {0, 0}, {}), "");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {}, {4, 1}), "stride 4");
  EXPECT_DEATH(make_tensor_ptr({-1}, data), "");
  EXPECT_DEATH(make_tensor_ptr({2}, std::vector<float>{1, 2}, {}, {}, ScalarType::Int), "cast");
  EXPECT_DEATH(make_tensor_ptr(make_tensor_ptr({2, 3}, data), {7}), "7 elements");
  EXPECT_DEATH(make_tensor_ptr({2}, std::vector<uint8_t>(7), ScalarType::Float), "7 bytes");
}

TEST(CloneTensorPtrTest, CopiesAndCasts) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  const TensorPtr base = make_tensor_ptr({2, 3}, data, {1, 0}, {});
  const TensorPtr copy = clone_tensor_ptr(base);
  data[0] = 9;
  EXPECT_EQ(elements<float>(copy), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(dim_order(copy), (std::vector<int>{1, 0}));
  EXPECT_EQ(elements<double>(clone_tensor_ptr(base, ScalarType::Double))[0], 9.0);
  const TensorPtr without_data = make_tensor_ptr({2}, nullptr);
  EXPECT_EQ(clone_tensor_ptr(without_data)->const_data_ptr(), nullptr);
}

TEST(CloneTensorPtrDeathTest, DeviceWithoutAllocatorAborts) {
  const TensorPtr tensor = make_tensor_ptr(1.0f);
  EXPECT_DEATH(clone_tensor_ptr_to(tensor, DeviceType::CUDA), "no allocator");
  EXPECT_DEATH(clone_tensor_ptr_to(tensor, DeviceType::CPU), "CPU and device only");
}

TEST(ResizeTensorPtrTest, KeepsWithinTheBound) {
  TensorPtr tensor = make_tensor_ptr({4, 3}, std::vector<float>(12));
  EXPECT_EQ(resize_tensor_ptr(tensor, {2, 3}), Error::Ok);
  EXPECT_EQ(sizes(tensor), (std::vector<SizesType>{2, 3}));
  EXPECT_EQ(tensor->numel(), 6);
  EXPECT_NE(resize_tensor_ptr(tensor, {5, 3}), Error::Ok);
  EXPECT_NE(resize_tensor_ptr(tensor, {2, 3, 1}), Error::Ok);
}

TEST(TensorPtrMakerTest, TakesProperties) {
  int16_t data[6] = {};
  const TensorPtr tensor = for_blob(data, {2, 3})
                               .type(ScalarType::Short)
                               .dim_order({1, 0})
                               .dynamism(TensorShapeDynamism::STATIC);
  EXPECT_EQ(tensor->scalar_type(), ScalarType::Short);
  EXPECT_EQ(strides(tensor), (std::vector<int>{1, 2}));
  EXPECT_EQ(tensor->shape_dynamism(), TensorShapeDynamism::STATIC);
  EXPECT_EQ(strides(from_blob(data, {2, 3}, {1, 2}, ScalarType::Short)), (std::vector<int>{1, 2}));
}

TEST(TensorPtrMakerTest, FillsEveryType) {
  for (const ScalarType type :
       {ScalarType::Byte, ScalarType::Char, ScalarType::Short, ScalarType::Int, ScalarType::Long,
        ScalarType::UInt16, ScalarType::UInt32, ScalarType::UInt64, ScalarType::Half,
        ScalarType::BFloat16, ScalarType::Float, ScalarType::Double, ScalarType::Bool}) {
    const TensorPtr one = clone_tensor_ptr(ones({2}, type), ScalarType::Double);
    EXPECT_EQ(elements<double>(one), (std::vector<double>{1, 1}));
    EXPECT_EQ(zeros_like(ones({2}, type))->scalar_type(), type);
  }
  EXPECT_EQ(elements<float>(full({2}, 2.5)), (std::vector<float>{2.5f, 2.5f}));
  EXPECT_EQ(elements<int32_t>(full({1}, 7, ScalarType::Int)), (std::vector<int32_t>{7}));
  EXPECT_EQ(scalar_tensor(3.0)->dim(), 0);
  EXPECT_EQ(empty({0, 3})->numel(), 0);
  EXPECT_EQ(strides(ones_like(from_blob(nullptr, {2, 3}, {1, 2}))), (std::vector<int>{1, 2}));
}

TEST(TensorPtrMakerTest, RandomNumbersKeepTheirRange) {
  for (const ScalarType type : {ScalarType::Float, ScalarType::Half, ScalarType::BFloat16}) {
    const auto values = elements<double>(clone_tensor_ptr(rand({10000}, type), ScalarType::Double));
    double sum = 0;
    for (const double value : values) {
      EXPECT_GE(value, 0.0);
      EXPECT_LT(value, 1.0);
      sum += value;
    }
    EXPECT_NEAR(sum / values.size(), 0.5, 0.02);
  }
  const auto normal = elements<float>(randn({10000}));
  const double squares = std::inner_product(normal.begin(), normal.end(), normal.begin(), 0.0);
  EXPECT_NEAR(squares / normal.size(), 1.0, 0.1);
  const auto whole = elements<int32_t>(randint(-2, 2, {1000}));
  EXPECT_EQ(std::set<int32_t>(whole.begin(), whole.end()), (std::set<int32_t>{-2, -1, 0, 1}));
  EXPECT_NE(elements<float>(rand({8})), elements<float>(rand({8})));
}

TEST(TensorAccessorTest, IndexesElements) {
  const TensorPtr tensor = make_tensor_ptr({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  auto accessor = make_tensor_accessor<float, 2>(*tensor);
  ASSERT_TRUE(accessor.ok());
  EXPECT_EQ(accessor->size(1), 3);
  EXPECT_EQ(accessor->stride(0), 3);
  (*accessor)[1][2] = 60;
  EXPECT_EQ(tensor->const_data_ptr<float>()[5], 60.0f);
  const auto constant = make_tensor_accessor<const float, 2>(*tensor);
  ASSERT_TRUE(constant.ok());
  EXPECT_EQ((*constant)[0][1], 2.0f);
}

TEST(TensorAccessorTest, RefusesOtherRanksTypesAndOrders) {
  const TensorPtr tensor = make_tensor_ptr({2, 3}, std::vector<float>(6));
  EXPECT_EQ((make_tensor_accessor<float, 1>(*tensor).error()), Error::InvalidArgument);
  EXPECT_EQ((make_tensor_accessor<double, 2>(*tensor).error()), Error::InvalidArgument);
  const TensorPtr turned = make_tensor_ptr({2, 3}, std::vector<float>(6), {1, 0});
  EXPECT_EQ((make_tensor_accessor<float, 2>(*turned).error()), Error::NotSupported);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
