// Products with a right side of half type or bytes that is met as it lies, and products of bfloat16
// pairs, against sums in double.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "compute/copy/copy.h"
#include "compute/cpu/cpu.h"
#include "compute/cpu/guarded_floats.h"
#include "compute/gemm/bfloat16_gemm.h"
#include "compute/gemm/few_rows_product.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// Numbers of a type whose end touches memory that cannot be accessed; an odd number of halves
/// starts in the middle of a word.
class Numbers {
 public:
  Numbers(DType type, int64_t count, unsigned seed)
      : memory_(count, seed), values_(static_cast<size_t>(count)) {
    const auto size = static_cast<int64_t>(element_size(type));
    std::vector<float> source(memory_.data(), memory_.data() + count);
    if (type == DType::i8) {
      for (float& value : source) value = std::trunc(value * 127);
    }
    data_ = reinterpret_cast<char*>(memory_.data()) + count * (4 - size);
    const TensorView view = contiguous_view(data_, type, element_size(type), 1, &count);
    convert(view, contiguous_view(source.data(), DType::f32, 4, 1, &count));
    convert(contiguous_view(values_.data(), DType::f32, 4, 1, &count), view);
  }
  const void* data() const { return data_; }
  double operator[](int64_t i) const { return values_[static_cast<size_t>(i)]; }

 private:
  GuardedFloats memory_;
  std::vector<float> values_;
  char* data_ = nullptr;
};

struct Strides {
  int64_t row, column;
};
Strides strides_of(bool transposed, int64_t rows, int64_t columns) {
  return transposed ? Strides{1, rows} : Strides{columns, 1};
}

/// An epilogue with everything in it, and what it does to a sum.
struct WholeEpilogue {
  GuardedFloats bias, residual;
  Epilogue epilogue;
  WholeEpilogue(int64_t m, int64_t n) : bias(n, 3), residual(m * n, 4) {
    epilogue.bias = bias.data();
    epilogue.residual = residual.data();
    epilogue.residual_stride = n;
    epilogue.beta = 1.5f;
    epilogue.lo = -2.0f;
    epilogue.hi = 3.0f;
    epilogue.map.apply = [](const void*, float* values, int64_t count) {
      for (int64_t i = 0; i < count; ++i) values[i] += 0.25f;
    };
  }
  double apply(double sum, int64_t i, int64_t j) const {
    const double value = epilogue.alpha * sum + epilogue.bias[j] +
                         1.5 * epilogue.residual[i * epilogue.residual_stride + j];
    return std::fmin(std::fmax(value, -2.0), 3.0) + 0.25;
  }
};

class HalfProducts : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    before_ = active_isa();
    if (!set_active_isa(static_cast<Isa>(GetParam())))
      GTEST_SKIP() << "this machine lacks the instruction set";
  }
  void TearDown() override { set_active_isa(before_); }
  Isa before_;
};

constexpr int64_t kSizes[][3] = {{1, 1, 1},     {1, 100, 33},   {2, 70, 65},  {3, 129, 31},
                                 {4, 17, 40},   {5, 33, 7},     {8, 64, 300}, {12, 47, 16},
                                 {16, 31, 9},   {1, 5000, 3},   {1, 3, 5000}, {16, 300, 21},
                                 {1, 4097, 20}, {11, 400, 130}, {7, 9, 0}};

TEST_P(HalfProducts, FewRowsMatchDouble) {
  for (const DType type : {DType::f32, DType::bf16, DType::f16, DType::i8}) {
    for (const auto& [m, n, k] : kSizes) {
      for (const bool transposed : {false, true}) {
        const Numbers b(type, n * k, 2);
        const Strides strides = strides_of(transposed, k, n);
        const GuardedFloats a(m * k, 1);
        for (const float alpha : {1.0f, 0.5f}) {
          WholeEpilogue whole(m, n);
          whole.epilogue.alpha = alpha;
          GuardedFloats c(m * n, 5);
          const FewRowsProduct product = {m,        n,           k,
                                          a.data(), k,           type,
                                          b.data(), strides.row, strides.column,
                                          c.data(), n,           whole.epilogue};
          if (!few_rows_product_supported(product)) {
            ASSERT_TRUE(k == 0 || (type == DType::f16 && active_isa() == Isa::baseline));
            continue;
          }
          few_rows_product(product);
          for (int64_t i = 0; i < m * n; ++i) {
            double sum = 0;
            for (int64_t l = 0; l < k; ++l) {
              sum += static_cast<double>(a[static_cast<size_t>(i / n * k + l)]) *
                     b[l * strides.row + i % n * strides.column];
            }
            const double scale = type == DType::i8 ? 127 : 1;
            ASSERT_NEAR(c[static_cast<size_t>(i)], whole.apply(sum, i / n, i % n),
                        scale * 1e-6 * static_cast<double>(k + 1))
                << m << "x" << n << "x" << k << " of type " << static_cast<int>(type) << " at "
                << i;
          }
        }
      }
    }
  }
}

