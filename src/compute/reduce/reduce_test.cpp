#include "compute/reduce/reduce.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class EachIsaReduce : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    before_ = active_isa();
    if (!set_active_isa(GetParam())) GTEST_SKIP() << "this machine lacks " << isa_name(GetParam());
  }
  void TearDown() override { set_active_isa(before_); }

 private:
  Isa before_ = Isa::baseline;
};

std::vector<Isa> all_isas() {
  std::vector<Isa> isas;
  for (size_t i = 0; i < kIsaCount; ++i) isas.push_back(static_cast<Isa>(i));
  return isas;
}
INSTANTIATE_TEST_SUITE_P(, EachIsaReduce, testing::ValuesIn(all_isas()),
                         [](const auto& info) { return isa_name(info.param); });

/// A float tensor in some order of dimensions, and a reduction of it done by hand.
struct Problem {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  std::vector<float> data;
  uint32_t dims;
  std::vector<int64_t> out_strides;  // of a row-major result with kept dimensions
  int64_t outputs = 1;

  Problem(std::vector<int64_t> shape, std::vector<int> order, uint32_t reduced)
      : sizes(shape), dims(reduced) {
    const size_t rank = sizes.size();
    strides.resize(rank);
    out_strides.resize(rank);
    int64_t step = 1;
    for (size_t k = rank; k-- > 0;) {
      strides[static_cast<size_t>(order[k])] = step;
      step *= sizes[static_cast<size_t>(order[k])];
    }
    for (size_t d = rank; d-- > 0;) {
      if (dims >> d & 1) continue;
      out_strides[d] = outputs;
      outputs *= sizes[d];
    }
    std::mt19937 random(11);
    data.resize(static_cast<size_t>(step));
    for (float& x : data) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 64;
  }

  ReduceSource source() const {
    return {data.data(), DType::f32, static_cast<int>(sizes.size()), sizes.data(), strides.data()};
  }

  /// Calls f(output, position among the reduced, value) in row-major order.
  template <class F>
  void each(F f) const {
    int64_t count = 1;
    for (const int64_t size : sizes) count *= size;
    for (int64_t flat = 0; flat < count; ++flat) {
      int64_t rest = flat, from = 0, to = 0, position = 0, scale = 1;
      for (size_t d = sizes.size(); d-- > 0;) {
        const int64_t index = rest % sizes[d];
        rest /= sizes[d];
        from += index * strides[d];
        if (dims >> d & 1) {
          position += index * scale;
          scale *= sizes[d];
        } else {
          to += index * out_strides[d];
        }
      }
      f(static_cast<size_t>(to), position, data[static_cast<size_t>(from)]);
    }
  }
};

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const std::vector<int>& order : {std::vector<int>{0, 1, 2}, {0, 2, 1}, {2, 1, 0}}) {
    for (uint32_t dims = 0; dims < 8; ++dims) {
      all.emplace_back(std::vector<int64_t>{5, 7, 40}, order, dims);
      all.emplace_back(std::vector<int64_t>{3, 1100, 2}, order, dims);
    }
  }
  all.emplace_back(std::vector<int64_t>{1, 1, 300001}, std::vector<int>{0, 1, 2}, 7);
  all.emplace_back(std::vector<int64_t>{200, 1, 700}, std::vector<int>{0, 1, 2}, 1);
  all.emplace_back(std::vector<int64_t>{4, 0, 3}, std::vector<int>{0, 1, 2}, 2);
  all.emplace_back(std::vector<int64_t>{0, 2, 3}, std::vector<int>{0, 1, 2}, 2);
  return all;
}

