#include "compute/quantized/product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "compute/quantized/packed_layout.h"
#include "compute/quantized/tile_support.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// Memory for packed weights and scratch, aligned as they want it.
class Bytes {
 public:
  explicit Bytes(size_t size) : memory_(size + 128) {
    void* start = memory_.data();
    size_t space = memory_.size();
    data_ = std::align(64, size, start, space);
  }
  void* data() { return data_; }

 private:
  std::vector<char> memory_;
  void* data_;
};

std::vector<int8_t> random_bytes(size_t count, int low, int high, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> uniform(low, high);
  std::vector<int8_t> values(count);
  for (int8_t& value : values) value = static_cast<int8_t>(uniform(engine));
  return values;
}

std::vector<float> random_floats(size_t count, float low, float high, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(engine);
  return values;
}

template <class T>
std::vector<T> padded(const std::vector<T>& values, Isa isa) {
  std::vector<T> result = values;
  result.resize(static_cast<size_t>(padded_columns(isa, static_cast<int64_t>(values.size()))));
  return result;
}

struct Size {
  int64_t m, n, k;
};

std::string name_of(const Size& s) {
  return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

/// A product of bytes on one instruction set.
struct ByteProduct {
  ByteProduct(Isa isa, const Size& size, const std::vector<int8_t>& w) : matrix{isa}, packed(0) {
    matrix.k = size.k, matrix.n = size.n;
    packed = Bytes(quantized_packed_bytes(matrix));
    pack_bytes(matrix, {w.data(), size.k, {1, 1, size.k}, {0, 0, 1}}, packed.data());
    matrix.data = packed.data();
  }

  template <class T>
  std::vector<T> run(const Size& size, const std::vector<int8_t>& a, const SumsOutput& output) {
    std::vector<T> c(static_cast<size_t>(size.m * size.n + 1), T{77});
    const PlainRows rows{a.data(), size.k, matrix.isa, size.k};
    QuantizedProductArgs args;
    args.m = size.m;
    args.rows = source_of(rows);
    args.weights = matrix;
    args.c = c.data();
    args.c_row_stride = size.n;
    args.output = output;
    const size_t bytes =
        quantized_product_scratch_bytes(size.m, matrix, threadpool::pool_thread_count());
    Bytes scratch(bytes);
    quantized_product(args, scratch.data(), bytes);
    EXPECT_EQ(c.back(), T{77});
    c.pop_back();
    return c;
  }

  QuantizedMatrix matrix;
  Bytes packed;
};

int32_t exact_sum(const int8_t* a, const int8_t* w, int64_t k, int32_t zero_point) {
  int64_t sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += (int64_t{a[i]} - zero_point) * w[i];
  return static_cast<int32_t>(static_cast<uint32_t>(sum));
}

/// An instruction set, with the CPU's tiles of bytes or without.
struct Unit {
  Isa isa;
  bool tiles;
};

class ProductTest : public testing::TestWithParam<Unit> {
 protected:
  void SetUp() override {
    if (!isa_supported(isa())) GTEST_SKIP() << "not supported by this CPU";
    allow_byte_tiles(GetParam().tiles);
  }
  void TearDown() override { allow_byte_tiles(true); }
  static Isa isa() { return GetParam().isa; }
};

const Size kSizes[] = {{1, 1, 1},      {1, 33, 7},     {2, 100, 64}, {3, 16, 5},
                       {5, 70, 129},   {12, 32, 16},   {13, 31, 40}, {40, 65, 67},
                       {100, 48, 300}, {7, 200, 1000}, {33, 40, 64}, {129, 33, 200}};

TEST_P(ProductTest, StaticResultsAreExact) {
  constexpr int32_t kZero = -9, kOutZero = 5;
  for (const Size& size : kSizes) {
    const auto a = random_bytes(static_cast<size_t>(size.m * size.k), -128, 127, 1);
    const auto w = random_bytes(static_cast<size_t>(size.n * size.k), -128, 127, 2);
    ByteProduct product(isa(), size, w);
    const auto scale = random_floats(static_cast<size_t>(size.n), 1e-4f, 3e-3f, 3);
    std::vector<int32_t> start;
    const int32_t offset = product_kernels(isa()).offset;
    for (int64_t j = 0; j < size.n; ++j) {
      const int32_t bias = static_cast<int32_t>(j * 37 - 500);
      start.push_back(bias - (kZero + offset) * weight_sums(product.matrix)[j]);
    }
    const auto start_padded = padded(start, isa());
    const auto scale_padded = padded(scale, isa());
    SumsOutput output;
    output.start = start_padded.data();
    output.scale = scale_padded.data();
    output.low = -100.0f - kOutZero;
    output.high = 127.0f - kOutZero;
    output.zero_point = kOutZero;
    const auto c = product.run<int8_t>(size, a, output);
    for (int64_t i = 0; i < size.m; ++i) {
      for (int64_t j = 0; j < size.n; ++j) {
        const int32_t sum = exact_sum(&a[static_cast<size_t>(i * size.k)],
                                      &w[static_cast<size_t>(j * size.k)], size.k, kZero) +
                            static_cast<int32_t>(j * 37 - 500);
        const float real = static_cast<float>(sum) * scale[static_cast<size_t>(j)];
        const float expected =
            std::clamp(std::nearbyint(real) + static_cast<float>(kOutZero), -100.0f, 127.0f);
        ASSERT_EQ(c[static_cast<size_t>(i * size.n + j)], static_cast<int>(expected))
            << name_of(size) << " at " << i << ", " << j;
      }
    }
  }
}

TEST_P(ProductTest, ExtremesDoNotSaturate) {
  const Size size{14, 40, 5000};
  for (const int low : {-128, 127}) {
    const std::vector<int8_t> a(static_cast<size_t>(size.m * size.k), static_cast<int8_t>(low));
    const std::vector<int8_t> w(static_cast<size_t>(size.n * size.k), -128);
    ByteProduct product(isa(), size, w);
    std::vector<int32_t> start(40, -product_kernels(isa()).offset * -128 * 5000);
    const auto start_padded = padded(start, isa());
    const auto scale = padded(std::vector<float>(40, 1.0f), isa());
    SumsOutput output;
    output.start = start_padded.data();
    output.scale = scale.data();
    output.to_float = true;
    for (const float c : product.run<float>(size, a, output)) {
      ASSERT_EQ(c, static_cast<float>(low * -128 * 5000));
    }
  }
}

TEST_P(ProductTest, NotANumberGivesTheLowBound) {
  const Size size{2, 20, 8};
  const auto a = random_bytes(16, -128, 127, 1), w = random_bytes(160, -128, 127, 2);
  ByteProduct product(isa(), size, w);
  const auto start = padded(std::vector<int32_t>(20), isa());
  const auto scale = padded(std::vector<float>(20, NAN), isa());
  SumsOutput output;
  output.start = start.data();
  output.scale = scale.data();
  output.low = -128, output.high = 127;
  for (const int8_t c : product.run<int8_t>(size, a, output)) ASSERT_EQ(c, -128);
}

TEST_P(ProductTest, DynamicRowsHaveTheirOwnParameters) {
  for (const Size& size : kSizes) {
    const auto a = random_bytes(static_cast<size_t>(size.m * size.k), -128, 127, 1);
    const auto w = random_bytes(static_cast<size_t>(size.n * size.k), -128, 127, 2);
    ByteProduct product(isa(), size, w);
    const auto scale = random_floats(static_cast<size_t>(size.n), 1e-3f, 2e-3f, 3);
    const auto bias = random_floats(static_cast<size_t>(size.n), -1.0f, 1.0f, 4);
    std::vector<float> rows;
    for (int64_t i = 0; i < size.m; ++i) {
      rows.push_back(0.01f * static_cast<float>(i + 1));
      rows.push_back(static_cast<float>(i % 256 - 128));
    }
    const auto scale_padded = padded(scale, isa()), bias_padded = padded(bias, isa());
    SumsOutput output;
    output.rows = rows.data();
    output.weight_sums = weight_sums(product.matrix);
    output.scale = scale_padded.data();
    output.bias = bias_padded.data();
    output.to_float = true;
    output.high = 3.0f;
    const auto c = product.run<float>(size, a, output);
    for (int64_t i = 0; i < size.m; ++i) {
      for (int64_t j = 0; j < size.n; ++j) {
        const float* row = &rows[static_cast<size_t>(2 * i)];
        const int32_t sum =
            exact_sum(&a[static_cast<size_t>(i * size.k)], &w[static_cast<size_t>(j * size.k)],
                      size.k, static_cast<int32_t>(row[1]));
        const float real = static_cast<float>(sum) * row[0] * scale[static_cast<size_t>(j)] +
                           bias[static_cast<size_t>(j)];
        ASSERT_EQ(c[static_cast<size_t>(i * size.n + j)], std::min(real, 3.0f))
            << name_of(size) << " at " << i << ", " << j;
      }
    }
  }
}

struct GroupedSize {
  int64_t m, n, k, group;
};

/// The sum over groups that the product is to give, in double precision.
double grouped_sum(const int8_t* a, const std::vector<uint8_t>& w, const uint16_t* scales,
                   int64_t column, const GroupedSize& size, int32_t zero_point) {
  double total = 0;
  for (int64_t k = 0; k < size.k; ++k) {
    const uint8_t both = w[static_cast<size_t>(column * ((size.k + 1) / 2) + k / 2)];
    const int value = (k % 2 == 0 ? both & 15 : both >> 4) - 8;
    const uint32_t bits = uint32_t{scales[k / size.group]} << 16;
    float scale;
    std::memcpy(&scale, &bits, sizeof(scale));
    total += static_cast<double>((a[k] - zero_point) * value) * static_cast<double>(scale);
  }
  return total;
}

TEST_P(ProductTest, HalfBytesKeepTheirGroups) {
  const GroupedSize sizes[] = {{1, 40, 64, 32},  {2, 33, 96, 32},   {3, 70, 256, 128},
                               {5, 5, 32, 32},   {25, 65, 192, 64}, {64, 32, 320, 32},
                               {1, 10, 37, 37},  {30, 20, 50, 50},  {7, 40, 96, 32},
                               {12, 33, 64, 64}, {8, 50, 77, 77}};
  for (const GroupedSize& size : sizes) {
    const auto a = random_bytes(static_cast<size_t>(size.m * size.k), -128, 127, 1);
    std::vector<uint8_t> w;
    for (const int8_t b :
         random_bytes(static_cast<size_t>(size.n * ((size.k + 1) / 2)), -128, 127, 2)) {
      w.push_back(static_cast<uint8_t>(b));
    }
    const int64_t groups = size.k / size.group;
    std::vector<uint16_t> scales;
    for (int64_t i = 0; i < size.n * groups; ++i) {
      scales.push_back(static_cast<uint16_t>(0x3C00 + i * 13 % 128));
    }
    QuantizedMatrix matrix{isa(), WeightBits::Int4, size.k, size.n, size.group};
    Bytes packed(quantized_packed_bytes(matrix));
    pack_halves(matrix, {w.data(), (size.k + 1) / 2, scales.data(), groups}, packed.data());
    matrix.data = packed.data();

    std::vector<float> rows;
    for (int64_t i = 0; i < size.m; ++i) {
      rows.push_back(0.5f);
      rows.push_back(static_cast<float>(i - 10));
    }
    const auto ones = padded(std::vector<float>(static_cast<size_t>(size.n), 1.0f), isa());
    SumsOutput output;
    output.rows = rows.data();
    output.scaled_weight_sums = scaled_weight_sums(matrix);
    output.scale = ones.data();
    output.to_float = true;
    const PlainRows plain{a.data(), size.k, isa(), size.k};
    std::vector<float> c(static_cast<size_t>(size.m * size.n));
    QuantizedProductArgs args;
    args.m = size.m;
    args.rows = source_of(plain);
    args.weights = matrix;
    args.c = c.data();
    args.c_row_stride = size.n;
    args.output = output;
    const size_t bytes =
        quantized_product_scratch_bytes(size.m, matrix, threadpool::pool_thread_count());
    Bytes scratch(bytes);
    quantized_product(args, scratch.data(), bytes);
    for (int64_t i = 0; i < size.m; ++i) {
      for (int64_t j = 0; j < size.n; ++j) {
        const double expected = 0.5 * grouped_sum(&a[static_cast<size_t>(i * size.k)], w,
                                                  &scales[static_cast<size_t>(j * groups)], j, size,
                                                  static_cast<int32_t>(i - 10));
        // Rounding errors are those of terms that the row's offset makes larger than the result.
        ASSERT_NEAR(c[static_cast<size_t>(i * size.n + j)], expected,
                    1e-6 * 255 * 8 * 0.016 * static_cast<double>(size.k))
            << size.m << "x" << size.n << "x" << size.k << " at " << i << ", " << j;
      }
    }
  }
}

TEST_P(ProductTest, GroupsOfColumnsReadTheirOwnInputs) {
  const Size size{15, 6, 10};
  constexpr int64_t kGroups = 3;
  const auto a = random_bytes(static_cast<size_t>(size.m * size.k * kGroups), -128, 127, 1);
  const auto w = random_bytes(static_cast<size_t>(size.n * size.k * kGroups), -128, 127, 2);
  QuantizedMatrix matrix{isa(), WeightBits::Int8, size.k, size.n, 0};
  const size_t each = quantized_packed_bytes(matrix);
  Bytes packed(each * kGroups);
  const int64_t columns = padded_columns(isa(), size.n);
  std::vector<int32_t> start(static_cast<size_t>(columns * kGroups));
  const std::vector<float> scale(start.size(), 1.0f);
  for (int64_t g = 0; g < kGroups; ++g) {
    char* to = static_cast<char*>(packed.data()) + static_cast<size_t>(g) * each;
    pack_bytes(matrix,
               {&w[static_cast<size_t>(g * size.n * size.k)], size.k, {1, 1, size.k}, {0, 0, 1}},
               to);
    matrix.data = to;
    for (int64_t j = 0; j < size.n; ++j) {
      start[static_cast<size_t>(g * columns + j)] =
          -product_kernels(isa()).offset * weight_sums(matrix)[j];
    }
  }
  matrix.data = packed.data();
  const PlainRows plain{a.data(), size.k * kGroups, isa(), size.k};
  std::vector<float> c(static_cast<size_t>(size.m * size.n * kGroups));
  QuantizedProductArgs args;
  args.m = size.m;
  args.groups = kGroups;
  args.rows = source_of(plain);
  args.weights = matrix;
  args.c = c.data();
  args.c_row_stride = size.n * kGroups;
  args.output.start = start.data();
  args.output.scale = scale.data();
  args.output.to_float = true;
  const size_t bytes =
      quantized_product_scratch_bytes(size.m, matrix, threadpool::pool_thread_count());
  Bytes scratch(bytes);
  quantized_product(args, scratch.data(), bytes);
  for (int64_t i = 0; i < size.m; ++i) {
    for (int64_t j = 0; j < size.n * kGroups; ++j) {
      const int64_t g = j / size.n;
      const int32_t expected = exact_sum(&a[static_cast<size_t>((i * kGroups + g) * size.k)],
                                         &w[static_cast<size_t>(j * size.k)], size.k, 0);
      ASSERT_EQ(c[static_cast<size_t>(i * size.n * kGroups + j)], static_cast<float>(expected));
    }
  }
}

std::vector<Unit> units() {
  std::vector<Unit> all;
  for (size_t i = 0; i < kIsaCount; ++i) {
    all.push_back({static_cast<Isa>(i), false});
    if (product_kernels(all.back().isa).tiles.rows > 0 && byte_tiles_usable()) {
      all.push_back({all.back().isa, true});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, ProductTest, testing::ValuesIn(units()),
                         [](const auto& info) {
                           return std::string(isa_name(info.param.isa)) +
                                  (info.param.tiles ? "_tiles" : "");
                         });

TEST(QuantizedPacking, SizesThatOverflowAreRefused) {
  QuantizedMatrix matrix;
  matrix.k = INT64_MAX / 2, matrix.n = 100;
  EXPECT_EQ(quantized_packed_bytes(matrix), SIZE_MAX);
  matrix.k = -1;
  EXPECT_EQ(quantized_packed_bytes(matrix), SIZE_MAX);
}

}  // namespace
}  // namespace executorch::compute
