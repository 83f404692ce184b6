#include "compute/gemm/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "compute/cpu/guarded_floats.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

enum class BLayout { kn, nk, strided };

constexpr int64_t kGap = 3;  // columns behind each row of C that must stay as they are
constexpr float kUntouched = 77.0f;

/// A product with its operands and the expected result in double.
struct Case {
  int64_t m, n, k;
  GuardedFloats a, b, c, bias, residual;
  GemmArgs args;
  std::vector<double> expected;

  Case(int64_t m_, int64_t n_, int64_t k_, BLayout layout, bool a_transposed, bool with_epilogue)
      : m(m_),
        n(n_),
        k(k_),
        a(m * k, 1),
        b(layout == BLayout::strided ? std::max<int64_t>(2 * n * k - 1, 0) : n * k, 2),
        c(m * (n + kGap), 0),
        bias(n, 3),
        residual(m * n, 4) {
    std::fill(c.data(), c.data() + c.size(), kUntouched);
    args.m = m, args.n = n, args.k = k;
    args.a = a_transposed ? MatrixView{a.data(), 1, m} : MatrixView{a.data(), k, 1};
    args.b = layout == BLayout::kn   ? MatrixView{b.data(), n, 1}
             : layout == BLayout::nk ? MatrixView{b.data(), 1, k}
                                     : MatrixView{b.data(), 2 * n, 2};
    args.c = c.data();
    args.c_row_stride = n + kGap;
    if (with_epilogue) {
      args.epilogue.bias = bias.data();
      args.epilogue.residual = residual.data();
      args.epilogue.residual_stride = n;
      args.epilogue.alpha = 0.5f;
      args.epilogue.beta = 1.5f;
      args.epilogue.lo = -0.75f;
      args.epilogue.hi = 2.0f;
      static const float kOffset = 0.25f;
      args.epilogue.map = {[](const void* context, float* values, int64_t count) {
                             for (int64_t i = 0; i < count; ++i)
                               values[i] += *static_cast<const float*>(context);
                           },
                           &kOffset};
    }
    expect();
  }

  void expect() {
    expected.assign(static_cast<size_t>(m * n), 0.0);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l) {
          sum +=
              static_cast<double>(args.a.data[i * args.a.row_stride + l * args.a.column_stride]) *
              args.b.data[l * args.b.row_stride + j * args.b.column_stride];
        }
        const Epilogue& e = args.epilogue;
        sum *= e.alpha;
        if (e.bias != nullptr) sum += e.bias[j];
        if (e.residual != nullptr)
          sum += static_cast<double>(e.beta) * e.residual[i * e.residual_stride + j];
        sum = std::min<double>(std::max<double>(sum, e.lo), e.hi);
        if (e.map.apply != nullptr) sum += 0.25;
        expected[static_cast<size_t>(i * n + j)] = sum;
      }
    }
  }

  void run() {
    std::vector<char> scratch(gemm_scratch_bytes(m, n, k, args.packed.data != nullptr));
    gemm(args, scratch.data(), scratch.size());
  }

  void check(const std::string& what) const {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n + kGap; ++j) {
        const float value = c[static_cast<size_t>(i * (n + kGap) + j)];
        if (j >= n) {
          ASSERT_EQ(value, kUntouched) << what << ": wrote behind row " << i;
        } else {
          ASSERT_NEAR(value, expected[static_cast<size_t>(i * n + j)],
                      1e-6 * static_cast<double>(k) + 1e-6)
              << what << ": [" << i << ", " << j << "] of " << m << "x" << n << "x" << k;
        }
      }
    }
  }
};

class GemmTest : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    before_ = active_isa();
    if (!set_active_isa(static_cast<Isa>(GetParam())))
      GTEST_SKIP() << "this machine lacks the instruction set";
  }
  void TearDown() override { set_active_isa(before_); }
  Isa before_;
};

TEST_P(GemmTest, MatchesDouble) {
  const std::tuple<int64_t, int64_t, int64_t> sizes[] = {
      {1, 1, 1},     {1, 100, 33},    {2, 70, 65}, {3, 129, 31}, {4, 17, 40},  {5, 33, 7},
      {8, 64, 300},  {12, 47, 16},    {13, 32, 9}, {31, 31, 31}, {64, 16, 64}, {50, 130, 700},
      {97, 40, 129}, {25, 200, 1500}, {0, 5, 5},   {7, 9, 0}};
  for (const auto& [m, n, k] : sizes) {
    for (BLayout layout : {BLayout::kn, BLayout::nk, BLayout::strided}) {
      for (bool a_transposed : {false, true}) {
        for (bool epilogue : {false, true}) {
          Case unpacked(m, n, k, layout, a_transposed, epilogue);
          unpacked.run();
          unpacked.check("unpacked");
          Case packed(m, n, k, layout, a_transposed, epilogue);
          std::vector<float> panels(gemm_packed_bytes(active_isa(), k, n) / sizeof(float) + 1);
          packed.args.packed = gemm_pack(active_isa(), packed.args.b, k, n, panels.data());
          packed.run();
          packed.check("packed");
        }
      }
    }
  }
}