TEST_P(HalfProducts, PairsMatchDouble) {
  if (!bfloat16_gemm_supported()) GTEST_SKIP() << "no instruction for pairs of bfloat16";
  constexpr int64_t kMore[][3] = {{31, 31, 31}, {97, 40, 129}, {25, 200, 3001}, {50, 130, 700}};
  std::vector<std::array<int64_t, 3>> sizes;
  for (const auto& [m, n, k] : kSizes) sizes.push_back({m, n, k});
  for (const auto& [m, n, k] : kMore) sizes.push_back({m, n, k});
  for (const auto& [m, n, k] : sizes) {
    for (const bool transposed : {false, true}) {
      for (const int64_t count : {1, 3}) {
        const Numbers a(DType::bf16, count * m * k, 1), b(DType::bf16, count * n * k, 2);
        const Strides strides = strides_of(transposed, k, n);
        WholeEpilogue whole(count * m, n);
        GuardedFloats c(count * m * n, 5);
        const Bfloat16Gemm args = {
            m,
            n,
            k,
            {static_cast<const uint16_t*>(a.data()), k, 1},
            {static_cast<const uint16_t*>(b.data()), strides.row, strides.column},
            c.data(),
            n,
            whole.epilogue,
            count,
            m * k,
            n * k,
            m * n,
            m * n};
        std::vector<char> scratch(bfloat16_gemm_scratch_bytes(count, m, n, k));
        bfloat16_gemm(args, scratch.data(), scratch.size());
        for (int64_t i = 0; i < count * m * n; ++i) {
          const int64_t item = i / (m * n), row = i / n, column = i % n;
          double sum = 0;
          for (int64_t l = 0; l < k; ++l) {
            sum += a[row * k + l] * b[item * n * k + l * strides.row + column * strides.column];
          }
          ASSERT_NEAR(c[static_cast<size_t>(i)], whole.apply(sum, row, column),
                      1e-6 * static_cast<double>(k + 1))
              << m << "x" << n << "x" << k << " at " << i;
        }
      }
    }
  }
}

TEST_P(HalfProducts, SameBitsForAnyThreadCount) {
  const int64_t m = 70, n = 500, k = 1301;
  const Numbers a(DType::bf16, m * k, 1), b(DType::bf16, n * k, 2);
  for (const int64_t rows : {int64_t{1}, int64_t{5}, m}) {
    const bool pairs = rows == m;
    if (pairs && !bfloat16_gemm_supported()) continue;
    std::vector<float> c[2];
    for (const size_t threads : {1, 3}) {
      threadpool::set_thread_count(threads);
      std::vector<float>& out = c[threads / 2];
      out.resize(static_cast<size_t>(rows * n));
      if (pairs) {
        Bfloat16Gemm args;
        args.m = rows, args.n = n, args.k = k;
        args.a = {static_cast<const uint16_t*>(a.data()), k, 1};
        args.b = {static_cast<const uint16_t*>(b.data()), n, 1};
        args.c = out.data();
        args.c_row_stride = n;
        std::vector<char> scratch(bfloat16_gemm_scratch_bytes(1, rows, n, k));
        bfloat16_gemm(args, scratch.data(), scratch.size());
      } else {
        const GuardedFloats left(rows * k, 3);
        few_rows_product(
            {rows, n, k, left.data(), k, DType::bf16, b.data(), n, 1, out.data(), n, {}});
      }
    }
    threadpool::set_thread_count(0);
    EXPECT_EQ(std::memcmp(c[0].data(), c[1].data(), c[0].size() * sizeof(float)), 0) << rows;
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, HalfProducts, ::testing::Range<size_t>(0, kIsaCount),
                         [](const auto& info) {
                           return std::string(isa_name(static_cast<Isa>(info.param)));
                         });

}  // namespace
}  // namespace executorch::compute
