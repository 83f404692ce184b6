// Planned and unplanned runs of one method must agree. Methods are made here: values, arenas and instructions.
#include <cmath>
#include <cstdarg>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

#include "kernels/planner/cpu_planner.h"
#include "kernels/planner/value_table.h"

namespace executorch {
namespace kernels {
namespace {

using aten::ScalarType;
using runtime::Error;
using runtime::InstructionKind;
using runtime::KernelRuntimeContext;
using runtime::OperatorSchema;
using runtime::PlannedStep;

constexpr size_t kArenaBytes = 1 << 16;

class TestMethod final : public MethodView, public runtime::PlanEditor {
 public:
  TestMethod() : arena_(kArenaBytes / sizeof(double)) {}

  // ---- making it
  int32_t tensor(std::vector<int32_t> sizes, int64_t offset, ScalarType type = ScalarType::Float, bool dynamic = false) {
    const int32_t id = tensor_over(sizes, reinterpret_cast<char*>(arena_.data()) + offset, type, dynamic);
    infos_[static_cast<size_t>(id)].arena = 0;
    infos_[static_cast<size_t>(id)].arena_offset = static_cast<uint64_t>(offset);
    return id;
  }
  int32_t constant(std::vector<int32_t> sizes, std::vector<float> data) {
    constants_.push_back(std::move(data));
    const int32_t id = tensor_over(sizes, constants_.back().data(), ScalarType::Float, false);
    infos_[static_cast<size_t>(id)].constant = true;
    return id;
  }
  int32_t number(int64_t value) { return add(EValue(value), true); }
  int32_t real(double value) { return add(EValue(value), true); }
  int32_t flag(bool value) { return add(EValue(value), true); }
  int32_t none() { return add(EValue(), true); }
  int32_t unknown_number() { return add(EValue(int64_t{0}), false); }
  int32_t list(std::vector<int32_t> items, bool constant = true) {
    wrapped_.emplace_back();
    for (const int32_t item : items) wrapped_.back().push_back(&values_[static_cast<size_t>(item)]);
    room_.emplace_back(items.size() + 1);
    int_lists_.emplace_back(wrapped_.back().data(), room_.back().data(), static_cast<int>(items.size()));
    return add(EValue(&int_lists_.back()), constant);
  }
  int32_t ints(std::initializer_list<int64_t> items) {
    std::vector<int32_t> ids;
    for (const int64_t item : items) ids.push_back(number(item));
    return list(ids);
  }
  int32_t tensors(std::vector<int32_t> items) {
    wrapped_.emplace_back();
    for (const int32_t item : items) wrapped_.back().push_back(&values_[static_cast<size_t>(item)]);
    tensor_room_.emplace_back(new char[sizeof(aten::Tensor) * (items.size() + 1)]);
    tensor_lists_.emplace_back(wrapped_.back().data(), reinterpret_cast<aten::Tensor*>(tensor_room_.back().get()),
                               static_cast<int>(items.size()));
    return add(EValue(&tensor_lists_.back()), true);
  }
  void call(const char* name, std::vector<int32_t> arguments) {
    arguments_.push_back(std::move(arguments));
    PlanInstruction instruction{InstructionKind::Kernel, name, {arguments_.back().data(), arguments_.back().size()}, 0,
                                nullptr};
    if (const char* text = runtime::find_operator_schema(name)) {
      schemas_.emplace_back();
      if (runtime::parse_operator_schema(text, &schemas_.back()) == Error::Ok) instruction.schema = &schemas_.back();
    }
    instructions_.push_back(instruction);
  }
  /// A call of a kernel that nobody knows, whatever its name.
  void call_own_kernel(const char* name, std::vector<int32_t> arguments) {
    call(name, std::move(arguments));
    instructions_.back().schema = nullptr;
  }
  PlanValue& info(int32_t id) { return infos_[static_cast<size_t>(id)]; }
  aten::Tensor tensor_at(int32_t id) { return values_[static_cast<size_t>(id)].payload.as_tensor; }
  float* data(int32_t id) { return tensor_at(id).mutable_data_ptr<float>(); }
  void* arena() { return arena_.data(); }
  std::string notes() const { return notes_; }
  size_t num_steps() const { return steps_.size(); }
  size_t num_replaced() const { return replaced_; }

