#include "compute/conv/conv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "compute/conv/winograd.h"
#include "compute/cpu/guarded_floats.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// One layer with weights, bias, residual and clamp, computed by the library and, in double, by
/// definition.
class Layer {
 public:
  explicit Layer(const ConvShape& shape, bool winograd = false) {
    planned_ = conv_plan(shape, active_isa(), &plan_);
    if (!planned_) return;
    if (winograd && winograd_fits(plan_.shape)) {
      plan_.algorithm = ConvAlgorithm::winograd;
      plan_.packed_bytes = winograd_packed_bytes(plan_.isa, plan_.shape);
    }
    const ConvShape& s = plan_.shape;
    // The last pixel ends with its channels.
    const int64_t in_gap = s.in_pixel_stride - s.in_channels;
    in_ = random(s.batch * s.in_depth * s.in_height * s.in_width * s.in_pixel_stride - in_gap, 1);
    weight_ = random(s.in_channels * s.out_channels / s.groups * s.kernel_depth * s.kernel_height *
                         s.kernel_width,
                     2);
    bias_ = random(s.out_channels, 3);
    scale_ = random(s.out_channels, 4);
    residual_ = random(pixels() * s.out_channels, 5);
  }

  bool planned() const { return planned_; }
  const ConvPlan& plan() const { return plan_; }
  int64_t pixels() const {
    return plan_.shape.batch * plan_.out_depth * plan_.out_height * plan_.out_width;
  }

  void set_input(int64_t index, float value) { (*in_)[static_cast<size_t>(index)] = value; }
  const float* scale() const { return scale_->data(); }

  std::vector<float> run() const {
    GuardedFloats packed(static_cast<int64_t>(plan_.packed_bytes / sizeof(float)), 6);
    conv_pack(plan_, contiguous_weight(plan_.shape, weight_->data()), scale_->data(),
              packed.data());
    std::vector<float> out(static_cast<size_t>(pixels() * plan_.shape.out_pixel_stride), 77.0f);
    std::vector<char> scratch(conv_scratch_bytes(plan_) + 1);
    Epilogue epilogue;
    epilogue.bias = bias_->data();
    epilogue.residual = residual_->data();
    epilogue.lo = -1.5f;
    epilogue.hi = 6.0f;
    epilogue.map = {[](const void*, float* values, int64_t count) {
                      for (int64_t i = 0; i < count; ++i) values[i] *= 2.0f;
                    },
                    nullptr};
    conv_run(plan_, packed.data(), in_->data(), out.data(), epilogue, scratch.data(),
             scratch.size());
    return out;
  }

