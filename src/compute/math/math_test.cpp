#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "compute/elementwise/operation.h"
#include "compute/math/scalar.h"

namespace executorch::compute {
namespace {

using Reference = long double (*)(long double);

struct Case {
  ElementwiseOp op;
  Reference reference;
  // Interval of arguments; sampled evenly and, around zero, by exponent.
  double low;
  double high;
  double float_bound;   // ulp
  double double_bound;  // ulp
};

long double sigmoid_reference(long double x) {
  return 1 / (1 + std::exp(-x));
}
long double rsqrt_reference(long double x) {
  return 1 / std::sqrt(x);
}

/// y with function(y) = x, by Newton's method from `y` on.
template <class Function, class Slope>
long double solve(Function function, Slope slope, long double x, long double y) {
  for (int i = 0; i < 60; ++i) y -= (function(y) - x) / slope(y);
  return y;
}
constexpr long double kTwoOverRootPi = 1.12837916709551257390L;
long double erf_slope(long double y) {
  return kTwoOverRootPi * std::exp(-y * y);
}
long double erfinv_reference(long double x) {
  if (std::abs(x) < 0.5L) return solve([](long double y) { return std::erf(y); }, erf_slope, x, x);
  // From the left, where the complement is convex, the steps stay on one side.
  const long double y = solve([](long double z) { return std::erfc(z); },
                              [](long double z) { return -erf_slope(z); }, 1 - std::abs(x), 0.4L);
  return x < 0 ? -y : y;
}
long double ndtri_reference(long double p) {
  const long double y = solve([](long double z) { return std::erfc(z); },
                              [](long double z) { return -erf_slope(z); }, 2 * p, 0.0L);
  return -std::sqrt(2.0L) * y;
}
long double erfcx_reference(long double x) {
  return std::exp(x * x) * std::erfc(x);
}
long double digamma_reference(long double x) {
  long double sum = 0;
  for (; x < 60; ++x) sum += 1 / x;
  const long double q = 1 / (x * x);
  return std::log(x) - 0.5L / x - sum -
         q * (1.0L / 12 - q * (1.0L / 120 - q * (1.0L / 252 - q * (1.0L / 240 - q / 132))));
}
long double i0_reference(long double x) {
  return std::cyl_bessel_i(0.0L, std::abs(x));
}
long double i1_reference(long double x) {
  return x < 0 ? -std::cyl_bessel_i(1.0L, -x) : std::cyl_bessel_i(1.0L, x);
}
long double i0e_reference(long double x) {
  return i0_reference(x) * std::exp(-std::abs(x));
}
long double i1e_reference(long double x) {
  return i1_reference(x) * std::exp(-std::abs(x));
}

// The bounds that math.h and special.h state.
const Case kCases[] = {
    {ElementwiseOp::Exp, std::exp, -708, 709, 1.1, 1.0},
    {ElementwiseOp::Expm1, std::expm1, -60, 709, 2.0, 2.0},
    {ElementwiseOp::Log, std::log, 1e-300, 1e300, 1.0, 1.0},
    {ElementwiseOp::Log, std::log, 0.5, 2, 1.0, 1.0},
    {ElementwiseOp::Log1p, std::log1p, -0.9999, 1e10, 1.5, 1.5},
    {ElementwiseOp::Log1p, std::log1p, -0.9999, 2, 1.5, 1.5},
    {ElementwiseOp::Log2, std::log2, 1e-30, 1e30, 0.51, 2.0},
    {ElementwiseOp::Log10, std::log10, 1e-30, 1e30, 0.51, 2.0},
    {ElementwiseOp::Sin, std::sin, -100, 100, 0.51, 1.0},
    {ElementwiseOp::Sin, std::sin, -1e6, 1e6, 0.51, 1.0},
    {ElementwiseOp::Sin, std::sin, 1e6, 1e15, 0.51, 1.0},
    {ElementwiseOp::Cos, std::cos, -100, 100, 0.51, 1.0},
    {ElementwiseOp::Cos, std::cos, 1e6, 1e15, 0.51, 1.0},
    {ElementwiseOp::Tan, std::tan, -100, 100, 0.51, 2.5},
    {ElementwiseOp::Asin, std::asin, -1, 1, 0.51, 2.1},
    {ElementwiseOp::Acos, std::acos, -1, 1, 0.51, 2.0},
    {ElementwiseOp::Atan, std::atan, -50, 50, 0.51, 1.5},
    {ElementwiseOp::Atan, std::atan, -2, 2, 0.51, 1.5},
    {ElementwiseOp::Sinh, std::sinh, -700, 700, 0.51, 3.0},
    {ElementwiseOp::Sinh, std::sinh, -3, 3, 0.51, 3.0},
    {ElementwiseOp::Cosh, std::cosh, -700, 700, 0.51, 3.0},
    {ElementwiseOp::Cosh, std::cosh, -3, 3, 0.51, 3.0},
    {ElementwiseOp::Tanh, std::tanh, -12, 12, 2.5, 1.6},
    {ElementwiseOp::Tanh, std::tanh, -1, 1, 2.5, 1.6},
    {ElementwiseOp::Asinh, std::asinh, -1000, 1000, 0.51, 3.0},
    {ElementwiseOp::Asinh, std::asinh, -1, 1, 0.51, 3.0},
    {ElementwiseOp::Acosh, std::acosh, 1, 1000, 0.51, 3.0},
    {ElementwiseOp::Atanh, std::atanh, -0.99, 0.99, 0.51, 2.5},
    {ElementwiseOp::Erf, std::erf, -6, 6, 2.5, 2.0},
    {ElementwiseOp::Erfc, std::erfc, -6, 9, 10.0, 6.0},
    {ElementwiseOp::Sigmoid, sigmoid_reference, -80, 80, 3.0, 3.0},
    {ElementwiseOp::Sqrt, std::sqrt, 0, 1e30, 0.5, 0.5},
    {ElementwiseOp::Rsqrt, rsqrt_reference, 1e-30, 1e30, 1.5, 1.5},
    {ElementwiseOp::Exp2, std::exp2, -1022, 1023, 0.51, 1.5},
    {ElementwiseOp::Erfinv, erfinv_reference, -0.999, 0.999, 0.51, 4.0},
    {ElementwiseOp::Ndtri, ndtri_reference, 1e-6, 0.49, 0.51, 8.0},
    {ElementwiseOp::Erfcx, erfcx_reference, -5, 60, 0.51, 12.0},
    {ElementwiseOp::Lgamma, std::lgamma, 1e-300, 20, 0.51, 8.0},
    {ElementwiseOp::Lgamma, std::lgamma, 0.5, 3, 0.51, 8.0},
    {ElementwiseOp::Lgamma, std::lgamma, 20, 1e30, 0.51, 8.0},
    {ElementwiseOp::Digamma, digamma_reference, 1e-3, 1.2, 0.51, 32.0},
    {ElementwiseOp::Digamma, digamma_reference, 2, 1e10, 0.51, 32.0},
    {ElementwiseOp::I0, i0_reference, -100, 100, 0.51, 6.0},
    {ElementwiseOp::I1, i1_reference, -100, 100, 0.51, 6.0},
    {ElementwiseOp::I0e, i0e_reference, -100, 100, 0.51, 6.0},
    {ElementwiseOp::I1e, i1e_reference, -100, 100, 0.51, 6.0},
};

template <class T>
std::vector<T> samples(double low, double high) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> even(0, 1);
  std::vector<T> values;
  constexpr int kEven = 20000, kSmall = 4000;
  // As far as the type goes.
  const double limit = sizeof(T) == 4 ? 1e38 : 1e308;
  low = std::max(low, -limit);
  high = std::min(high, limit);
  for (int i = 0; i < kEven; ++i)
    values.push_back(static_cast<T>(low + (high - low) * even(random)));
  for (int i = 0; i < kSmall; ++i) {
    const double x = std::exp2(-30 + 40 * even(random)) * (i % 2 ? 1 : -1);
    if (x >= low && x <= high) values.push_back(static_cast<T>(x));
  }
  // Positive intervals over many decades.
  if (low >= 0 && high > 1e3 * (low + 1e-300)) {
    const double bottom = std::log2(std::max<double>(low, std::numeric_limits<T>::min() * 4));
    const double top = std::log2(high);
    for (int i = 0; i < kEven; ++i)
      values.push_back(static_cast<T>(std::exp2(bottom + (top - bottom) * even(random))));
  }
  return values;
}

template <class T>
double error_in_ulp(T value, long double expected) {
  if (std::isnan(expected)) return std::isnan(value) ? 0 : HUGE_VAL;
  const T rounded = static_cast<T>(expected);
  if (std::isinf(rounded)) return std::isinf(value) && (value > 0) == (rounded > 0) ? 0 : HUGE_VAL;
  if (std::abs(rounded) < std::numeric_limits<T>::min()) return 0;
  int exponent;
  std::frexp(rounded, &exponent);
  const long double ulp = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(value) - expected) / ulp);
}