  // ---- running it
  Error run_unplanned(size_t first = 0, size_t last = SIZE_MAX) {
    KernelRuntimeContext context;
    for (size_t i = first; i < std::min(last, instructions_.size()); ++i) {
      std::vector<EValue*> arguments;
      for (const int32_t id : instructions_[i].values) arguments.push_back(&values_[static_cast<size_t>(id)]);
      const auto function = runtime::get_op_function_from_registry(instructions_[i].name);
      if (!function.ok()) return function.error();
      function.get()(context, Span<EValue*>(arguments.data(), arguments.size()));
      if (context.failure_state() != Error::Ok) return context.failure_state();
    }
    return Error::Ok;
  }
  Error plan() {
    at_.assign(instructions_.size(), nullptr);
    dropped_.assign(instructions_.size(), false);
    return cpu_planner().plan(*this, *this);
  }
  Error run_planned() {
    KernelRuntimeContext context;
    for (size_t i = 0; i < instructions_.size(); ++i) {
      const Error error = at_[i] != nullptr ? at_[i]->execute(context) : dropped_[i] ? Error::Ok : run_unplanned(i, i + 1);
      if (error != Error::Ok) return error;
    }
    return Error::Ok;
  }

  // ---- MethodView
  const char* method_name() const override { return "forward"; }
  size_t num_values() const override { return values_.size(); }
  EValue& value(size_t index) const override { return const_cast<EValue&>(values_[index]); }
  const PlanValue& value_info(size_t index) const override { return infos_[index]; }
  size_t num_chains() const override { return 1; }
  Span<const PlanInstruction> instructions(size_t) const override { return {instructions_.data(), instructions_.size()}; }
  size_t memory_limit() const override { return SIZE_MAX; }

  // ---- PlanEditor
  Error replace(size_t, Span<const size_t> instructions, std::unique_ptr<PlannedStep> step) override {
    for (const size_t i : instructions) dropped_[i] = true;
    replaced_ += instructions.size();
    at_[instructions[instructions.size() - 1]] = step.get();
    steps_.push_back(std::move(step));
    return Error::Ok;
  }
  Error drop(size_t, Span<const size_t>) override { return Error::NotSupported; }
  void note(const char* format, ...) override {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    notes_ += std::string(line) + "\n";
  }

 private:
  struct TensorMemory {
    std::vector<aten::SizesType> sizes;
    std::vector<aten::DimOrderType> order;
    std::vector<aten::StridesType> strides;
    std::unique_ptr<aten::TensorImpl> impl;
  };

  int32_t add(EValue value, bool constant) {
    values_.push_back(value);
    PlanValue info{};
    info.input_index = info.output_index = -1;
    info.constant = constant;
    info.arena = -1;
    infos_.push_back(info);
    return static_cast<int32_t>(values_.size() - 1);
  }
  int32_t tensor_over(const std::vector<int32_t>& sizes, void* data, ScalarType type, bool dynamic) {
    tensors_.emplace_back();
    TensorMemory& memory = tensors_.back();
    memory.sizes.assign(sizes.begin(), sizes.end());
    memory.strides.resize(sizes.size());
    int32_t stride = 1;
    for (size_t d = sizes.size(); d-- > 0;) {
      memory.order.insert(memory.order.begin(), static_cast<aten::DimOrderType>(d));
      memory.strides[d] = stride;
      stride *= sizes[d];
    }
    memory.impl = std::make_unique<aten::TensorImpl>(
        type, static_cast<ssize_t>(sizes.size()), memory.sizes.data(), data, memory.order.data(), memory.strides.data(),
        dynamic ? aten::TensorShapeDynamism::DYNAMIC_BOUND : aten::TensorShapeDynamism::STATIC);
    const int32_t id = add(EValue(aten::Tensor(memory.impl.get())), false);
    infos_.back().max_nbytes = memory.impl->nbytes();
    infos_.back().dynamic_shape = dynamic;
    return id;
  }

