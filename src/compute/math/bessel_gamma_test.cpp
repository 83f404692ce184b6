#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "compute/elementwise/operation.h"

namespace executorch::compute {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double value(ElementwiseOp op, double a, double b = 0) {
  double out;
  const void* operands[] = {&a, &b};
  block_loop(op, ComputeType::f64)(&out, operands, 0, 1);
  return out;
}

/// From 2^-20 to 200, across every change of method.
std::vector<double> places() {
  std::vector<double> found;
  for (int i = -160; i < 8; ++i) found.push_back(std::exp2(i / 8.0));
  for (double x = 2; x < 40; x += 0.37) found.push_back(x);
  for (double x = 40; x < 200; x += 7.3) found.push_back(x);
  return found;
}

using Reference = long double (*)(long double);

struct Case {
  ElementwiseOp op;
  Reference reference;
  double bound;  // of the error, relative to the value and, if it oscillates, to 1 where that is
                 // larger
  bool oscillates;
};

template <int order>
long double j(long double x) {
  return std::cyl_bessel_j(static_cast<long double>(order), x);
}
template <int order>
long double y(long double x) {
  return std::cyl_neumann(static_cast<long double>(order), x);
}
template <int order>
long double k(long double x) {
  return std::cyl_bessel_k(static_cast<long double>(order), x);
}
template <int order>
long double scaled_k(long double x) {
  return k<order>(x) * std::exp(x);
}
long double ai(long double x) {
  const long double third = 1 / 3.0L, zeta = 2 * third * x * std::sqrt(x);
  return std::sqrt(x * third) * std::cyl_bessel_k(third, zeta) / std::acos(-1.0L);
}

const Case kCases[] = {
    {ElementwiseOp::BesselJ0, j<0>, 1e-15, true},
    {ElementwiseOp::BesselJ1, j<1>, 1e-15, true},
    {ElementwiseOp::BesselY0, y<0>, 2e-15, true},
    {ElementwiseOp::BesselY1, y<1>, 2e-15, true},
    {ElementwiseOp::BesselK0, k<0>, 4e-15, false},
    {ElementwiseOp::BesselK1, k<1>, 4e-15, false},
    {ElementwiseOp::BesselK0e, scaled_k<0>, 4e-15, false},
    {ElementwiseOp::BesselK1e, scaled_k<1>, 4e-15, false},
    {ElementwiseOp::AiryAi, ai, 2e-13, false},
};

TEST(Bessel, Accuracy) {
  for (const Case& c : kCases) {
    for (const double x : places()) {
      if (c.op == ElementwiseOp::AiryAi && x > 100) continue;
      const auto expected = static_cast<double>(c.reference(x));
      const double size = std::abs(expected);
      const double allowed = c.bound * (c.oscillates ? std::max(size, 1.0) : size);
      EXPECT_NEAR(value(c.op, x), expected, allowed) << operation_name(c.op) << " of " << x;
    }
  }
}

// Ai'' = x Ai, told by differences, where it oscillates and where the method changes.
TEST(Bessel, AiryBelowZero) {
  constexpr double h = 1e-3;
  for (double x = -30; x < 0; x += 0.113) {
    const double here = value(ElementwiseOp::AiryAi, x);
    const double bend =
        (value(ElementwiseOp::AiryAi, x + h) - 2 * here + value(ElementwiseOp::AiryAi, x - h)) /
        (h * h);
    EXPECT_NEAR(bend, x * here, 1e-3) << x;
  }
  EXPECT_NEAR(value(ElementwiseOp::AiryAi, -2.33810741045976704), 0, 1e-15);
}

TEST(Bessel, Limits) {
  EXPECT_EQ(value(ElementwiseOp::BesselJ0, kInf), 0);
  EXPECT_EQ(value(ElementwiseOp::BesselJ1, -kInf), 0);
  EXPECT_EQ(value(ElementwiseOp::BesselY0, 0), -kInf);
  EXPECT_TRUE(std::isnan(value(ElementwiseOp::BesselY1, -1)));
  EXPECT_EQ(value(ElementwiseOp::BesselK0, 0), kInf);
  EXPECT_TRUE(std::isnan(value(ElementwiseOp::BesselK1, -1)));
  EXPECT_EQ(value(ElementwiseOp::SphericalBesselJ0, 0), 1);
  for (const ElementwiseOp op : {ElementwiseOp::BesselJ0, ElementwiseOp::BesselY1,
                                 ElementwiseOp::BesselK0e, ElementwiseOp::AiryAi})
    EXPECT_TRUE(std::isnan(value(op, kNan))) << operation_name(op);
}

/// The lower incomplete gamma function by its series in extended precision.
long double lower_gamma(long double a, long double x) {
  long double term = std::exp(a * std::log(x) - x - std::lgamma(a + 1)), sum = term;
  for (int n = 1; term > 1e-25L * sum; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

TEST(Gamma, IncompleteOnes) {
  for (const double a : {1e-3, 0.1, 0.6, 1.0, 2.5, 9.9, 10.0, 60.0, 500.0, 9e3, 1.1e4, 5e4}) {
    for (const double ratio : {0.01, 0.5, 0.9, 0.97, 1.0, 1.02, 1.1, 1.6, 4.0, 30.0}) {
      const double x = a * ratio;
      if (x > a + 5000) continue;  // the series starts below the smallest number
      const auto lower = static_cast<double>(lower_gamma(a, x));
      const auto upper = static_cast<double>(1 - lower_gamma(a, x));
      EXPECT_NEAR(value(ElementwiseOp::Igamma, a, x), lower, 1e-12 * lower + 1e-300)
          << a << " " << x;
      EXPECT_NEAR(value(ElementwiseOp::Igammac, a, x), upper, 1e-12 * upper + 1e-14)
          << a << " " << x;
    }
  }
  // The tail has its own digits.
  EXPECT_NEAR(value(ElementwiseOp::Igammac, 1, 50) / std::exp(-50.0), 1, 1e-14);
}

TEST(Gamma, IncompleteLimits) {
  EXPECT_EQ(value(ElementwiseOp::Igamma, 2, 0), 0);
  EXPECT_EQ(value(ElementwiseOp::Igamma, 0, 2), 1);
  EXPECT_EQ(value(ElementwiseOp::Igamma, 2, kInf), 1);
  EXPECT_EQ(value(ElementwiseOp::Igammac, kInf, 2), 1);
  EXPECT_TRUE(std::isnan(value(ElementwiseOp::Igamma, 0, 0)));
  EXPECT_TRUE(std::isnan(value(ElementwiseOp::Igammac, -1, 1)));
  EXPECT_TRUE(std::isnan(value(ElementwiseOp::Igamma, 1, kNan)));
}

TEST(Gamma, Zeta) {
  for (const double s : {1.001, 1.5, 2.0, 3.0, 7.5, 40.0}) {
    const double all = std::riemann_zeta(s);
    EXPECT_NEAR(value(ElementwiseOp::Zeta, s, 1) / all, 1, 1e-13) << s;
    // The first term apart.
    for (const double q : {1e-3, 0.4, 2.0, 30.0, 1e4}) {
      const double first = std::pow(q, -s), rest = value(ElementwiseOp::Zeta, s, q + 1);
      EXPECT_NEAR(value(ElementwiseOp::Zeta, s, q) / (first + rest), 1, 1e-13) << s << " " << q;
    }
  }
  EXPECT_EQ(value(ElementwiseOp::Zeta, 1, 3), kInf);
  EXPECT_EQ(value(ElementwiseOp::Zeta, 3, -2), kInf);
  EXPECT_TRUE(std::isnan(value(ElementwiseOp::Zeta, 0.5, 1)));
  EXPECT_TRUE(std::isnan(value(ElementwiseOp::Zeta, 2.5, -0.5)));
}

TEST(Gamma, PolygammaIsTheSlopeOfTheOneBefore) {
  constexpr double h = 1e-4;
  for (const double x : {-3.3, -0.4, 0.7, 3.0, 25.0}) {
    const double slope =
        (value(ElementwiseOp::Digamma, x + h) - value(ElementwiseOp::Digamma, x - h)) / (2 * h);
    EXPECT_NEAR(value(ElementwiseOp::Polygamma, 1, x) / slope, 1, 1e-5) << x;
    for (const double n : {1.0, 2.0, 5.0}) {
      const double next =
          (value(ElementwiseOp::Polygamma, n, x + h) - value(ElementwiseOp::Polygamma, n, x - h)) /
          (2 * h);
      EXPECT_NEAR(value(ElementwiseOp::Polygamma, n + 1, x) / next, 1, 1e-5) << n << " " << x;
    }
  }
}

}  // namespace
}  // namespace executorch::compute