TEST_P(GemmTest, EpilogueMayReadTheOutput) {
  for (int64_t m : {3, 40}) {
    Case product(m, 37, 900, BLayout::kn, false, false);
    product.args.epilogue.residual = product.c.data();
    product.args.epilogue.residual_stride = product.args.c_row_stride;
    product.args.epilogue.beta = 0.5f;
    product.expect();
    product.run();
    product.check("in place");
  }
}

TEST_P(GemmTest, SameBitsForAnyThreadCount) {
  for (BLayout layout : {BLayout::kn, BLayout::nk}) {
    for (int64_t m : {1, 3, 9, 260}) {
      Case one(m, 500, 700, layout, false, true);
      Case three(m, 500, 700, layout, false, true);
      threadpool::set_thread_count(1);
      one.run();
      threadpool::set_thread_count(3);
      three.run();
      threadpool::set_thread_count(0);
      EXPECT_EQ(std::memcmp(one.c.data(), three.c.data(), one.c.size() * sizeof(float)), 0) << m;
    }
  }
}

TEST_P(GemmTest, VectorFromTheRight) {
  for (const bool transposed : {false, true}) {
    for (const bool in_place : {false, true}) {
      const int64_t m = 333, k = 77;
      const GuardedFloats a(m * k, 1), b(k, 2), before(m, 3);
      GuardedFloats c(m, 3);
      GemmArgs args;
      args.m = m, args.n = 1, args.k = k;
      args.a = transposed ? MatrixView{a.data(), 1, m} : MatrixView{a.data(), k, 1};
      args.b = {b.data(), 1, 1};
      args.c = c.data();
      args.c_row_stride = 1;
      if (in_place) {
        args.epilogue.residual = c.data();
        args.epilogue.residual_stride = 1;
      }
      std::vector<char> scratch(gemm_scratch_bytes(m, 1, k, false));
      gemm(args, scratch.data(), scratch.size());
      for (int64_t i = 0; i < m; ++i) {
        double sum = in_place ? before[static_cast<size_t>(i)] : 0.0f;
        for (int64_t l = 0; l < k; ++l) {
          sum += static_cast<double>(a.data()[i * args.a.row_stride + l * args.a.column_stride]) *
                 b[static_cast<size_t>(l)];
        }
        ASSERT_NEAR(c[static_cast<size_t>(i)], sum, 1e-5) << i;
      }
    }
  }
}

TEST_P(GemmTest, NanAndInfinityPassThrough) {
  Case product(20, 40, 8, BLayout::kn, false, false);
  product.a[0] = NAN;
  product.args.epilogue.lo = 0.0f;
  product.args.epilogue.hi = 6.0f;
  product.run();
  EXPECT_TRUE(std::isnan(product.c[0]));
  EXPECT_TRUE(std::isnan(product.c[39]));
  EXPECT_FALSE(std::isnan(product.c[43]));
}

TEST_P(GemmTest, WithoutTermsOperandsNeedNoMemory) {
  Case product(20, 40, 0, BLayout::kn, false, false);
  product.args.a = {nullptr, 1, 1};
  product.args.b = {nullptr, 1, 1};
  product.expect();
  product.run();
  product.check("no terms");
}

TEST_P(GemmTest, Batch) {
  for (int64_t count : {1, 2, 7}) {
    const int64_t m = 19, n = 45, k = 33;
    const GuardedFloats a(count * m * k, 5), b(count * n * k, 6);
    GuardedFloats c(count * m * n, 7);
    GemmArgs args;
    args.m = m, args.n = n, args.k = k;
    args.a = {a.data(), k, 1};
    args.b = {b.data(), 1, k};
    args.c = c.data();
    args.c_row_stride = n;
    std::vector<char> scratch(gemm_batch_scratch_bytes(count, m, n, k));
    gemm_batch(args, {count, m * k, n * k, m * n, 0}, scratch.data(), scratch.size());
    for (int64_t i = 0; i < count * m * n; ++i) {
      const int64_t item = i / (m * n), row = i / n % m, column = i % n;
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        sum += static_cast<double>(a[static_cast<size_t>((item * m + row) * k + l)]) *
               b[static_cast<size_t>((item * n + column) * k + l)];
      }
      ASSERT_NEAR(c[static_cast<size_t>(i)], sum, 1e-5);
    }
  }
}

TEST(GemmSizes, PackedBytes) {
  EXPECT_GE(gemm_packed_bytes(Isa::baseline, 10, 10), 400u);
  EXPECT_EQ(gemm_packed_bytes(Isa::baseline, INT64_MAX, 2), SIZE_MAX);
  EXPECT_EQ(gemm_packed_bytes(Isa::baseline, 2, INT64_MAX), SIZE_MAX);
  EXPECT_EQ(gemm_packed_bytes(Isa::baseline, -1, 2), SIZE_MAX);
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, GemmTest, ::testing::Range<size_t>(0, kIsaCount),
                         [](const auto& info) {
                           return std::string(isa_name(static_cast<Isa>(info.param)));
                         });

}  // namespace
}  // namespace executorch::compute