  std::vector<double> arena_;
  std::deque<EValue> values_;
  std::deque<PlanValue> infos_;
  std::deque<TensorMemory> tensors_;
  std::deque<std::vector<float>> constants_;
  std::deque<std::vector<EValue*>> wrapped_;
  std::deque<std::vector<int64_t>> room_;
  std::deque<std::unique_ptr<char[]>> tensor_room_;
  std::deque<runtime::BoxedEvalueList<int64_t>> int_lists_;
  std::deque<runtime::BoxedEvalueList<aten::Tensor>> tensor_lists_;
  std::deque<std::vector<int32_t>> arguments_;
  std::deque<OperatorSchema> schemas_;
  std::vector<PlanInstruction> instructions_;
  std::vector<std::unique_ptr<PlannedStep>> steps_;
  std::vector<PlannedStep*> at_;
  std::vector<bool> dropped_;
  std::string notes_;
  size_t replaced_ = 0;
};

class Planner : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
  TestMethod method;
};

std::vector<float> contents(TestMethod& method, int32_t id) {
  const float* data = method.data(id);
  return {data, data + method.tensor_at(id).numel()};
}

void fill(TestMethod& method, int32_t id, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  for (ssize_t i = 0; i < method.tensor_at(id).numel(); ++i) method.data(id)[i] = distribution(random);
}

TEST_F(Planner, ViewsThatShareBytesAreFollowed) {
  const int32_t x = method.tensor({2, 6}, 0), y = method.tensor({2, 6}, 64), y_as_column = method.tensor({12, 1}, 64);
  const int32_t w = method.constant({1, 3}, {1, 2, 3}), out = method.tensor({12, 3}, 128);
  method.info(x).input_index = 0;
  method.info(out).output_index = 0;
  method.call("aten::relu.out", {x, y, y});
  method.call("aten::mm.out", {y_as_column, w, out, out});
  fill(method, x, 1);
  const std::vector<float> input = contents(method, x);
  ASSERT_EQ(method.plan(), Error::Ok);
  EXPECT_EQ(method.num_replaced(), 2u) << method.notes();
  ASSERT_EQ(method.run_planned(), Error::Ok);
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_FLOAT_EQ(method.data(out)[i * 3 + j], std::max(0.0f, input[i]) * (j + 1));
  }
}

TEST_F(Planner, OutputOverTheInputIsWrittenLast) {
  const int32_t x = method.tensor({4, 4}, 0), y = method.tensor({4, 4}, 64), out = method.tensor({4, 4}, 0);
  method.info(x).input_index = 0;
  method.info(out).output_index = 0;
  method.call("aten::permute_copy.out", {x, method.ints({1, 0}), y, y});
  method.call("aten::add.out", {y, y, method.number(1), out, out});
  fill(method, x, 2);
  const std::vector<float> input = contents(method, x);
  ASSERT_EQ(method.plan(), Error::Ok);
  ASSERT_EQ(method.run_planned(), Error::Ok);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_EQ(method.data(out)[i * 4 + j], 2 * input[j * 4 + i]);
  }
}

TEST_F(Planner, StateSurvivesFromRunToRun) {
  const int32_t state = method.tensor({3}, 0), x = method.tensor({3}, 64), sum = method.tensor({3}, 128);
  const int32_t out = method.tensor({3}, 192);
  method.info(state).state = true;
  method.info(x).input_index = 0;
  method.info(out).output_index = 0;
  method.call("aten::add.out", {state, x, method.number(1), sum, sum});
  method.call("aten::copy_", {state, sum, method.flag(false), state});
  method.call("aten::mul.out", {sum, x, out, out});
  ASSERT_EQ(method.plan(), Error::Ok);
  EXPECT_EQ(method.num_replaced(), 3u) << method.notes();
  std::memset(method.data(state), 0, 12);
  for (int run = 1; run <= 4; ++run) {
    for (int i = 0; i < 3; ++i) method.data(x)[i] = static_cast<float>(i + 1);
    ASSERT_EQ(method.run_planned(), Error::Ok);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(method.data(state)[i], run * (i + 1));
      EXPECT_EQ(method.data(out)[i], run * (i + 1) * (i + 1));
    }
  }
}

