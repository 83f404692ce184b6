#include "backends/aoti/tensor/shim_tensor.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace executorch::backends::aoti {
namespace {

using aten::ScalarType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

int released = 0;
void count_release(void*, size_t, const Device&) {
  ++released;
}

ViewSpec view(const Ints& sizes, const Ints& strides, int64_t offset = 0) {
  return {{sizes.data(), sizes.size()}, {strides.data(), strides.size()}, offset};
}

class ShimTensorTest : public ::testing::Test {
 protected:
  void SetUp() override { released = 0; }
  void TearDown() override { EXPECT_EQ(live_tensors(), 0u); }
  float numbers_[24] = {};
};

TEST_F(ShimTensorTest, ViewsShareAStorageThatIsReleasedOnce) {
  Storage* storage =
      Storage::make(numbers_, sizeof(numbers_), {DeviceType::cuda, 1}, count_release);
  ShimTensor* first = nullptr;
  ShimTensor* second = nullptr;
  const Ints sizes{4, 6}, strides{6, 1}, turned_sizes{6, 4}, turned{1, 6};
  ASSERT_EQ(ShimTensor::make(storage, ScalarType::Float, view(sizes, strides), &first), Error::Ok);
  ASSERT_EQ(ShimTensor::make(storage, ScalarType::Float, view(turned_sizes, turned), &second),
            Error::Ok);
  storage->drop();
  EXPECT_EQ(live_tensors(), 2u);
  EXPECT_TRUE(first->is_contiguous());
  EXPECT_FALSE(second->is_contiguous());
  EXPECT_FALSE(first->has_sizes_of(*second));
  EXPECT_EQ(second->device(), (Device{DeviceType::cuda, 1}));
  delete first;
  EXPECT_EQ(released, 0);
  EXPECT_EQ(second->data(), numbers_);
  delete second;
  EXPECT_EQ(released, 1);
}

TEST_F(ShimTensorTest, AnOffsetMovesTheFirstElement) {
  ShimTensor* tensor = nullptr;
  const Ints sizes{2, 3}, strides{6, 2};
  ASSERT_EQ(ShimTensor::borrow(numbers_, {}, ScalarType::Float, view(sizes, strides, 5), &tensor),
            Error::Ok);
  EXPECT_EQ(tensor->data(), numbers_ + 5);
  EXPECT_EQ(tensor->storage()->data(), numbers_);
  EXPECT_EQ(tensor->storage()->nbytes(), (5 + 6 + 4 + 1) * sizeof(float));
  EXPECT_FALSE(tensor->storage()->owned());
  EXPECT_EQ(tensor->numel(), 6);
  delete tensor;
}

TEST_F(ShimTensorTest, ManyDimensionsAndNone) {
  ShimTensor* many = nullptr;
  ShimTensor* none = nullptr;
  const Ints sizes(kMaxRank, 1), strides(kMaxRank, 1), nothing;
  ASSERT_EQ(ShimTensor::borrow(numbers_, {}, ScalarType::Float, view(sizes, strides), &many),
            Error::Ok);
  ASSERT_EQ(ShimTensor::borrow(numbers_, {}, ScalarType::Float, view(nothing, nothing), &none),
            Error::Ok);
  EXPECT_EQ(many->rank(), kMaxRank);
  EXPECT_EQ(none->numel(), 1);
  ASSERT_EQ(none->assign(*many), Error::Ok);
  EXPECT_TRUE(none->has_sizes_of(*many));
  delete many;
  EXPECT_EQ(none->sizes()[kMaxRank - 1], 1);
  delete none;
}

TEST_F(ShimTensorTest, AssigningMovesTheReference) {
  Storage* one = Storage::make(numbers_, 8, {}, count_release);
  Storage* other = Storage::make(numbers_ + 2, 8, {}, count_release);
  ShimTensor *a = nullptr, *b = nullptr;
  const Ints sizes{2}, strides{1};
  ASSERT_EQ(ShimTensor::make(one, ScalarType::Float, view(sizes, strides), &a), Error::Ok);
  ASSERT_EQ(ShimTensor::make(other, ScalarType::Int, view(sizes, strides), &b), Error::Ok);
  one->drop();
  other->drop();
  ASSERT_EQ(a->assign(*b), Error::Ok);
  EXPECT_EQ(released, 1);
  EXPECT_EQ(a->dtype(), ScalarType::Int);
  ASSERT_EQ(a->assign(*a), Error::Ok);
  delete b;
  delete a;
  EXPECT_EQ(released, 2);
}

TEST_F(ShimTensorTest, NothingReachesBeyondTheStorage) {
  const auto refused = [&](const Ints& sizes, const Ints& strides, int64_t offset,
                           const char* reason) {
    Storage* storage = Storage::make(numbers_, sizeof(numbers_), {}, nullptr);
    ShimTensor* tensor = nullptr;
    EXPECT_EQ(ShimTensor::make(storage, ScalarType::Float, view(sizes, strides, offset), &tensor),
              Error::InvalidArgument);
    EXPECT_THAT(runtime::last_error_message(), HasSubstr(reason));
    storage->drop();
  };
  refused({4, 6}, {6, 1}, 1, "byte 100 of a storage of 96");
  refused({25}, {1}, 0, "byte 100");
  refused({-1}, {1}, 0, "size -1");
  refused({1}, {-1}, 0, "stride -1");
  refused({1}, {1}, -1, "offset is -1");
  refused({3, 2}, {INT64_MAX, 1}, 0, "further apart");
  refused({int64_t{1} << 40, int64_t{1} << 40}, {0, 0}, 0, "too many elements");
  refused(Ints(65, 1), Ints(65, 1), 0, "65 dimensions");
  ShimTensor* tensor = nullptr;
  const Ints one{1}, zero{0};
  EXPECT_EQ(ShimTensor::borrow(nullptr, {}, ScalarType::Float, view(one, one), &tensor),
            Error::InvalidArgument);
  ASSERT_EQ(ShimTensor::borrow(nullptr, {}, ScalarType::Float, view(zero, one), &tensor),
            Error::Ok);
  EXPECT_EQ(tensor->data(), nullptr);
  delete tensor;
}

TEST_F(ShimTensorTest, AScopeDeletesWhatIsLeft) {
  const Ints sizes{2}, strides{1};
  const auto make = [&] {
    ShimTensor* tensor = nullptr;
    EXPECT_EQ(ShimTensor::borrow(numbers_, {}, ScalarType::Float, view(sizes, strides), &tensor),
              Error::Ok);
    return tensor;
  };
  ShimTensor* outside = nullptr;
  {
    TensorScope scope;
    scope.enter();
    ShimTensor* tensors[] = {make(), make(), make(), make()};
    TensorScope::leave();
    outside = make();
    delete tensors[1];
    delete tensors[3];
    delete tensors[0];
    EXPECT_EQ(live_tensors(), 2u);
  }
  EXPECT_EQ(live_tensors(), 1u);
  delete outside;
}

TEST_F(ShimTensorTest, RowMajorStrides) {
  const Ints sizes{2, 0, 3};
  Ints strides(3);
  contiguous_strides({sizes.data(), sizes.size()}, strides.data());
  EXPECT_THAT(strides, ElementsAre(3, 3, 1));
}

}  // namespace
}  // namespace executorch::backends::aoti