  /// The same packed bits from a weight whose outer and inner dims and taps lie `strides` apart: by
  /// outer, inner, row and column.
  bool packs_alike(const int64_t (&strides)[4]) const {
    const ConvShape& s = plan_.shape;
    const int64_t inner = (s.transposed ? s.out_channels : s.in_channels) / s.groups;
    const int64_t rows = s.kernel_depth * s.kernel_height, columns = s.kernel_width;
    const auto count = static_cast<int64_t>(weight_->size());
    GuardedFloats moved(count, 9);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t to = i / columns / rows / inner * strides[0] +
                         i / columns / rows % inner * strides[1] + i / columns % rows * strides[2] +
                         i % columns * strides[3];
      moved[static_cast<size_t>(to)] = (*weight_)[static_cast<size_t>(i)];
    }
    const ConvWeight weight{moved.data(), strides[s.transposed ? 1 : 0],
                            strides[s.transposed ? 0 : 1], strides[2], strides[3]};
    const auto floats = static_cast<int64_t>(plan_.packed_bytes / sizeof(float));
    for (const float* scale : {scale_->data(), static_cast<float*>(nullptr)}) {
      GuardedFloats expected(floats, 6), packed(floats, 7);
      conv_pack(plan_, contiguous_weight(s, weight_->data()), scale, expected.data());
      conv_pack(plan_, weight, scale, packed.data());
      if (std::memcmp(expected.data(), packed.data(), plan_.packed_bytes) != 0) return false;
    }
    return true;
  }

  bool packs_any_layout() const {
    const ConvShape& s = plan_.shape;
    const int64_t inner = (s.transposed ? s.out_channels : s.in_channels) / s.groups;
    const int64_t rows = s.kernel_depth * s.kernel_height, columns = s.kernel_width;
    const int64_t outer = rows * columns * inner;
    return packs_alike({outer, 1, columns * inner, inner}) &&
           packs_alike({outer, rows * columns, 1, rows});
  }

  std::vector<double> expected() const {
    const ConvShape& s = plan_.shape;
    std::vector<double> sums(static_cast<size_t>(pixels() * s.out_channels), 0.0);
    for (int64_t b = 0; b < s.batch; ++b) {
      for (int64_t oz = 0; oz < plan_.out_depth; ++oz) {
        for (int64_t kz = 0; kz < s.kernel_depth; ++kz) {
          const int64_t iz = oz * s.stride_depth - s.pad_front + kz * s.dilation_depth;
          if (iz < 0 || iz >= s.in_depth) continue;
          add_plane(b * s.in_depth + iz, kz, b * plan_.out_depth + oz, sums);
        }
      }
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      const double value = sums[i] + (*bias_)[i % bias_->size()] + (*residual_)[i];
      sums[i] = 2.0 * std::min(std::max(value, -1.5), 6.0);
    }
    return sums;
  }

 private:
  /// What one plane of the kernel contributes to a plane of the output.
  void add_plane(int64_t in_plane, int64_t kz, int64_t out_plane, std::vector<double>& sums) const {
    const ConvShape& s = plan_.shape;
    for (int64_t ky = 0; ky < s.kernel_height; ++ky) {
      for (int64_t kx = 0; kx < s.kernel_width; ++kx) {
        const int64_t tap = (kz * s.kernel_height + ky) * s.kernel_width + kx;
        const int64_t small_h = s.transposed ? s.in_height : plan_.out_height;
        const int64_t small_w = s.transposed ? s.in_width : plan_.out_width;
        for (int64_t sy = 0; sy < small_h; ++sy) {
          for (int64_t sx = 0; sx < small_w; ++sx) {
            const int64_t ly = sy * s.stride_height - s.pad_top + ky * s.dilation_height;
            const int64_t lx = sx * s.stride_width - s.pad_left + kx * s.dilation_width;
            const int64_t iy = s.transposed ? sy : ly, ix = s.transposed ? sx : lx;
            const int64_t oy = s.transposed ? ly : sy, ox = s.transposed ? lx : sx;
            if (iy < 0 || iy >= s.in_height || ix < 0 || ix >= s.in_width) continue;
            if (oy < 0 || oy >= plan_.out_height || ox < 0 || ox >= plan_.out_width) continue;
            add_tap((in_plane * s.in_height + iy) * s.in_width + ix, tap,
                    (out_plane * plan_.out_height + oy) * plan_.out_width + ox, sums);
          }
        }
      }
    }
  }

  /// What one input pixel contributes to an output pixel.
  void add_tap(int64_t in_pixel, int64_t tap, int64_t out_pixel, std::vector<double>& sums) const {
    const ConvShape& s = plan_.shape;
    const int64_t in_each = s.in_channels / s.groups, out_each = s.out_channels / s.groups;
    const int64_t taps = s.kernel_depth * s.kernel_height * s.kernel_width;
    const float* in = in_->data() + in_pixel * s.in_pixel_stride;
    double* out = sums.data() + out_pixel * s.out_channels;
    for (int64_t o = 0; o < s.out_channels; ++o) {
      const int64_t g = o / out_each;
      for (int64_t i = 0; i < in_each; ++i) {
        const int64_t row =
            s.transposed ? (g * in_each + i) * out_each + o % out_each : o * in_each + i;
        out[o] +=
            static_cast<double>(in[g * in_each + i]) *
            ((*weight_)[static_cast<size_t>(row * taps + tap)] * (*scale_)[static_cast<size_t>(o)]);
      }
    }
  }

  using Floats = std::unique_ptr<GuardedFloats>;
  static Floats random(int64_t count, unsigned seed) {
    return std::make_unique<GuardedFloats>(count, seed);
  }

  bool planned_ = false;
  ConvPlan plan_;
  Floats in_, weight_, bias_, scale_, residual_;
};