TEST_P(EachIsaReduce, SumsAndExtremaOverAnyDimensions) {
  for (const Problem& p : problems()) {
    const auto n = static_cast<size_t>(p.outputs);
    std::vector<double> sum(n, 0), largest(n, -INFINITY);
    std::vector<int64_t> where(n, 0);
    p.each([&](size_t o, int64_t position, float x) {
      sum[o] += x;
      if (x > largest[o]) {
        largest[o] = x;
        where[o] = position;
      }
    });
    std::vector<float> values(n, 99);
    reduce({ReduceOp::Sum,
            p.source(),
            p.dims,
            ComputeType::f32,
            {values.data(), DType::f32, p.out_strides.data()}});
    for (size_t i = 0; i < n; ++i) ASSERT_NEAR(values[i], sum[i], 1e-5 * (1000 + std::abs(sum[i])));
    if (p.data.empty()) continue;
    std::vector<int64_t> indices(n, -1);
    reduce({ReduceOp::Max,
            p.source(),
            p.dims,
            ComputeType::f32,
            {values.data(), DType::f32, p.out_strides.data()},
            {indices.data(), DType::i64, p.out_strides.data()}});
    for (size_t i = 0; i < n; ++i) {
      ASSERT_EQ(values[i], largest[i]);
      ASSERT_EQ(indices[i], where[i]);
    }
    std::vector<double> only(n, 0);
    reduce({ReduceOp::Max,
            p.source(),
            p.dims,
            ComputeType::f32,
            {only.data(), DType::f64, p.out_strides.data()}});
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(only[i], largest[i]);
  }
}

template <class T>
void check_extrema_of_bytes(DType dtype) {
  std::mt19937 random(5);
  std::vector<T> data(9 * 201);
  for (T& x : data) x = static_cast<T>(random());
  const int64_t sizes[] = {9, 201}, strides[] = {201, 1}, out_strides[] = {1, 0};
  for (const ReduceOp op : {ReduceOp::Max, ReduceOp::Min}) {
    T out[9];
    reduce({op,
            {data.data(), dtype, 2, sizes, strides},
            2,
            ComputeType::i32,
            {out, dtype, out_strides}});
    for (size_t r = 0; r < 9; ++r) {
      const auto row = data.begin() + static_cast<int64_t>(r) * 201;
      ASSERT_EQ(out[r], op == ReduceOp::Max ? *std::max_element(row, row + 201)
                                            : *std::min_element(row, row + 201));
    }
  }
}

TEST_P(EachIsaReduce, ExtremaOfBytes) {
  check_extrema_of_bytes<uint8_t>(DType::u8);
  check_extrema_of_bytes<int8_t>(DType::i8);
}

TEST_P(EachIsaReduce, SmallMatricesGiveTheBitsOfLayoutsBesideThem) {
  std::mt19937 random(9);
  std::normal_distribution<float> normal;
  std::vector<float> wide(32 * 40);
  for (float& x : wide) x = normal(random);
  std::vector<float> dense;
  for (size_t r = 0; r < 32; ++r)
    for (size_t c = 0; c < 33; ++c) dense.push_back(wide[r * 40 + c]);
  const int64_t sizes[] = {32, 33}, dense_strides[] = {33, 1}, wide_strides[] = {40, 1};
  const int64_t out_strides[] = {1, 1};
  for (const ReduceOp op : {ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min}) {
    for (const uint32_t dims : {1u, 2u}) {
      std::vector<float> a(33, 0), b(33, 0);
      ReduceCall call = {op,
                         {dense.data(), DType::f32, 2, sizes, dense_strides},
                         dims,
                         ComputeType::f32,
                         {a.data(), DType::f32, out_strides}};
      call.divisor = 3;
      reduce(call);
      call.in = {wide.data(), DType::f32, 2, sizes, wide_strides};
      call.out.data = b.data();
      reduce(call);
      EXPECT_EQ(a, b);
    }
  }
}

