#include "compute/quantized/conv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

struct Case {
  std::string name;
  ConvShape shape;
};

ConvShape image(int64_t height, int64_t width, int64_t in, int64_t out, int64_t kernel) {
  ConvShape s;
  s.batch = 2;
  s.in_height = height, s.in_width = width;
  s.in_channels = in, s.out_channels = out;
  s.kernel_height = s.kernel_width = kernel;
  return s;
}

ConvShape with(ConvShape s, int64_t stride, int64_t padding, int64_t dilation, int64_t groups) {
  s.stride_height = s.stride_width = stride;
  s.pad_top = s.pad_bottom = s.pad_left = s.pad_right = padding;
  s.dilation_height = s.dilation_width = dilation;
  s.groups = groups;
  return s;
}

std::vector<Case> cases() {
  ConvShape uneven = with(image(6, 9, 5, 7, 3), 2, 1, 1, 1);
  uneven.pad_top = 0, uneven.pad_right = 2, uneven.kernel_width = 2;
  ConvShape transposed = with(image(4, 5, 6, 10, 3), 2, 1, 1, 1);
  transposed.transposed = true, transposed.output_padding_width = 1;
  ConvShape transposed_groups = with(image(3, 4, 8, 6, 2), 3, 0, 2, 2);
  transposed_groups.transposed = true;
  return {{"pointwise", image(5, 6, 20, 40, 1)},
          {"three", with(image(9, 8, 16, 33, 3), 1, 1, 1, 1)},
          {"first", with(image(17, 15, 3, 24, 3), 2, 1, 1, 1)},
          {"strided_point", with(image(8, 8, 12, 9, 1), 2, 0, 1, 1)},
          {"dilated", with(image(12, 11, 4, 6, 3), 1, 2, 2, 1)},
          {"groups", with(image(7, 7, 12, 18, 3), 1, 1, 1, 3)},
          {"uneven", uneven},
          {"wide_padding", with(image(2, 3, 4, 5, 3), 1, 3, 1, 1)},
          {"depthwise", with(image(9, 10, 70, 70, 3), 1, 1, 1, 70)},
          {"depthwise_strided", with(image(11, 12, 33, 33, 3), 2, 1, 1, 33)},
          {"depthwise_five", with(image(6, 7, 130, 130, 5), 1, 2, 1, 130)},
          {"depthwise_dilated", with(image(9, 9, 16, 16, 3), 2, 4, 3, 16)},
          {"depthwise_large", with(image(12, 10, 5, 5, 9), 1, 4, 1, 5)},
          {"multiplier", with(image(5, 5, 6, 12, 3), 1, 1, 1, 6)},
          {"transposed", transposed},
          {"transposed_groups", transposed_groups}};
}

std::vector<int8_t> random_bytes(int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> uniform(-128, 127);
  std::vector<int8_t> values(static_cast<size_t>(count));
  for (int8_t& value : values) value = static_cast<int8_t>(uniform(engine));
  return values;
}

