#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <c10/util/overflows.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace {

using executorch::aten::BFloat16;
using executorch::aten::complex;
using executorch::aten::Half;
using executorch::aten::Scalar;

uint16_t half_bits(float value) {
  return Half(value).x;
}
uint16_t bfloat16_bits(float value) {
  return BFloat16(value).x;
}

TEST(HalfTest, EveryHalfSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half(static_cast<unsigned short>(bits), Half::from_bits());
    const float value = half;
    if (std::isnan(value)) {
      EXPECT_GT(bits & 0x7FFF, 0x7C00u);
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(value))));
    } else {
      EXPECT_EQ(half_bits(value), bits);
    }
  }
}

TEST(HalfTest, ValuesAreThoseOfTheFormat) {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const uint32_t exponent = bits >> 10;
    const double mantissa = bits & 0x3FF;
    const double expected = exponent == 0
                                ? std::ldexp(mantissa, -24)
                                : std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25);
    EXPECT_EQ(static_cast<float>(Half(static_cast<unsigned short>(bits), Half::from_bits())),
              expected);
  }
}

TEST(HalfTest, RoundsToNearestEven) {
  // Between neighbours: below, at and above the middle.
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const float low = Half(static_cast<unsigned short>(bits), Half::from_bits());
    const float high = Half(static_cast<unsigned short>(bits + 1), Half::from_bits());
    const float middle = (low + high) / 2;
    ASSERT_EQ(half_bits(middle), (bits & 1) ? bits + 1 : bits);
    ASSERT_EQ(half_bits(std::nextafter(middle, low)), bits);
    ASSERT_EQ(half_bits(std::nextafter(middle, high)), bits + 1);
    ASSERT_EQ(half_bits(-middle), 0x8000 | ((bits & 1) ? bits + 1 : bits));
  }
}

TEST(HalfTest, Overflows) {
  EXPECT_EQ(half_bits(65519.99f), 0x7BFF);
  EXPECT_EQ(half_bits(65520.0f), 0x7C00);
  EXPECT_EQ(half_bits(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_EQ(half_bits(1e-10f), 0);
  EXPECT_EQ(half_bits(std::numeric_limits<float>::denorm_min()), 0);
}

TEST(BFloat16Test, RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7F7F; ++bits) {
    const float low = BFloat16(static_cast<unsigned short>(bits), BFloat16::from_bits());
    ASSERT_EQ(bfloat16_bits(low), bits);
    uint32_t word;
    std::memcpy(&word, &low, 4);
    const auto from_word = [](uint32_t value) {
      float result;
      std::memcpy(&result, &value, 4);
      return bfloat16_bits(result);
    };
    ASSERT_EQ(from_word(word + 0x8000), (bits & 1) ? bits + 1 : bits);
    ASSERT_EQ(from_word(word + 0x7FFF), bits);
    ASSERT_EQ(from_word(word + 0x8001), bits + 1);
  }
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::nanf("")))));
  // A NaN whose upper half alone would be infinity.
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(c10::detail::fp32_from_bits(0x7F800001u)))));
}

TEST(ReducedFloatTest, ComputesInFloat) {
  EXPECT_EQ(static_cast<float>(Half(1.5f) * Half(2.0f)), 3.0f);
  EXPECT_EQ(Half(1.5f) + 0.25f, 1.75f);
  EXPECT_EQ(Half(2.0f) / 4.0, 0.5);
  EXPECT_EQ(static_cast<float>(Half(3.0f) - 1), 2.0f);
  EXPECT_EQ(static_cast<float>(int64_t{2} * BFloat16(1.5f)), 3.0f);
  EXPECT_EQ(static_cast<float>(-BFloat16(1.5f)), -1.5f);
  BFloat16 sum(1.0f);
  sum += BFloat16(2.0f);
  EXPECT_EQ(static_cast<float>(sum), 3.0f);
  EXPECT_EQ(static_cast<float>(std::exp(BFloat16(0.0f))), 1.0f);
  EXPECT_EQ(static_cast<float>(std::pow(Half(2.0f), 3.0)), 8.0f);
}

TEST(ReducedFloatTest, KnowsItsNeighbours) {
  const auto next = [](float from, float to) { return std::nextafter(Half(from), Half(to)).x; };
  EXPECT_EQ(next(1.0f, 2.0f), 0x3C01);
  EXPECT_EQ(next(1.0f, 0.0f), 0x3BFF);
  EXPECT_EQ(next(0.0f, -1.0f), 0x8001);
  EXPECT_EQ(next(-1.0f, 0.0f), 0xBBFF);
  EXPECT_EQ(next(65504.0f, std::numeric_limits<float>::infinity()), 0x7C00);
}

