// Convolutions, pools and resizing as nodes, by examples small enough to check by hand.
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/error_message.h>

#include "engine/plan/plan.h"

namespace executorch::engine {
namespace {

using Floats = std::vector<float>;

Dims dims(std::initializer_list<int64_t> values) {
  Dims result;
  for (const int64_t value : values) result.push(value);
  return result;
}

Dims strides_of(const Dims& sizes, bool channels_last) {
  return channels_last ? channels_last_strides(sizes) : contiguous_strides(sizes);
}

ValueId image(Graph* graph, const Dims& sizes) {
  graph->externals.push_back({});
  return graph->add_external(DType::f32, sizes, contiguous_strides(sizes),
                             static_cast<int32_t>(graph->externals.size()) - 1);
}

template <class T>
std::vector<T> room_for(Graph* graph, ValueId value) {
  const Dims sizes = graph->value(value).sizes;
  graph->results.push_back(
      {value, static_cast<int32_t>(graph->externals.size()), contiguous_strides(sizes)});
  graph->externals.push_back({});
  return std::vector<T>(static_cast<size_t>(numel(sizes)), T{-99});
}

void run(Graph graph, std::vector<void*> slots) {
  std::unique_ptr<Plan> plan;
  ASSERT_EQ(make_plan(std::move(graph), {}, &plan), Error::Ok) << runtime::last_error_message();
  ASSERT_EQ(plan->run(slots.data(), nullptr), Error::Ok) << runtime::last_error_message();
}

Floats run_one(Graph graph, ValueId out, Floats in) {
  Floats result = room_for<float>(&graph, out);
  run(std::move(graph), {in.data(), result.data()});
  return result;
}

TEST(ImageNodes, WeightsGrowLittleForWinogradsAlgorithm) {
  Graph graph;
  const Dims kernel = dims({256, 256, 3, 3}), sizes = dims({1, 256, 10, 10});
  // The first may grow by its 1.8 MB, the second no more.
  const Floats weights[] = {Floats(256 * 256 * 9, 0.5f), Floats(256 * 256 * 9, 0.25f)};
  ValueId x = image(&graph, sizes);
  for (const Floats& weight : weights) {
    const ValueId w =
        graph.add_constant(DType::f32, kernel, contiguous_strides(kernel), weight.data());
    x = graph.add_node(Convolution{{1, 1}, {1, 1}, {1, 1}, 1}, {x, w}, DType::f32, sizes);
  }
  const Floats result = room_for<float>(&graph, x);
  std::unique_ptr<Plan> plan;
  ASSERT_EQ(make_plan(std::move(graph), {}, &plan), Error::Ok) << runtime::last_error_message();
  std::vector<std::string> kinds;
  for (const std::string& step : plan->describe()) {
    const size_t at = step.find("conv 3x3");
    if (at != std::string::npos) kinds.push_back(step.substr(0, at));
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"Winograd ", ""}));
}

TEST(ImageNodes, TransposedConvolutionSpreadsItsInput) {
  Graph graph;
  const Floats weight = {1, 2, 3, 4};
  const ValueId x = image(&graph, dims({1, 1, 1, 2}));
  const ValueId w = graph.add_constant(DType::f32, dims({1, 1, 2, 2}),
                                       contiguous_strides(dims({1, 1, 2, 2})), weight.data());
  Convolution op{{2, 2}, {0, 0}, {1, 1}, 1};
  op.transposed = true;
  op.output_padding[1] = 1;
  const ValueId y = graph.add_node(op, {x, w}, DType::f32, dims({1, 1, 2, 5}));
  EXPECT_EQ(run_one(std::move(graph), y, {1, 10}), (Floats{1, 2, 10, 20, 0, 3, 4, 30, 40, 0}));
}

TEST(ImageNodes, PaddingMayDifferBehind) {
  Graph graph;
  const Floats weight = {1, 10, 100};
  const ValueId x = image(&graph, dims({1, 1, 1, 3}));
  const ValueId w = graph.add_constant(DType::f32, dims({1, 1, 1, 3}),
                                       contiguous_strides(dims({1, 1, 1, 3})), weight.data());
  Convolution op{{1, 1}, {0, 0}, {1, 1}, 1};
  op.far_padding[1] = 2;
  const ValueId y = graph.add_node(op, {x, w}, DType::f32, dims({1, 1, 1, 3}));
  EXPECT_EQ(run_one(std::move(graph), y, {1, 2, 3}), (Floats{321, 32, 3}));
}

TEST(ImageNodes, ColumnsAreConvolvedAsRowsAre) {
  for (const bool column : {false, true}) {
    Graph graph;
    const Floats weight = {1, 10, 100, 1000, 10000, 100000};
    const Dims in = column ? dims({1, 2, 5, 1}) : dims({1, 2, 1, 5});
    const Dims kernel = column ? dims({1, 2, 3, 1}) : dims({1, 2, 1, 3});
    const Dims out = column ? dims({1, 1, 3, 1}) : dims({1, 1, 1, 3});
    const ValueId x = image(&graph, in);
    const ValueId w =
        graph.add_constant(DType::f32, kernel, contiguous_strides(kernel), weight.data());
    Convolution op{{1, 1}, {0, 0}, {1, 1}, 1};
    op.stride[column ? 0 : 1] = 2;
    op.padding[column ? 0 : 1] = 1;
    const ValueId y = graph.add_node(op, {x, w}, DType::f32, out);
    EXPECT_EQ(run_one(std::move(graph), y, {1, 2, 3, 4, 5, 5, 4, 3, 2, 1}),
              (Floats{450000 + 210, 234000 + 432, 12000 + 54}));
  }
}

