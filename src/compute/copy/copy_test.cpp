#include "compute/copy/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace executorch::compute {
namespace {

/// Visits all coordinates of a shape in row-major order.
template <class F>
void each_coordinate(const TensorView& view, F&& f) {
  std::vector<int64_t> at(static_cast<size_t>(view.rank), 0);
  for (int64_t i = 0, n = view.numel(); i < n; ++i) {
    f(at);
    for (int d = view.rank - 1; d >= 0; --d) {
      if (++at[static_cast<size_t>(d)] < view.sizes[d]) break;
      at[static_cast<size_t>(d)] = 0;
    }
  }
}

const char* element_at(const TensorView& view, const std::vector<int64_t>& at) {
  int64_t offset = 0;
  for (int d = 0; d < view.rank; ++d) offset += at[static_cast<size_t>(d)] * view.strides[d];
  return view.data + offset * static_cast<int64_t>(view.element_size);
}

void expect_equal(const TensorView& a, const TensorView& b) {
  int wrong = 0;
  each_coordinate(a, [&](const std::vector<int64_t>& at) {
    wrong += std::memcmp(element_at(a, at), element_at(b, at), a.element_size) != 0;
  });
  EXPECT_EQ(wrong, 0);
}

TensorView view_over(std::vector<char>& bytes, size_t element, const std::vector<int64_t>& sizes,
                     const std::vector<int>& order) {
  TensorView view;
  view.element_size = element;
  view.rank = static_cast<int>(sizes.size());
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const int d = order[i];
    view.sizes[d] = sizes[static_cast<size_t>(d)];
    view.strides[d] = stride;
    stride *= sizes[static_cast<size_t>(d)];
  }
  bytes.resize(static_cast<size_t>(stride) * element);
  view.data = bytes.data();
  return view;
}

void fill_pattern(std::vector<char>& bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 131 + i / 251);
}

TEST(Copy, AnyPermutationOfAnyElementSize) {
  std::mt19937 random(7);
  for (size_t element : {1, 2, 4, 8, 16, 3}) {
    for (int round = 0; round < 60; ++round) {
      const int rank = static_cast<int>(random() % 5);
      std::vector<int64_t> sizes;
      std::vector<int> order(static_cast<size_t>(rank));
      std::iota(order.begin(), order.end(), 0);
      for (int d = 0; d < rank; ++d) sizes.push_back(1 + random() % (round % 5 == 0 ? 70 : 9));
      if (rank > 3) sizes[0] = 2;
      std::vector<char> source;
      std::vector<char> target;
      std::shuffle(order.begin(), order.end(), random);
      TensorView from = view_over(source, element, sizes, order);
      fill_pattern(source);
      std::shuffle(order.begin(), order.end(), random);
      const TensorView to = view_over(target, element, sizes, order);
      for (int d = 0; d < rank; ++d) {
        if (random() % 4 == 0) from.flip(d);
      }
      copy(to, from);
      expect_equal(to, from);
    }
  }
}

TEST(Copy, BroadcastsDimensionsOfStrideZero) {
  std::vector<char> source;
  std::vector<char> target;
  TensorView from = view_over(source, 4, {1, 5, 1}, {0, 1, 2});
  fill_pattern(source);
  const TensorView to = view_over(target, 4, {3, 5, 40}, {2, 0, 1});
  from.sizes[0] = 3;
  from.strides[0] = 0;
  from.sizes[2] = 40;
  from.strides[2] = 0;
  copy(to, from);
  expect_equal(to, from);
}

TEST(Copy, EmptyViewsTouchNothing) {
  TensorView empty;
  empty.rank = 2;
  empty.sizes[0] = 0;
  empty.sizes[1] = 3;
  copy(empty, empty);
  const float value = 1;
  fill(empty, &value);
}

