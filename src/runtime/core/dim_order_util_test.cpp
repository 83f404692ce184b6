#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::runtime::dim_order_to_stride;
using executorch::runtime::Error;
using executorch::runtime::is_channels_last_dim_order;
using executorch::runtime::is_contiguous_dim_order;
using executorch::runtime::stride_to_dim_order;
using executorch::runtime::validate_dim_order;

using Order = std::vector<uint8_t>;
using Sizes = std::vector<int32_t>;

Sizes strides_of(const Sizes& sizes, const Order& order) {
  Sizes strides(sizes.size(), -1);
  EXPECT_EQ(dim_order_to_stride(sizes.data(), order.data(), sizes.size(), strides.data()),
            Error::Ok);
  return strides;
}

TEST(DimOrderTest, KnowsPermutations) {
  const auto valid = [](const Order& order) {
    return validate_dim_order(order.data(), order.size());
  };
  EXPECT_TRUE(valid({}));
  EXPECT_TRUE(valid({2, 0, 1}));
  EXPECT_FALSE(valid({0, 0}));
  EXPECT_FALSE(valid({0, 2}));
  EXPECT_FALSE(valid({255, 0}));
  EXPECT_TRUE(valid({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_FALSE(valid({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
}

TEST(DimOrderTest, KnowsTheCommonOrders) {
  const Order contiguous = {0, 1, 2, 3};
  const Order channels_last = {0, 2, 3, 1};
  const Order channels_last_3d = {0, 2, 3, 4, 1};
  EXPECT_TRUE(is_contiguous_dim_order(contiguous.data(), 4));
  EXPECT_FALSE(is_contiguous_dim_order(channels_last.data(), 4));
  EXPECT_TRUE(is_channels_last_dim_order(channels_last.data(), 4));
  EXPECT_TRUE(is_channels_last_dim_order(channels_last_3d.data(), 5));
  EXPECT_FALSE(is_channels_last_dim_order(contiguous.data(), 4));
  EXPECT_FALSE(is_channels_last_dim_order(channels_last.data(), 3));
}

TEST(DimOrderTest, ComputesStrides) {
  EXPECT_EQ(strides_of({2, 3, 4, 5}, {0, 1, 2, 3}), (Sizes{60, 20, 5, 1}));
  EXPECT_EQ(strides_of({2, 3, 4, 5}, {0, 2, 3, 1}), (Sizes{60, 1, 15, 3}));
  EXPECT_EQ(strides_of({2, 0, 4}, {0, 1, 2}), (Sizes{4, 4, 1}));
  EXPECT_EQ(strides_of({}, {}), Sizes{});
}

TEST(DimOrderTest, RefusesAnInvalidOrder) {
  executorch::runtime::runtime_init();
  const Sizes sizes = {2, 3};
  const Order order = {1, 1};
  Sizes strides(2);
  EXPECT_EQ(dim_order_to_stride(sizes.data(), order.data(), 2, strides.data()),
            Error::InvalidArgument);
}

TEST(DimOrderTest, ComputesTheOrderOfStrides) {
  const auto order_of = [](const Sizes& strides) {
    Order order(strides.size());
    EXPECT_EQ(stride_to_dim_order(strides.data(), strides.size(), order.data()), Error::Ok);
    return order;
  };
  EXPECT_EQ(order_of({60, 20, 5, 1}), (Order{0, 1, 2, 3}));
  EXPECT_EQ(order_of({60, 1, 15, 3}), (Order{0, 2, 3, 1}));
  EXPECT_EQ(order_of({1, 1, 1}), (Order{0, 1, 2}));
  EXPECT_EQ(order_of({4, 4, 1}), (Order{0, 1, 2}));
}

TEST(DimOrderTest, RefusesTooManyDimensions) {
  executorch::runtime::runtime_init();
  std::array<int32_t, 17> strides{};
  std::array<uint8_t, 17> order{};
  EXPECT_EQ(stride_to_dim_order(strides.data(), 17, order.data()), Error::NotSupported);
  uint8_t* nowhere = nullptr;
  EXPECT_EQ(stride_to_dim_order(strides.data(), 2, nowhere), Error::MemoryAllocationFailed);
}

}  // namespace