void check(const ConvShape& shape, ConvAlgorithm algorithm) {
  const Layer layer(shape, algorithm == ConvAlgorithm::winograd);
  ASSERT_TRUE(layer.planned());
  ASSERT_EQ(layer.plan().algorithm, algorithm);
  EXPECT_TRUE(layer.packs_any_layout());
  const std::vector<float> out = layer.run();
  const std::vector<double> expected = layer.expected();
  const ConvShape& s = layer.plan().shape;
  for (int64_t pixel = 0; pixel < layer.pixels(); ++pixel) {
    for (int64_t c = 0; c < s.out_pixel_stride; ++c) {
      const float value = out[static_cast<size_t>(pixel * s.out_pixel_stride + c)];
      if (c >= s.out_channels) {
        ASSERT_EQ(value, 77.0f) << "wrote behind the channels of pixel " << pixel;
      } else {
        ASSERT_NEAR(value, expected[static_cast<size_t>(pixel * s.out_channels + c)], 2e-4)
            << "pixel " << pixel << " channel " << c;
      }
    }
  }
}

ConvShape image(int64_t batch, int64_t height, int64_t width, int64_t in, int64_t out) {
  ConvShape s;
  s.batch = batch, s.in_height = height, s.in_width = width, s.in_channels = in,
  s.out_channels = out;
  return s;
}

ConvShape with_kernel(ConvShape s, int64_t height, int64_t width, int64_t stride, int64_t pad,
                      int64_t dilation = 1) {
  s.kernel_height = height, s.kernel_width = width;
  s.stride_height = s.stride_width = stride;
  s.pad_top = s.pad_bottom = s.pad_left = s.pad_right = pad;
  s.dilation_height = s.dilation_width = dilation;
  return s;
}

ConvShape with_depth(ConvShape s, int64_t depth, int64_t kernel, int64_t stride, int64_t pad,
                     int64_t dilation = 1) {
  s.in_depth = depth, s.kernel_depth = kernel, s.stride_depth = stride;
  s.pad_front = s.pad_back = pad, s.dilation_depth = dilation;
  return s;
}

ConvShape grouped(ConvShape s, int64_t groups) {
  s.groups = groups;
  return s;
}

ConvShape transposed(ConvShape s, int64_t output_padding = 0) {
  s.transposed = true;
  s.output_padding_height = s.output_padding_width = output_padding;
  return s;
}

ConvShape strided(ConvShape s) {
  s.in_pixel_stride = s.in_channels + 3;
  s.out_pixel_stride = s.out_channels + 5;
  return s;
}

class ConvTest : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    before_ = active_isa();
    if (!set_active_isa(static_cast<Isa>(GetParam())))
      GTEST_SKIP() << "this machine lacks the instruction set";
  }
  void TearDown() override { set_active_isa(before_); }
  Isa before_;
};

TEST_P(ConvTest, Pointwise) {
  check(image(2, 5, 7, 19, 33), ConvAlgorithm::matrix);
  check(strided(image(1, 3, 3, 8, 70)), ConvAlgorithm::matrix);
  check(grouped(image(1, 6, 5, 12, 8), 4), ConvAlgorithm::matrix);
}

TEST_P(ConvTest, Gathered) {
  check(with_kernel(image(1, 9, 8, 3, 20), 3, 3, 1, 1), ConvAlgorithm::gather);
  check(with_kernel(image(2, 23, 17, 3, 16), 7, 7, 2, 3), ConvAlgorithm::gather);
  check(with_kernel(image(1, 8, 8, 80, 40), 3, 3, 1, 1), ConvAlgorithm::gather);
  check(with_kernel(image(1, 13, 10, 5, 9), 3, 2, 1, 2, 2), ConvAlgorithm::gather);
  check(with_kernel(image(1, 9, 9, 6, 7), 1, 1, 2, 0), ConvAlgorithm::gather);
  check(strided(with_kernel(image(1, 7, 6, 10, 11), 3, 3, 1, 1)), ConvAlgorithm::gather);
  check(grouped(with_kernel(image(2, 7, 6, 12, 18), 3, 3, 2, 1), 3), ConvAlgorithm::gather);
  check(grouped(with_kernel(image(1, 7, 6, 4, 8), 3, 3, 1, 1), 4), ConvAlgorithm::gather);
}