TEST(ReducedFloatTest, Limits) {
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Half>::max()), 65504.0f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Half>::lowest()), -65504.0f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Half>::epsilon()), 0x1p-10f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<BFloat16>::epsilon()), 0x1p-7f);
  EXPECT_TRUE(std::isnan(static_cast<float>(std::numeric_limits<BFloat16>::signaling_NaN())));
  EXPECT_TRUE(std::isinf(static_cast<float>(std::numeric_limits<BFloat16>::infinity())));
}

TEST(ComplexTest, Computes) {
  constexpr complex<float> a(1, 2);
  constexpr complex<float> b(3, -1);
  static_assert(a + b == complex<float>(4, 1));
  static_assert(a * b == complex<float>(5, 5));
  EXPECT_EQ(a / b * 10, complex<float>(1, 7));
  EXPECT_EQ(2 * a, complex<float>(2, 4));
  EXPECT_EQ(1.0f - a, complex<float>(0, -2));
  EXPECT_EQ(std::abs(complex<double>(3, 4)), 5.0);
  EXPECT_EQ(std::conj(a), complex<float>(1, -2));
  complex<Half> half(a);
  half *= complex<Half>(b);
  EXPECT_EQ(static_cast<complex<float>>(half), complex<float>(5, 5));
}

TEST(ComplexTest, DivisionSurvivesLargeParts) {
  const complex<float> huge(1e30f, 1e30f);
  EXPECT_EQ(huge / huge, complex<float>(1, 0));
  const complex<float> by_zero = complex<float>(1, -1) / complex<float>(0, 0);
  EXPECT_TRUE(std::isinf(by_zero.real()));
  EXPECT_TRUE(std::isinf(by_zero.imag()));
}

TEST(ComplexTest, SmallArgumentsKeepTheirDigits) {
  const complex<double> tiny(1e-12, 1e-12);
  EXPECT_NEAR(c10_complex_math::log1p(tiny).real() / 1e-12, 1.0, 1e-9);
  EXPECT_NEAR(c10_complex_math::expm1(tiny).real() / 1e-12, 1.0, 1e-9);
  EXPECT_NEAR(std::log2(complex<double>(8, 0)).real(), 3.0, 1e-12);
}

TEST(OverflowsTest, KnowsTheRanges) {
  EXPECT_TRUE((c10::overflows<int8_t, int>(128)));
  EXPECT_FALSE((c10::overflows<int8_t, int>(-128)));
  EXPECT_FALSE((c10::overflows<uint8_t, int>(-255)));
  EXPECT_TRUE((c10::overflows<uint8_t, int>(-255, true)));
  EXPECT_TRUE((c10::overflows<uint8_t, int>(-256)));
  EXPECT_TRUE((c10::overflows<int64_t, double>(9223372036854775808.0)));
  EXPECT_FALSE((c10::overflows<int64_t, double>(-9223372036854775808.0)));
  EXPECT_TRUE((c10::overflows<int, float>(std::nanf(""))));
  EXPECT_TRUE((c10::overflows<float, double>(1e300)));
  EXPECT_FALSE((c10::overflows<float, double>(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE((c10::overflows<float, complex<float>>(complex<float>(0, 1))));
}

TEST(IrangeTest, CountsAndEndsBeforeNegatives) {
  const auto collect = [](auto range) {
    std::vector<int64_t> numbers;
    for (const auto i : range) numbers.push_back(i);
    return numbers;
  };
  EXPECT_EQ(collect(c10::irange(3)), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(collect(c10::irange(2, 4)), (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(collect(c10::irange(-2)).empty());
  EXPECT_TRUE(collect(c10::irange(4, 2)).empty());
}

TEST(ScalarTest, KnowsItsKind) {
  EXPECT_TRUE(Scalar(true).isBoolean());
  EXPECT_TRUE(Scalar(true).isIntegral(true));
  EXPECT_FALSE(Scalar(true).isIntegral(false));
  EXPECT_EQ(Scalar(true).to<int64_t>(), 1);
  EXPECT_EQ(Scalar(uint8_t{7}).to<int64_t>(), 7);
  EXPECT_EQ(Scalar(Half(1.5f)).to<double>(), 1.5);
}

}  // namespace
