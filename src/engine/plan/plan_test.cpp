#include "engine/plan/plan.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace executorch::engine {
namespace {

using compute::ReduceOp;

Dims dims(std::initializer_list<int64_t> values) {
  Dims result;
  for (const int64_t value : values) result.push(value);
  return result;
}

std::vector<float> noise(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1.0f, 1.0f);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = distribution(generator);
  return values;
}

// A graph whose externals are vectors of floats.
class Fixture {
 public:
  Graph graph;

  ValueId input(const Dims& sizes, uint32_t seed) {
    memory_.push_back(noise(numel(sizes), seed));
    graph.externals.push_back({});
    return graph.add_external(DType::f32, sizes, contiguous_strides(sizes), slots_++);
  }
  ValueId weight(const Dims& sizes, uint32_t seed) {
    weights_.push_back(std::make_unique<std::vector<float>>(noise(numel(sizes), seed)));
    return graph.add_constant(DType::f32, sizes, contiguous_strides(sizes), weights_.back()->data());
  }
  ValueId elementwise(ElementwiseOp op, std::vector<ValueId> operands) {
    Dims sizes = graph.value(operands[0]).sizes;
    for (const ValueId operand : operands) EXPECT_TRUE(broadcast_sizes(sizes, graph.value(operand).sizes, &sizes));
    return graph.add_node(Elementwise{op, DType::f32, 0}, std::move(operands), DType::f32, sizes);
  }
  ValueId product(ValueId a, ValueId b, MatMul op = {}) {
    Dims sizes = graph.value(a).sizes;
    sizes[sizes.rank - 1] = graph.value(b).sizes.back();
    return graph.add_node(op, {a, b}, DType::f32, sizes);
  }
  ValueId permute(ValueId value, std::initializer_list<int> order) {
    Permute op{};
    Dims sizes;
    int d = 0;
    for (const int from : order) {
      op.dims[d++] = static_cast<int8_t>(from);
      sizes.push(graph.value(value).sizes[from]);
    }
    return graph.add_node(op, {value}, DType::f32, sizes);
  }
  ValueId reshape(ValueId value, const Dims& sizes) { return graph.add_node(Reshape{}, {value}, DType::f32, sizes); }
  void output(ValueId value) {
    const Dims& sizes = graph.value(value).sizes;
    memory_.emplace_back(static_cast<size_t>(numel(sizes)), -7.0f);
    graph.externals.push_back({});
    graph.results.push_back({value, slots_++, contiguous_strides(sizes)});
  }

  void run(const PlanOptions& options = {}) {
    ASSERT_EQ(make_plan(graph, options, &plan), Error::Ok) << runtime::last_error_message();
    std::vector<void*> slots;
    for (auto& memory : memory_) slots.push_back(memory.data());
    ASSERT_EQ(plan->run(slots.data(), nullptr), Error::Ok) << runtime::last_error_message();
  }
  const std::vector<float>& slot(size_t i) const { return memory_[i]; }
  std::vector<float>& slot(size_t i) { return memory_[i]; }
  const std::vector<float>& weight_data(size_t i) const { return *weights_[i]; }
  std::string text() const {
    std::string all;
    for (const std::string& line : plan->describe()) all += line + "\n";
    return all;
  }

  std::unique_ptr<Plan> plan;

 private:
  std::vector<std::vector<float>> memory_;
  std::vector<std::unique_ptr<std::vector<float>>> weights_;
  int32_t slots_ = 0;
};

void expect_near(const std::vector<float>& found, const std::vector<double>& expected, double tolerance = 1e-5) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], tolerance) << "element " << i;
}

TEST(Plan, ProductTakesBiasAdditionAndActivation) {
  Fixture f;
  const ValueId x = f.input(dims({5, 7}), 1), other = f.input(dims({5, 9}), 2);
  const ValueId w = f.permute(f.weight(dims({9, 7}), 3), {1, 0});
  const ValueId sum = f.elementwise(ElementwiseOp::Add, {f.product(x, w), f.weight(dims({9}), 4)});
  f.output(f.elementwise(ElementwiseOp::Relu, {f.elementwise(ElementwiseOp::Add, {sum, other})}));
  f.run();
  EXPECT_EQ(f.plan->num_steps(), 1u) << f.text();
  std::vector<double> expected;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 9; ++j) {
      double total = f.weight_data(1)[j] + f.slot(1)[i * 9 + j];
      for (int k = 0; k < 7; ++k) total += static_cast<double>(f.slot(0)[i * 7 + k]) * f.weight_data(0)[j * 7 + k];
      expected.push_back(total > 0 ? total : 0);
    }
  }
  expect_near(f.slot(2), expected);
}

