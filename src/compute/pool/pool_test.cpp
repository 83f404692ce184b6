#include "compute/pool/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "compute/cpu/cpu.h"
#include "compute/cpu/guarded_floats.h"

namespace executorch::compute {
namespace {

int64_t offset(const PoolShape& s, int64_t height, int64_t width, int64_t b, int64_t c, int64_t y,
               int64_t x) {
  return s.channels_last ? ((b * height + y) * width + x) * s.channels + c
                         : ((b * s.channels + c) * height + y) * width + x;
}

/// Calls f(output offset, window's values, window's plane positions) for each output.
template <class F>
void by_definition(const PoolShape& s, const GuardedFloats& in, F f) {
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t c = 0; c < s.channels; ++c) {
      for (int64_t oy = 0; oy < s.y.out; ++oy) {
        for (int64_t ox = 0; ox < s.x.out; ++ox) {
          std::vector<float> values;
          std::vector<int64_t> positions;
          for (int64_t ky = 0; ky < s.y.kernel; ++ky) {
            for (int64_t kx = 0; kx < s.x.kernel; ++kx) {
              const int64_t y = oy * s.y.stride - s.y.pad + ky * s.y.dilation;
              const int64_t x = ox * s.x.stride - s.x.pad + kx * s.x.dilation;
              if (y < 0 || y >= s.y.in || x < 0 || x >= s.x.in) continue;
              values.push_back(in[static_cast<size_t>(offset(s, s.y.in, s.x.in, b, c, y, x))]);
              positions.push_back(y * s.x.in + x);
            }
          }
          f(static_cast<size_t>(offset(s, s.y.out, s.x.out, b, c, oy, ox)), values, positions);
        }
      }
    }
  }
}

PoolShape shape(int64_t channels, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
                bool last) {
  PoolShape s;
  s.batch = 2, s.channels = channels, s.y.in = 11, s.x.in = 9;
  s.y.kernel = kernel, s.x.kernel = kernel + 1;
  s.y.stride = stride, s.x.stride = stride;
  s.y.pad = s.x.pad = pad;
  s.y.dilation = s.x.dilation = dilation;
  s.y.out = (11 + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  s.x.out = (9 + 2 * pad - dilation * kernel - 1) / stride + 1;
  s.channels_last = last;
  return s;
}

size_t in_count(const PoolShape& s) {
  return static_cast<size_t>(s.batch * s.channels * s.y.in * s.x.in);
}
size_t out_count(const PoolShape& s) {
  return static_cast<size_t>(s.batch * s.channels * s.y.out * s.x.out);
}

class PoolingTest : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    before_ = active_isa();
    if (!set_active_isa(static_cast<Isa>(GetParam())))
      GTEST_SKIP() << "this machine lacks the instruction set";
  }
  void TearDown() override { set_active_isa(before_); }
  Isa before_;
};

TEST_P(PoolingTest, Max) {
  for (bool last : {true, false}) {
    for (int64_t channels : {1, 5, 37}) {
      for (const PoolShape& s :
           {shape(channels, 3, 2, 1, 1, last), shape(channels, 2, 1, 0, 2, last)}) {
        GuardedFloats in(static_cast<int64_t>(in_count(s)), 1);
        in[7] = NAN;
        std::vector<float> out(out_count(s)), indexed(out_count(s));
        std::vector<int64_t> indices(out_count(s));
        max_pool(s, in.data(), out.data(), nullptr);
        max_pool(s, in.data(), indexed.data(), indices.data());
        by_definition(s, in,
                      [&](size_t at, const std::vector<float>& values,
                          const std::vector<int64_t>& positions) {
                        size_t best = 0;
                        for (size_t i = 0; i < values.size(); ++i) {
                          if (values[i] > values[best] || std::isnan(values[i])) best = i;
                        }
                        if (std::isnan(values[best])) {
                          EXPECT_TRUE(std::isnan(out[at]) && std::isnan(indexed[at]));
                        } else {
                          EXPECT_EQ(out[at], values[best]);
                          EXPECT_EQ(indexed[at], values[best]);
                        }
                        EXPECT_EQ(indices[at], positions[best]);
                      });
      }
    }
  }
}