TEST_F(Planner, ShapesAndSymbolicIntegersAreFollowed) {
  const int32_t x = method.tensor({8, 3}, 0, ScalarType::Float, true);
  const int32_t doubled = method.tensor({8, 3}, 256, ScalarType::Float, true);
  const int32_t flat = method.tensor({24}, 256, ScalarType::Float, true);
  const int32_t out = method.tensor({24}, 512, ScalarType::Float, true);
  const int32_t rows = method.unknown_number(), count = method.unknown_number();
  method.info(x).input_index = 0;
  method.info(out).output_index = 0;
  method.call("aten::sym_size.int", {x, method.number(0), rows});
  method.call("executorch_prim::mul.Scalar", {rows, method.number(3), count});
  method.call("aten::add.out", {x, x, method.number(1), doubled, doubled});
  method.call("executorch_prim::et_view.default", {doubled, method.list({count}, false), flat});
  method.call("aten::sigmoid.out", {flat, out, out});
  ASSERT_EQ(method.plan(), Error::Ok);
  EXPECT_EQ(method.num_replaced(), 5u) << method.notes();
  for (const int32_t n : {3, 8, 1, 3}) {
    const aten::SizesType sizes[] = {n, 3};
    ASSERT_EQ(runtime::resize_tensor(method.tensor_at(x), {sizes, 2}), Error::Ok);
    fill(method, x, static_cast<uint32_t>(n));
    const std::vector<float> input = contents(method, x);
    ASSERT_EQ(method.run_planned(), Error::Ok) << runtime::last_error_message();
    ASSERT_EQ(method.tensor_at(out).numel(), n * 3);
    EXPECT_EQ(method.value(static_cast<size_t>(count)).toInt(), n * 3);
    for (int i = 0; i < n * 3; ++i) EXPECT_NEAR(method.data(out)[i], 1 / (1 + std::exp(-2 * input[i])), 1e-6);
  }
}

TEST_F(Planner, HalfTypesAreMultipliedInSinglePrecision) {
  for (const bool constant : {false, true}) {
    TestMethod method;
    const int32_t x = method.tensor({3, 8}, 0, ScalarType::Half), w = method.tensor({5, 8}, 256, ScalarType::Half);
    const int32_t bias = method.tensor({5}, 512, ScalarType::Half), y = method.tensor({3, 5}, 640, ScalarType::Half);
    const int32_t out = method.tensor({3, 5}, 768, ScalarType::Half);
    for (const int32_t in : {x, w, bias}) {
      // Small whole numbers: every order of summing gives the same.
      auto* halves = method.tensor_at(in).mutable_data_ptr<aten::Half>();
      for (ssize_t i = 0; i < method.tensor_at(in).numel(); ++i) halves[i] = static_cast<float>((i * 7 + in) % 9 - 4);
    }
    method.info(x).input_index = 0;
    method.info(w).constant = constant;
    if (constant) method.info(w).arena = -1;
    method.info(out).output_index = 0;
    method.call("aten::linear.out", {x, w, bias, y});
    method.call("aten::_softmax.out", {y, method.number(1), method.flag(false), out});
    ASSERT_EQ(method.run_unplanned(), Error::Ok) << runtime::last_error_message();
    const auto* results = method.tensor_at(out).const_data_ptr<aten::Half>();
    const std::vector<float> expected(results, results + 15);
    ASSERT_EQ(method.plan(), Error::Ok);
    EXPECT_EQ(method.num_replaced(), 2u) << method.notes();
    EXPECT_EQ(method.notes().find("call aten"), std::string::npos) << method.notes();
    EXPECT_EQ(method.notes().find(", packed") != std::string::npos, constant) << method.notes();
    ASSERT_EQ(method.run_planned(), Error::Ok) << runtime::last_error_message();
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(static_cast<float>(results[i]), expected[i]) << i;
  }
}

