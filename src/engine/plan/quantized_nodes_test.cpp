// Nodes of quantised values against plain loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/error_message.h>

#include "engine/plan/plan.h"

namespace executorch::engine {
namespace {

using Floats = std::vector<float>;
using Bytes = std::vector<int8_t>;

Dims dims(std::initializer_list<int64_t> values) {
  Dims result;
  for (const int64_t value : values) result.push(value);
  return result;
}

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, int8_t>) return DType::i8;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::u8;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::bf16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::i32;
}

/// A graph whose externals are vectors.
class Model {
 public:
  template <class T>
  ValueId input(const std::vector<T>& data, const Dims& sizes) {
    return input(data, sizes, contiguous_strides(sizes));
  }
  template <class T>
  ValueId input(const std::vector<T>& data, const Dims& sizes, const Dims& strides) {
    slots_.push_back(const_cast<T*>(data.data()));
    graph.externals.push_back({});
    return graph.add_external(dtype_of<T>(), sizes, strides,
                              static_cast<int32_t>(slots_.size()) - 1);
  }
  template <class T>
  ValueId constant(const std::vector<T>& data, const Dims& sizes) {
    return graph.add_constant(dtype_of<T>(), sizes, contiguous_strides(sizes), data.data());
  }
  /// Plans, runs and returns the value in row-major order.
  template <class T>
  std::vector<T> run(ValueId value) {
    const Dims sizes = graph.value(value).sizes;
    std::vector<T> result(static_cast<size_t>(numel(sizes)), T{99});
    graph.results.push_back(
        {value, static_cast<int32_t>(slots_.size()), contiguous_strides(sizes)});
    graph.externals.push_back({});
    slots_.push_back(result.data());
    std::unique_ptr<Plan> plan;
    EXPECT_EQ(make_plan(std::move(graph), {}, &plan), Error::Ok) << runtime::last_error_message();
    if (plan == nullptr) return result;
    steps = plan->describe();
    EXPECT_EQ(plan->run(slots_.data(), nullptr), Error::Ok) << runtime::last_error_message();
    return result;
  }
  Error error() {
    std::unique_ptr<Plan> plan;
    return make_plan(std::move(graph), {}, &plan);
  }

  Graph graph;
  std::vector<std::string> steps;  ///< of the plan that ran, what they say they do

 private:
  std::vector<void*> slots_;
};

Bytes random_bytes(int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> uniform(-128, 127);
  Bytes values(static_cast<size_t>(count));
  for (int8_t& value : values) value = static_cast<int8_t>(uniform(engine));
  return values;
}

Floats random_floats(int64_t count, float low, float high, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  Floats values(static_cast<size_t>(count));
  for (float& value : values) value = uniform(engine);
  return values;
}

int8_t quantized(float y, const QuantizedOutput& to) {
  const float q =
      std::nearbyint(y * (1.0f / to.params.scale)) + static_cast<float>(to.params.zero_point);
  return static_cast<int8_t>(
      std::clamp(q, static_cast<float>(to.low), static_cast<float>(to.high)));
}

float real(int8_t q, const QuantParams& params) {
  return static_cast<float>(q - params.zero_point) * params.scale;
}

TEST(QuantizedNodes, QuantizeRoundsToEvenAndClamps) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Model model;
  const Floats x = {0.5f, 1.5f, 2.5f, -0.5f, 1000, -1000, kInfinity, -kInfinity, NAN, 0.74f};
  const ValueId in = model.input(x, dims({10}));
  const ValueId q =
      model.graph.add_node(Quantize{{{1.0f, 3}, -100, 120}}, {in}, DType::i8, dims({10}));
  EXPECT_EQ(model.run<int8_t>(q), (Bytes{3, 5, 5, 3, 120, -100, 120, -100, -100, 4}));
}

