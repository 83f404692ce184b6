#include "compute/norm/norm_backward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace executorch::compute {
namespace {

using Values = std::vector<double>;

Values some(size_t count, double phase) {
  Values values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = std::sin(static_cast<double>(i) * 1.7 + phase) + 0.1 * phase;
  return values;
}

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Compares with differences of the loss, the product of `grad` with what `forward` yields.
void expect_gradient(const Values& found, const Values& at, const Values& grad,
                     const std::function<Values(const Values&)>& forward) {
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < at.size(); ++i) {
    Values high = at, low = at;
    high[i] += kStep, low[i] -= kStep;
    const double slope = (dot(grad, forward(high)) - dot(grad, forward(low))) / (2 * kStep);
    EXPECT_NEAR(found[i], slope, 1e-7) << "at " << i;
  }
}

constexpr double kEps = 1e-3;

TEST(NormBackward, LayerNorm) {
  constexpr int64_t kRows = 3, kWidth = 7;
  const Values in = some(21, 0), grad = some(21, 1), weight = some(7, 2), bias = some(7, 3);
  Values mean(3), rstd(3), out(21), grad_in(21), grad_weight(7), grad_bias(7);
  const auto forward = [&](const Values& x, const Values& w, const Values& b) {
    layer_norm(kRows, kWidth, x.data(), w.data(), b.data(), kEps, out.data(), mean.data(),
               rstd.data());
    return out;
  };
  forward(in, weight, bias);
  layer_norm_backward<double>(kRows, kWidth,
                              {grad.data(), in.data(), mean.data(), rstd.data(), weight.data(),
                               grad_in.data(), grad_weight.data(), grad_bias.data()});
  expect_gradient(grad_in, in, grad, [&](const Values& x) { return forward(x, weight, bias); });
  expect_gradient(grad_weight, weight, grad, [&](const Values& w) { return forward(in, w, bias); });
  expect_gradient(grad_bias, bias, grad, [&](const Values& b) { return forward(in, weight, b); });
}

/// Normalises groups of channels of one image each, as the definition says.
Values group_norm_of(int64_t channels, int64_t pixels, int64_t groups, const Values& in,
                     const Values& weight, Values* mean, Values* rstd) {
  const auto n = static_cast<size_t>(channels / groups * pixels);
  Values out(in.size());
  for (size_t group = 0; group * n < in.size(); ++group) {
    double sum = 0, squares = 0;
    for (size_t i = group * n; i < (group + 1) * n; ++i) sum += in[i];
    (*mean)[group] = sum / static_cast<double>(n);
    for (size_t i = group * n; i < (group + 1) * n; ++i)
      squares += std::pow(in[i] - (*mean)[group], 2);
    (*rstd)[group] = 1 / std::sqrt(squares / static_cast<double>(n) + kEps);
    for (size_t i = group * n; i < (group + 1) * n; ++i) {
      const size_t channel = i / static_cast<size_t>(pixels) % static_cast<size_t>(channels);
      out[i] = (in[i] - (*mean)[group]) * (*rstd)[group] * weight[channel];
    }
  }
  return out;
}

TEST(NormBackward, GroupNorm) {
  constexpr int64_t kBatch = 2, kChannels = 4, kPixels = 3, kGroups = 2;
  const Values in = some(24, 0), grad = some(24, 1), weight = some(4, 2);
  Values mean(4), rstd(4), grad_in(24), grad_weight(4), grad_bias(4);
  const auto forward = [&](const Values& x, const Values& w) {
    Values means(4), deviations(4);
    return group_norm_of(kChannels, kPixels, kGroups, x, w, &means, &deviations);
  };
  group_norm_of(kChannels, kPixels, kGroups, in, weight, &mean, &rstd);
  group_norm_backward<double>(kBatch, kChannels, kPixels, kGroups,
                              {grad.data(), in.data(), mean.data(), rstd.data(), weight.data(),
                               grad_in.data(), grad_weight.data(), grad_bias.data()});
  expect_gradient(grad_in, in, grad, [&](const Values& x) { return forward(x, weight); });
  expect_gradient(grad_weight, weight, grad, [&](const Values& w) { return forward(in, w); });
  for (size_t c = 0; c < 4; ++c) {
    double sum = 0;
    for (size_t i = 0; i < 24; ++i) sum += i / 3 % 4 == c ? grad[i] : 0;
    EXPECT_NEAR(grad_bias[c], sum, 1e-12);
  }
}

TEST(NormBackward, BatchNorm) {
  const DenseAxis axis = {3, 2, 4};
  const Values in = some(24, 0), grad = some(24, 1), weight = some(2, 2), zero(2);
  Values mean(2), variance(2), rstd(2), grad_in(24), grad_weight(2), grad_bias(2);
  const auto forward = [&](const Values& x, const Values& w) {
    Values out(24), scale(2), shift(2);
    channel_moments(axis, x.data(), mean.data(), variance.data());
    for (size_t c = 0; c < 2; ++c) {
      rstd[c] = 1 / std::sqrt(variance[c] + kEps);
      scale[c] = rstd[c] * w[c];
      shift[c] = -mean[c] * scale[c];
    }
    scale_shift(axis, x.data(), scale.data(), shift.data(), out.data());
    return out;
  };
  forward(in, weight);
  const NormGradient<double> call = {grad.data(),        in.data(),       mean.data(),
                                     rstd.data(),        weight.data(),   grad_in.data(),
                                     grad_weight.data(), grad_bias.data()};
  batch_norm_backward(axis, true, call);
  expect_gradient(grad_in, in, grad, [&](const Values& x) { return forward(x, weight); });
  expect_gradient(grad_weight, weight, grad, [&](const Values& w) { return forward(in, w); });
  forward(in, weight);
  batch_norm_backward(axis, false, call);
  for (size_t i = 0; i < 24; ++i)
    EXPECT_NEAR(grad_in[i], grad[i] * rstd[i / 4 % 2] * weight[i / 4 % 2], 1e-12);
}

}  // namespace
}  // namespace executorch::compute