TEST_F(Planner, KernelsThatTheEngineDoesNotKnowAreCalled) {
  const int32_t x = method.tensor({2, 4}, 0), y = method.tensor({2, 4}, 64), out = method.tensor({2, 4}, 128);
  method.info(x).input_index = 0;
  method.info(out).output_index = 0;
  method.call("aten::neg.out", {x, y, y});
  method.call("aten::cumsum.out", {y, method.number(1), method.none(), out, out});
  fill(method, x, 5);
  const std::vector<float> input = contents(method, x);
  ASSERT_EQ(method.plan(), Error::Ok);
  EXPECT_EQ(method.num_replaced(), 2u) << method.notes();
  ASSERT_EQ(method.run_planned(), Error::Ok);
  for (int r = 0; r < 2; ++r) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(method.data(out)[r * 4 + i], sum -= input[r * 4 + i], 1e-6);
  }
}

TEST_F(Planner, KernelsWithoutSchemaAreLeftAlone) {
  for (const bool own : {false, true}) {
    TestMethod method;
    const int32_t x = method.tensor({4}, 0);
    method.info(x).input_index = 0;
    const int32_t out = method.tensor({4}, 64);
    method.info(out).output_index = 0;
    if (own) {
      method.call_own_kernel("aten::relu.out", {x, out, out});
    } else {
      method.call("aten::relu.out", {x, out, out});
    }
    ASSERT_EQ(method.plan(), Error::Ok) << runtime::last_error_message();
    EXPECT_EQ(method.num_replaced(), own ? 0u : 1u);
  }
}

// No plan fits operands that do not broadcast: the kernels are called, and say so.
TEST_F(Planner, NumbersReadFromTensorsMakeNoPlans) {
  const int32_t position = method.tensor({1}, 0, ScalarType::Long), table = method.tensor({6, 2}, 64);
  const int32_t row = method.tensor({1, 2}, 128), out = method.tensor({1, 2}, 192);
  const int32_t start = method.unknown_number(), end = method.unknown_number();
  method.info(position).input_index = 0;
  method.info(table).input_index = 1;
  method.info(out).output_index = 0;
  method.call("aten::_local_scalar_dense", {position, start});
  method.call("executorch_prim::add.Scalar", {start, method.number(1), end});
  method.call("aten::slice_copy.Tensor_out", {table, method.number(0), start, end, method.number(1), row, row});
  method.call("aten::add.out", {row, row, method.number(1), out, out});
  fill(method, table, 3);
  ASSERT_EQ(method.plan(), Error::Ok);
  EXPECT_EQ(method.num_replaced(), 1u) << method.notes();
  for (const int64_t at : {4, 0, 5}) {
    *method.tensor_at(position).mutable_data_ptr<int64_t>() = at;
    ASSERT_EQ(method.run_planned(), Error::Ok) << runtime::last_error_message();
    EXPECT_EQ(method.data(out)[1], 2 * method.data(table)[at * 2 + 1]);
  }
}

