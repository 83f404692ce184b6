#include "compute/resize/resize.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "compute/cpu/cpu.h"
#include "compute/resize/grid_sampler.h"

namespace executorch::compute {
namespace {

constexpr Interpolation kSmooth[] = {Interpolation::linear, Interpolation::cubic,
                                     Interpolation::lanczos};

std::vector<double> ramp(int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i % 17) - 5;
  return values;
}

int64_t in_count(const ResizeShape& s) {
  return s.outer * s.inner * s.z.in * s.y.in * s.x.in;
}
int64_t out_count(const ResizeShape& s) {
  return s.outer * s.inner * s.z.out * s.y.out * s.x.out;
}

template <class T>
std::vector<T> resized(const ResizeShape& s, const std::vector<T>& in) {
  std::vector<T> out(static_cast<size_t>(out_count(s)));
  std::vector<char> scratch(resize_scratch_bytes(s));
  resize(s, in.data(), out.data(), scratch.data(), scratch.size());
  return out;
}

class ResizeTest : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    before_ = active_isa();
    if (!set_active_isa(static_cast<Isa>(GetParam())))
      GTEST_SKIP() << "this machine lacks the instruction set";
  }
  void TearDown() override { set_active_isa(before_); }
  Isa before_;
};

TEST_P(ResizeTest, ConstantImagesStayConstant) {
  for (Interpolation interpolation : kSmooth) {
    for (bool antialias : {true, false}) {
      if (interpolation == Interpolation::lanczos && !antialias) continue;
      for (int64_t inner : {1, 3}) {
        ResizeShape s;
        s.outer = 2, s.inner = inner, s.interpolation = interpolation, s.antialias = antialias;
        s.z = {2, 5}, s.y = {11, 4}, s.x = {7, 19};
        const std::vector<float> in(static_cast<size_t>(in_count(s)), 3.0f);
        for (float value : resized(s, in)) EXPECT_NEAR(value, 3.0f, 1e-5f);
      }
    }
  }
}

TEST_P(ResizeTest, GradientIsTheAdjoint) {
  for (Interpolation interpolation :
       {Interpolation::linear, Interpolation::cubic, Interpolation::lanczos}) {
    for (bool antialias : {true, false}) {
      if (interpolation == Interpolation::lanczos && !antialias) continue;
      ResizeShape s;
      s.outer = 3, s.interpolation = interpolation, s.antialias = antialias;
      s.z = {2, 3}, s.y = {9, 4}, s.x = {5, 8};
      const std::vector<double> in = ramp(in_count(s)), grad = ramp(out_count(s));
      std::vector<double> grad_in(in.size());
      std::vector<char> scratch(resize_scratch_bytes(s));
      resize_backward(s, grad.data(), grad_in.data(), scratch.data());
      const std::vector<double> out = resized(s, in);
      double forward = 0, backward = 0;
      for (size_t i = 0; i < out.size(); ++i) forward += out[i] * grad[i];
      for (size_t i = 0; i < in.size(); ++i) backward += in[i] * grad_in[i];
      EXPECT_NEAR(forward, backward, 1e-9);
    }
  }
}

TEST_P(ResizeTest, LinearByHand) {
  ResizeShape s;
  s.x = {2, 4};
  EXPECT_EQ(resized<double>(s, {0, 4}), (std::vector<double>{0, 1, 3, 4}));
  s.align_corners = true;
  s.x = {2, 5};
  EXPECT_EQ(resized<double>(s, {0, 4}), (std::vector<double>{0, 1, 2, 3, 4}));
  s = {};
  s.antialias = true;
  s.x = {4, 2};
  const std::vector<double> halved = resized<double>(s, {1, 1, 8, 8});
  EXPECT_NEAR(halved[0], 2.0, 1e-12);  // weights 3, 3, 1 of 7
  EXPECT_NEAR(halved[1], 7.0, 1e-12);
}

TEST_P(ResizeTest, ChannelsLastAgreesWithPlanes) {
  ResizeShape last;
  last.outer = 2, last.inner = 3, last.y = {5, 7}, last.x = {6, 4};
  ResizeShape planes = last;
  planes.outer = 6, planes.inner = 1;
  const std::vector<double> in = ramp(in_count(last));
  std::vector<double> separate(in.size());
  for (size_t i = 0; i < in.size(); ++i) separate[(i / 90 * 3 + i % 3) * 30 + i / 3 % 30] = in[i];
  const std::vector<double> a = resized(last, in), b = resized(planes, separate);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[(i / 84 * 3 + i % 3) * 28 + i / 3 % 28], 1e-12);
  }
}

TEST_P(ResizeTest, Bytes) {
  ResizeShape s;
  s.y = {2, 3}, s.x = {4, 8};
  const std::vector<uint8_t> in(8, 200);
  std::vector<uint8_t> out(24);
  std::vector<char> scratch(resize_bytes_scratch_bytes(s));
  resize_bytes(s, in.data(), out.data(), scratch.data());
  for (uint8_t value : out) EXPECT_EQ(value, 200);
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, ResizeTest, ::testing::Range<size_t>(0, kIsaCount),
                         [](const auto& info) {
                           return std::string(isa_name(static_cast<Isa>(info.param)));
                         });

TEST(ResizeNearest, TakesWholePixels) {
  ResizeShape s;
  s.interpolation = Interpolation::nearest;
  s.y = {2, 3}, s.x = {3, 5};
  const std::vector<uint16_t> in = {1, 2, 3, 4, 5, 6};
  std::vector<uint16_t> out(15);
  std::vector<char> scratch(resize_scratch_bytes(s));
  resize_nearest(s, sizeof(uint16_t), in.data(), out.data(), scratch.data());
  EXPECT_EQ(out, (std::vector<uint16_t>{1, 1, 2, 2, 3, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6}));
  s.interpolation = Interpolation::nearest_exact;
  resize_nearest(s, sizeof(uint16_t), in.data(), out.data(), scratch.data());
  EXPECT_EQ(out, (std::vector<uint16_t>{1, 1, 2, 3, 3, 4, 4, 5, 6, 6, 4, 4, 5, 6, 6}));
}

TEST(Resize, ScalesBeyondAllBoundsAreHarmless) {
  for (double scale : {1e-300, 1e300}) {
    for (bool antialias : {true, false}) {
      ResizeShape s;
      s.antialias = antialias;
      s.x = {4, 6, scale};
      EXPECT_EQ(resized<float>(s, {1, 1, 1, 1}).size(), 6u);
    }
  }
}

TEST(GridSample, EndsAndBeyond) {
  GridSampler s;
  s.size[2] = 3, s.points = 4, s.align_corners = true;
  const std::vector<double> in = {1, 2, 4};
  const std::vector<double> grid = {-1, 0, 0.5, 0, 1, 0, 2, 0};
  std::vector<double> out(4);
  grid_sample(s, in.data(), grid.data(), out.data());
  EXPECT_EQ(out, (std::vector<double>{1, 3, 4, 0}));
  s.padding = GridPadding::border;
  grid_sample(s, in.data(), grid.data(), out.data());
  EXPECT_EQ(out[3], 4);
  s.padding = GridPadding::reflection;
  grid_sample(s, in.data(), grid.data(), out.data());
  EXPECT_EQ(out[3], 2);
}

}  // namespace
}  // namespace executorch::compute
