#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include <gtest/gtest.h>

#include <string>

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::ScalarType;
using executorch::runtime::canCast;
using executorch::runtime::elementSize;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::promoteTypes;
using executorch::runtime::toString;

TEST(ScalarTypeTest, NumbersAreThoseOfTheFormat) {
  EXPECT_EQ(static_cast<int>(ScalarType::Byte), 0);
  EXPECT_EQ(static_cast<int>(ScalarType::Float), 6);
  EXPECT_EQ(static_cast<int>(ScalarType::Bool), 11);
  EXPECT_EQ(static_cast<int>(ScalarType::BFloat16), 15);
  EXPECT_EQ(static_cast<int>(ScalarType::Bits16), 22);
  EXPECT_EQ(static_cast<int>(ScalarType::UInt64), 29);
}

TEST(ScalarTypeTest, NamesAndSizes) {
  EXPECT_STREQ(toString(ScalarType::ComplexHalf), "ComplexHalf");
  EXPECT_STREQ(toString(ScalarType::Undefined), "Undefined");
  EXPECT_STREQ(toString(static_cast<ScalarType>(99)), "UNKNOWN_SCALAR");
  EXPECT_EQ(elementSize(ScalarType::ComplexHalf), 4u);
  EXPECT_EQ(elementSize(ScalarType::QUInt4x2), 1u);
  EXPECT_TRUE(executorch::runtime::isValid(ScalarType::UInt64));
  EXPECT_FALSE(executorch::runtime::isValid(ScalarType::Undefined));
  EXPECT_FALSE(executorch::runtime::isValid(static_cast<ScalarType>(-1)));
}

TEST(ScalarTypeTest, Groups) {
  using namespace executorch::runtime;
  EXPECT_TRUE(isIntegralType(ScalarType::Byte, false));
  EXPECT_FALSE(isIntegralType(ScalarType::Bool, false));
  EXPECT_TRUE(isIntegralType(ScalarType::Bool, true));
  EXPECT_FALSE(isIntegralType(ScalarType::UInt16, true));
  EXPECT_TRUE(isFloatingType(ScalarType::BFloat16));
  EXPECT_FALSE(isRealType(ScalarType::Half));
  EXPECT_TRUE(isRealHBBF16Type(ScalarType::Bool));
  EXPECT_FALSE(isRealHBType(ScalarType::BFloat16));
  EXPECT_FALSE(isFloatingType(static_cast<ScalarType>(-58)));
  EXPECT_TRUE(isQIntType(ScalarType::QUInt2x4));
  EXPECT_TRUE(isFloat8Type(ScalarType::Float8_e5m2));
  EXPECT_TRUE(isBarebonesUnsignedType(ScalarType::UInt32));
}

TEST(ScalarTypeTest, CastsNeverLoseAKind) {
  EXPECT_TRUE(canCast(ScalarType::Int, ScalarType::Float));
  EXPECT_TRUE(canCast(ScalarType::Double, ScalarType::Half));
  EXPECT_FALSE(canCast(ScalarType::Float, ScalarType::Long));
  EXPECT_FALSE(canCast(ScalarType::Int, ScalarType::Bool));
  EXPECT_FALSE(canCast(ScalarType::ComplexFloat, ScalarType::Float));
}

// The promotion table of PyTorch.
TEST(ScalarTypeTest, PromotesAsPyTorch) {
  constexpr auto u1 = ScalarType::Byte, i1 = ScalarType::Char, i2 = ScalarType::Short,
                 i4 = ScalarType::Int, i8 = ScalarType::Long, f2 = ScalarType::Half,
                 f4 = ScalarType::Float, f8 = ScalarType::Double, c2 = ScalarType::ComplexHalf,
                 c4 = ScalarType::ComplexFloat, c8 = ScalarType::ComplexDouble,
                 b1 = ScalarType::Bool, bf = ScalarType::BFloat16;
  constexpr ScalarType types[] = {u1, i1, i2, i4, i8, f2, f4, f8, c2, c4, c8, b1, bf};
  constexpr ScalarType expected[13][13] = {
      {u1, i2, i2, i4, i8, f2, f4, f8, c2, c4, c8, u1, bf},
      {i2, i1, i2, i4, i8, f2, f4, f8, c2, c4, c8, i1, bf},
      {i2, i2, i2, i4, i8, f2, f4, f8, c2, c4, c8, i2, bf},
      {i4, i4, i4, i4, i8, f2, f4, f8, c2, c4, c8, i4, bf},
      {i8, i8, i8, i8, i8, f2, f4, f8, c2, c4, c8, i8, bf},
      {f2, f2, f2, f2, f2, f2, f4, f8, c2, c4, c8, f2, f4},
      {f4, f4, f4, f4, f4, f4, f4, f8, c4, c4, c8, f4, f4},
      {f8, f8, f8, f8, f8, f8, f8, f8, c8, c8, c8, f8, f8},
      {c2, c2, c2, c2, c2, c2, c4, c8, c2, c4, c8, c2, c4},
      {c4, c4, c4, c4, c4, c4, c4, c8, c4, c4, c8, c4, c4},
      {c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8},
      {u1, i1, i2, i4, i8, f2, f4, f8, c2, c4, c8, b1, bf},
      {bf, bf, bf, bf, bf, f4, f4, f8, c4, c4, c8, bf, bf},
  };
  for (size_t i = 0; i < 13; ++i) {
    for (size_t j = 0; j < 13; ++j) {
      EXPECT_EQ(promoteTypes(types[i], types[j]), expected[i][j])
          << toString(types[i]) << " and " << toString(types[j]);
    }
  }
  EXPECT_EQ(promoteTypes(f2, i4, true), f4);
  EXPECT_EQ(promoteTypes(ScalarType::QInt8, ScalarType::QInt8), ScalarType::QInt8);
  EXPECT_FALSE(executorch::runtime::can_promote(ScalarType::QInt8, ScalarType::Int));
  static_assert(std::is_same_v<executorch::runtime::promote_types<int8_t, uint8_t>::type, int16_t>);
}

TEST(ScalarTypeSwitchTest, RunsTheLambdaForTheType) {
  KernelRuntimeContext ctx;
  size_t size = 0;
  ET_SWITCH_REALHBBF16_TYPES(ScalarType::BFloat16, ctx, "op", CTYPE, [&] { size = sizeof(CTYPE); });
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(ctx.failure_state(), Error::Ok);
}

TEST(ScalarTypeSwitchTest, Nests) {
  KernelRuntimeContext ctx;
  size_t sizes = 0;
  ET_SWITCH_REAL_TYPES(ScalarType::Double, ctx, "op", OUTER, [&] {
    ET_SWITCH_REAL_TYPES(ScalarType::Short, ctx, "op", INNER,
                         [&] { sizes = 10 * sizeof(OUTER) + sizeof(INNER); });
  });
  EXPECT_EQ(sizes, 82u);
}

TEST(ScalarTypeSwitchTest, FailsTheContextForAnotherType) {
  executorch::runtime::runtime_init();
  KernelRuntimeContext ctx;
  bool ran = false;
  ET_SWITCH_FLOAT_TYPES(ScalarType::Int, ctx, "add.out", CTYPE, [&] { ran = true; });
  EXPECT_FALSE(ran);
  EXPECT_EQ(ctx.failure_state(), Error::InvalidArgument);
  EXPECT_STREQ(executorch::runtime::last_error_message(),
               "add.out does not support the dtype Int.");
}

}  // namespace