// Weights that lie in another order are not mistaken for each other.
TEST(ImageNodes, WeightsKeepTheirOrder) {
  const Floats first = {1, 2, 3, 4, 5, 6, 7, 8}, second = {8, 7, 6, 5, 4, 3, 2, 1};
  const Dims kernel = dims({1, 2, 2, 2});
  Graph graph;
  const ValueId x = image(&graph, dims({1, 2, 2, 2}));
  std::vector<Floats> results;
  std::vector<void*> slots;
  Floats in = {1, 0, 0, 0, 0, 10, 0, 0};
  slots.push_back(in.data());
  for (const Floats* weight : {&first, &second}) {
    for (const bool channels_last : {false, true}) {
      const ValueId w =
          graph.add_constant(DType::f32, kernel, strides_of(kernel, channels_last), weight->data());
      const Convolution op{{1, 1}, {0, 0}, {1, 1}, 1};
      const ValueId y = graph.add_node(op, {x, w}, DType::f32, dims({1, 1, 1, 1}));
      results.push_back(room_for<float>(&graph, y));
    }
  }
  for (Floats& result : results) slots.push_back(result.data());
  run(std::move(graph), slots);
  EXPECT_EQ(results, (std::vector<Floats>{{1 + 60}, {1 + 40}, {8 + 30}, {8 + 50}}));
}

TEST(ImageNodes, AveragesCountCellsInside) {
  Graph graph;
  const ValueId x = image(&graph, dims({1, 1, 3, 3}));
  AveragePool op{{2, 2}, {2, 2}, {1, 1}, {}};
  op.divisor.count_include_pad = false;
  const ValueId y = graph.add_node(op, {x}, DType::f32, dims({1, 1, 2, 2}));
  EXPECT_EQ(run_one(std::move(graph), y, {1, 2, 3, 4, 5, 6, 7, 8, 9}), (Floats{1, 2.5f, 5.5f, 7}));
}

TEST(ImageNodes, MaximaTellTheirPlaceInTheWindow) {
  Graph graph;
  const ValueId x = image(&graph, dims({1, 2, 2, 4}));
  const ValueId y =
      graph.add_node(MaxPool{{2, 2}, {2, 2}, {0, 0}, {1, 1}}, {x}, DType::f32, dims({1, 2, 1, 2}));
  const ValueId place = graph.add_computed(DType::i64, dims({1, 2, 1, 2}));
  graph.nodes.back().outputs.push_back(place);
  Floats in = {1, 2, 3, 4, 9, 5, 6, 7, 0, 8, 0, 0, 0, 0, 7, 0};
  Floats largest = room_for<float>(&graph, y);
  std::vector<int64_t> places = room_for<int64_t>(&graph, place);
  run(std::move(graph), {in.data(), largest.data(), places.data()});
  EXPECT_EQ(largest, (Floats{9, 7, 8, 7}));
  EXPECT_EQ(places, (std::vector<int64_t>{2, 3, 1, 2}));
}

// x, and twice x through a convolution whose input is a slice of the joined image.
TEST(ImageNodes, ConvolutionsMeetInOneImage) {
  const Dims sizes = dims({1, 2, 2, 2}), joined = dims({1, 4, 2, 2}), kernel = dims({2, 2, 1, 1});
  const Floats same = {1, 0, 0, 1}, twice = {2, 0, 0, 2};
  const auto constant = [&](Graph* graph, const Floats& weight) {
    return graph->add_constant(DType::f32, kernel, contiguous_strides(kernel), weight.data());
  };
  const Convolution op{{1, 1}, {0, 0}, {1, 1}, 1};
  Graph graph;
  const ValueId x = image(&graph, sizes);
  const ValueId a = graph.add_node(op, {x, constant(&graph, same)}, DType::f32, sizes);
  const ValueId b = graph.add_node(op, {a, constant(&graph, twice)}, DType::f32, sizes);
  const ValueId both = graph.add_node(Concat{1}, {b, a}, DType::f32, joined);
  const ValueId part = graph.add_node(Slice{1, 1, 1}, {both}, DType::f32, sizes);
  const ValueId last = graph.add_node(op, {part, constant(&graph, same)}, DType::f32, sizes);
  Floats in = {1, 2, 3, 4, 5, 6, 7, 8}, out = room_for<float>(&graph, last);
  std::unique_ptr<Plan> plan;
  ASSERT_EQ(make_plan(std::move(graph), {}, &plan), Error::Ok) << runtime::last_error_message();
  void* slots[] = {in.data(), out.data()};
  ASSERT_EQ(plan->run(slots, nullptr), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(out, (Floats{10, 12, 14, 16, 1, 2, 3, 4}));
  // The caller's images have channels outermost; else nothing is copied.
  EXPECT_EQ(plan->num_steps(), 5u);
}

TEST(ImageNodes, ResizingIsLinear) {
  for (const bool corners : {false, true}) {
    Graph graph;
    const ValueId x = image(&graph, dims({1, 1, 1, 2}));
    const ValueId y = graph.add_node(ResizeBilinear{corners}, {x}, DType::f32, dims({1, 1, 1, 4}));
    const Floats expected = corners ? Floats{0, 2, 4, 6} : Floats{0, 1.5f, 4.5f, 6};
    EXPECT_EQ(run_one(std::move(graph), y, {0, 6}), expected);
  }
}

}  // namespace
}  // namespace executorch::engine
