// Constants in unusual layouts and sizes.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "engine/plan/plan.h"
#include "engine/steps/copy_steps.h"

namespace executorch::engine {
namespace {

Dims dims(std::initializer_list<int64_t> values) {
  Dims result;
  for (const int64_t value : values) result.push(value);
  return result;
}

// One convolution of a 1x2x3x3 image of ones with the weight as laid out.
std::vector<float> convolve(const std::vector<float>& weight, const Dims& strides) {
  Graph graph;
  std::vector<float> image(18, 1.0f);
  std::vector<float> out(12, -1.0f);
  const Dims image_sizes = dims({1, 2, 3, 3}), out_sizes = dims({1, 3, 2, 2});
  graph.externals.resize(2);
  const ValueId x = graph.add_external(DType::f32, image_sizes, contiguous_strides(image_sizes), 0);
  const ValueId w = graph.add_constant(DType::f32, dims({3, 2, 2, 2}), strides, weight.data());
  const Convolution op{{1, 1}, {0, 0}, {1, 1}, 1, false, false, {}};
  const ValueId y = graph.add_node(op, {x, w}, DType::f32, out_sizes);
  graph.results.push_back({y, 1, contiguous_strides(out_sizes)});
  std::unique_ptr<Plan> plan;
  EXPECT_EQ(make_plan(std::move(graph), {}, &plan), Error::Ok) << runtime::last_error_message();
  void* slots[] = {image.data(), out.data()};
  if (plan != nullptr) {
    EXPECT_EQ(plan->run(slots, nullptr), Error::Ok) << runtime::last_error_message();
  }
  return out;
}

TEST(Constants, ConvolutionTakesItsWeightInAnyLayout) {
  const Dims sizes = dims({3, 2, 2, 2});
  std::vector<float> plain(24), channels_last(24);
  const Dims strides = channels_last_strides(sizes);
  for (int n = 0; n < 3; ++n) {
    for (int c = 0; c < 2; ++c) {
      for (int i = 0; i < 4; ++i) {
        const float value = static_cast<float>(1 + n * 8 + c * 4 + i);
        plain[static_cast<size_t>(n * 8 + c * 4 + i)] = value;
        channels_last[static_cast<size_t>(n * strides[0] + c * strides[1] + (i / 2) * strides[2] +
                                          (i % 2) * strides[3])] = value;
      }
    }
  }
  const std::vector<float> expected = {36, 36, 36, 36, 100, 100, 100, 100, 164, 164, 164, 164};
  EXPECT_EQ(convolve(plain, contiguous_strides(sizes)), expected);
  EXPECT_EQ(convolve(channels_last, strides), expected);
}

TEST(Constants, FoldingStaysUnderTheLimit) {
  Graph graph;
  const float one = 1;
  const Dims sizes = dims({1 << 20});
  graph.externals.resize(1);
  const ValueId wide = graph.add_constant(DType::f32, sizes, dims({0}), &one);
  const ValueId sum = graph.add_node(Elementwise{ElementwiseOp::Add, DType::f32, 0}, {wide, wide},
                                     DType::f32, sizes);
  graph.results.push_back({sum, 0, contiguous_strides(sizes)});
  PlanOptions options;
  options.memory_limit = 1 << 20;
  std::unique_ptr<Plan> plan;
  EXPECT_EQ(make_plan(std::move(graph), options, &plan), Error::MemoryAllocationFailed);
  EXPECT_NE(runtime::last_error_message()[0], '\0');
}

// Two results, each the sum of two numbers spread over so many elements.
size_t memory_of_sums(const float* numbers, int64_t elements) {
  Graph graph;
  const Dims sizes = dims({elements});
  graph.externals.resize(2);
  for (int32_t i = 0; i < 2; ++i) {
    const ValueId wide = graph.add_constant(DType::f32, sizes, dims({0}), numbers + i);
    const ValueId sum = graph.add_node(Elementwise{ElementwiseOp::Add, DType::f32, 0}, {wide, wide},
                                       DType::f32, sizes);
    graph.results.push_back({sum, i, contiguous_strides(sizes)});
  }
  std::unique_ptr<Plan> plan;
  EXPECT_EQ(make_plan(std::move(graph), {}, &plan), Error::Ok) << runtime::last_error_message();
  std::vector<float> out(static_cast<size_t>(2 * elements));
  void* slots[] = {out.data(), out.data() + elements};
  EXPECT_EQ(plan->run(slots, nullptr), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(out.front(), 2 * numbers[0]);
  EXPECT_EQ(out.back(), 2 * numbers[1]);
  return plan->memory_bytes();
}

TEST(Constants, EqualOnesAreKeptOnce) {
  constexpr int64_t kElements = 100000;
  constexpr size_t kBytes = kElements * sizeof(float);
  const float equal[] = {3, 3}, different[] = {3, 4};
  EXPECT_LT(memory_of_sums(equal, kElements), 2 * kBytes);
  EXPECT_GE(memory_of_sums(different, kElements), 2 * kBytes);
}

// softmax(query key + mask) value over 64 rows, the mask computed from one number.
size_t memory_of_attention(float number, std::vector<float>* out) {
  Graph graph;
  const Dims sizes = dims({2, 64, 64}), mask_sizes = dims({64, 64});
  const Dims strides = contiguous_strides(sizes);
  std::vector<float> in(2 * 64 * 64);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 7) / 8;
  graph.externals.resize(2);
  const ValueId x = graph.add_external(DType::f32, sizes, strides, 0);
  const ValueId wide = graph.add_constant(DType::f32, mask_sizes, dims({0, 0}), &number);
  const Elementwise add{ElementwiseOp::Add, DType::f32, 0};
  const ValueId mask = graph.add_node(add, {wide, wide}, DType::f32, mask_sizes);
  const ValueId product = graph.add_node(MatMul{}, {x, x}, DType::f32, sizes);
  const ValueId scores = graph.add_node(add, {product, mask}, DType::f32, sizes);
  const ValueId weights = graph.add_node(Softmax{2, false}, {scores}, DType::f32, sizes);
  const ValueId result = graph.add_node(MatMul{}, {weights, x}, DType::f32, sizes);
  graph.results.push_back({result, 1, strides});
  std::unique_ptr<Plan> plan;
  EXPECT_EQ(make_plan(std::move(graph), {}, &plan), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(plan->num_steps(), 1u);
  out->resize(in.size());
  void* slots[] = {in.data(), out->data()};
  EXPECT_EQ(plan->run(slots, nullptr), Error::Ok) << runtime::last_error_message();
  return plan->memory_bytes();
}

TEST(Constants, AMaskThatHidesNothingIsDropped) {
  std::vector<float> without, with;
  const size_t none = memory_of_attention(0, &without);
  const size_t some = memory_of_attention(0.5f, &with);  // the same for all: no change either
  EXPECT_EQ(some - none, 64 * 64 * sizeof(float));
  for (size_t i = 0; i < with.size(); ++i) ASSERT_NEAR(with[i], without[i], 1e-5f);
}

// A program may lay the target of a write over its indices.
TEST(Constants, IndexIsCheckedAsItIsUsed) {
  int64_t memory[] = {0, 1, 2, 3};
  int64_t values[] = {7, int64_t{1} << 40};
  const TensorPlace target{{0, 0}, DType::i64, dims({4}), dims({1})};
  const TensorPlace indices{{0, 8}, DType::i64, dims({2}), dims({1})};  // 1, 2
  const TensorPlace source{
      {1, 0}, DType::i64, dims({2}), dims({-1})};  // read backwards: the large number first
  char* addresses[] = {reinterpret_cast<char*>(memory), reinterpret_cast<char*>(values + 1)};
  const RunContext context{addresses, nullptr, 0, nullptr};
  // memory[1] becomes large, but it was read already; memory[2], the next index, is still good.
  auto step = make_index_put_step(target, 0, indices, source);
  EXPECT_EQ(step->run(context), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(memory[1], int64_t{1} << 40);
  EXPECT_EQ(memory[2], 7);
  // Now the first write changes the second index.
  memory[1] = 2;
  memory[2] = 0;
  EXPECT_EQ(step->run(context), Error::InvalidArgument);
  EXPECT_EQ(memory[2], int64_t{1} << 40);
  EXPECT_EQ(memory[0], 0);
}

}  // namespace
}  // namespace executorch::engine