TEST_P(EachIsaReduce, VarianceOverAnyDimensions) {
  for (const Problem& p : problems()) {
    const auto n = static_cast<size_t>(p.outputs);
    std::vector<double> sum(n, 0), squares(n, 0), count(n, 0);
    p.each([&](size_t o, int64_t, float x) {
      sum[o] += x;
      count[o] += 1;
    });
    p.each([&](size_t o, int64_t, float x) {
      squares[o] += (x - sum[o] / count[o]) * (x - sum[o] / count[o]);
    });
    std::vector<double> var(n), mean(n);
    variance({p.source(),
              p.dims,
              1,
              false,
              {var.data(), DType::f64, p.out_strides.data()},
              {mean.data(), DType::f64, p.out_strides.data()}});
    for (size_t i = 0; i < n; ++i) {
      const double expected = squares[i] / std::max(0.0, count[i] - 1);
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(var[i])
                                       : std::abs(var[i] - expected) <= 1e-12 * expected);
      ASSERT_TRUE(count[i] == 0 ? std::isnan(mean[i])
                                : std::abs(mean[i] - sum[i] / count[i]) < 1e-12 * 100);
    }
  }
}

TEST_P(EachIsaReduce, VarianceOfNothingIsNan) {
  const int64_t sizes[] = {0, 5}, strides[] = {5, 1}, out_strides[] = {0, 1};
  float out[5] = {};
  variance(
      {{nullptr, DType::f32, 2, sizes, strides}, 1, -1, false, {out, DType::f32, out_strides}, {}});
  for (const float x : out) EXPECT_TRUE(std::isnan(x));
}

TEST_P(EachIsaReduce, RunningSums) {
  for (const Problem& p : problems()) {
    for (int dim = 0; dim < 3; ++dim) {
      std::vector<float> out(p.data.size());
      scan({ScanOp::Sum,
            p.source(),
            dim,
            ComputeType::f64,
            {out.data(), DType::f32, p.strides.data()}});
      const auto d = static_cast<size_t>(dim);
      for (size_t i = 0; i < out.size(); ++i) {
        const int64_t index = static_cast<int64_t>(i) / p.strides[d] % p.sizes[d];
        const size_t before = index == 0 ? 0 : i - static_cast<size_t>(p.strides[d]);
        const double expected = p.data[i] + (index == 0 ? 0.0 : static_cast<double>(out[before]));
        ASSERT_NEAR(out[i], expected, 1e-6 * (1 + std::abs(expected)) * 2);
      }
    }
  }
}

TEST_P(EachIsaReduce, RunningLogSumExpSurvivesLargeNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double in[] = {-infinity, 1000, 1000, -1000, 1001};
  double out[5];
  const int64_t size = 5, stride = 1;
  scan({ScanOp::LogSumExp,
        {in, DType::f64, 1, &size, &stride},
        0,
        ComputeType::f64,
        {out, DType::f64, &stride}});
  EXPECT_EQ(out[0], -infinity);
  EXPECT_EQ(out[1], 1000);
  EXPECT_DOUBLE_EQ(out[2], 1000 + std::log(2.0));
  EXPECT_DOUBLE_EQ(out[3], out[2]);
  EXPECT_DOUBLE_EQ(out[4], 1000 + std::log(2.0 + std::exp(1.0)));
}

TEST_P(EachIsaReduce, RunningExtremaPreferTheLastAndNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float in[] = {1, 3, 3, 2, nan, 5, nan};
  float values[7];
  int64_t indices[7];
  const int64_t size = 7, stride = 1;
  scan_extremum({true,
                 {in, DType::f32, 1, &size, &stride},
                 0,
                 ComputeType::f64,
                 {values, DType::f32, &stride},
                 {indices, DType::i64, &stride}});
  EXPECT_EQ(std::vector<int64_t>(indices, indices + 7),
            (std::vector<int64_t>{0, 1, 2, 2, 4, 4, 6}));
  EXPECT_EQ(values[3], 3);
  EXPECT_TRUE(std::isnan(values[5]));
}

TEST_P(EachIsaReduce, LongSumsKeepTheirDigits) {
  std::vector<float> ones(20000000, 1.0f);
  const int64_t size = 20000000, stride = 1;
  float mean = 0;
  ReduceCall call = {ReduceOp::Sum,
                     {ones.data(), DType::f32, 1, &size, &stride},
                     1,
                     ComputeType::f32,
                     {&mean, DType::f32, &stride}};
  call.divisor = 20000000;
  reduce(call);
  EXPECT_EQ(mean, 1.0f);
}