TEST_P(PoolingTest, Average) {
  for (bool last : {true, false}) {
    for (bool include_pad : {true, false}) {
      const PoolShape s = shape(21, 3, 2, 1, 1, last);
      const GuardedFloats in(static_cast<int64_t>(in_count(s)), 1);
      std::vector<float> out(out_count(s)), overridden(out_count(s));
      avg_pool(s, {include_pad, 0}, in.data(), out.data());
      avg_pool(s, {include_pad, 5}, in.data(), overridden.data());
      by_definition(
          s, in, [&](size_t at, const std::vector<float>& values, const std::vector<int64_t>&) {
            double sum = 0;
            for (float value : values) sum += value;
            // No window of this shape reaches beyond the padding.
            EXPECT_NEAR(out[at], sum / (include_pad ? 12.0 : static_cast<double>(values.size())),
                        1e-6);
            EXPECT_NEAR(overridden[at], sum / 5, 1e-6);
          });
    }
  }
}

TEST_P(PoolingTest, LongRowsAreAveragedInBlocks) {
  for (int64_t kernel : {3, 700}) {
    PoolShape s;
    s.channels_last = false;
    s.y = {.in = 2, .out = 1, .kernel = 2};
    s.x = {.in = 1500, .out = 0, .kernel = kernel, .stride = 2, .pad = 1};
    s.x.out = (1502 - kernel) / 2 + 1;
    const GuardedFloats in(s.in_cells(), 1);
    std::vector<float> out(static_cast<size_t>(s.out_cells()));
    avg_pool(s, {}, in.data(), out.data());
    for (int64_t x = 0; x < s.x.out; ++x) {
      double sum = 0;
      for (int64_t i = std::max<int64_t>(2 * x - 1, 0); i < std::min(2 * x - 1 + kernel, s.x.in);
           ++i) {
        sum += in[static_cast<size_t>(i)] + in[static_cast<size_t>(1500 + i)];
      }
      ASSERT_NEAR(out[static_cast<size_t>(x)], sum / static_cast<double>(2 * kernel), 1e-6);
    }
  }
}

TEST_P(PoolingTest, CeilModeWindowsEndAtThePadding) {
  PoolShape s;
  s.channels = 3, s.y.in = 1, s.x.in = 5, s.x.out = 3;
  s.x.kernel = s.x.stride = 2;
  const std::vector<float> in(15, 1.0f);
  std::vector<float> out(9);
  avg_pool(s, {}, in.data(), out.data());
  for (float value : out) EXPECT_EQ(value, 1.0f);
}

TEST_P(PoolingTest, AdaptiveAverage) {
  for (bool last : {true, false}) {
    for (int64_t size : {1, 3, 4, 11}) {
      PoolShape s;
      s.batch = 2, s.channels = 19, s.y.in = 11, s.x.in = 7, s.channels_last = last,
      s.adaptive = true;
      s.y.out = size, s.x.out = 1 + size / 2;
      const GuardedFloats in(static_cast<int64_t>(in_count(s)), 1);
      std::vector<float> out(out_count(s));
      avg_pool(s, {}, in.data(), out.data());
      for (int64_t c = 0; c < s.channels; ++c) {
        for (int64_t oy = 0; oy < s.y.out; ++oy) {
          for (int64_t ox = 0; ox < s.x.out; ++ox) {
            double sum = 0;
            int64_t count = 0;
            for (int64_t y = oy * 11 / s.y.out; y * s.y.out < (oy + 1) * 11; ++y) {
              for (int64_t x = ox * 7 / s.x.out; x * s.x.out < (ox + 1) * 7; ++x, ++count) {
                sum += in[static_cast<size_t>(offset(s, 11, 7, 1, c, y, x))];
              }
            }
            EXPECT_NEAR(out[static_cast<size_t>(offset(s, s.y.out, s.x.out, 1, c, oy, ox))],
                        sum / static_cast<double>(count), 1e-6);
          }
        }
      }
    }
  }
}