template <class T>
void check(const Case& c, Isa isa, ComputeType type, double bound) {
  const std::vector<T> x = samples<T>(c.low, c.high);
  std::vector<T> y(x.size());
  const void* operands[] = {x.data()};
  elementwise_loops(isa).loop[static_cast<int>(c.op)][static_cast<int>(type)](
      y.data(), operands, 0, static_cast<int64_t>(x.size()));
  double worst = 0;
  T where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = error_in_ulp(y[i], c.reference(static_cast<long double>(x[i])));
    if (error > worst) {
      worst = error;
      where = x[i];
    }
  }
  EXPECT_LE(worst, bound) << operation_name(c.op) << " " << isa_name(isa) << " " << sizeof(T) * 8
                          << " bit at " << where << " in [" << c.low << ", " << c.high << "]";
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas;
  for (size_t i = 0; i < kIsaCount; ++i) {
    if (isa_supported(static_cast<Isa>(i))) isas.push_back(static_cast<Isa>(i));
  }
  return isas;
}

TEST(Math, ErrorBounds) {
  for (const Isa isa : supported_isas()) {
    for (const Case& c : kCases) {
      check<float>(c, isa, ComputeType::f32, c.float_bound);
      check<double>(c, isa, ComputeType::f64, c.double_bound);
    }
  }
}