TEST(Plan, ActivatedValueThatIsAlsoReadPlainIsNotFused) {
  Fixture f;
  const ValueId x = f.input(dims({3, 4}), 1);
  const ValueId y = f.product(x, f.weight(dims({4, 4}), 2));
  f.output(y);
  f.output(f.elementwise(ElementwiseOp::Relu, {y}));
  f.run();
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(f.slot(2)[i], std::max(0.0f, f.slot(1)[i]));
  EXPECT_LT(*std::min_element(f.slot(1).begin(), f.slot(1).end()), 0.0f);
}

TEST(Plan, WorkOnConstantsIsDoneOnce) {
  Fixture f;
  const ValueId x = f.input(dims({4}), 1);
  const ValueId c = f.elementwise(ElementwiseOp::Mul, {f.weight(dims({4}), 2), f.weight(dims({1}), 3)});
  f.output(f.elementwise(ElementwiseOp::Add, {x, f.reshape(f.permute(f.reshape(c, dims({2, 2})), {1, 0}), dims({4}))}));
  f.run();
  EXPECT_EQ(f.plan->num_steps(), 1u) << f.text();
  const auto& w = f.weight_data(0);
  const float s = f.weight_data(1)[0];
  expect_near(f.slot(1), {f.slot(0)[0] + w[0] * s, f.slot(0)[1] + w[2] * s, f.slot(0)[2] + w[1] * s,
                          f.slot(0)[3] + w[3] * s});
}

TEST(Plan, PartsOfAConcatenationAreWrittenInPlace) {
  Fixture f;
  const ValueId a = f.input(dims({2, 3}), 1), b = f.input(dims({2, 4}), 2);
  const ValueId left = f.elementwise(ElementwiseOp::Neg, {a}), right = f.elementwise(ElementwiseOp::Abs, {b});
  f.output(f.graph.add_node(Concat{1}, {left, right}, DType::f32, dims({2, 7})));
  f.run();
  EXPECT_EQ(f.plan->num_steps(), 2u) << f.text();
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_EQ(f.slot(2)[i * 7 + j], -f.slot(0)[i * 3 + j]);
    for (int j = 0; j < 4; ++j) EXPECT_EQ(f.slot(2)[i * 7 + 3 + j], std::fabs(f.slot(1)[i * 4 + j]));
  }
}

// A result shares its bytes with an input that later steps still read.
TEST(Plan, ResultOverAnInputWaitsForItsReaders) {
  Fixture f;
  const ValueId a = f.input(dims({8}), 1);
  const ValueId twice = f.elementwise(ElementwiseOp::Add, {a, a});
  const ValueId rotated = f.reshape(f.permute(f.reshape(a, dims({2, 4})), {1, 0}), dims({8}));
  f.output(f.graph.add_node(Concat{0}, {twice, f.elementwise(ElementwiseOp::Exp, {rotated})}, DType::f32, dims({16})));
  f.graph.externals[0] = {0, 0, 32};
  f.graph.externals[1] = {0, 0, 64};
  ASSERT_EQ(make_plan(f.graph, {}, &f.plan), Error::Ok);
  std::vector<float> memory(16);
  const std::vector<float> before = f.slot(0);
  std::copy(before.begin(), before.end(), memory.begin());
  void* slots[] = {memory.data(), memory.data()};
  ASSERT_EQ(f.plan->run(slots, nullptr), Error::Ok);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(memory[i], 2 * before[i]);
    EXPECT_NEAR(memory[8 + i], std::exp(before[i % 2 * 4 + i / 2]), 1e-5);
  }
}

TEST(Plan, StateIsUpdatedInPlace) {
  Fixture f;
  const ValueId state = f.input(dims({2, 5, 3}), 1), values = f.input(dims({2, 2, 3}), 2);
  static const int64_t kIndices[] = {4, -4};
  const ValueId indices = f.graph.add_constant(DType::i64, dims({2}), dims({1}), kIndices);
  const ValueId updated = f.graph.add_node(IndexPut{1}, {state, indices, values}, DType::f32, dims({2, 5, 3}));
  f.graph.results.push_back({updated, 0, contiguous_strides(dims({2, 5, 3}))});
  std::vector<float> expected = f.slot(0);
  f.run();
  EXPECT_EQ(f.plan->num_steps(), 1u) << f.text();
  for (int b = 0; b < 2; ++b) {
    for (int d = 0; d < 3; ++d) {
      expected[b * 15 + 4 * 3 + d] = f.slot(1)[b * 6 + d];
      expected[b * 15 + 1 * 3 + d] = f.slot(1)[b * 6 + 3 + d];
    }
  }
  EXPECT_EQ(f.slot(0), expected);
}

