#include <executorch/runtime/core/array_ref.h>

#include <gtest/gtest.h>

#include <array>

#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::runtime::ArrayRef;
using executorch::runtime::FunctionRef;
using executorch::runtime::makeArrayRef;
using executorch::runtime::Span;

TEST(ArrayRefTest, ViewsArraysElementsAndRanges) {
  const int numbers[] = {1, 2, 3};
  const std::array<int, 2> pair = {4, 5};
  EXPECT_EQ(ArrayRef<int>(numbers).size(), 3u);
  EXPECT_EQ(ArrayRef<int>(pair).back(), 5);
  EXPECT_EQ(makeArrayRef(numbers + 1, numbers + 3).front(), 2);
  EXPECT_EQ(makeArrayRef(numbers[2]).size(), 1u);
  EXPECT_TRUE(ArrayRef<int>().empty());
}

TEST(ArrayRefTest, ComparesElements) {
  const int a[] = {1, 2};
  const int b[] = {1, 2};
  const int c[] = {1, 3};
  EXPECT_TRUE(makeArrayRef(a) == makeArrayRef(b));
  EXPECT_TRUE(makeArrayRef(a) != makeArrayRef(c));
  EXPECT_TRUE(makeArrayRef(a) != makeArrayRef(a, 1));
}

TEST(ArrayRefTest, Slices) {
  const int numbers[] = {1, 2, 3, 4};
  const ArrayRef<int> all(numbers);
  EXPECT_EQ(all.slice(1, 2), makeArrayRef(numbers + 1, 2));
  EXPECT_EQ(all.slice(2), makeArrayRef(numbers + 2, 2));
  EXPECT_TRUE(all.slice(4).empty());
}

TEST(ArrayRefDeathTest, AbortsOutsideTheElements) {
  executorch::runtime::runtime_init();
  const int numbers[] = {1, 2};
  const ArrayRef<int> all(numbers);
  EXPECT_DEATH((void)all.at(2), "");
  EXPECT_DEATH((void)all.slice(1, 2), "");
  EXPECT_DEATH((void)all.slice(3), "");
  EXPECT_DEATH((void)all.slice(1, SIZE_MAX), "");
  EXPECT_DEATH((void)ArrayRef<int>().front(), "");
}

TEST(SpanTest, WritesThroughTheView) {
  int numbers[] = {1, 2, 3};
  const Span<int> span(numbers);
  span[1] = 7;
  EXPECT_EQ(numbers[1], 7);
  int sum = 0;
  for (const int number : span) {
    sum += number;
  }
  EXPECT_EQ(sum, 11);
  EXPECT_TRUE(Span<int>().empty());
}

int twice(int value) {
  return 2 * value;
}

TEST(FunctionRefTest, CallsLambdasAndFunctions) {
  int calls = 0;
  const auto count = [&](int value) {
    ++calls;
    return value;
  };
  FunctionRef<int(int)> reference = count;
  EXPECT_EQ(reference(5), 5);
  EXPECT_EQ(calls, 1);
  reference = twice;
  EXPECT_EQ(reference(5), 10);
  EXPECT_FALSE(static_cast<bool>(FunctionRef<int(int)>()));
}

}  // namespace
