#include "compute/sort/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "compute/sort/search.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

template <class T>
TensorView view_of(std::vector<T>& values, DType dtype, std::vector<int64_t> sizes) {
  return contiguous_view(values.data(), dtype, sizeof(T), static_cast<int>(sizes.size()),
                         sizes.data());
}

/// Memory for the lines of a view, aligned as sort() asks.
class Memory {
 public:
  Memory(const TensorView& in, int dim) : bytes_(sort_scratch_bytes(in, dim) + 64) {}
  SortMemory get() {
    const auto address = reinterpret_cast<uintptr_t>(bytes_.data());
    return {bytes_.data() + (64 - address % 64) % 64, bytes_.size() - 64};
  }

 private:
  std::vector<char> bytes_;
};

template <class T>
std::vector<int64_t> sorted_indices(std::vector<T>& line, DType dtype, bool descending,
                                    std::vector<T>* values) {
  const auto n = static_cast<int64_t>(line.size());
  std::vector<int64_t> indices(line.size());
  values->resize(line.size());
  SortCall call = {view_of(line, dtype, {n}), 0, descending, view_of(*values, dtype, {n}),
                   view_of(indices, DType::i64, {n})};
  Memory memory(call.in, 0);
  sort(call, memory.get());
  return indices;
}

template <class T>
void expect_stable_order(std::vector<T> line, DType dtype) {
  std::vector<int64_t> expected(line.size());
  for (const bool descending : {false, true}) {
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
      const T x = line[static_cast<size_t>(a)], y = line[static_cast<size_t>(b)];
      return descending ? x > y : x < y;
    });
    std::vector<T> values;
    EXPECT_EQ(sorted_indices(line, dtype, descending, &values), expected);
    for (size_t i = 0; i < line.size(); ++i)
      EXPECT_EQ(values[i], line[static_cast<size_t>(expected[i])]);
  }
}

TEST(Sort, AgreesWithAStableSort) {
  std::mt19937 random(1);
  for (const size_t length : {1u, 2u, 100u, 255u, 256u, 5000u}) {
    std::vector<float> floats(length);
    std::vector<double> doubles(length);
    std::vector<int64_t> longs(length);
    std::vector<int8_t> bytes(length);
    for (size_t i = 0; i < length; ++i) {
      floats[i] = std::round(std::normal_distribution<float>(0, 100)(random)) / 4;
      doubles[i] = std::normal_distribution<double>(0, 1e100)(random);
      longs[i] = static_cast<int64_t>(random() << 20) - (int64_t{1} << 50);
      bytes[i] = static_cast<int8_t>(random());
    }
    expect_stable_order(floats, DType::f32);
    expect_stable_order(doubles, DType::f64);
    expect_stable_order(longs, DType::i64);
    expect_stable_order(bytes, DType::i8);
  }
}

TEST(Sort, NanIsLargestAndZerosAreEqual) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> line = {nan, 0.0f, -0.0f, infinity, -nan, -infinity, 1};
  std::vector<float> values;
  EXPECT_EQ(sorted_indices(line, DType::f32, false, &values),
            (std::vector<int64_t>{5, 1, 2, 6, 3, 0, 4}));
  EXPECT_TRUE(std::signbit(values[2]));
  EXPECT_EQ(sorted_indices(line, DType::f32, true, &values),
            (std::vector<int64_t>{0, 4, 3, 6, 1, 2, 5}));
}

TEST(Sort, ResultsDoNotDependOnThreads) {
  std::mt19937 random(2);
  std::vector<float> in(64 * 300), one(in.size()), several(in.size());
  for (float& x : in) x = static_cast<float>(random() % 50);
  std::vector<int64_t> one_indices(in.size()), several_indices(in.size());
  const auto run = [&](std::vector<float>& values, std::vector<int64_t>& indices) {
    SortCall call = {view_of(in, DType::f32, {300, 64}), 0, false,
                     view_of(values, DType::f32, {300, 64}),
                     view_of(indices, DType::i64, {300, 64})};
    Memory memory(call.in, 0);
    sort(call, memory.get());
  };
  {
    const threadpool::ThreadLimit limit(1);
    run(one, one_indices);
  }
  run(several, several_indices);
  EXPECT_EQ(one, several);
  EXPECT_EQ(one_indices, several_indices);
}