TEST_P(EachIsaReduce, ColumnsOfManyRowsKeepTheirDigits) {
  const int64_t sizes[] = {100000, 16}, strides[] = {16, 1}, out_strides[] = {0, 1};
  std::vector<float> data(1600000, 0.1f);
  float sums[16];
  reduce({ReduceOp::Sum,
          {data.data(), DType::f32, 2, sizes, strides},
          1,
          ComputeType::f32,
          {sums, DType::f32, out_strides}});
  for (const float sum : sums) EXPECT_NEAR(sum, 10000.0f, 0.02f);
}

TEST_P(EachIsaReduce, NanWinsAndTheFirstOneIsFound) {
  std::vector<float> data(3000, 1);
  data[2500] = kNan;
  data[2700] = kNan;
  const int64_t size = 3000, stride = 1;
  for (const ReduceOp op : {ReduceOp::Max, ReduceOp::Min}) {
    float value = 0;
    int64_t index = -1;
    reduce({op,
            {data.data(), DType::f32, 1, &size, &stride},
            1,
            ComputeType::f32,
            {&value, DType::f32, &stride},
            {&index, DType::i64, &stride}});
    EXPECT_TRUE(std::isnan(value));
    EXPECT_EQ(index, 2500);
  }
  // The same side by side.
  const int64_t sizes[] = {3, 1000}, strides[] = {1000, 1}, out_strides[] = {0, 1};
  std::vector<int64_t> indices(1000);
  reduce({ReduceOp::Max,
          {data.data(), DType::f32, 2, sizes, strides},
          1,
          ComputeType::f32,
          {},
          {indices.data(), DType::i64, out_strides}});
  EXPECT_EQ(indices[500], 2);
  EXPECT_EQ(indices[501], 0);
}

TEST_P(EachIsaReduce, AnyAndAllCountNanAsTrue) {
  const int64_t size = 1500, stride = 1;
  std::vector<float> data(1500, 0);
  const auto run = [&](ReduceOp op) {
    bool result = false;
    reduce({op,
            {data.data(), DType::f32, 1, &size, &stride},
            1,
            ComputeType::f32,
            {&result, DType::boolean, &stride}});
    return result;
  };
  EXPECT_FALSE(run(ReduceOp::Any));
  data[1400] = kNan;
  EXPECT_TRUE(run(ReduceOp::Any));
  EXPECT_FALSE(run(ReduceOp::All));
  std::fill(data.begin(), data.end(), 0.25f);
  EXPECT_TRUE(run(ReduceOp::All));
}

TEST_P(EachIsaReduce, IntegersWrap) {
  const int64_t size = 3, stride = 1;
  const int64_t data[] = {std::numeric_limits<int64_t>::max(), 1, 5};
  int64_t sum = 0;
  reduce({ReduceOp::Sum,
          {data, DType::i64, 1, &size, &stride},
          1,
          ComputeType::i64,
          {&sum, DType::i64, &stride}});
  EXPECT_EQ(sum, std::numeric_limits<int64_t>::min() + 5);
  const uint8_t bytes[] = {200, 100, 1};
  reduce({ReduceOp::Prod,
          {bytes, DType::u8, 1, &size, &stride},
          1,
          ComputeType::i64,
          {&sum, DType::i64, &stride}});
  EXPECT_EQ(sum, 20000);
}

TEST_P(EachIsaReduce, ResultsDoNotDependOnThreads) {
  const Problem p({2, 1, 500000}, {0, 1, 2}, 4);
  float one[2], many[2];
  const auto run = [&](float* out) {
    reduce({ReduceOp::Sum,
            p.source(),
            p.dims,
            ComputeType::f32,
            {out, DType::f32, p.out_strides.data()}});
  };
  {
    const threadpool::ThreadLimit limit(1);
    run(one);
  }
  run(many);
  EXPECT_EQ(std::memcmp(one, many, sizeof(one)), 0);
}

}  // namespace
}  // namespace executorch::compute
