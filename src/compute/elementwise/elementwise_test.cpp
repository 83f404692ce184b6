#include "compute/elementwise/elementwise.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "compute/elementwise/cast.h"
#include "compute/elementwise/layout.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

template <class T>
constexpr DType kDType = DType::f32;
template <>
constexpr DType kDType<double> = DType::f64;
template <>
constexpr DType kDType<int32_t> = DType::i32;
template <>
constexpr DType kDType<int64_t> = DType::i64;
template <>
constexpr DType kDType<int8_t> = DType::i8;
template <>
constexpr DType kDType<uint8_t> = DType::u8;
template <>
constexpr DType kDType<bool> = DType::boolean;

class EachIsa : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    before_ = active_isa();
    if (!set_active_isa(GetParam())) GTEST_SKIP() << "this machine lacks " << isa_name(GetParam());
  }
  void TearDown() override { set_active_isa(before_); }

 private:
  Isa before_ = Isa::baseline;
};

std::vector<Isa> all_isas() {
  std::vector<Isa> isas;
  for (size_t i = 0; i < kIsaCount; ++i) isas.push_back(static_cast<Isa>(i));
  return isas;
}
INSTANTIATE_TEST_SUITE_P(, EachIsa, testing::ValuesIn(all_isas()),
                         [](const auto& info) { return isa_name(info.param); });

template <class T>
std::vector<T> run(ElementwiseOp op, const std::vector<std::vector<T>>& operands, uint32_t scalars,
                   int64_t n) {
  std::vector<T> out(static_cast<size_t>(n) + 1, T{77});
  const void* pointers[kMaxOperands];
  for (size_t k = 0; k < operands.size(); ++k) pointers[k] = operands[k].data();
  block_loop(op, compute_type(kDType<T>))(out.data(), pointers, scalars, n);
  EXPECT_EQ(out.back(), T{77}) << "wrote behind the end";
  out.pop_back();
  return out;
}

// Each length around the vector width, single values and blocks: all positions give the same bits.
TEST_P(EachIsa, ResultsDoNotDependOnPositionOrLength) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> a(70), b(70);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = normal(random);
    b[i] = normal(random);
  }
  for (const ElementwiseOp op :
       {ElementwiseOp::Exp, ElementwiseOp::Gelu, ElementwiseOp::Pow, ElementwiseOp::Sin}) {
    const std::vector<float> whole = run<float>(op, {a, b}, 0, 70);
    for (int64_t n = 0; n <= 70; ++n) {
      const std::vector<float> part = run<float>(op, {a, b}, 0, n);
      EXPECT_EQ(std::memcmp(part.data(), whole.data(), static_cast<size_t>(n) * sizeof(float)), 0)
          << operation_name(op) << " " << n;
    }
    const std::vector<float> single = run<float>(op, {{a[69]}, {b[69]}}, 3, 5);
    for (const float x : single) EXPECT_EQ(std::memcmp(&x, &whole[69], sizeof(x)), 0);
  }
}

TEST_P(EachIsa, IntegersWrapAndNeverTrap) {
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  const std::vector<int64_t> a = {lowest, 7, -7, 5, lowest, 0, 9},
                             b = {-1, 2, 2, 0, lowest, -3, -4};
  EXPECT_EQ(run<int64_t>(ElementwiseOp::DivTrunc, {a, b}, 0, 7),
            (std::vector<int64_t>{lowest, 3, -3, 0, 1, 0, -2}));
  EXPECT_EQ(run<int64_t>(ElementwiseOp::DivFloor, {a, b}, 0, 7),
            (std::vector<int64_t>{lowest, 3, -4, 0, 1, 0, -3}));
  EXPECT_EQ(run<int64_t>(ElementwiseOp::Remainder, {a, b}, 0, 7),
            (std::vector<int64_t>{0, 1, 1, 0, 0, 0, -3}));
  EXPECT_EQ(run<int64_t>(ElementwiseOp::Fmod, {a, b}, 0, 7),
            (std::vector<int64_t>{0, 1, -1, 0, 0, 0, 1}));
  EXPECT_EQ(run<int64_t>(ElementwiseOp::Abs, {a}, 0, 2), (std::vector<int64_t>{lowest, 7}));
  EXPECT_EQ(run<int32_t>(ElementwiseOp::Pow, {{3, -1, 2, 1, -1, 5, 2}, {40, -3, -1, -9, -4, 0, 31}},
                         0, 7),
            (std::vector<int32_t>{static_cast<int32_t>(12157665459056928801ull), -1, 0, 1, 1, 1,
                                  std::numeric_limits<int32_t>::min()}));
  EXPECT_EQ(run<int32_t>(ElementwiseOp::ShiftLeft, {{1, 1, 1, -1}, {31, 32, -1, 1}}, 0, 4),
            (std::vector<int32_t>{std::numeric_limits<int32_t>::min(), 0, 0, -2}));
  EXPECT_EQ(run<int32_t>(ElementwiseOp::ShiftRight, {{-8, -8, 8, 8}, {1, 40, -1, 2}}, 0, 4),
            (std::vector<int32_t>{-4, -1, 0, 2}));
}

