#include "compute/copy/indexed.h"

#include <gtest/gtest.h>

#include <vector>

namespace executorch::compute {
namespace {

template <class T>
TensorView view_of(std::vector<T>& values, DType dtype, std::vector<int64_t> sizes) {
  return contiguous_view(values.data(), dtype, sizeof(T), static_cast<int>(sizes.size()),
                         sizes.data());
}

TEST(Gather, ReadsAlongTheDimension) {
  std::vector<float> from = {1, 2, 3, 4, 5, 6};
  std::vector<int64_t> index = {2, 0, 1, 1};
  std::vector<float> to(4);
  const BadIndex bad = gather(view_of(to, DType::f32, {2, 2}), view_of(from, DType::f32, {2, 3}),
                              view_of(index, DType::i64, {2, 2}), 1);
  EXPECT_FALSE(bad.found);
  EXPECT_EQ(to, (std::vector<float>{3, 1, 5, 5}));
}

TEST(Gather, ReportsTheFirstBadIndex) {
  std::vector<float> from = {1, 2, 3};
  std::vector<int32_t> index = {0, 3, -1};
  std::vector<float> to(3);
  const BadIndex bad = gather(view_of(to, DType::f32, {3}), view_of(from, DType::f32, {3}),
                              view_of(index, DType::i32, {3}), 0);
  EXPECT_TRUE(bad.found);
  EXPECT_EQ(bad.value, 3);
}

TEST(Scatter, WritesAndAddsInOrder) {
  std::vector<int64_t> index = {1, 1, 0};
  std::vector<float> from = {5, 7, 9};
  std::vector<float> written(3), added = {1, 1, 1};
  scatter(view_of(written, DType::f32, {3}), view_of(from, DType::f32, {3}),
          view_of(index, DType::i64, {3}), 0, ScatterMode::Write);
  EXPECT_EQ(written, (std::vector<float>{9, 7, 0}));
  scatter(view_of(added, DType::f32, {3}), view_of(from, DType::f32, {3}),
          view_of(index, DType::i64, {3}), 0, ScatterMode::Add);
  EXPECT_EQ(added, (std::vector<float>{10, 13, 1}));
}

TEST(Scatter, AddedIntegersWrap) {
  std::vector<int64_t> index = {0, 0};
  std::vector<uint8_t> from = {200, 100}, to = {1};
  scatter(view_of(to, DType::u8, {1}), view_of(from, DType::u8, {2}),
          view_of(index, DType::i64, {2}), 0, ScatterMode::Add);
  EXPECT_EQ(to[0], 45);
}

TEST(AddIndexOffsets, WrapsNegativeIndicesWhenAsked) {
  std::vector<int64_t> index = {-1, 0};
  std::vector<int64_t> offsets = {100, 200};
  EXPECT_FALSE(add_index_offsets(view_of(index, DType::i64, {2}), 4, 10, offsets.data()).found);
  EXPECT_EQ(offsets, (std::vector<int64_t>{130, 200}));
  EXPECT_TRUE(
      add_index_offsets(view_of(index, DType::i64, {2}), 4, 10, offsets.data(), false).found);
}

TEST(CopyRows, ChecksAllIndicesFirst) {
  const std::vector<int16_t> table = {1, 2, 3, 4, 5, 6};
  std::vector<int32_t> index = {2, 0, 2};
  std::vector<int16_t> to(6, -1);
  const auto* rows = reinterpret_cast<const char*>(table.data());
  auto* out = reinterpret_cast<char*>(to.data());
  EXPECT_FALSE(copy_rows(out, rows, 3, 4, view_of(index, DType::i32, {3})).found);
  EXPECT_EQ(to, (std::vector<int16_t>{5, 6, 1, 2, 5, 6}));
  index = {1, 1, 3};
  const BadIndex bad = copy_rows(out, rows, 3, 4, view_of(index, DType::i32, {3}));
  EXPECT_TRUE(bad.found);
  EXPECT_EQ(bad.value, 3);
  EXPECT_EQ(to[0], 5);
}

TEST(CopySlices, CopiesStridedSlices) {
  // Columns 2 and 0 of a 3x3 matrix.
  std::vector<float> from = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<float> to(6);
  TensorView source = view_of(from, DType::f32, {3});
  source.strides[0] = 3;
  TensorView target = view_of(to, DType::f32, {3});
  target.strides[0] = 2;
  const int64_t from_offsets[] = {2, 0};
  const int64_t to_offsets[] = {0, 1};
  copy_slices(target, to_offsets, source, from_offsets, 2);
  EXPECT_EQ(to, (std::vector<float>{3, 1, 6, 4, 9, 7}));
}

TEST(CopySlices, InOrderKeepsTheLast) {
  std::vector<float> from = {1, 2, 3, 4};
  std::vector<float> to(2);
  const int64_t from_offsets[] = {0, 2};
  const int64_t to_offsets[] = {0, 0};
  copy_slices_in_order(view_of(to, DType::f32, {2}), to_offsets, view_of(from, DType::f32, {2}),
                       from_offsets, 2);
  EXPECT_EQ(to, (std::vector<float>{3, 4}));
  EXPECT_TRUE(add_slices_in_order(view_of(to, DType::f32, {2}), to_offsets,
                                  view_of(from, DType::f32, {2}), from_offsets, 2));
  EXPECT_EQ(to, (std::vector<float>{7, 10}));
}

TEST(Scatter, HalfTypesAreRoundedAfterEachAddition) {
  std::vector<int64_t> index = {0, 0};
  std::vector<uint16_t> ones = {0x3c00, 0x3c00}, sum = {0x6800};  // 2048 + 1 + 1
  scatter(view_of(sum, DType::f16, {1}), view_of(ones, DType::f16, {2}),
          view_of(index, DType::i64, {2}), 0, ScatterMode::Add);
  EXPECT_EQ(sum[0], 0x6800);
  ones = {0x3f80, 0x3f80}, sum = {0x4000};  // 2 + 1 + 1, as bfloat16
  scatter(view_of(sum, DType::bf16, {1}), view_of(ones, DType::bf16, {2}),
          view_of(index, DType::i64, {2}), 0, ScatterMode::Add);
  EXPECT_EQ(sum[0], 0x4080);
}

TEST(Nonzero, FindsEveryPlaceOfLongLines) {
  std::vector<uint8_t> mask(2 * 700, 0);
  for (const size_t place : {0, 255, 256, 699, 700, 1399}) mask[place] = 1;
  const TensorView view = view_of(mask, DType::boolean, {2, 700});
  ASSERT_EQ(count_nonzero(view), 6);
  std::vector<int64_t> found(12);
  find_nonzero(view, found.data(), 2, 1);
  EXPECT_EQ(found, (std::vector<int64_t>{0, 0, 0, 255, 0, 256, 0, 699, 1, 0, 1, 699}));
}

TEST(Nonzero, NegativeZeroIsZeroAndNanIsNot) {
  std::vector<float> values = {-0.0f, 1.0f, __builtin_nanf(""), 0.0f};
  const TensorView view = view_of(values, DType::f32, {2, 2});
  EXPECT_EQ(count_nonzero(view), 2);
  int64_t found[4];
  find_nonzero(view, found, 2, 1);
  EXPECT_EQ(std::vector<int64_t>(found, found + 4), (std::vector<int64_t>{0, 1, 1, 0}));
}

TEST(Masked, SelectsAndScatters) {
  std::vector<int32_t> from = {1, 2, 3, 4};
  std::vector<uint8_t> mask = {0, 1, 0, 1};
  int32_t selected[2];
  const TensorView places = view_of(mask, DType::boolean, {2, 2});
  EXPECT_EQ(
      select_masked(reinterpret_cast<char*>(selected), view_of(from, DType::i32, {2, 2}), places),
      2);
  EXPECT_EQ(selected[0], 2);
  EXPECT_EQ(selected[1], 4);
  const int32_t values[] = {8, 9};
  scatter_masked(view_of(from, DType::i32, {2, 2}), places, reinterpret_cast<const char*>(values));
  EXPECT_EQ(from, (std::vector<int32_t>{1, 8, 3, 9}));
}

}  // namespace
}  // namespace executorch::compute