TEST_P(ConvTest, AsymmetricPaddingAndStride) {
  ConvShape s = with_kernel(image(1, 11, 9, 4, 6), 3, 5, 1, 0);
  s.pad_top = 2, s.pad_left = 1, s.pad_right = 4;
  s.stride_width = 3;
  check(s, ConvAlgorithm::gather);
}

TEST_P(ConvTest, OneDimension) {
  check(with_kernel(image(2, 1, 40, 16, 24), 1, 5, 2, 0), ConvAlgorithm::gather);
}

TEST_P(ConvTest, Volumes) {
  check(with_depth(image(2, 5, 4, 7, 12), 3, 1, 1, 0), ConvAlgorithm::matrix);
  check(with_depth(with_kernel(image(2, 6, 5, 4, 9), 3, 3, 1, 1), 5, 3, 1, 1),
        ConvAlgorithm::gather);
  check(with_depth(with_kernel(image(1, 9, 8, 3, 20), 3, 2, 2, 0), 7, 2, 3, 1, 2),
        ConvAlgorithm::gather);
  check(with_depth(image(1, 4, 5, 6, 7), 6, 3, 2, 0), ConvAlgorithm::gather);
  check(with_depth(with_kernel(image(1, 9, 9, 80, 40), 3, 3, 1, 1), 4, 3, 1, 2),
        ConvAlgorithm::gather);
  check(strided(with_depth(grouped(with_kernel(image(2, 5, 6, 8, 12), 3, 3, 1, 1), 4), 3, 2, 1, 0)),
        ConvAlgorithm::gather);
  check(with_depth(grouped(with_kernel(image(2, 7, 6, 21, 21), 3, 3, 2, 1), 21), 5, 3, 1, 1),
        ConvAlgorithm::depthwise);
  ConvPlan plan;
  EXPECT_FALSE(
      conv_plan(transposed(with_depth(image(1, 4, 4, 2, 2), 3, 1, 1, 0)), Isa::baseline, &plan));
}

TEST_P(ConvTest, Depthwise) {
  for (int64_t kernel : {3, 5}) {
    for (int64_t stride : {1, 2}) {
      for (int64_t channels : {8, 21, 64}) {
        check(grouped(with_kernel(image(2, 12, 15, channels, channels), kernel, kernel, stride,
                                  kernel / 2),
                      channels),
              ConvAlgorithm::depthwise);
      }
    }
  }
  check(grouped(with_kernel(image(1, 12, 15, 6, 6), 3, 3, 1, 2, 2), 6), ConvAlgorithm::depthwise);
  check(grouped(with_kernel(image(1, 2, 2, 9, 9), 5, 5, 1, 2), 9), ConvAlgorithm::depthwise);
  check(grouped(with_kernel(image(1, 1, 50, 33, 33), 1, 4, 3, 0), 33), ConvAlgorithm::depthwise);
  check(strided(grouped(with_kernel(image(1, 9, 9, 20, 20), 3, 3, 1, 1), 20)),
        ConvAlgorithm::depthwise);
}

TEST_P(ConvTest, Winograd) {
  for (int64_t height : {2, 3, 8, 13}) {
    for (int64_t channels : {3, 16, 37}) {
      check(with_kernel(image(2, height, 11, channels, 70 - channels), 3, 3, 1, 1),
            ConvAlgorithm::winograd);
    }
  }
  check(with_kernel(image(1, 9, 8, 20, 33), 3, 3, 1, 0), ConvAlgorithm::winograd);
  check(strided(with_kernel(image(1, 7, 6, 10, 11), 3, 3, 1, 2)), ConvAlgorithm::winograd);
  ConvShape s = with_kernel(image(1, 6, 9, 5, 40), 3, 3, 1, 0);
  s.pad_top = 3, s.pad_right = 4;
  check(s, ConvAlgorithm::winograd);
}