TEST(QuantizedNodes, ConversionsKeepAnyLayout) {
  const Dims sizes = dims({2, 5, 3, 7});
  const Floats x = random_floats(numel(sizes), -3, 3, 1);
  const QuantizedOutput to{{0.02f, -7}, -128, 127}, again{{0.05f, 4}, -128, 100};
  for (const bool channels_last : {false, true}) {
    Model model;
    const Dims strides = channels_last ? channels_last_strides(sizes) : contiguous_strides(sizes);
    ValueId at = model.input(x, sizes, strides);
    at = model.graph.add_node(Quantize{to}, {at}, DType::i8, sizes);
    at = model.graph.add_node(Requantize{to.params, again}, {at}, DType::i8, sizes);
    at = model.graph.add_node(Dequantize{again.params}, {at}, DType::f32, sizes);
    const Floats y = model.run<float>(at);
    for (int64_t i = 0; i < numel(sizes); ++i) {
      int64_t rest = i, from = 0;
      for (int d = 3; d >= 0; rest /= sizes[d], --d) from += rest % sizes[d] * strides[d];
      const int8_t q = quantized(x[static_cast<size_t>(from)], to);
      ASSERT_EQ(y[static_cast<size_t>(i)],
                real(quantized(real(q, to.params), again), again.params));
    }
  }
}

TEST(QuantizedNodes, ArithmeticRepeatsOperands) {
  const QuantParams a{0.03f, 5}, b{0.011f, -20};
  const QuantizedOutput to{{0.04f, 3}, 3, 127};
  const Bytes x = random_bytes(2 * 3 * 40, 1), y = random_bytes(2 * 3 * 40, 2);
  const struct {
    Dims sizes;
    int64_t outer, middle, inner;
  } cases[] = {{dims({2, 3, 40}), 120, 40, 1},
               {dims({40}), 0, 0, 1},
               {dims({1}), 0, 0, 0},
               {dims({3, 1}), 0, 1, 0},
               {dims({2, 1, 40}), 40, 0, 1}};
  for (const ElementwiseOp op : {ElementwiseOp::Add, ElementwiseOp::Sub, ElementwiseOp::Mul}) {
    for (const auto& c : cases) {
      Model model;
      const ValueId left = model.input(x, dims({2, 3, 40})), right = model.input(y, c.sizes);
      const ValueId z = model.graph.add_node(QuantizedElementwise{op, a, b, to}, {left, right},
                                             DType::i8, dims({2, 3, 40}));
      const Bytes result = model.run<int8_t>(z);
      for (int64_t i = 0; i < 240; ++i) {
        const int64_t j = i / 120 * c.outer + i / 40 % 3 * c.middle + i % 40 * c.inner;
        const float p = real(x[static_cast<size_t>(i)], a), q = real(y[static_cast<size_t>(j)], b);
        const float value = op == ElementwiseOp::Add   ? p + q
                            : op == ElementwiseOp::Sub ? p - q
                                                       : p * q;
        ASSERT_EQ(result[static_cast<size_t>(i)], quantized(value, to)) << to_text(c.sizes);
      }
    }
  }
}

TEST(QuantizedNodes, MeanOfPlanes) {
  const Dims sizes = dims({2, 19, 7, 7});
  const Bytes x = random_bytes(numel(sizes), 1);
  const QuantParams from{0.03f, -5};
  const QuantizedOutput to{{0.005f, 9}, -128, 127};
  Model model;
  const ValueId in = model.input(x, sizes);
  const ValueId out =
      model.graph.add_node(QuantizedMean{from, to}, {in}, DType::i8, dims({2, 19, 1, 1}));
  const Bytes y = model.run<int8_t>(out);
  for (size_t plane = 0; plane < y.size(); ++plane) {
    int sum = 0;
    for (size_t i = 0; i < 49; ++i) sum += x[plane * 49 + i] + 5;
    const float q = std::nearbyint(static_cast<float>(sum) * (0.03f / (49 * 0.005f))) + 9;
    ASSERT_EQ(y[plane], static_cast<int8_t>(std::clamp(q, -128.0f, 127.0f)));
  }
}