TEST_F(Planner, ShapesWithoutAPlanRunOneByOne) {
  const int32_t x = method.tensor({8, 3}, 0, ScalarType::Float, true), y = method.tensor({8, 3}, 256, ScalarType::Float, true);
  const int32_t sum = method.tensor({8, 3}, 512, ScalarType::Float, true);
  const int32_t out = method.tensor({8, 3}, 768, ScalarType::Float, true);
  method.info(x).input_index = 0;
  method.info(y).input_index = 1;
  method.info(out).output_index = 0;
  method.call("aten::add.out", {x, y, method.number(1), sum, sum});
  method.call("aten::relu.out", {sum, out, out});
  ASSERT_EQ(method.plan(), Error::Ok);
  ASSERT_EQ(method.num_replaced(), 2u) << method.notes();
  const auto run = [&](aten::SizesType x_rows, aten::SizesType y_rows) {
    const aten::SizesType x_sizes[] = {x_rows, 3}, y_sizes[] = {y_rows, 3};
    EXPECT_EQ(runtime::resize_tensor(method.tensor_at(x), {x_sizes, 2}), Error::Ok);
    EXPECT_EQ(runtime::resize_tensor(method.tensor_at(y), {y_sizes, 2}), Error::Ok);
    fill(method, x, 1);
    fill(method, y, 2);
    runtime::clear_error_message();
    return method.run_planned();
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(run(4, 2), Error::InvalidArgument);
    EXPECT_NE(std::string(runtime::last_error_message()).find("other"), std::string::npos)
        << runtime::last_error_message();
    ASSERT_EQ(run(4, 4), Error::Ok) << runtime::last_error_message();
    const std::vector<float> a = contents(method, x), b = contents(method, y), got = contents(method, out);
    ASSERT_EQ(got.size(), 12u);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], std::max(a[i] + b[i], 0.0f));
  }
}

TEST_F(Planner, ErrorsOfKernelsComeThrough) {
  const int32_t table = method.constant({2, 2}, {1, 2, 3, 4}), index = method.tensor({1}, 0, ScalarType::Long);
  const int32_t out = method.tensor({1, 2}, 64);
  method.info(index).input_index = 0;
  method.info(out).output_index = 0;
  method.call("aten::embedding.out", {table, index, method.number(-1), method.flag(false), method.flag(false), out, out});
  ASSERT_EQ(method.plan(), Error::Ok);
  *method.tensor_at(index).mutable_data_ptr<int64_t>() = 7;
  EXPECT_NE(method.run_planned(), Error::Ok);
  *method.tensor_at(index).mutable_data_ptr<int64_t>() = 1;
  EXPECT_EQ(method.run_planned(), Error::Ok);
  EXPECT_EQ(method.data(out)[1], 4);
}

// ---- Methods by seed: the arena is reused as soon as a tensor is dead, so that values share bytes in every way.

class RandomMethods : public ::testing::TestWithParam<uint32_t> {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

struct Live {
  int32_t id;
  std::vector<int32_t> sizes;
  int64_t offset;
  int until;  ///< instruction that may still read it
};

class MethodMaker {
 public:
  MethodMaker(TestMethod& method, uint32_t seed) : method_(method), random_(seed) {}

  void make(int count) {
    for (int i = 0; i < 2; ++i) {
      add({4, 6}, -1);
      method_.info(live_.back().id).input_index = i;
      inputs.push_back(live_.back().id);
      live_.back().until = static_cast<int>(pick(10)) + 3;
    }
    for (now_ = 0; now_ < count; ++now_) step();
    for (const Live& live : live_) {
      if (std::find(inputs.begin(), inputs.end(), live.id) != inputs.end() || live.until <= count) continue;
      method_.info(live.id).output_index = static_cast<int32_t>(outputs.size());
      outputs.push_back(live.id);
    }
  }

  std::vector<int32_t> inputs, outputs;

 private:
  static constexpr int64_t kRoom = 512;  ///< bytes of the largest tensor, at least

  size_t pick(size_t n) { return random_() % n; }

  const Live& any() { return live_[pick(live_.size())]; }

  // A tensor in the lowest free bytes, or over those of `alias`.
  Live add(std::vector<int32_t> sizes, int64_t offset) {
    if (offset < 0) {
      offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (const Live& live : live_) {
          if (offset < live.offset + kRoom && live.offset < offset + kRoom) {
            offset = live.offset + kRoom;
            moved = true;
          }
        }
      }
    }
    Live live{method_.tensor(sizes, offset), sizes, offset, now_ + 2 + static_cast<int>(pick(12))};
    live_.push_back(live);
    return live;
  }