// Differences of infinities must not become visible, nor one window's NaN in the next.
TEST_P(ConvTest, WinogradKeepsInfinitiesAndNaN) {
  const float inf = std::numeric_limits<float>::infinity();
  const ConvShape shape = with_kernel(image(1, 12, 12, 8, 20), 3, 3, 1, 1);
  for (float value : {inf, -inf, std::numeric_limits<float>::quiet_NaN(), 3e38f, -1e30f}) {
    Layer direct(shape), winograd(shape, true);
    for (int64_t pixel : {0, 40, 41, 143}) {
      direct.set_input(pixel * 8 + 3, value);
      winograd.set_input(pixel * 8 + 3, value);
    }
    const std::vector<float> expected = direct.run(), got = winograd.run();
    for (size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(expected[i])) {
        ASSERT_TRUE(std::isnan(got[i])) << value << " at " << i;
      } else {
        ASSERT_NEAR(got[i], expected[i], 2e-4) << value << " at " << i;
      }
    }
  }
}

TEST_P(ConvTest, WinogradIsPreferredForFittingSizesAndModerateWeights) {
  const auto preferred = [](const ConvShape& shape, float weight) {
    Layer layer(shape);
    ConvPlan plan = layer.plan();
    std::vector<float> weights(static_cast<size_t>(shape.in_channels * shape.out_channels * 9));
    weights.back() = weight;
    return conv_prefer_winograd(&plan, weights.data(), layer.scale()) &&
           plan.algorithm == ConvAlgorithm::winograd;
  };
  const ConvShape shape = with_kernel(image(1, 56, 56, 64, 64), 3, 3, 1, 1);
  EXPECT_TRUE(preferred(shape, 1.0f));
  for (float weight : {INFINITY, -INFINITY, NAN, 1e30f, -1e30f})
    EXPECT_FALSE(preferred(shape, weight)) << weight;
  EXPECT_FALSE(preferred(with_kernel(image(1, 56, 56, 64, 64), 3, 3, 2, 1), 1.0f));
  EXPECT_FALSE(preferred(with_kernel(image(1, 56, 56, 64, 64), 3, 3, 1, 2, 2), 1.0f));
  EXPECT_FALSE(preferred(with_kernel(image(1, 56, 56, 3, 64), 3, 3, 1, 1), 1.0f));
  EXPECT_FALSE(preferred(with_kernel(image(1, 4, 4, 64, 64), 3, 3, 1, 1), 1.0f));
  EXPECT_FALSE(preferred(with_kernel(image(1, 56, 56, 1024, 1024), 3, 3, 1, 1), 1.0f));
}

TEST_P(ConvTest, Transposed) {
  check(transposed(with_kernel(image(1, 5, 4, 6, 10), 3, 3, 1, 1)), ConvAlgorithm::transposed);
  check(transposed(with_kernel(image(2, 5, 4, 6, 10), 3, 3, 2, 1), 1), ConvAlgorithm::transposed);
  check(transposed(with_kernel(image(1, 4, 5, 3, 2), 2, 2, 2, 0)), ConvAlgorithm::transposed);
  check(transposed(with_kernel(image(1, 4, 5, 3, 2), 2, 2, 3, 0)), ConvAlgorithm::transposed);
  check(transposed(with_kernel(image(1, 4, 5, 3, 2), 3, 3, 2, 1, 2)), ConvAlgorithm::transposed);
  check(transposed(with_kernel(image(1, 4, 5, 3, 2), 4, 3, 3, 1, 2), 1), ConvAlgorithm::transposed);
  check(strided(transposed(grouped(with_kernel(image(1, 4, 5, 8, 12), 4, 4, 2, 1), 4))),
        ConvAlgorithm::transposed);
}

TEST_P(ConvTest, SameBitsForAnyThreadCount) {
  const ConvShape shapes[] = {
      with_kernel(image(1, 28, 28, 64, 96), 3, 3, 1, 1),
      with_kernel(image(1, 28, 28, 64, 96), 3, 3, 1, 1, 2),
      grouped(with_kernel(image(1, 56, 56, 48, 48), 3, 3, 1, 1), 48),
      transposed(with_kernel(image(1, 14, 14, 32, 32), 4, 4, 2, 1)),
      with_depth(with_kernel(image(1, 12, 12, 24, 40), 3, 3, 1, 1), 6, 3, 1, 1)};
  for (const ConvShape& shape : shapes) {
    const Layer layer(shape, winograd_fits(shape));
    ASSERT_TRUE(layer.planned());
    threadpool::set_thread_count(1);
    const std::vector<float> one = layer.run();
    threadpool::set_thread_count(3);
    const std::vector<float> three = layer.run();
    threadpool::set_thread_count(0);
    EXPECT_EQ(std::memcmp(one.data(), three.data(), one.size() * sizeof(float)), 0);
  }
}