TEST(Plan, IndexOutsideIsAnErrorAndChangesNothing) {
  Fixture f;
  const ValueId state = f.input(dims({4}), 1), values = f.input(dims({2}), 2);
  static const int64_t kIndices[] = {0, 4};
  const ValueId indices = f.graph.add_constant(DType::i64, dims({2}), dims({1}), kIndices);
  const ValueId updated = f.graph.add_node(IndexPut{0}, {state, indices, values}, DType::f32, dims({4}));
  f.graph.results.push_back({updated, 0, contiguous_strides(dims({4}))});
  ASSERT_EQ(make_plan(f.graph, {}, &f.plan), Error::Ok);
  const std::vector<float> before = f.slot(0);
  void* slots[] = {f.slot(0).data(), f.slot(1).data()};
  EXPECT_EQ(f.plan->run(slots, nullptr), Error::InvalidArgument);
  EXPECT_EQ(f.slot(0), before);
}

TEST(Plan, AttentionMatchesItsDefinition) {
  Fixture f;
  const int64_t heads = 3, rows = 21, depth = 8, length = 19, width = 5;
  // Heads lie inside rows, as a projection leaves them.
  const ValueId q = f.permute(f.input(dims({rows, heads, depth}), 1), {1, 0, 2});
  const ValueId k = f.permute(f.input(dims({length, heads, depth}), 2), {1, 2, 0});
  const ValueId v = f.permute(f.input(dims({length, heads, width}), 3), {1, 0, 2});
  const ValueId mask = f.input(dims({rows, length}), 4);
  for (int64_t j = 0; j < length; ++j) f.slot(3)[2 * length + j] = -std::numeric_limits<float>::infinity();
  const ValueId scale = f.graph.add_scalar(DType::f32, 0.25);
  const ValueId scores =
      f.elementwise(ElementwiseOp::Add, {f.product(f.elementwise(ElementwiseOp::Mul, {q, scale}), k), mask});
  const ValueId weights = f.graph.add_node(Softmax{2, true}, {scores}, DType::f32, dims({heads, rows, length}));
  f.output(f.permute(f.product(weights, v), {1, 0, 2}));
  f.run();
  EXPECT_EQ(f.plan->num_steps(), 1u) << f.text();
  std::vector<double> expected(static_cast<size_t>(rows * heads * width), 0.0);
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t i = 0; i < rows; ++i) {
      std::vector<double> e(static_cast<size_t>(length));
      double total = 0;
      for (int64_t j = 0; j < length; ++j) {
        double dot = 0;
        for (int64_t d = 0; d < depth; ++d) {
          dot += static_cast<double>(f.slot(0)[(i * heads + h) * depth + d]) * f.slot(1)[(j * heads + h) * depth + d];
        }
        total += e[j] = std::exp(0.25 * dot + f.slot(3)[i * length + j]);
      }
      for (int64_t j = 0; total > 0 && j < length; ++j) {
        for (int64_t d = 0; d < width; ++d) {
          expected[(i * heads + h) * width + d] += e[j] / total * f.slot(2)[(j * heads + h) * width + d];
        }
      }
    }
  }
  expect_near(f.slot(4), expected);
}