TEST_P(PoolingTest, ThreeDimensions) {
  for (bool last : {true, false}) {
    PoolShape s;
    s.channels = 3, s.channels_last = last;
    s.z = {.in = 4, .out = 2, .kernel = 2, .stride = 2};
    s.y = {.in = 3, .out = 3, .kernel = 3, .pad = 1};
    s.x = {.in = 5, .out = 2, .kernel = 2, .stride = 2, .dilation = 2};
    const GuardedFloats in(s.channels * s.in_cells(), 1);
    std::vector<float> largest(static_cast<size_t>(s.channels * s.out_cells()));
    std::vector<float> average(largest.size());
    std::vector<int64_t> indices(largest.size());
    max_pool(s, in.data(), largest.data(), indices.data());
    PoolShape plain = s;
    plain.x = {.in = 5, .out = 2, .kernel = 2, .stride = 2};
    avg_pool(plain, {}, in.data(), average.data());
    const auto value = [&](int64_t c, int64_t cell) {
      return in[static_cast<size_t>(last ? cell * s.channels + c : c * s.in_cells() + cell)];
    };
    for (int64_t c = 0; c < s.channels; ++c) {
      for (int64_t i = 0; i < s.out_cells(); ++i) {
        const int64_t oz = i / 6, oy = i / 2 % 3, ox = i % 2;
        float best = -INFINITY;
        double sum = 0;
        for (int64_t z = 2 * oz; z < 2 * oz + 2; ++z) {
          for (int64_t y = std::max<int64_t>(oy - 1, 0); y < std::min<int64_t>(oy + 2, 3); ++y) {
            for (int64_t k = 0; k < 2; ++k) {
              best = std::max(best, value(c, (z * 3 + y) * 5 + 2 * ox + 2 * k));
              sum += value(c, (z * 3 + y) * 5 + 2 * ox + k);
            }
          }
        }
        const auto at = static_cast<size_t>(last ? i * s.channels + c : c * s.out_cells() + i);
        EXPECT_EQ(largest[at], best);
        EXPECT_EQ(value(c, indices[at]), best);
        EXPECT_NEAR(average[at], sum / 12, 1e-6);
      }
    }
  }
}

TEST(Pooling, GradientsGoWhereTheValuesCameFrom) {
  const std::vector<double> values = {1, 2, 4, 8};
  const std::vector<int64_t> places = {2, 2, 0, 1};
  std::vector<double> out(6);
  ASSERT_TRUE(scatter_to_places(2, 2, 3, values.data(), places.data(), true, out.data()));
  EXPECT_EQ(out, (std::vector<double>{0, 0, 3, 4, 8, 0}));
  const std::vector<int64_t> outside = {0, 1, 3, 1};
  EXPECT_FALSE(scatter_to_places(2, 2, 3, values.data(), outside.data(), true, out.data()));
}

TEST(Pooling, WindowOutsideTheImage) {
  PoolShape s;
  s.channels = 2, s.x.in = 2, s.x.out = 2, s.x.stride = 5;
  const std::vector<float> in = {1, 2, 3, 4};
  std::vector<float> out(4);
  max_pool(s, in.data(), out.data(), nullptr);
  EXPECT_EQ(out[0], 1.0f);
  EXPECT_EQ(out[2], -std::numeric_limits<float>::infinity());
}

TEST(Pooling, Integers) {
  PoolShape s;
  s.x.in = 4, s.x.out = 2, s.x.kernel = s.x.stride = 2;
  const std::vector<int64_t> in = {INT64_MIN, INT64_MIN, 3, -4};
  std::vector<int64_t> out(2), indices(2);
  max_pool(s, in.data(), out.data(), indices.data());
  EXPECT_EQ(out, (std::vector<int64_t>{INT64_MIN, 3}));
  EXPECT_EQ(indices, (std::vector<int64_t>{0, 2}));
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, PoolingTest, ::testing::Range<size_t>(0, kIsaCount),
                         [](const auto& info) {
                           return std::string(isa_name(static_cast<Isa>(info.param)));
                         });

}  // namespace
}  // namespace executorch::compute