TEST(Convert, RoundsTruncatesAndMapsToBool) {
  float values[] = {-1.5f, 0.0f, 2.75f, 300.0f};
  const int64_t sizes[] = {4};
  const TensorView from = contiguous_view(values, DType::f32, 4, 1, sizes);
  int32_t integers[4];
  convert(contiguous_view(integers, DType::i32, 4, 1, sizes), from);
  EXPECT_EQ(std::vector<int32_t>(integers, integers + 4), (std::vector<int32_t>{-1, 0, 2, 300}));
  bool truths[4];
  convert(contiguous_view(truths, DType::boolean, 1, 1, sizes), from);
  EXPECT_EQ(std::vector<bool>(truths, truths + 4), (std::vector<bool>{true, false, true, true}));
}

TEST(Convert, ComplexNumbersKeepOrGainTheirParts) {
  float complex[] = {1, 2, 3, 4};
  const int64_t sizes[] = {2};
  const TensorView pair = contiguous_view(complex, DType::c64, 8, 1, sizes);
  double real[2];
  convert(contiguous_view(real, DType::f64, 8, 1, sizes), pair);
  EXPECT_EQ(real[0], 1);
  EXPECT_EQ(real[1], 3);
  double wide[4];
  convert(contiguous_view(wide, DType::c128, 16, 1, sizes), pair);
  EXPECT_EQ(std::vector<double>(wide, wide + 4), (std::vector<double>{1, 2, 3, 4}));
  convert(contiguous_view(wide, DType::c128, 16, 1, sizes),
          contiguous_view(real, DType::f64, 8, 1, sizes));
  EXPECT_EQ(std::vector<double>(wide, wide + 4), (std::vector<double>{1, 0, 3, 0}));
}

TEST(Fill, WritesStridedPlacesOnly) {
  int16_t values[6] = {};
  TensorView view;
  view.data = reinterpret_cast<char*>(values);
  view.element_size = 2;
  view.rank = 1;
  view.sizes[0] = 3;
  view.strides[0] = 2;
  const int16_t seven = 7;
  fill(view, &seven);
  EXPECT_EQ(std::vector<int16_t>(values, values + 6), (std::vector<int16_t>{7, 0, 7, 0, 7, 0}));
}

TEST(Fill, LongLinesHoldTheElementEverywhere) {
  std::vector<uint16_t> line(10'001, 0);
  const int64_t size = 10'000;
  const uint16_t element = 777;
  fill(contiguous_view(line.data(), DType::f16, 2, 1, &size), &element);
  EXPECT_EQ(std::count(line.begin(), line.end(), element), size);
  EXPECT_EQ(line.back(), 0);
}

TEST(CopyBetweenBorders, SurroundsEachLine) {
  int32_t lines[] = {1, 2, 3, 4};
  int32_t wide[10] = {};
  const int64_t sizes[] = {2, 2}, wide_sizes[] = {2, 5};
  TensorView from = contiguous_view(lines, DType::i32, 4, 2, sizes);
  const TensorView to = contiguous_view(wide, DType::i32, 4, 2, wide_sizes);
  const int32_t border = 9;
  ASSERT_TRUE(copy_between_borders(to, from, 1, &border));
  EXPECT_EQ(std::vector<int32_t>(wide, wide + 10),
            (std::vector<int32_t>{9, 1, 2, 9, 9, 9, 3, 4, 9, 9}));
  std::swap(from.strides[0], from.strides[1]);
  EXPECT_FALSE(copy_between_borders(to, from, 1, &border));
}

TEST(NumberToElement, KnowsArithmeticTypesOnly) {
  char element[kMaxElementSize];
  ASSERT_TRUE(number_to_element(int64_t{-2}, DType::f32, element));
  float value;
  std::memcpy(&value, element, sizeof(value));
  EXPECT_EQ(value, -2.0f);
  EXPECT_FALSE(number_to_element(1.0, static_cast<DType>(12), element));
}

}  // namespace
}  // namespace executorch::compute
