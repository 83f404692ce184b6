#include "compute/conv/plain_conv.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace executorch::compute {
namespace {

template <class T>
std::vector<T> values(int64_t count, uint32_t seed) {
  std::vector<T> result(static_cast<size_t>(count));
  for (T& value : result) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<T>(static_cast<int32_t>(seed >> 24) - 128) / static_cast<T>(4);
  }
  return result;
}

template <class T>
T dot(const std::vector<T>& a, const std::vector<T>& b) {
  T sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

PlainConv volumes() {
  PlainConv conv;
  conv.batch = 2, conv.large_channels = 4, conv.small_channels = 6, conv.groups = 2;
  conv.grid = {.large = {5, 4, 9},
               .small = {2, 4, 4},
               .kernel = {2, 3, 2},
               .stride = {2, 1, 2},
               .padding = {0, 1, 1},
               .dilation = {2, 1, 3}};
  return conv;
}

/// The operands of a convolution and its three results.
template <class T>
struct Case {
  PlainConv conv;
  std::vector<T> large, small, weight;
  std::vector<T> to_small, to_large, gradient;

  Case(const PlainConv& c, DType dtype) : conv(c) {
    const int64_t weights = c.small_channels * c.large_channels / c.groups * c.grid.taps();
    large = values<T>(c.batch * c.large_channels * c.grid.large_cells(), 1);
    small = values<T>(c.batch * c.small_channels * c.grid.small_cells(), 2);
    weight = values<T>(weights, 3);
    to_small.resize(small.size());
    to_large.resize(large.size());
    gradient.resize(weight.size());
    std::vector<char> scratch(plain_conv_scratch_bytes(dtype, c));
    plain_conv_to_small(dtype, c, large.data(), weight.data(), nullptr, to_small.data(),
                        scratch.data());
    plain_conv_to_large(dtype, c, small.data(), weight.data(), nullptr, to_large.data(),
                        scratch.data());
    plain_conv_weight_gradient(dtype, c, large.data(), small.data(), gradient.data(),
                               scratch.data());
  }

  T large_at(int64_t image, int64_t channel, int64_t z, int64_t y, int64_t x) const {
    const WindowGrid& g = conv.grid;
    if (z < 0 || y < 0 || x < 0 || z >= g.large[0] || y >= g.large[1] || x >= g.large[2]) return 0;
    const int64_t plane = (image * conv.large_channels + channel) * g.large_cells();
    return large[static_cast<size_t>(plane + (z * g.large[1] + y) * g.large[2] + x)];
  }

  T by_definition(int64_t image, int64_t channel, int64_t z, int64_t y, int64_t x) const {
    const WindowGrid& g = conv.grid;
    const int64_t each = conv.large_channels / conv.groups;
    const int64_t group = channel / (conv.small_channels / conv.groups);
    T sum = 0;
    size_t at = static_cast<size_t>(channel * each * g.taps());
    for (int64_t c = group * each; c < (group + 1) * each; ++c) {
      for (int64_t kz = 0; kz < g.kernel[0]; ++kz) {
        for (int64_t ky = 0; ky < g.kernel[1]; ++ky) {
          for (int64_t kx = 0; kx < g.kernel[2]; ++kx) {
            sum += weight[at++] * large_at(image, c,
                                           z * g.stride[0] + kz * g.dilation[0] - g.padding[0],
                                           y * g.stride[1] + ky * g.dilation[1] - g.padding[1],
                                           x * g.stride[2] + kx * g.dilation[2] - g.padding[2]);
          }
        }
      }
    }
    return sum;
  }

  /// Operands are multiples of 1/4, so that all sums are exact in any order.
  void check() const {
    const WindowGrid& g = conv.grid;
    size_t at = 0;
    for (int64_t image = 0; image < conv.batch; ++image) {
      for (int64_t c = 0; c < conv.small_channels; ++c) {
        for (int64_t i = 0; i < g.small_cells(); ++i) {
          const int64_t z = i / g.small[2] / g.small[1], y = i / g.small[2] % g.small[1];
          ASSERT_EQ(to_small[at++], by_definition(image, c, z, y, i % g.small[2]));
        }
      }
    }
    EXPECT_EQ(dot(to_large, large), dot(to_small, small));
    EXPECT_EQ(dot(gradient, weight), dot(to_small, small));
  }
};

TEST(PlainConv, FollowsItsDefinitionInAllTypes) {
  Case<double>(volumes(), DType::f64).check();
  Case<int64_t>(volumes(), DType::i64).check();
  Case<int32_t>(volumes(), DType::i32).check();
}

TEST(PlainConv, FloatsAgreeWithDoubles) {
  const Case<double> exact(volumes(), DType::f64);
  const Case<float> found(volumes(), DType::f32);
  for (size_t i = 0; i < exact.to_small.size(); ++i)
    EXPECT_EQ(static_cast<double>(found.to_small[i]), exact.to_small[i]);
  for (size_t i = 0; i < exact.to_large.size(); ++i)
    EXPECT_EQ(static_cast<double>(found.to_large[i]), exact.to_large[i]);
  for (size_t i = 0; i < exact.gradient.size(); ++i)
    EXPECT_EQ(static_cast<double>(found.gradient[i]), exact.gradient[i]);
}

TEST(PlainConv, BlocksOfColumnsJoin) {
  PlainConv conv;
  conv.large_channels = 128, conv.small_channels = 3;
  conv.grid = {
      .large = {1, 40, 50}, .small = {1, 40, 50}, .kernel = {1, 3, 3}, .padding = {0, 1, 1}};
  Case<double>(conv, DType::f64).check();
}

TEST(PlainConv, BiasIsAdded) {
  PlainConv conv;
  conv.small_channels = 2;
  conv.grid.large[2] = conv.grid.small[2] = 2;
  const std::vector<double> in = {1, 2}, weight = {10, 100}, bias = {3, 5};
  std::vector<double> out(4);
  std::vector<char> scratch(plain_conv_scratch_bytes(DType::f64, conv));
  plain_conv_to_small(DType::f64, conv, in.data(), weight.data(), bias.data(), out.data(),
                      scratch.data());
  EXPECT_EQ(out, (std::vector<double>{13, 23, 105, 205}));
}

}  // namespace
}  // namespace executorch::compute
