#include "engine/graph/dims.h"

#include <gtest/gtest.h>

namespace executorch::engine {
namespace {

Dims dims(std::initializer_list<int64_t> values) {
  Dims result;
  for (const int64_t value : values) result.push(value);
  return result;
}

TEST(Dims, ContiguousStridesIgnoreDimsOfOne) {
  EXPECT_EQ(contiguous_strides(dims({2, 1, 3})), dims({3, 3, 1}));
  EXPECT_TRUE(is_contiguous(dims({2, 1, 3}), dims({3, 99, 1})));
  EXPECT_FALSE(is_contiguous(dims({2, 3}), dims({1, 2})));
}

TEST(Dims, PixelsFollowEachOther) {
  const Dims sizes = dims({2, 5, 3, 4});
  EXPECT_EQ(pixel_stride(sizes, channels_last_strides(sizes)), 5);
  EXPECT_EQ(pixel_stride(sizes, dims({96, 1, 32, 8})), 8);
  EXPECT_EQ(pixel_stride(sizes, contiguous_strides(sizes)), 0);
  // Rows or images apart, channels apart, pixels that overlap.
  EXPECT_EQ(pixel_stride(sizes, dims({96, 1, 40, 8})), 0);
  EXPECT_EQ(pixel_stride(sizes, dims({120, 1, 32, 8})), 0);
  EXPECT_EQ(pixel_stride(sizes, dims({192, 2, 64, 16})), 0);
  EXPECT_EQ(pixel_stride(sizes, dims({36, 1, 12, 3})), 0);
  // Dims of one do not count.
  EXPECT_EQ(pixel_stride(dims({2, 5, 1, 1}), dims({9, 1, 0, 0})), 9);
  EXPECT_EQ(pixel_stride(dims({1, 5, 1, 1}), dims({0, 1, 0, 0})), 5);
  EXPECT_EQ(pixel_stride(dims({2, 1, 4}), dims({4, 77, 1})), 1);
  EXPECT_EQ(pixel_stride(dims({2, 5}), dims({5, 1})), 0);
}

TEST(Dims, ReshapeKeepsStridesWhereElementsStay) {
  Dims strides;
  ASSERT_TRUE(reshaped_strides(dims({4, 6}), dims({6, 1}), dims({2, 2, 3, 2}), &strides));
  EXPECT_EQ(strides, dims({12, 6, 2, 1}));
  // Rows that lie apart may be split but not merged.
  ASSERT_TRUE(reshaped_strides(dims({4, 6}), dims({10, 1}), dims({4, 2, 3}), &strides));
  EXPECT_EQ(strides, dims({10, 3, 1}));
  EXPECT_FALSE(reshaped_strides(dims({4, 6}), dims({10, 1}), dims({24}), &strides));
  EXPECT_FALSE(reshaped_strides(dims({2, 3}), dims({1, 2}), dims({6}), &strides));
  ASSERT_TRUE(reshaped_strides(dims({2, 3}), dims({0, 1}), dims({1, 2, 3, 1}), &strides));
  EXPECT_EQ(strides[1], 0);
  EXPECT_EQ(strides[2], 1);
}

TEST(Dims, BroadcastGivesStrideZero) {
  Dims strides;
  ASSERT_TRUE(broadcast_strides(dims({3, 1}), dims({1, 1}), dims({2, 3, 4}), &strides));
  EXPECT_EQ(strides, dims({0, 1, 0}));
  EXPECT_FALSE(broadcast_strides(dims({3, 2}), dims({2, 1}), dims({3, 4}), &strides));
  Dims sizes = dims({3, 1});
  ASSERT_TRUE(broadcast_sizes(sizes, dims({2, 1, 4}), &sizes));
  EXPECT_EQ(sizes, dims({2, 3, 4}));
}

TEST(Dims, ChannelsLast) {
  EXPECT_EQ(channels_last_strides(dims({2, 3, 4, 5})), dims({60, 1, 15, 3}));
  EXPECT_EQ(dense_strides_like(dims({2, 3, 4, 5}), dims({60, 1, 15, 3})), dims({60, 1, 15, 3}));
  EXPECT_TRUE(is_dense(dims({2, 3, 4, 5}), dims({60, 1, 15, 3})));
  EXPECT_FALSE(is_dense(dims({2, 3}), dims({4, 1})));
}

}  // namespace
}  // namespace executorch::engine