TEST_P(EachIsa, NanPropagatesThroughExtrema) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const ElementwiseOp op : {ElementwiseOp::Maximum, ElementwiseOp::Minimum}) {
    for (const float x : run<float>(op, {{nan, 1}, {1, nan}}, 0, 2)) EXPECT_TRUE(std::isnan(x));
  }
  EXPECT_EQ(run<float>(ElementwiseOp::Maximum, {{1, 3}, {2, -4}}, 0, 2),
            (std::vector<float>{2, 3}));
  EXPECT_TRUE(std::isnan(run<float>(ElementwiseOp::Clamp, {{nan}, {0}, {1}}, 0, 1)[0]));
  EXPECT_TRUE(std::isnan(run<float>(ElementwiseOp::Relu, {{nan}}, 0, 1)[0]));
}

TEST_P(EachIsa, SingleValuesKeepTheSignOfZero) {
  const auto signs = run<float>(ElementwiseOp::CopySign, {{1, 2, 3}, {-0.0f}}, 2, 3);
  EXPECT_EQ(signs, (std::vector<float>{-1, -2, -3}));
  const auto sums = run<double>(ElementwiseOp::Add, {{-0.0, 1}, {-0.0}}, 2, 2);
  EXPECT_TRUE(std::signbit(sums[0]));
}

TEST_P(EachIsa, FloatDivisionFollowsPython) {
  EXPECT_EQ(
      run<float>(ElementwiseOp::Remainder, {{5.5f, -5.5f, 5.5f, -5.5f}, {2, 2, -2, -2}}, 0, 4),
      (std::vector<float>{1.5f, 0.5f, -0.5f, -1.5f}));
  EXPECT_EQ(run<float>(ElementwiseOp::DivFloor, {{5.5f, -5.5f, 6, 1}, {2, 2, -2, 0.1f}}, 0, 4),
            (std::vector<float>{2, -3, -3, 9}));
}

// ---- casts ----

float half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float sign = bits >> 15 ? -1.f : 1.f;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return exponent == 0 ? sign * std::ldexp(static_cast<float>(fraction), -24)
                       : sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

TEST_P(EachIsa, EveryHalfConvertsExactlyAndBack) {
  std::vector<uint16_t> halves(65536);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  std::vector<float> values(halves.size());
  load_loop(DType::f16, ComputeType::f32)(values.data(), halves.data(), 1, 65536);
  std::vector<uint16_t> back(halves.size());
  store_loop(ComputeType::f32, DType::f16)(back.data(), 1, values.data(), 65536);
  for (size_t i = 0; i < halves.size(); ++i) {
    const float expected = half_value(halves[i]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(values[i]));
      EXPECT_TRUE(std::isnan(half_value(back[i])));
    } else {
      EXPECT_EQ(values[i], expected) << i;
      EXPECT_EQ(back[i], halves[i]);
    }
  }
}