/// The leading elements are those that sorting puts first, whatever the type.
template <class T>
void expect_top(std::vector<T> line, DType dtype) {
  const auto n = static_cast<int64_t>(line.size());
  for (const bool largest : {false, true}) {
    std::vector<T> sorted;
    const std::vector<int64_t> order = sorted_indices(line, dtype, largest, &sorted);
    for (const int64_t k : {int64_t{1}, int64_t{7}, n / 2, n}) {
      std::vector<T> values(static_cast<size_t>(k));
      std::vector<int64_t> indices(static_cast<size_t>(k));
      const TopCall call = {
          view_of(line, dtype, {n}),        0, k, largest, view_of(values, dtype, {k}),
          view_of(indices, DType::i64, {k})};
      Memory memory(call.in, 0);
      top(call, memory.get());
      EXPECT_EQ(std::vector<int64_t>(order.begin(), order.begin() + k), indices);
      EXPECT_EQ(0, std::memcmp(sorted.data(), values.data(), values.size() * sizeof(T)));
    }
  }
}

TEST(Top, AgreesWithSort) {
  std::mt19937 random(3);
  std::vector<float> floats(1500);
  std::vector<int64_t> integers(1024);
  std::vector<int8_t> bytes(700);
  for (float& f : floats) f = static_cast<float>(static_cast<int>(random() % 400) - 200);
  floats[3] = floats[900] = std::numeric_limits<float>::quiet_NaN();
  for (int64_t& i : integers) i = static_cast<int64_t>(random()) - (int64_t{1} << 31);
  for (int8_t& b : bytes) b = static_cast<int8_t>(random());
  expect_top(floats, DType::f32);
  expect_top(integers, DType::i64);
  expect_top(bytes, DType::i8);
}

int64_t chosen(std::vector<double> line, Choice choice, int64_t rank = 0) {
  const auto n = static_cast<int64_t>(line.size());
  std::vector<double> value(1);
  std::vector<int64_t> index(1);
  ChoiceCall call = {
      view_of(line, DType::f64, {n}), 0, choice, rank, view_of(value, DType::f64, {1}),
      view_of(index, DType::i64, {1})};
  Memory memory(call.in, 0);
  choose(call, memory.get());
  return index[0];
}

TEST(Choose, PicksByRankAndFrequency) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(chosen({5, 3, 4, 1}, Choice::rank, 2), 2);
  EXPECT_EQ(chosen({5, 3, 4, 1}, Choice::median), 1);
  EXPECT_EQ(chosen({5, nan, 4}, Choice::median), 1);
  EXPECT_EQ(chosen({5, nan, 4}, Choice::nanmedian), 2);
  EXPECT_EQ(chosen({nan, nan}, Choice::nanmedian), 0);
  EXPECT_EQ(chosen({7, 2, 7, 2, 9}, Choice::mode), 3);
}

TEST(Unique, NumbersTheValues) {
  std::vector<int32_t> line = {4, 4, 1, 4};
  int64_t inverse[4], first[4], counts[4];
  const TensorView view = view_of(line, DType::i32, {4});
  Memory memory(view, 0);
  EXPECT_EQ(find_unique({view, true}, inverse, first, counts, memory.get()), 2);
  EXPECT_EQ((std::vector<int64_t>(inverse, inverse + 4)), (std::vector<int64_t>{1, 1, 0, 1}));
  EXPECT_EQ(counts[1], 3);
  EXPECT_EQ(find_unique({view, false}, inverse, first, counts, memory.get()), 3);
  EXPECT_EQ((std::vector<int64_t>(inverse, inverse + 4)), (std::vector<int64_t>{0, 0, 1, 2}));
  EXPECT_EQ(first[2], 3);
}

TEST(Search, FindsBothSidesOfEqualElements) {
  const std::vector<double> sorted = {1, 2, 2, 3};
  const std::vector<double> values = {0, 2, 2.5, 9, std::numeric_limits<double>::quiet_NaN()};
  std::vector<int64_t> out(values.size());
  SearchCall call = {ComputeType::f64, sorted.data(), nullptr, 1, 4, values.data(), 5, false,
                     out.data()};
  search_sorted(call);
  EXPECT_EQ(out, (std::vector<int64_t>{0, 1, 3, 4, 4}));
  call.right = true;
  search_sorted(call);
  EXPECT_EQ(out, (std::vector<int64_t>{0, 3, 3, 4, 4}));
}

TEST(Search, ReadsThroughASorter) {
  const std::vector<int64_t> elements = {30, 10, 20}, sorter = {1, 2, 0}, values = {20, 25};
  std::vector<int64_t> out(2);
  search_sorted({ComputeType::i64, elements.data(), sorter.data(), 1, 3, values.data(), 2, false,
                 out.data()});
  EXPECT_EQ(out, (std::vector<int64_t>{1, 2}));
}

}  // namespace
}  // namespace executorch::compute