/// Sums by the definition, padding aside: [batch, out height, out width, out channels].
std::vector<int32_t> reference(const ConvPlan& plan, const std::vector<int8_t>& in,
                               const std::vector<int8_t>& weight, const int32_t* zeros) {
  const ConvShape& s = plan.shape;
  const int64_t in_each = s.in_channels / s.groups, out_each = s.out_channels / s.groups;
  std::vector<int32_t> sums(
      static_cast<size_t>(s.batch * plan.out_height * plan.out_width * s.out_channels));
  // Every pair of an input and an output pixel that a tap joins.
  const auto join = [&](int64_t n, int64_t iy, int64_t ix, int64_t oy, int64_t ox, int64_t ky,
                        int64_t kx) {
    for (int64_t o = 0; o < s.out_channels; ++o) {
      const int64_t group = o / out_each;
      for (int64_t c = 0; c < in_each; ++c) {
        const int64_t channel = group * in_each + c;
        const int64_t row = s.transposed ? channel * out_each + o % out_each : o * in_each + c;
        const int8_t w =
            weight[static_cast<size_t>((row * s.kernel_height + ky) * s.kernel_width + kx)];
        const int8_t x = in[static_cast<size_t>(
            ((n * s.in_height + iy) * s.in_width + ix) * s.in_channels + channel)];
        sums[static_cast<size_t>(
            ((n * plan.out_height + oy) * plan.out_width + ox) * s.out_channels + o)] +=
            (x - zeros[n]) * w;
      }
    }
  };
  const auto inside = [](int64_t i, int64_t size) { return i >= 0 && i < size; };
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t ky = 0; ky < s.kernel_height; ++ky) {
      for (int64_t kx = 0; kx < s.kernel_width; ++kx) {
        const int64_t dy = ky * s.dilation_height - s.pad_top,
                      dx = kx * s.dilation_width - s.pad_left;
        const int64_t small_height = s.transposed ? s.in_height : plan.out_height;
        const int64_t small_width = s.transposed ? s.in_width : plan.out_width;
        for (int64_t y = 0; y < small_height; ++y) {
          for (int64_t x = 0; x < small_width; ++x) {
            const int64_t ly = y * s.stride_height + dy, lx = x * s.stride_width + dx;
            if (s.transposed && inside(ly, plan.out_height) && inside(lx, plan.out_width)) {
              join(n, y, x, ly, lx, ky, kx);
            } else if (!s.transposed && inside(ly, s.in_height) && inside(lx, s.in_width)) {
              join(n, ly, lx, y, x, ky, kx);
            }
          }
        }
      }
    }
  }
  return sums;
}

struct Parameters {
  Isa isa;
  bool dynamic;
};

/// A convolution with random weights, ready to run.
struct Convolution {
  Convolution(const ConvShape& shape, const Parameters& parameters) {
    const bool dynamic = parameters.dynamic;
    EXPECT_TRUE(byte_conv_plan(shape, parameters.isa, dynamic, &plan));
    const ConvShape& s = plan.conv.shape;
    const int64_t taps = s.kernel_height * s.kernel_width;
    weight = random_bytes(s.out_channels * s.in_channels / s.groups * taps, 2);
    const int64_t second = s.transposed ? s.out_channels / s.groups : s.in_channels / s.groups;
    const int64_t strides[4] = {second * taps, taps, s.kernel_width, 1};
    lines.resize(plan.packed_bytes / sizeof(Line) + 1);
    char* const packed = lines[0].bytes;
    byte_conv_pack(plan, weight.data(), strides, packed);

    zeros[1] = dynamic ? 100 : zeros[0];
    rows[1] = static_cast<float>(zeros[0]), rows[3] = static_cast<float>(zeros[1]);
    const size_t columns = static_cast<size_t>(plan.groups * plan.padded);
    start.resize(columns), sums.resize(columns);
    scale.resize(columns, 1.0f), small.resize(columns, 0.001f);
    for (size_t i = 0; i < columns; ++i) {
      const int64_t group = static_cast<int64_t>(i) / plan.padded,
                    column = static_cast<int64_t>(i) % plan.padded;
      if (column >= plan.matrix.n) continue;
      sums[i] = byte_conv_sums(plan, packed)[group * byte_conv_sums_stride(plan) + column];
      start[i] = -(zeros[0] + plan.offset) * sums[i];
    }
    args.packed = packed;
    args.zero_point = zeros[0];
    args.output.start = start.data();
    if (dynamic) args.output.rows = rows, args.output.weight_sums = sums.data();
  }

  int64_t out_pixels() const {
    return plan.conv.shape.batch * plan.conv.out_height * plan.conv.out_width;
  }
  void run(const int8_t* in, void* out) {
    args.in = in;
    args.out = out;
    std::vector<char> scratch(byte_conv_scratch_bytes(plan, threadpool::pool_thread_count()) + 1);
    byte_conv_run(plan, args, scratch.data(), scratch.size());
  }
  void run(const int8_t* in, float* out) {
    args.output.scale = scale.data();
    args.output.to_float = true;
    args.output.low = -INFINITY, args.output.high = INFINITY;
    run(in, static_cast<void*>(out));
  }
  void run(const int8_t* in, int8_t* out) {
    args.output.scale = small.data();
    args.output.to_float = false;
    args.output.low = -128 - 4, args.output.high = 127 - 4;
    args.output.zero_point = 4;
    run(in, static_cast<void*>(out));
  }

