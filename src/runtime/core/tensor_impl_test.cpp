#include <executorch/runtime/core/portable_type/tensor.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::aten::TensorShapeDynamism;
using executorch::runtime::Error;
using executorch::runtime::last_error_message;
using executorch::runtime::resize_tensor;
using executorch::runtime::TensorLayout;

using Sizes = std::vector<int32_t>;

class TensorImplTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }

  TensorImpl make(TensorShapeDynamism dynamism) {
    return TensorImpl(ScalarType::Float, 4, sizes_.data(), nullptr, order_.data(), strides_.data(),
                      dynamism);
  }

  static Error resize(TensorImpl& impl, const Sizes& sizes) {
    return resize_tensor(Tensor(&impl), ArrayRef<int32_t>(sizes.data(), sizes.size()));
  }

  Sizes sizes_ = {2, 3, 4, 5};
  std::vector<uint8_t> order_ = {0, 2, 3, 1};
  Sizes strides_ = {60, 1, 15, 3};
};

using TensorImplDeathTest = TensorImplTest;

TEST_F(TensorImplTest, StaysSmall) {
  EXPECT_LE(sizeof(TensorImpl), 64u);
}

TEST_F(TensorImplTest, KnowsItsShape) {
  const TensorImpl impl = make(TensorShapeDynamism::STATIC);
  EXPECT_EQ(impl.numel(), 120);
  EXPECT_EQ(impl.nbytes(), 480u);
  EXPECT_EQ(impl.element_size(), 4);
  EXPECT_EQ(impl.size(2), 4);
  EXPECT_TRUE(impl.device().is_cpu());
}

TEST_F(TensorImplTest, StaticTensorsKeepTheirShape) {
  TensorImpl impl = make(TensorShapeDynamism::STATIC);
  EXPECT_EQ(resize(impl, {2, 3, 4, 5}), Error::Ok);
  EXPECT_EQ(resize(impl, {1, 3, 4, 5}), Error::NotSupported);
  EXPECT_NE(std::string(last_error_message()).find("(1, 3, 4, 5)"), std::string::npos);
  EXPECT_EQ(impl.size(0), 2);
}

TEST_F(TensorImplTest, ResizesInItsDimOrder) {
  TensorImpl impl = make(TensorShapeDynamism::DYNAMIC_BOUND);
  ASSERT_EQ(resize(impl, {1, 3, 2, 5}), Error::Ok);
  EXPECT_EQ(impl.numel(), 30);
  EXPECT_EQ(strides_, (Sizes{30, 1, 15, 3}));
  ASSERT_EQ(resize(impl, {2, 3, 4, 5}), Error::Ok);
  EXPECT_EQ(strides_, (Sizes{60, 1, 15, 3}));
}

TEST_F(TensorImplTest, BoundsTheNumberOfElements) {
  TensorImpl impl = make(TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize(impl, {120, 1, 1, 1}), Error::Ok);
  EXPECT_EQ(resize(impl, {121, 1, 1, 1}), Error::NotSupported);
  EXPECT_EQ(impl.size(0), 120);
}

TEST_F(TensorImplTest, BoundsEachDimensionWhenTold) {
  const Sizes bounds = {2, 3, 4, 5};
  TensorImpl impl = make(TensorShapeDynamism::DYNAMIC_BOUND);
  impl.set_size_bounds(bounds.data());
  EXPECT_EQ(resize(impl, {1, 4, 4, 5}), Error::NotSupported);
  EXPECT_STREQ(last_error_message(), "size 4 of dimension 1 exceeds its upper bound 3");
  EXPECT_EQ(sizes_, bounds);
  EXPECT_EQ(resize(impl, {1, 3, 4, 5}), Error::Ok);
}

TEST_F(TensorImplTest, RefusesImpossibleSizes) {
  TensorImpl impl = make(TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize(impl, {-1, 3, 4, 5}), Error::InvalidArgument);
  EXPECT_EQ(resize(impl, {2, 3, 4}), Error::NotSupported);
  EXPECT_EQ(resize(impl, {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}), Error::InvalidArgument);
  // Nothing to store, yet strides that no int32_t holds.
  EXPECT_EQ(resize(impl, {1, INT32_MAX, INT32_MAX, 0}), Error::NotSupported);
  const int64_t wide[] = {int64_t{1} << 32, 1, 1, 1};
  EXPECT_EQ(resize_tensor(Tensor(&impl), ArrayRef<int64_t>(wide)), Error::InvalidArgument);
  EXPECT_EQ(sizes_, (Sizes{2, 3, 4, 5}));
  EXPECT_EQ(strides_, (Sizes{60, 1, 15, 3}));
}

TEST_F(TensorImplTest, ScalarsResizeToThemselves) {
  TensorImpl impl(ScalarType::Long, 0, nullptr);
  EXPECT_EQ(impl.numel(), 1);
  EXPECT_EQ(resize(impl, {}), Error::Ok);
}

TEST_F(TensorImplTest, CountsElementsSafely) {
  const Sizes good = {2, 0, 3};
  const Sizes negative = {2, -1};
  const Sizes large = {INT32_MAX, INT32_MAX, INT32_MAX};
  EXPECT_EQ(*executorch::aten::safe_numel(good.data(), 3), 0);
  EXPECT_EQ(executorch::aten::safe_numel(negative.data(), 2).error(), Error::InvalidArgument);
  EXPECT_EQ(executorch::aten::safe_numel(large.data(), 3).error(), Error::InvalidArgument);
  EXPECT_EQ(executorch::aten::safe_numel(nullptr, 3).error(), Error::InvalidArgument);
}

TEST_F(TensorImplDeathTest, MisuseAborts) {
  Sizes negative = {-1};
  EXPECT_DEATH(TensorImpl(ScalarType::Float, 1, negative.data()), "negative");
  EXPECT_DEATH(TensorImpl(ScalarType::Undefined, 0, nullptr), "element type");
  EXPECT_DEATH((void)make(TensorShapeDynamism::STATIC).size(4), "out of range");
}

TEST_F(TensorImplTest, LayoutChecksWhatItIsGiven) {
  const int32_t sizes[] = {2, 3};
  const uint8_t order[] = {1, 0};
  const auto layout = TensorLayout::create(sizes, order, ScalarType::Double);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->nbytes(), 48u);

  const uint8_t no_permutation[] = {0, 0};
  EXPECT_EQ(TensorLayout::create(sizes, no_permutation, ScalarType::Double).error(),
            Error::InvalidArgument);
  EXPECT_EQ(TensorLayout::create(sizes, {order, 1}, ScalarType::Double).error(),
            Error::InvalidArgument);
  EXPECT_EQ(TensorLayout::create(sizes, order, static_cast<ScalarType>(77)).error(),
            Error::InvalidArgument);
  const int32_t negative[] = {2, -3};
  EXPECT_EQ(TensorLayout::create(negative, order, ScalarType::Double).error(),
            Error::InvalidArgument);
  const int32_t large[] = {INT32_MAX, INT32_MAX};
  EXPECT_EQ(TensorLayout::create(large, order, ScalarType::Double).error(), Error::InvalidArgument);
}

}  // namespace