TEST(QuantizedNodes, StaticLinearIsExact) {
  const int64_t rows = 17, n = 40, k = 75;
  const Bytes x = random_bytes(rows * k, 1), w = random_bytes(n * k, 2);
  const Floats scales = random_floats(n, 0.001f, 0.01f, 3);
  std::vector<int32_t> bias;
  for (int32_t i = 0; i < n; ++i) bias.push_back(i * 100 - 2000);
  QuantizedLinear op;
  op.product.input = {0.02f, 11};
  op.product.bias = true;
  op.product.output = {{0.1f, -3}, -3, 127};
  Model model;
  const ValueId out =
      model.graph.add_node(op,
                           {model.input(x, dims({rows, k})), model.constant(w, dims({n, k})),
                            model.constant(scales, dims({n})), model.constant(bias, dims({n}))},
                           DType::i8, dims({rows, n}));
  const Bytes y = model.run<int8_t>(out);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int32_t sum = bias[static_cast<size_t>(j)];
      for (int64_t c = 0; c < k; ++c) {
        sum += (x[static_cast<size_t>(i * k + c)] - 11) * w[static_cast<size_t>(j * k + c)];
      }
      const float factor = 0.02f * scales[static_cast<size_t>(j)] / 0.1f;
      const float q = std::nearbyint(static_cast<float>(sum) * factor) - 3;
      ASSERT_EQ(y[static_cast<size_t>(i * n + j)],
                static_cast<int8_t>(std::clamp(q, -3.0f, 127.0f)));
    }
  }
}

/// Branches of an image, joined: two pointwise convolutions of one image and floats that become
/// bytes, then a convolution over all of them. Pixels by channels, channels innermost.
TEST(QuantizedNodes, ConvolutionsMeetInOneImage) {
  const int64_t height = 4, width = 5, pixels = height * width;
  const QuantParams params{0.05f, 7};
  const QuantizedOutput to{params, -128, 127};
  const Floats scales(5, 0.01f);
  const Bytes x = random_bytes(3 * pixels, 1);
  const Floats z = random_floats(2 * pixels, -3, 3, 2);
  const Bytes first = random_bytes(3 * 3, 3), second = random_bytes(5 * 3, 4),
              last = random_bytes(4 * 10, 5);
  const auto sizes = [&](int64_t channels) { return dims({1, channels, height, width}); };
  Model model;
  const auto convolve = [&](ValueId from, const Bytes& weight, int64_t in, int64_t out) {
    QuantizedConvolution op;
    op.product.input = params;
    op.product.output = to;
    return model.graph.add_node(
        op,
        {from, model.constant(weight, dims({out, in, 1, 1})), model.constant(scales, dims({out}))},
        DType::i8, sizes(out));
  };
  const ValueId source = model.input(x, sizes(3), channels_last_strides(sizes(3)));
  const ValueId floats = model.input(z, sizes(2), channels_last_strides(sizes(2)));
  const ValueId joined =
      model.graph.add_node(Concat{1},
                           {convolve(source, first, 3, 3), convolve(source, second, 3, 5),
                            model.graph.add_node(Quantize{to}, {floats}, DType::i8, sizes(2))},
                           DType::i8, sizes(10));
  const Bytes result = model.run<int8_t>(convolve(joined, last, 10, 4));
  // Three branches, the last convolution, and the copy to the caller's order.
  EXPECT_EQ(model.steps.size(), 5u) << ::testing::PrintToString(model.steps);

  const auto convolved = [&](const int8_t* pixel, const Bytes& weight, int64_t in, int64_t o) {
    int32_t sum = 0;
    for (int64_t i = 0; i < in; ++i)
      sum += (pixel[i] - params.zero_point) * weight[static_cast<size_t>(o * in + i)];
    const float q =
        std::nearbyint(static_cast<float>(sum) * (params.scale * 0.01f / to.params.scale)) +
        static_cast<float>(params.zero_point);
    return static_cast<int8_t>(std::clamp(q, -128.0f, 127.0f));
  };
  for (int64_t p = 0; p < pixels; ++p) {
    int8_t all[10];
    for (int64_t o = 0; o < 3; ++o) all[o] = convolved(&x[static_cast<size_t>(3 * p)], first, 3, o);
    for (int64_t o = 0; o < 5; ++o)
      all[3 + o] = convolved(&x[static_cast<size_t>(3 * p)], second, 3, o);
    for (int64_t o = 0; o < 2; ++o) all[8 + o] = quantized(z[static_cast<size_t>(2 * p + o)], to);
    for (int64_t o = 0; o < 4; ++o) {
      ASSERT_EQ(result[static_cast<size_t>(o * pixels + p)], convolved(all, last, 10, o))
          << "pixel " << p << ", channel " << o;
    }
  }
}