template <class T>
T call(Isa isa, ElementwiseOp op, ComputeType type, T a, T b) {
  T out;
  const void* operands[] = {&a, &b};
  elementwise_loops(isa).loop[static_cast<int>(op)][static_cast<int>(type)](&out, operands, 0, 1);
  return out;
}

template <class T>
void check_pow(Isa isa, ComputeType type, double bound) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> even(0, 1);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const T x = static_cast<T>(std::exp2(-20 + 40 * even(random)));
    const T y = static_cast<T>(-30 + 60 * even(random));
    const long double expected = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    if (std::abs(expected) > std::numeric_limits<T>::max()) continue;
    worst = std::max(worst, error_in_ulp(call(isa, ElementwiseOp::Pow, type, x, y), expected));
    const T angle =
        call(isa, ElementwiseOp::Atan2, type, y, static_cast<T>(even(random) < 0.5 ? -x : x));
    EXPECT_LE(std::abs(angle), 3.1416);
  }
  EXPECT_LE(worst, bound) << isa_name(isa);
}

TEST(Math, PowErrorBound) {
  for (const Isa isa : supported_isas()) {
    check_pow<float>(isa, ComputeType::f32, 0.51);
    check_pow<double>(isa, ComputeType::f64, 8);
  }
}

template <class T>
bool same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