  ByteConvPlan plan;
  std::vector<int8_t> weight;
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> lines;  ///< the packed weight
  int32_t zeros[2] = {-3, -3};
  float rows[4] = {1.0f, 0, 2.0f, 0};
  std::vector<int32_t> start, sums;
  std::vector<float> scale, small;
  ByteConvArgs args;
};

class ByteConvTest : public testing::TestWithParam<Parameters> {};

TEST_P(ByteConvTest, EqualsTheDefinition) {
  const auto [isa, dynamic] = GetParam();
  if (!isa_supported(isa)) GTEST_SKIP() << "not supported by this CPU";
  for (const Case& c : cases()) {
    Convolution convolution(c.shape, GetParam());
    const ConvShape& s = convolution.plan.conv.shape;
    const auto in = random_bytes(s.batch * s.in_height * s.in_width * s.in_channels, 1);
    const auto expected =
        reference(convolution.plan.conv, in, convolution.weight, convolution.zeros);
    std::vector<float> out(expected.size());
    convolution.run(in.data(), out.data());
    const size_t image_values = expected.size() / 2;
    for (size_t i = 0; i < expected.size(); ++i) {
      const float factor = dynamic && i >= image_values ? 2.0f : 1.0f;
      ASSERT_EQ(out[i], static_cast<float>(expected[i]) * factor) << c.name << " at " << i;
    }
    if (dynamic) continue;

    // The same, rounded to bytes.
    std::vector<int8_t> bytes(expected.size() + 1, 55);
    convolution.run(in.data(), bytes.data());
    for (size_t i = 0; i < expected.size(); ++i) {
      const float q = std::nearbyint(static_cast<float>(expected[i]) * 0.001f) + 4;
      ASSERT_EQ(bytes[i], static_cast<int8_t>(std::clamp(q, -128.0f, 127.0f)))
          << c.name << " at " << i;
    }
    ASSERT_EQ(bytes.back(), 55);
  }
}

/// Channels [0, channels) of pixels `stride` apart; what lies between is `between`.
template <class T>
std::vector<T> spread(const std::vector<T>& dense, int64_t channels, int64_t stride, T between) {
  const int64_t pixels = static_cast<int64_t>(dense.size()) / channels;
  std::vector<T> wide(static_cast<size_t>(pixels * stride), between);
  for (int64_t i = 0; i < pixels; ++i) {
    std::copy_n(dense.begin() + i * channels, channels, wide.begin() + i * stride);
  }
  return wide;
}

// Images that are slices of wider ones; nothing is written between their pixels.
TEST_P(ByteConvTest, PixelsMayLieApart) {
  if (!isa_supported(GetParam().isa)) GTEST_SKIP() << "not supported by this CPU";
  for (const Case& c : cases()) {
    ConvShape apart = c.shape;
    apart.in_pixel_stride = apart.in_channels + 3;
    apart.out_pixel_stride = apart.out_channels + 5;
    Convolution near(c.shape, GetParam()), far(apart, GetParam());
    const ConvShape& s = c.shape;
    const auto in = random_bytes(s.batch * s.in_height * s.in_width * s.in_channels, 1);
    const auto wide_in = spread(in, s.in_channels, apart.in_pixel_stride, int8_t{77});
    const auto values = static_cast<size_t>(near.out_pixels() * s.out_channels);
    const auto compare = [&](auto between) {
      std::vector<decltype(between)> out(values);
      near.run(in.data(), out.data());
      const auto expected = spread(out, s.out_channels, apart.out_pixel_stride, between);
      std::vector<decltype(between)> wide(expected.size(), between);
      far.run(wide_in.data(), wide.data());
      ASSERT_EQ(wide, expected) << c.name;
    };
    compare(99.0f);
    if (!GetParam().dynamic) compare(int8_t{99});
  }
}

std::vector<Parameters> parameters() {
  std::vector<Parameters> all;
  for (size_t i = 0; i < kIsaCount; ++i) {
    for (const bool dynamic : {false, true}) all.push_back({static_cast<Isa>(i), dynamic});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, ByteConvTest, testing::ValuesIn(parameters()),
                         [](const auto& info) {
                           return std::string(isa_name(info.param.isa)) +
                                  (info.param.dynamic ? "_dynamic" : "_static");
                         });

}  // namespace
}  // namespace executorch::compute