// What a row becomes when it is quantised by its own range.
struct RowValues {
  Floats reals;
  float scale = 0;

  RowValues(const float* x, int64_t k) {
    float low = 0, high = 0;
    for (int64_t i = 0; i < k; ++i) low = std::min(low, x[i]), high = std::max(high, x[i]);
    const float s = low == high ? 1.0f : 255.0f / (high - low);
    const float e = (-128.0f + low * s) + (127.0f + high * s);
    const float zero =
        std::nearbyint(std::clamp(e > 0 ? -128.0f - low * s : 127.0f - high * s, -128.0f, 127.0f));
    scale = 1.0f / s;
    for (int64_t i = 0; i < k; ++i) {
      const float q = std::clamp(std::nearbyint(x[i] * s) + zero, -128.0f, 127.0f);
      reals.push_back(q - zero);
    }
  }
};

TEST(QuantizedNodes, DynamicLinearQuantizesEachRow) {
  const int64_t rows = 9, n = 35, k = 64;
  Floats x = random_floats(rows * k, -2, 5, 1);
  std::fill(x.begin(), x.begin() + k, 0.0f);
  std::fill(x.begin() + k, x.begin() + 2 * k, -4.0f);
  const Floats scales = random_floats(n, 0.001f, 0.01f, 3), bias = random_floats(n, -1, 1, 4);
  const Bytes w = random_bytes(n * k, 2);
  QuantizedLinear op;
  op.product.dynamic = true;
  op.product.bias = true;
  Model model;
  const ValueId in = model.input(x, dims({3, 3, k}));
  const ValueId q = model.graph.add_computed(DType::i8, dims({3, 3, k}));
  const ValueId params = model.graph.add_computed(DType::f32, dims({rows, 2}));
  model.graph.nodes.push_back({QuantizeRows{1}, {in}, {q, params}});
  const ValueId out =
      model.graph.add_node(op,
                           {q, params, model.constant(w, dims({n, k})),
                            model.constant(scales, dims({n})), model.constant(bias, dims({n}))},
                           DType::f32, dims({3, 3, n}));
  const Floats y = model.run<float>(out);
  for (int64_t i = 0; i < rows; ++i) {
    const RowValues row(&x[static_cast<size_t>(i * k)], k);
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t c = 0; c < k; ++c) {
        sum += static_cast<double>(row.reals[static_cast<size_t>(c)]) *
               w[static_cast<size_t>(j * k + c)];
      }
      const float expected = static_cast<float>(sum) * row.scale * scales[static_cast<size_t>(j)] +
                             bias[static_cast<size_t>(j)];
      ASSERT_NEAR(y[static_cast<size_t>(i * n + j)], expected, 1e-6 * (1 + std::fabs(expected)));
    }
  }
}