TEST_P(EachIsa, HalfRoundsToNearestEven) {
  // Halfway between neighbours, a little more and a little less, over the whole range.
  std::vector<float> values;
  std::vector<uint16_t> expected;
  for (uint32_t h = 0; h < 0x7bff; ++h) {
    const float low = half_value(static_cast<uint16_t>(h)),
                high = half_value(static_cast<uint16_t>(h + 1));
    const float middle = (low + high) / 2;
    const auto even = static_cast<uint16_t>(h % 2 == 0 ? h : h + 1);
    values.insert(values.end(),
                  {middle, std::nextafter(middle, 0.f), std::nextafter(middle, 1e9f), -middle});
    expected.insert(expected.end(), {even, static_cast<uint16_t>(h), static_cast<uint16_t>(h + 1),
                                     static_cast<uint16_t>(even | 0x8000)});
  }
  values.insert(values.end(), {65519.99f, 65520.f, 1e30f});
  expected.insert(expected.end(), {0x7bff, 0x7c00, 0x7c00});
  std::vector<uint16_t> found(values.size());
  store_loop(ComputeType::f32, DType::f16)(found.data(), 1, values.data(),
                                           static_cast<int64_t>(values.size()));
  EXPECT_EQ(found, expected);
}

TEST_P(EachIsa, FloatsBecomeIntegersByTruncation) {
  const float values[] = {1.9f, -1.9f, 3e9f, -3e9f, 300.f, NAN, 1e20f};
  int32_t narrow[7];
  store_loop(ComputeType::f32, DType::i32)(narrow, 1, values, 7);
  constexpr int32_t lowest = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(std::vector<int32_t>(narrow, narrow + 7),
            (std::vector<int32_t>{1, -1, lowest, lowest, 300, lowest, lowest}));
  int64_t wide[7];
  store_loop(ComputeType::f32, DType::i64)(wide, 1, values, 7);
  EXPECT_EQ(wide[2], 3000000000);
  EXPECT_EQ(wide[6], std::numeric_limits<int64_t>::min());
  uint8_t bytes[7];
  store_loop(ComputeType::f32, DType::u8)(bytes, 1, values, 7);
  EXPECT_EQ(bytes[4], 300 - 256);
  uint8_t truth[7];
  store_loop(ComputeType::f32, DType::boolean)(truth, 1, values, 7);
  EXPECT_EQ(truth[5], 1);
}

TEST_P(EachIsa, CastsHonourStrides) {
  const int16_t values[] = {1, 2, 3, 4, 5, 6};
  float block[3];
  load_loop(DType::i16, ComputeType::f32)(block, values + 5, -2, 3);
  EXPECT_EQ(std::vector<float>(block, block + 3), (std::vector<float>{6, 4, 2}));
  double spread[5] = {};
  store_loop(ComputeType::f32, DType::f64)(spread, 2, block, 3);
  EXPECT_EQ(std::vector<double>(spread, spread + 5), (std::vector<double>{6, 0, 4, 0, 2}));
}

// ---- tensors ----

struct Shape {
  std::vector<int64_t> sizes;
  std::vector<int> order;  // outermost dimension in memory first
};

std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(shape.sizes.size());
  int64_t step = 1;
  for (size_t k = shape.order.size(); k-- > 0;) {
    strides[static_cast<size_t>(shape.order[k])] = step;
    step *= shape.sizes[static_cast<size_t>(shape.order[k])];
  }
  return strides;
}

int64_t numel(const std::vector<int64_t>& sizes) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return n;
}