// Special arguments, every pair of them, against the C library.
template <class T>
void check_special(Isa isa, ComputeType type) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T values[] = {0,
                      static_cast<T>(-0.0),
                      1,
                      -1,
                      2,
                      -2,
                      3,
                      -3,
                      static_cast<T>(0.5),
                      static_cast<T>(-0.5),
                      1e30f,
                      -1e30f,
                      inf,
                      -inf,
                      nan};
  for (const T a : values) {
    for (const T b : values) {
      EXPECT_TRUE(same(call(isa, ElementwiseOp::Pow, type, a, b), std::pow(a, b)) ||
                  std::abs(call(isa, ElementwiseOp::Pow, type, a, b) / std::pow(a, b) - 1) < 1e-6)
          << "pow " << a << " " << b << " " << isa_name(isa);
      EXPECT_TRUE(same(call(isa, ElementwiseOp::Fmod, type, a, b), std::fmod(a, b)))
          << "fmod " << a << " " << b << " " << isa_name(isa);
      EXPECT_TRUE(same(call(isa, ElementwiseOp::NextAfter, type, a, b), std::nextafter(a, b)))
          << "nextafter " << a << " " << b << " " << isa_name(isa);
      EXPECT_TRUE(same(call(isa, ElementwiseOp::Fmax, type, a, b), std::fmax(a, b)) ||
                  (a == 0 && b == 0))
          << "fmax " << a << " " << b << " " << isa_name(isa);
      const T length = call(isa, ElementwiseOp::Hypot, type, a, b);
      EXPECT_TRUE(same(length, std::hypot(a, b)) || std::abs(length / std::hypot(a, b) - 1) < 1e-6)
          << "hypot " << a << " " << b << " " << length << " " << isa_name(isa);
      const T angle = call(isa, ElementwiseOp::Atan2, type, a, b);
      EXPECT_TRUE(same(angle, std::atan2(a, b)) || std::abs(angle / std::atan2(a, b) - 1) < 1e-6)
          << "atan2 " << a << " " << b << " " << angle << " " << isa_name(isa);
    }
    struct {
      ElementwiseOp op;
      T (*reference)(T);
    } unary[] = {{ElementwiseOp::Exp, std::exp},         {ElementwiseOp::Log, std::log},
                 {ElementwiseOp::Log1p, std::log1p},     {ElementwiseOp::Expm1, std::expm1},
                 {ElementwiseOp::Tanh, std::tanh},       {ElementwiseOp::Sin, std::sin},
                 {ElementwiseOp::Cos, std::cos},         {ElementwiseOp::Asin, std::asin},
                 {ElementwiseOp::Acos, std::acos},       {ElementwiseOp::Atan, std::atan},
                 {ElementwiseOp::Sinh, std::sinh},       {ElementwiseOp::Cosh, std::cosh},
                 {ElementwiseOp::Asinh, std::asinh},     {ElementwiseOp::Acosh, std::acosh},
                 {ElementwiseOp::Atanh, std::atanh},     {ElementwiseOp::Erf, std::erf},
                 {ElementwiseOp::Erfc, std::erfc},       {ElementwiseOp::Log2, std::log2},
                 {ElementwiseOp::Log10, std::log10},     {ElementwiseOp::Sqrt, std::sqrt},
                 {ElementwiseOp::Exp2, std::exp2},       {ElementwiseOp::Lgamma, std::lgamma},
                 {ElementwiseOp::Round, std::nearbyint}, {ElementwiseOp::Floor, std::floor},
                 {ElementwiseOp::Ceil, std::ceil},       {ElementwiseOp::Trunc, std::trunc}};
    for (const auto& u : unary) {
      const T found = call(isa, u.op, type, a, a), expected = u.reference(a);
      EXPECT_TRUE((std::isnan(found) && std::isnan(expected)) || found == expected ||
                  std::abs(found / expected - 1) < 1e-6)
          << operation_name(u.op) << " " << a << ": " << found << " instead of " << expected << " "
          << isa_name(isa);
    }
  }
}

TEST(Math, SpecialValues) {
  for (const Isa isa : supported_isas()) {
    check_special<float>(isa, ComputeType::f32);
    check_special<double>(isa, ComputeType::f64);
  }
}

// The largest arguments, also where an angle comes closest to a multiple of pi/2.
TEST(Math, HugeAngles) {
  const double closest = 6381956970095103.0 * 0x1p797;
  const double values[] = {1e22, 1.7976931348623157e308, 1048577.5, -3e100, closest};
  for (const Isa isa : supported_isas()) {
    for (const double x : values) {
      EXPECT_NEAR(call(isa, ElementwiseOp::Sin, ComputeType::f64, x, x), std::sin(x), 4e-16) << x;
      const double c = call(isa, ElementwiseOp::Cos, ComputeType::f64, x, x);
      const double expected = x == closest ? -4.687165924254627611122583e-19 : std::cos(x);
      EXPECT_NEAR(c / expected, 1, 4e-16) << x;
    }
  }
}

TEST(Math, FmodIsExact) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    double values[2];
    for (double& v : values) {
      const uint64_t bits = random();
      std::memcpy(&v, &bits, sizeof(v));
    }
    EXPECT_TRUE(same(exact_fmod(values[0], values[1]), std::fmod(values[0], values[1])))
        << values[0] << " " << values[1];
  }
  for (const Isa isa : supported_isas()) {
    for (int i = 0; i < 5000; ++i) {
      const float a =
          std::ldexp(static_cast<float>(random() % 16777216), static_cast<int>(random() % 60) - 30);
      const float b = -std::ldexp(static_cast<float>(random() % 16777216),
                                  static_cast<int>(random() % 40) - 30);
      EXPECT_TRUE(same(call(isa, ElementwiseOp::Fmod, ComputeType::f32, a, b), std::fmod(a, b)))
          << a << " " << b;
    }
  }
}

}  // namespace
}  // namespace executorch::compute