TEST(QuantizedNodes, RowsThatHoldNoNumbersDoNoHarm) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Floats x = {NAN, 1,   2,   3,   kInfinity, 1,      -kInfinity, 2,
                    NAN, NAN, NAN, NAN, 3e38f,     -3e38f, 0,          1};
  Model model;
  const ValueId in = model.input(x, dims({4, 4}));
  const ValueId q = model.graph.add_computed(DType::i8, dims({4, 4}));
  const ValueId params = model.graph.add_computed(DType::f32, dims({4, 2}));
  model.graph.nodes.push_back({QuantizeRows{1}, {in}, {q, params}});
  const Floats ranges = model.run<float>(params);
  EXPECT_EQ(ranges[0], 1.0f / (255.0f / 3.0f));
  EXPECT_EQ(ranges[1], -128.0f);
  for (size_t row = 0; row < 4; ++row) {
    EXPECT_GE(ranges[2 * row + 1], -128.0f);
    EXPECT_LE(ranges[2 * row + 1], 127.0f);
  }
}

TEST(QuantizedNodes, HalfByteLinearKeepsGroups) {
  const int64_t rows = 3, n = 24, k = 96;
  const Floats x = random_floats(rows * k, -1, 1, 1);
  std::vector<uint8_t> w;
  for (const int8_t b : random_bytes(n * k / 2, 2)) w.push_back(static_cast<uint8_t>(b));
  // 1 and 1.5 in bf16.
  std::vector<uint16_t> scales;
  for (int64_t i = 0; i < n * 3; ++i) scales.push_back(i % 2 == 0 ? 0x3F80 : 0x3FC0);
  QuantizedLinear op;
  op.product.dynamic = true;
  op.product.bits = WeightBits::Int4;
  op.group = 32;
  Model model;
  const ValueId in = model.input(x, dims({rows, k}));
  const ValueId q = model.graph.add_computed(DType::i8, dims({rows, k}));
  const ValueId params = model.graph.add_computed(DType::f32, dims({rows, 2}));
  model.graph.nodes.push_back({QuantizeRows{1}, {in}, {q, params}});
  const ValueId out = model.graph.add_node(
      op, {q, params, model.constant(w, dims({n, k / 2})), model.constant(scales, dims({n, 3}))},
      DType::f32, dims({rows, n}));
  const Floats y = model.run<float>(out);
  for (int64_t i = 0; i < rows; ++i) {
    const RowValues row(&x[static_cast<size_t>(i * k)], k);
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t c = 0; c < k; ++c) {
        const uint8_t both = w[static_cast<size_t>((j * k + c) / 2)];
        const double scale = (j * 3 + c / 32) % 2 == 0 ? 1.0 : 1.5;
        sum += scale * ((c % 2 == 0 ? both & 15 : both >> 4) - 8) *
               static_cast<double>(row.reals[static_cast<size_t>(c)]);
      }
      ASSERT_NEAR(y[static_cast<size_t>(i * n + j)], sum * static_cast<double>(row.scale), 2e-4);
    }
  }
}

constexpr QuantParams kSwishFrom{0.05f, 11};
constexpr QuantizedOutput kSwishTo{{0.03f, -90}, -128, 120};

/// x * clamp(x + 3, 0, 6) of real numbers; `factor` may be of another value than x.
ValueId hard_swish(Model* model, ValueId bytes, ValueId factor) {
  Graph& graph = model->graph;
  const Dims sizes = graph.value(bytes).sizes;
  const auto number = [&](float value) {
    return graph.add_scalar(DType::f32, static_cast<double>(value));
  };
  const auto apply = [&](ElementwiseOp op, std::vector<ValueId> inputs) {
    return graph.add_node(Elementwise{op, DType::f32, 0}, std::move(inputs), DType::f32, sizes);
  };
  const ValueId x = graph.add_node(Dequantize{kSwishFrom}, {bytes}, DType::f32, sizes);
  const ValueId y = graph.add_node(Dequantize{kSwishFrom}, {factor}, DType::f32, sizes);
  const ValueId gate = apply(ElementwiseOp::Clamp,
                             {apply(ElementwiseOp::Add, {x, number(3)}), number(0), number(6)});
  const ValueId product = apply(ElementwiseOp::Mul, {y, gate});
  return graph.add_node(Quantize{kSwishTo}, {product}, DType::i8, sizes);
}