// Every element by its own index, in double.
template <class A, class B, class F>
void check_add(const Shape& out_shape, const Shape& a_shape, const Shape& b_shape, F expected) {
  std::mt19937 random(3);
  const auto count = [](const Shape& s) { return static_cast<size_t>(numel(s.sizes)); };
  std::vector<char> a_bytes(count(a_shape) * sizeof(A) + 1),
      b_bytes(count(b_shape) * sizeof(B) + 1);
  A* a = reinterpret_cast<A*>(a_bytes.data());
  B* b = reinterpret_cast<B*>(b_bytes.data());
  for (size_t i = 0; i < count(a_shape); ++i)
    a[i] = static_cast<A>(static_cast<int>(random() % 100) - 50);
  for (size_t i = 0; i < count(b_shape); ++i)
    b[i] = static_cast<B>(static_cast<int>(random() % 100) - 50);
  std::vector<float> out(count(out_shape), -1);
  ElementwiseCall call;
  call.op = ElementwiseOp::Add;
  call.common = DType::f32;
  call.rank = static_cast<int>(out_shape.sizes.size());
  call.out = {out.data(), DType::f32, {}};
  call.in[0] = {a, kDType<A>, {}};
  call.in[1] = {b, kDType<B>, {}};
  const auto out_strides = strides_of(out_shape), a_strides = strides_of(a_shape),
             b_strides = strides_of(b_shape);
  for (size_t d = 0; d < out_shape.sizes.size(); ++d) {
    call.sizes[d] = out_shape.sizes[d];
    call.out.strides[d] = out_strides[d];
    call.in[0].strides[d] = a_shape.sizes[d] == 1 ? 0 : a_strides[d];
    call.in[1].strides[d] = b_shape.sizes[d] == 1 ? 0 : b_strides[d];
  }
  elementwise(call);
  for (int64_t flat = 0; flat < numel(out_shape.sizes); ++flat) {
    int64_t rest = flat, o = 0, i = 0, j = 0;
    for (size_t d = out_shape.sizes.size(); d-- > 0;) {
      const int64_t index = rest % out_shape.sizes[d];
      rest /= out_shape.sizes[d];
      o += index * call.out.strides[d];
      i += index * call.in[0].strides[d];
      j += index * call.in[1].strides[d];
    }
    ASSERT_EQ(out[static_cast<size_t>(o)], expected(a[i], b[j])) << flat;
  }
}

TEST_P(EachIsa, TensorsOfAnyLayoutBroadcast) {
  const auto sum = [](auto a, auto b) { return static_cast<float>(a) + static_cast<float>(b); };
  const std::vector<Shape> outs = {
      {{2, 3, 4, 5}, {0, 1, 2, 3}},    {{2, 3, 4, 5}, {0, 2, 3, 1}},   {{2, 3, 4, 5}, {3, 1, 0, 2}},
      {{1, 1, 70, 33}, {0, 1, 2, 3}},  {{3, 1, 1, 1}, {0, 1, 2, 3}},   {{2, 0, 4, 5}, {0, 1, 2, 3}},
      {{7, 1, 3, 1200}, {0, 1, 2, 3}}, {{7, 5, 3, 1200}, {0, 2, 3, 1}}};
  for (const Shape& out : outs) {
    for (const std::vector<int>& order :
         {std::vector<int>{0, 1, 2, 3}, {0, 2, 3, 1}, {3, 2, 1, 0}}) {
      Shape b = {out.sizes, order};
      check_add<float, float>(out, {out.sizes, {0, 1, 2, 3}}, b, sum);
      check_add<double, int8_t>(out, {out.sizes, order}, b, sum);
      for (size_t d = 0; d < 4; ++d) {
        if (out.sizes[d] == 0) continue;
        Shape narrow = b;
        narrow.sizes[d] = 1;
        check_add<float, float>(out, {out.sizes, {0, 1, 2, 3}}, narrow, sum);
        check_add<int64_t, bool>(out, narrow, b, sum);
      }
      check_add<float, double>(out, {out.sizes, order}, {{1, 1, 1, 1}, {0, 1, 2, 3}}, sum);
    }
  }
}

TEST_P(EachIsa, NarrowTypesRoundOperandsAndResults) {
  const uint8_t a[] = {200, 1}, b[] = {100, 2};
  int32_t out[2];
  ElementwiseCall call;
  call.op = ElementwiseOp::Add;
  call.common = DType::u8;
  call.rank = 1;
  call.sizes[0] = 2;
  call.out = {out, DType::i32, {1}};
  call.in[0] = {a, DType::u8, {1}};
  call.in[1] = {b, DType::u8, {1}};
  elementwise(call);
  EXPECT_EQ(out[0], 44);
  EXPECT_EQ(out[1], 3);
  const int64_t wide = 256 + 5;
  call.in[1] = {&wide, DType::i64, {0}};
  elementwise(call);
  EXPECT_EQ(out[1], 6);
}