TEST(ConvPlanTest, RefusesNonsense) {
  ConvPlan plan;
  EXPECT_TRUE(conv_plan(image(1, 5, 5, 4, 4), Isa::baseline, &plan));
  EXPECT_FALSE(conv_plan(image(1, 5, 5, 0, 4), Isa::baseline, &plan));
  EXPECT_FALSE(conv_plan(image(1, 5, 5, 4, -1), Isa::baseline, &plan));
  EXPECT_FALSE(conv_plan(grouped(image(1, 5, 5, 4, 6), 4), Isa::baseline, &plan));
  EXPECT_FALSE(conv_plan(with_kernel(image(1, 5, 5, 4, 4), 7, 7, 1, 0), Isa::baseline, &plan));
  EXPECT_FALSE(conv_plan(with_kernel(image(1, 5, 5, 4, 4), 3, 3, 0, 0), Isa::baseline, &plan));
  EXPECT_FALSE(conv_plan(with_kernel(image(1, 5, 5, 4, 4), 3, 3, 1, INT64_MAX / 2 + 1),
                         Isa::baseline, &plan));
  EXPECT_FALSE(conv_plan(with_kernel(image(1, 5, 5, 4, 4), 3, 3, 1, 1, INT64_MAX / 2),
                         Isa::baseline, &plan));
  EXPECT_FALSE(conv_plan(image(INT64_MAX / 4, 5, 5, 4, 4), Isa::baseline, &plan));
  EXPECT_FALSE(conv_plan(image(1, 5, 5, INT64_MAX / 4, INT64_MAX / 4), Isa::baseline, &plan));
  EXPECT_FALSE(conv_plan(transposed(with_kernel(image(1, INT64_MAX / 2, 5, 4, 4), 3, 3, 4, 1)),
                         Isa::baseline, &plan));
}

TEST(ConvPlanTest, PackingIsSharedAcrossImageSizes) {
  ConvPlan a, b, c;
  ASSERT_TRUE(conv_plan(with_kernel(image(1, 5, 5, 4, 4), 3, 3, 1, 1), Isa::baseline, &a));
  ASSERT_TRUE(conv_plan(with_kernel(image(3, 9, 7, 4, 4), 3, 3, 2, 1), Isa::baseline, &b));
  ASSERT_TRUE(conv_plan(with_kernel(image(1, 5, 5, 4, 8), 3, 3, 1, 1), Isa::baseline, &c));
  EXPECT_TRUE(conv_same_packing(a, b));
  EXPECT_FALSE(conv_same_packing(a, c));
}

TEST(ConvLayout, TransposesBothWays) {
  const int64_t batch = 2, channels = 13, pixels = 150;
  const GuardedFloats nchw(batch * channels * pixels, 9);
  GuardedFloats nhwc(batch * channels * pixels, 8), back(batch * channels * pixels, 7);
  nchw_to_nhwc(nchw.data(), nhwc.data(), batch, channels, pixels);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = 0; p < pixels; ++p) {
        ASSERT_EQ(nhwc[static_cast<size_t>((b * pixels + p) * channels + c)],
                  nchw[static_cast<size_t>((b * channels + c) * pixels + p)]);
      }
    }
  }
  nhwc_to_nchw(nhwc.data(), back.data(), batch, channels, pixels);
  EXPECT_EQ(std::memcmp(nchw.data(), back.data(), nchw.size() * sizeof(float)), 0);
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, ConvTest, ::testing::Range<size_t>(0, kIsaCount),
                         [](const auto& info) {
                           return std::string(isa_name(static_cast<Isa>(info.param)));
                         });

}  // namespace
}  // namespace executorch::compute