int8_t hard_swish(int8_t byte, int8_t factor) {
  const auto real = [](int8_t q) {
    return static_cast<float>(q - kSwishFrom.zero_point) * kSwishFrom.scale;
  };
  const float y = real(factor) * std::clamp(real(byte) + 3.0f, 0.0f, 6.0f);
  const float q = std::nearbyint(y * (1.0f / kSwishTo.params.scale)) +
                  static_cast<float>(kSwishTo.params.zero_point);
  return static_cast<int8_t>(
      std::clamp(q, static_cast<float>(kSwishTo.low), static_cast<float>(kSwishTo.high)));
}

TEST(QuantizedNodes, FunctionsOfOneByteAreLookedUp) {
  // Whole vectors and a rest, rows as they come and rows that lie across.
  const Dims sizes = dims({3, 331});
  Dims across;
  across.push(1);
  across.push(3);
  Bytes x(static_cast<size_t>(numel(sizes)));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int8_t>(i * 7);
  for (const Dims& strides : {contiguous_strides(sizes), across}) {
    Model model;
    const ValueId in = model.input(x, sizes, strides);
    const ValueId out = hard_swish(&model, in, in);
    const Bytes y = model.run<int8_t>(out);
    const auto& steps = model.steps;
    EXPECT_NE(std::find(steps.begin(), steps.end(), "lookup 993"), steps.end());
    EXPECT_TRUE(std::none_of(steps.begin(), steps.end(), [](const std::string& step) {
      return step.find("quantize") != std::string::npos;
    }));
    for (int64_t row = 0; row < 3; ++row) {
      for (int64_t i = 0; i < 331; ++i) {
        const int8_t byte = x[static_cast<size_t>(row * strides[0] + i * strides[1])];
        ASSERT_EQ(y[static_cast<size_t>(row * 331 + i)], hard_swish(byte, byte))
            << row << ", " << i;
      }
    }
  }
}

TEST(QuantizedNodes, FunctionsOfTwoBytesAreComputed) {
  const Bytes a{-128, -7, 0, 99, 127}, b{4, 127, -128, 3, 0};
  Model model;
  const Dims sizes = dims({5});
  const ValueId x = model.input(a, sizes), y = model.input(b, sizes);
  const Bytes got = model.run<int8_t>(hard_swish(&model, x, y));
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(got[i], hard_swish(a[i], b[i])) << i;
}

TEST(QuantizedNodes, GroupsThatDoNotFitAreRefused) {
  const struct {
    int64_t n, k, group;
  } cases[] = {{24, 16, 5}, {1, 70000, 70000}};
  for (const auto& c : cases) {
    const std::vector<uint8_t> w(static_cast<size_t>(c.n * c.k / 2));
    const std::vector<uint16_t> scales(static_cast<size_t>(c.n));
    const Floats x(static_cast<size_t>(c.k));
    QuantizedLinear op;
    op.product.dynamic = true;
    op.product.bits = WeightBits::Int4;
    op.group = c.group;
    Model model;
    const ValueId in = model.input(x, dims({1, c.k}));
    const ValueId q = model.graph.add_computed(DType::i8, dims({1, c.k}));
    const ValueId params = model.graph.add_computed(DType::f32, dims({1, 2}));
    model.graph.nodes.push_back({QuantizeRows{1}, {in}, {q, params}});
    const ValueId out = model.graph.add_node(op,
                                             {q, params, model.constant(w, dims({c.n, c.k / 2})),
                                              model.constant(scales, dims({c.n, 1}))},
                                             DType::f32, dims({1, c.n}));
    model.graph.results.push_back({out, 1, contiguous_strides(dims({1, c.n}))});
    model.graph.externals.push_back({});
    EXPECT_EQ(model.error(), Error::NotSupported) << c.group;
  }
}

}  // namespace
}  // namespace executorch::engine