TEST_P(EachIsa, BytesAreComputedAsTheyLie) {
  std::vector<int8_t> a(300), b(300), out(300);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<int8_t>(i % 7 == 0 ? 0 : i * 37);
    b[i] = static_cast<int8_t>(i % 5 == 0 ? i * 37 : i * 11);
  }
  const auto run_on_bytes = [&](ElementwiseOp op, DType result) {
    ElementwiseCall call;
    call.op = op;
    call.common = DType::i8;
    call.rank = 1;
    call.sizes[0] = 300;
    call.out = {out.data(), result, {1}};
    call.in[0] = {a.data(), DType::i8, {1}};
    call.in[1] = {b.data(), DType::i8, {1}};
    elementwise(call);
  };
  const auto expect = [&](auto f) {
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(out[i], static_cast<int8_t>(f(a[i], b[i]))) << i;
  };
  run_on_bytes(ElementwiseOp::Neg, DType::i8);
  expect([](int x, int) { return -x; });
  run_on_bytes(ElementwiseOp::Sub, DType::i8);
  expect([](int x, int y) { return x - y; });
  run_on_bytes(ElementwiseOp::BitwiseXor, DType::i8);
  expect([](int x, int y) { return x ^ y; });
  run_on_bytes(ElementwiseOp::Eq, DType::boolean);
  expect([](int x, int y) { return x == y; });
  run_on_bytes(ElementwiseOp::LogicalNot, DType::boolean);
  expect([](int x, int) { return x == 0; });
  run_on_bytes(ElementwiseOp::LogicalAnd, DType::boolean);
  expect([](int x, int y) { return x != 0 && y != 0; });
}

TEST_P(EachIsa, ResultsDoNotDependOnThreads) {
  std::vector<float> a(300000), one(a.size()), many(a.size());
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i) * 1e-4f - 15;
  ElementwiseCall call;
  call.op = ElementwiseOp::Gelu;
  call.common = DType::f32;
  call.rank = 1;
  call.sizes[0] = static_cast<int64_t>(a.size());
  call.in[0] = {a.data(), DType::f32, {1}};
  call.out = {one.data(), DType::f32, {1}};
  {
    const threadpool::ThreadLimit limit(1);
    elementwise(call);
  }
  call.out.data = many.data();
  elementwise(call);
  EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0);
}

TEST(Layout, JoinsDimensionsAndFollowsTheResult) {
  const int64_t sizes[] = {2, 3, 4, 5};
  const int64_t rows[] = {60, 20, 5, 1}, last[] = {60, 1, 15, 3};
  const int64_t* same[] = {rows, rows};
  EXPECT_EQ(make_layout(4, sizes, same, 2).rank, 1);
  const int64_t* mixed[] = {last, rows};
  const Layout layout = make_layout(4, sizes, mixed, 2);
  EXPECT_EQ(layout.inner_stride(0), 1);
  EXPECT_EQ(layout.row(), 3);
  EXPECT_EQ(layout.numel(), 120);
  LayoutCursor walking(layout, 0);
  for (int64_t i = 0; i < layout.numel(); ++i) {
    const LayoutCursor direct(layout, i);
    ASSERT_EQ(walking.offset(0), direct.offset(0));
    ASSERT_EQ(walking.offset(1), direct.offset(1));
    walking.advance(1);
  }
}

TEST(Complex, ArithmeticAndCasts) {
  const float a[] = {1, 2, 3, -4}, b[] = {0, 1, 2, 2};
  float out[4];
  const void* operands[] = {a, b};
  block_loop(ElementwiseOp::Mul, ComputeType::c64)(out, operands, 0, 2);
  EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{-2, 1, 14, -2}));
  block_loop(ElementwiseOp::Div, ComputeType::c64)(out, operands, 0, 2);
  EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{2, -1, -0.25f, -1.75f}));
  EXPECT_EQ(block_loop(ElementwiseOp::Exp, ComputeType::c64), nullptr);
  double wide[4];
  load_loop(DType::c64, ComputeType::c128)(wide, a, 1, 2);
  EXPECT_EQ(wide[3], -4);
  float real[2];
  load_loop(DType::c64, ComputeType::f32)(real, a, 1, 2);
  EXPECT_EQ(real[1], 3);
}

}  // namespace
}  // namespace executorch::compute
