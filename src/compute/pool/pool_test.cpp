#include "compute/pool/pool.h"

#include <gtest/gtest.h>

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
      for (int64_t oy = 0; oy < s.out_height; ++oy) {
        for (int64_t ox = 0; ox < s.out_width; ++ox) {
          std::vector<float> values;
          std::vector<int64_t> positions;
          for (int64_t ky = 0; ky < s.kernel_height; ++ky) {
            for (int64_t kx = 0; kx < s.kernel_width; ++kx) {
              const int64_t y = oy * s.stride_height - s.pad_height + ky * s.dilation_height;
              const int64_t x = ox * s.stride_width - s.pad_width + kx * s.dilation_width;
              if (y < 0 || y >= s.in_height || x < 0 || x >= s.in_width) continue;
              values.push_back(
                  in[static_cast<size_t>(offset(s, s.in_height, s.in_width, b, c, y, x))]);
              positions.push_back(y * s.in_width + x);
            }
          }
          f(static_cast<size_t>(offset(s, s.out_height, s.out_width, b, c, oy, ox)), values,
            positions);
        }
      }
    }
  }
}

PoolShape shape(int64_t channels, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
                bool last) {
  PoolShape s;
  s.batch = 2, s.channels = channels, s.in_height = 11, s.in_width = 9;
  s.kernel_height = kernel, s.kernel_width = kernel + 1;
  s.stride_height = stride, s.stride_width = stride;
  s.pad_height = s.pad_width = pad;
  s.dilation_height = s.dilation_width = dilation;
  s.out_height = (11 + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  s.out_width = (9 + 2 * pad - dilation * kernel - 1) / stride + 1;
  s.channels_last = last;
  return s;
}

size_t in_count(const PoolShape& s) {
  return static_cast<size_t>(s.batch * s.channels * s.in_height * s.in_width);
}
size_t out_count(const PoolShape& s) {
  return static_cast<size_t>(s.batch * s.channels * s.out_height * s.out_width);
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
        max_pool2d(s, in.data(), out.data(), nullptr);
        max_pool2d(s, in.data(), indexed.data(), indices.data());
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
      avg_pool2d(s, {include_pad, 0}, in.data(), out.data());
      avg_pool2d(s, {include_pad, 5}, in.data(), overridden.data());
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

TEST_P(PoolingTest, CeilModeWindowsEndAtThePadding) {
  PoolShape s;
  s.channels = 3, s.in_height = 1, s.in_width = 5, s.out_width = 3;
  s.kernel_width = s.stride_width = 2;
  const std::vector<float> in(15, 1.0f);
  std::vector<float> out(9);
  avg_pool2d(s, {}, in.data(), out.data());
  for (float value : out) EXPECT_EQ(value, 1.0f);
}

TEST_P(PoolingTest, AdaptiveAverage) {
  for (bool last : {true, false}) {
    for (int64_t size : {1, 3, 4, 11}) {
      PoolShape s;
      s.batch = 2, s.channels = 19, s.in_height = 11, s.in_width = 7, s.channels_last = last;
      s.out_height = size, s.out_width = 1 + size / 2;
      const GuardedFloats in(static_cast<int64_t>(in_count(s)), 1);
      std::vector<float> out(out_count(s));
      adaptive_avg_pool2d(s, in.data(), out.data());
      for (int64_t c = 0; c < s.channels; ++c) {
        for (int64_t oy = 0; oy < s.out_height; ++oy) {
          for (int64_t ox = 0; ox < s.out_width; ++ox) {
            double sum = 0;
            int64_t count = 0;
            for (int64_t y = oy * 11 / s.out_height; y * s.out_height < (oy + 1) * 11; ++y) {
              for (int64_t x = ox * 7 / s.out_width; x * s.out_width < (ox + 1) * 7; ++x, ++count) {
                sum += in[static_cast<size_t>(offset(s, 11, 7, 1, c, y, x))];
              }
            }
            EXPECT_NEAR(
                out[static_cast<size_t>(offset(s, s.out_height, s.out_width, 1, c, oy, ox))],
                sum / static_cast<double>(count), 1e-6);
          }
        }
      }
    }
  }
}

TEST(Pooling, WindowOutsideTheImage) {
  PoolShape s;
  s.channels = 2, s.in_width = 2, s.out_width = 2, s.stride_width = 5;
  const std::vector<float> in = {1, 2, 3, 4};
  std::vector<float> out(4);
  max_pool2d(s, in.data(), out.data(), nullptr);
  EXPECT_EQ(out[0], 1.0f);
  EXPECT_EQ(out[2], -std::numeric_limits<float>::infinity());
}

TEST(Pooling, Integers) {
  PoolShape s;
  s.in_width = 4, s.out_width = 2, s.kernel_width = s.stride_width = 2;
  const std::vector<int64_t> in = {INT64_MIN, INT64_MIN, 3, -4};
  std::vector<int64_t> out(2), indices(2);
  max_pool2d(s, in.data(), out.data(), indices.data());
  EXPECT_EQ(out, (std::vector<int64_t>{INT64_MIN, 3}));
  EXPECT_EQ(indices, (std::vector<int64_t>{0, 2}));
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, PoolingTest, ::testing::Range<size_t>(0, kIsaCount),
                         [](const auto& info) {
                           return std::string(isa_name(static_cast<Isa>(info.param)));
                         });

}  // namespace
}  // namespace executorch::compute