TEST(Plan, BatchNormGoesIntoTheConvolution) {
  Fixture f;
  const ValueId x = f.input(dims({2, 3, 9, 8}), 1);
  Convolution op{{2, 1}, {1, 0}, {1, 1}, 1, false, false, {}};
  const ValueId y = f.graph.add_node(op, {x, f.weight(dims({4, 3, 3, 2}), 2)}, DType::f32, dims({2, 4, 5, 7}));
  const ValueId variance = f.weight(dims({4}), 6);
  for (int c = 0; c < 4; ++c) const_cast<std::vector<float>&>(f.weight_data(1))[c] = 0.5f + 0.25f * c;
  const ValueId weight = f.weight(dims({4}), 3), bias = f.weight(dims({4}), 4), mean = f.weight(dims({4}), 5);
  f.output(f.graph.add_node(BatchNorm{1e-3, true, true}, {y, weight, bias, mean, variance}, DType::f32,
                            dims({2, 4, 5, 7})));
  f.run();
  std::vector<double> expected;
  for (int n = 0; n < 2; ++n) {
    for (int c = 0; c < 4; ++c) {
      for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 7; ++j) {
          double total = 0;
          for (int k = 0; k < 3; ++k) {
            for (int a = 0; a < 3; ++a) {
              for (int b = 0; b < 2; ++b) {
                const int row = i * 2 - 1 + a, column = j + b;
                if (row < 0 || row >= 9) continue;
                total += static_cast<double>(f.slot(0)[((n * 3 + k) * 9 + row) * 8 + column]) *
                         f.weight_data(0)[((c * 3 + k) * 3 + a) * 2 + b];
              }
            }
          }
          const double deviation = std::sqrt(f.weight_data(1)[c] + 1e-3);
          expected.push_back((total - f.weight_data(4)[c]) / deviation * f.weight_data(2)[c] + f.weight_data(3)[c]);
        }
      }
    }
  }
  expect_near(f.slot(1), expected);
  EXPECT_EQ(f.text().find("Mul"), std::string::npos) << f.text();
}

TEST(Plan, RmsNormAndGateAreRecognised) {
  Fixture f;
  const ValueId x = f.input(dims({3, 6}), 1), w = f.weight(dims({6}), 2);
  const ValueId square = f.elementwise(ElementwiseOp::Mul, {x, x});
  const ValueId mean = f.graph.add_node(Reduce{ReduceOp::Sum, 2, 6.0}, {square}, DType::f32, dims({3, 1}));
  const ValueId factor = f.elementwise(
      ElementwiseOp::Rsqrt, {f.elementwise(ElementwiseOp::Add, {mean, f.graph.add_scalar(DType::f32, 1e-5)})});
  const ValueId y = f.elementwise(ElementwiseOp::Mul, {f.elementwise(ElementwiseOp::Mul, {x, factor}), w});
  f.output(f.elementwise(ElementwiseOp::Mul, {y, f.elementwise(ElementwiseOp::Sigmoid, {y})}));
  f.run();
  EXPECT_EQ(f.plan->num_steps(), 2u) << f.text();
  std::vector<double> expected;
  for (int i = 0; i < 3; ++i) {
    double total = 0;
    for (int j = 0; j < 6; ++j) total += std::pow(f.slot(0)[i * 6 + j], 2);
    for (int j = 0; j < 6; ++j) {
      const double v = f.slot(0)[i * 6 + j] / std::sqrt(total / 6 + 1e-5) * f.weight_data(0)[j];
      expected.push_back(v / (1 + std::exp(-v)));
    }
  }
  expect_near(f.slot(1), expected);
}

TEST(Plan, MemoryOverTheLimitIsRefusedWithBothNumbers) {
  Fixture f;
  const ValueId x = f.input(dims({64, 64}), 1);
  f.output(f.permute(f.elementwise(ElementwiseOp::Exp, {f.product(f.product(x, x), x)}), {1, 0}));
  PlanOptions options;
  options.memory_limit = 1000;
  EXPECT_EQ(make_plan(f.graph, options, &f.plan), Error::MemoryAllocationFailed);
  EXPECT_NE(std::string(runtime::last_error_message()).find("1000"), std::string::npos);
}

TEST(Plan, WeightsStayUnpackedOverTheLimit) {
  Fixture f;
  ValueId x = f.input(dims({2, 512}), 1);
  for (uint32_t layer = 0; layer < 6; ++layer) x = f.product(x, f.weight(dims({512, 512}), layer + 2));
  f.output(x);
  f.run();
  const std::vector<float> packed = f.slot(1);
  EXPECT_GE(f.plan->packed_bytes(), 6u << 20);
  PlanOptions options;
  options.memory_limit = 5 << 20;
  f.run(options);
  EXPECT_LT(f.plan->packed_bytes(), 5u << 20);
  for (size_t i = 0; i < packed.size(); ++i) EXPECT_NEAR(f.slot(1)[i], packed[i], 1e-4 * std::fabs(packed[i]) + 1e-3);
}