  void step() {
    // Inputs of this step are chosen before its output is placed; the dead make room.
    const Live a = any(), b = any();
    const auto alive = [&](const Live& live) { return live.until > now_ || live.id == a.id || live.id == b.id; };
    std::vector<Live> kept;
    for (const Live& live : live_) {
      if (alive(live)) kept.push_back(live);
    }
    if (kept.size() >= 2) live_ = kept;
    std::vector<int32_t> turned{a.sizes[1], a.sizes[0]};
    switch (pick(7)) {
      case 0: {
        const Live out = add(turned, -1);
        method_.call("aten::permute_copy.out", {a.id, method_.ints({1, 0}), out.id, out.id});
        break;
      }
      case 1: {  // another view of the same bytes
        if (a.sizes[0] * a.sizes[1] % 2 != 0) break;
        Live view = add({a.sizes[0] * a.sizes[1] / 2, 2}, a.offset);
        for (Live& live : live_) {
          if (live.offset == a.offset) live.until = view.until = std::max(live.until, view.until);
        }
        break;
      }
      case 2: {
        const Live out = add(a.sizes, -1);
        method_.call("aten::_softmax.out", {a.id, method_.number(1), method_.flag(false), out.id, out.id});
        break;
      }
      case 3:
        if (a.sizes == b.sizes) {
          const Live out = add(a.sizes, -1);
          method_.call("aten::mul.out", {a.id, b.id, out.id, out.id});
          break;
        }
        [[fallthrough]];
      case 4: {
        const Live out = add(a.sizes, -1);
        method_.call("aten::tanh.out", {a.id, out.id, out.id});
        break;
      }
      case 5: {
        if (a.sizes[0] > 40) break;
        const Live product = add({a.sizes[0], 3}, -1);
        std::vector<float> weight(static_cast<size_t>(a.sizes[1] * 3), 0.3f);
        method_.call("aten::mm.out", {a.id, method_.constant({a.sizes[1], 3}, weight), product.id, product.id});
        break;
      }
      default: {
        const Live out = add(a.sizes, -1);
        method_.call("aten::add.out", {a.id, a.id, method_.number(1), out.id, out.id});
        break;
      }
    }
  }

  TestMethod& method_;
  std::mt19937 random_;
  std::vector<Live> live_;
  int now_ = 0;
};

TEST_P(RandomMethods, PlannedAndUnplannedAgree) {
  TestMethod method;
  MethodMaker maker(method, GetParam());
  maker.make(25);
  std::vector<std::vector<float>> expected;
  for (size_t i = 0; i < maker.inputs.size(); ++i) fill(method, maker.inputs[i], static_cast<uint32_t>(i));
  ASSERT_EQ(method.run_unplanned(), Error::Ok) << runtime::last_error_message();
  for (const int32_t id : maker.outputs) expected.push_back(contents(method, id));
  ASSERT_EQ(method.plan(), Error::Ok);
  EXPECT_GT(method.num_replaced(), 10u) << method.notes();
  std::memset(method.arena(), 0xff, kArenaBytes);
  for (size_t i = 0; i < maker.inputs.size(); ++i) fill(method, maker.inputs[i], static_cast<uint32_t>(i));
  ASSERT_EQ(method.run_planned(), Error::Ok) << runtime::last_error_message();
  for (size_t i = 0; i < maker.outputs.size(); ++i) {
    const std::vector<float> found = contents(method, maker.outputs[i]);
    for (size_t k = 0; k < found.size(); ++k) {
      ASSERT_NEAR(found[k], expected[i][k], 1e-4 * std::max(1.0f, std::fabs(expected[i][k])))
          << "output " << i << " element " << k << "\n" << method.notes();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMethods, ::testing::Range(1u, 61u));

}  // namespace
}  // namespace kernels
}  // namespace executorch