TEST(Plan, PlansForOtherSizesTakeThePackedWeights) {
  Fixture f, g;
  const ValueId weight = f.weight(dims({48, 48}), 2);
  f.output(f.product(f.input(dims({2, 48}), 1), weight));
  f.run();
  const ValueId same = g.graph.add_constant(DType::f32, dims({48, 48}), dims({48, 1}), f.graph.value(weight).data);
  g.output(g.product(g.input(dims({5, 48}), 1), same));
  PlanOptions options;
  options.earlier = f.plan.get();
  g.run(options);
  EXPECT_TRUE(g.plan->shares_weights_with(*f.plan));
}

TEST(Plan, InstancesShareWeights) {
  Fixture f, g;
  for (Fixture* fixture : {&f, &g}) {
    const ValueId x = fixture->input(dims({2, 48}), 1);
    fixture->output(fixture->product(x, fixture->weight(dims({48, 48}), 2)));
    fixture->run();
  }
  EXPECT_EQ(f.slot(1), g.slot(1));
  EXPECT_TRUE(f.plan->shares_weights_with(*g.plan));
}

// ---- Random chains: fusion, layouts and memory reuse must not change values.

double apply(ElementwiseOp op, double a, double b) {
  switch (op) {
    case ElementwiseOp::Add: return a + b;
    case ElementwiseOp::Sub: return a - b;
    case ElementwiseOp::Mul: return a * b;
    case ElementwiseOp::Maximum: return a > b ? a : b;
    case ElementwiseOp::Tanh: return std::tanh(a);
    case ElementwiseOp::Sigmoid: return 1 / (1 + std::exp(-a));
    default: return std::fabs(a);
  }
}

class RandomGraphs : public ::testing::TestWithParam<uint32_t> {};

TEST_P(RandomGraphs, GiveTheValuesOfTheirDefinition) {
  std::mt19937 random(GetParam());
  const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  Fixture f;
  struct Known {
    ValueId id;
    std::vector<double> values;
  };
  std::vector<Known> known;
  const Dims sizes = dims({static_cast<int64_t>(1 + pick(3)), static_cast<int64_t>(1 + pick(70)), 6});
  for (uint32_t i = 0; i < 2; ++i) {
    const ValueId id = f.input(sizes, GetParam() * 7 + i);
    known.push_back({id, {f.slot(i).begin(), f.slot(i).end()}});
  }
  const ElementwiseOp kOps[] = {ElementwiseOp::Add,  ElementwiseOp::Sub,     ElementwiseOp::Mul, ElementwiseOp::Maximum,
                                ElementwiseOp::Tanh, ElementwiseOp::Sigmoid, ElementwiseOp::Abs};
  for (int step = 0; step < 30; ++step) {
    const Known a = known[pick(known.size())];
    if (pick(4) == 0) {
      // To a transposed layout and back through a product that is the identity.
      const ValueId turned = f.elementwise(ElementwiseOp::Neg, {f.permute(a.id, {0, 2, 1})});
      Known back{f.permute(turned, {0, 2, 1}), a.values};
      for (double& value : back.values) value = -value;
      known.push_back(std::move(back));
      continue;
    }
    const ElementwiseOp op = kOps[pick(7)];
    const Known b = known[pick(known.size())];
    const bool two = compute::arity(op) == 2;
    Known result{f.elementwise(op, two ? std::vector<ValueId>{a.id, b.id} : std::vector<ValueId>{a.id}), a.values};
    for (size_t i = 0; i < a.values.size(); ++i) {
      result.values[i] = std::fmin(1e3, std::fmax(-1e3, apply(op, a.values[i], b.values[i])));
    }
    const ValueId low = f.graph.add_scalar(DType::f32, -1e3), high = f.graph.add_scalar(DType::f32, 1e3);
    result.id = f.elementwise(ElementwiseOp::Clamp, {result.id, low, high});
    known.push_back(std::move(result));
  }
  std::vector<size_t> outputs;
  for (size_t i = 2; i < known.size(); i += 1 + pick(6)) outputs.push_back(i);
  for (const size_t i : outputs) f.output(known[i].id);
  f.run();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& expected = known[outputs[i]].values;
    for (size_t k = 0; k < expected.size(); ++k) {
      ASSERT_NEAR(f.slot(2 + i)[k], expected[k], 1e-3 * std::max(1.0, std::fabs(expected[k]))) << "output " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, ::testing::Range(1u, 41u));

}  // namespace
}  // namespace executorch::engine
