// step() and its kin are marked as experimental.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <executorch/runtime/executor/method.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/runtime/core/device_allocator.h>

#include "runtime/executor/testing/loaded_method.h"
#include "runtime/executor/testing/test_operators.h"

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class MethodTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime_init();
    register_test_operators();
  }
};

/// out = (x + constant) + x, all planned.
std::vector<uint8_t> two_adds() {
  ProgramBuilder builder;
  const int x = builder.planned({2, 3}, 0);
  const int weight = builder.constant({2, 3}, {1, 2, 3, 4, 5, 6});
  const int middle = builder.planned({2, 3}, 64);
  const int out = builder.planned({2, 3}, 128);
  builder.kernel("test::add.out", {x, weight, middle, middle});
  builder.kernel("test::add.out", {middle, x, out, out});
  builder.inputs = {x};
  builder.outputs = {out};
  return builder.build();
}

TEST_F(MethodTest, RunsKernelsOnConstantsAndInputs) {
  LoadedMethod method(two_adds());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor x({2, 3}, {10, 20, 30, 40, 50, 60});
  ASSERT_EQ(method->set_input(x.value(), 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(21, 42, 63, 84, 105, 126));
}

TEST_F(MethodTest, NeedsEveryInput) {
  LoadedMethod method(two_adds());
  EXPECT_EQ(method->execute(), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("1 of 1 inputs of forward were never set"));
}

TEST_F(MethodTest, PermutesAnInputOfAnotherDimOrder) {
  LoadedMethod method(two_adds());
  // Stored column by column.
  FloatTensor x({2, 3}, {1, 4, 2, 5, 3, 6}, {1, 0});
  ASSERT_EQ(method->set_input(x.value(), 0), Error::Ok) << last_error_message();
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(3, 6, 9, 12, 15, 18));
}

TEST_F(MethodTest, RefusesWrongInputsWithReasons) {
  LoadedMethod method(two_adds());
  FloatTensor flat({6}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(method->set_input(flat.value(), 0), Error::NotSupported);
  EXPECT_THAT(last_error_message(),
              HasSubstr("input 0 of forward: 1 dimensions were given, expected 2"));
  FloatTensor wide({2, 4}, std::vector<float>(8));
  EXPECT_EQ(method->set_input(wide.value(), 0), Error::NotSupported);
  EXPECT_THAT(last_error_message(), HasSubstr("dimension 1 has size 4, expected 3"));
  EXPECT_EQ(method->set_input(EValue(int64_t{3}), 0), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("a Int was given, expected Tensor"));
  EXPECT_EQ(method->set_input(flat.value(), 1), Error::InvalidArgument);
  EXPECT_EQ(method->set_inputs({}), Error::InvalidArgument);
}

TEST_F(MethodTest, UsesUnplannedInputsAndOutputsInPlace) {
  ProgramBuilder builder;
  const int x = builder.unplanned({2, 2});
  const int out = builder.unplanned({2, 2});
  builder.kernel("test::add.out", {x, x, out, out});
  builder.inputs = {x};
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor given({2, 2}, {1, 2, 3, 4});
  ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
  EXPECT_EQ(method->execute(), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("output 0 of forward has no memory"));
  float buffer[4];
  EXPECT_EQ(method->set_output_data_ptr(buffer, 12, 0), Error::InvalidArgument);
  ASSERT_EQ(method->set_output_data_ptr(buffer, sizeof(buffer), 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(buffer, ElementsAre(2, 4, 6, 8));
  FloatTensor permuted({2, 2}, {1, 2, 3, 4}, {1, 0});
  EXPECT_EQ(method->set_input(permuted.value(), 0), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(),
              HasSubstr("dim order (1, 0) is not that of the method, (0, 1)"));
}

TEST_F(MethodTest, BoundsEachDimensionOfADynamicShape) {
  ProgramBuilder builder;
  TensorSpec spec;
  spec.sizes = {3, 4};
  spec.dynamism = fb::TensorShapeDynamism::DYNAMIC_BOUND;
  spec.arena_offset = 0;
  const int x = builder.tensor(spec);
  spec.arena_offset = 64;
  const int out = builder.tensor(spec);
  builder.kernel("test::add.out", {x, x, out, out});
  builder.inputs = {x};
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor small({2, 1}, {1, 2});
  ASSERT_EQ(method->set_input(small.value(), 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(2, 4));
  FloatTensor long_and_thin({4, 3}, std::vector<float>(12));
  EXPECT_EQ(method->set_input(long_and_thin.value(), 0), Error::NotSupported);
  EXPECT_THAT(last_error_message(), HasSubstr("dimension 0 has size 4, expected at most 3"));
}

TEST_F(MethodTest, KeepsStateWithItsInitialValue) {
  ProgramBuilder builder;
  const float initial[] = {5, 6};
  TensorSpec spec;
  spec.sizes = {2};
  spec.arena_offset = 0;
  spec.buffer = builder.initial_data(initial, sizeof(initial));
  spec.name = "state";
  const int state = builder.tensor(spec);
  const int one = builder.constant({2}, {1, 1});
  const int out = builder.planned({2}, 64);
  builder.kernel("test::add.out", {state, one, out, out});
  builder.kernel("test::add_", {state, one, state});
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(6, 7));
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(7, 8));
  auto attribute = method->get_attribute("state");
  ASSERT_TRUE(attribute.ok());
  EXPECT_EQ(attribute->const_data_ptr<float>()[0], 7);
  EXPECT_EQ(method->get_attribute("absent").error(), Error::NotFound);
}

/// A branch on a Bool input value: x + x, or x + 1.
std::vector<uint8_t> branch(bool condition) {
  ProgramBuilder builder;
  const int x = builder.planned({2}, 0);
  const int one = builder.constant({2}, {1, 1});
  const int chosen = builder.boolean(condition);
  const int never = builder.boolean(false);
  const int then_out = builder.planned({2}, 64);
  const int else_out = builder.planned({2}, 128);
  const int out = builder.unplanned({2});
  builder.jump_false(chosen, 4);
  builder.kernel("test::add.out", {x, x, then_out, then_out});
  builder.move(then_out, out);
  builder.jump_false(never, 6);
  builder.kernel("test::add.out", {x, one, else_out, else_out});
  builder.move(else_out, out);
  builder.inputs = {x};
  builder.outputs = {out};
  return builder.build();
}

TEST_F(MethodTest, BranchesAndMoves) {
  for (const bool condition : {true, false}) {
    LoadedMethod method(branch(condition));
    ASSERT_EQ(method.error(), Error::Ok) << method.text();
    FloatTensor x({2}, {10, 20});
    ASSERT_EQ(method->set_input(x.value(), 0), Error::Ok);
    for (int run = 0; run < 2; ++run) {
      ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
      EXPECT_THAT(floats(method->get_output(0)),
                  ElementsAre(condition ? 20 : 11, condition ? 40 : 21));
    }
  }
}

/// A list that grows by a row in each of three rounds.
TEST_F(MethodTest, LoopsOverNumbersAndGrowsAList) {
  ProgramBuilder builder;
  TensorSpec list_spec;
  list_spec.sizes = {3, 2};
  list_spec.arena_offset = 0;
  list_spec.dynamism = fb::TensorShapeDynamism::DYNAMIC_BOUND;
  const int list = builder.tensor(list_spec);
  const int row = builder.constant({2}, {7, 8});
  const int counter = builder.integer(0);
  const int one = builder.integer(1);
  const int three = builder.integer(3);
  const int done = builder.boolean(false);
  builder.kernel("executorch_prim::et_copy_index.tensor", {list, row, counter});
  builder.kernel("executorch_prim::add.Scalar", {counter, one, counter});
  builder.kernel("executorch_prim::eq.Scalar", {counter, three, done});
  builder.jump_false(done, 0);
  builder.kernel("executorch_prim::sub.Scalar", {counter, three, counter});
  builder.outputs = {list};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
    EXPECT_THAT(floats(method->get_output(0)), ElementsAre(7, 8, 7, 8, 7, 8));
  }
}

TEST_F(MethodTest, ListsShowTheirPresentItems) {
  ProgramBuilder builder;
  const int x = builder.planned({4}, 0);
  const int y = builder.planned({2}, 64);
  const int list = builder.tensor_list({x, y});
  const int out = builder.planned({2}, 128);
  builder.kernel("test::count.out", {list, out, out});
  builder.inputs = {};
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(4, 2));
}

TEST_F(MethodTest, SharesMemoryThroughAView) {
  ProgramBuilder builder;
  const int x = builder.planned({2, 3}, 0);
  const int rows = builder.integer(3);
  const int rest = builder.integer(-1);
  const int sizes = builder.int_list({rows, rest});
  const int view = builder.unplanned({3, 2});
  const int out = builder.planned({3, 2}, 64);
  builder.kernel("executorch_prim::et_view.default", {x, sizes, view});
  builder.kernel("test::add.out", {view, view, out, out});
  builder.inputs = {x};
  builder.outputs = {out, view};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor given({2, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_EQ(method->get_output(1).toTensor().const_data_ptr(), method.arena());
}

TEST_F(MethodTest, FreedTensorsComeBackAtTheNextRun) {
  ProgramBuilder builder;
  const int x = builder.planned({2}, 0);
  const int one = builder.constant({2}, {1, 1});
  const int out = builder.planned({2}, 64);
  builder.kernel("test::add.out", {one, one, x, x});
  builder.kernel("test::add.out", {x, one, out, out});
  builder.free(x);
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
    EXPECT_THAT(floats(method->get_output(0)), ElementsAre(3, 3));
  }
}

TEST_F(MethodTest, UseAfterFreeIsAnError) {
  ProgramBuilder builder;
  const int x = builder.planned({2}, 0);
  const int one = builder.constant({2}, {1, 1});
  const int out = builder.planned({2}, 64);
  builder.free(x);
  builder.kernel("test::add.out", {x, one, out, out});
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  EXPECT_EQ(method->execute(), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("argument 0 'a': the tensor has no memory"));
}

TEST_F(MethodTest, RunsDelegatesFromBothPlaces) {
  for (const bool in_segment : {true, false}) {
    ProgramBuilder builder;
    const int x = builder.planned({2}, 0);
    const int out = builder.planned({2}, 64);
    builder.delegate("AddingBackend", "blob", in_segment);
    builder.delegate_call(0, {x, x, x, out});
    builder.inputs = {x};
    builder.outputs = {out};
    const int before = adding_backend().live;
    {
      LoadedMethod method(builder.build());
      ASSERT_EQ(method.error(), Error::Ok) << method.text();
      EXPECT_EQ(adding_backend().live, before + 1);
      FloatTensor given({2}, {1, 2});
      ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
      ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
      EXPECT_THAT(floats(method->get_output(0)), ElementsAre(3, 6));
      EXPECT_TRUE(method->method_meta().uses_backend("AddingBackend"));
    }
    EXPECT_EQ(adding_backend().live, before);
  }
}

TEST_F(MethodTest, ReportsWhatADelegateSays) {
  ProgramBuilder builder;
  builder.delegate("AddingBackend", "fine", false);
  builder.delegate("AddingBackend", "refuse", false);
  const int before = adding_backend().live;
  LoadedMethod method(builder.build());
  EXPECT_EQ(method.error(), Error::DelegateInvalidCompatibility);
  EXPECT_THAT(method.text(), HasSubstr("delegates[1], backend 'AddingBackend': blob says refuse"));
  EXPECT_EQ(adding_backend().live, before);
  ProgramBuilder unknown;
  unknown.delegate("NoSuchBackend", "fine", false);
  EXPECT_EQ(LoadedMethod(unknown.build()).error(), Error::NotFound);
}

TEST_F(MethodTest, DelegatesFindNamedData) {
  ProgramBuilder builder;
  builder.delegate("AddingBackend", "named", true);
  builder.named("key", "some bytes");
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  auto map = method.program().get_named_data_map();
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map.get()->get_data("key")->size(), 10u);
  EXPECT_EQ(map.get()->get_data("other").error(), Error::NotFound);
}

TEST_F(MethodTest, RunsSeveralChainsAndMethods) {
  ProgramBuilder builder;
  const int one = builder.constant({1}, {1});
  const int out = builder.planned({1}, 0);
  builder.kernel("test::add.out", {one, one, out, out});
  builder.end_chain();
  builder.kernel("test::add_", {out, one, out});
  builder.outputs = {out};
  builder.end_method("answer");
  builder.arena_sizes = {0};
  const int number = builder.integer(42);
  builder.outputs = {number};
  const auto file = builder.build();
  LoadedMethod forward(file);
  ASSERT_EQ(forward.error(), Error::Ok) << forward.text();
  EXPECT_EQ(forward.program().num_methods(), 2u);
  ASSERT_EQ(forward->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(floats(forward->get_output(0)), ElementsAre(3));
  LoadedMethod answer(file, "answer");
  ASSERT_EQ(answer.error(), Error::Ok) << answer.text();
  ASSERT_EQ(answer->execute(), Error::Ok);
  EXPECT_EQ(answer->get_output(0).toInt(), 42);
  EXPECT_EQ(LoadedMethod(file, "absent").error(), Error::InvalidArgument);
}

TEST_F(MethodTest, StepsOneInstructionAtATime) {
  LoadedMethod method(two_adds());
  FloatTensor x({2, 3}, {1, 1, 1, 1, 1, 1});
  ASSERT_EQ(method->set_input(x.value(), 0), Error::Ok);
  EXPECT_FALSE(method->in_progress());
  ASSERT_EQ(method->step(), Error::Ok);
  EXPECT_TRUE(method->in_progress());
  EXPECT_EQ(method->execute(), Error::InvalidState);
  EXPECT_EQ(method->set_input(x.value(), 0), Error::InvalidState);
  EXPECT_EQ(method->reset_execution(), Error::InvalidState);
  ASSERT_EQ(method->step(), Error::Ok);
  EXPECT_EQ(method->step(), Error::EndOfMethod);
  EXPECT_FALSE(method->in_progress());
  ASSERT_EQ(method->reset_execution(), Error::Ok);
  EXPECT_EQ(method->execute(), Error::Ok);
}

TEST_F(MethodTest, StopsWhenToldTo) {
  ProgramBuilder builder;
  const int never = builder.boolean(false);
  builder.jump_false(never, 0);
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  RunControl control;
  control.instruction_budget = 1000;
  method->set_run_control(&control);
  EXPECT_EQ(method->execute(), Error::InvalidProgram);
  EXPECT_THAT(last_error_message(), HasSubstr("did not end within 1000 instructions"));
  control.instruction_budget = UINT64_MAX;
  control.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  EXPECT_EQ(method->execute(), Error::OutOfResources);
  control.stop = true;
  EXPECT_EQ(method->execute(), Error::InvalidState);
  EXPECT_FALSE(method->in_progress());
}

TEST_F(MethodTest, BringsItsOwnTemporaryMemory) {
  ProgramBuilder builder;
  const int x = builder.planned({512}, 0);
  const int out = builder.planned({512}, 2048);
  builder.kernel("test::scratch.out", {x, out, out});
  builder.inputs = {x};
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor given({512}, std::vector<float>(512, 3));
  ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_EQ(floats(method->get_output(0))[511], 3);
}

TEST_F(MethodTest, SaysWhichInstructionFailed) {
  ProgramBuilder builder;
  const int x = builder.constant({1}, {1});
  const int out = builder.planned({1}, 0);
  builder.kernel("test::scratch.out", {x, out, out});
  builder.kernel("test::fail.out", {x, out, out});
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  EXPECT_EQ(method->execute(), Error::InvalidArgument);
  EXPECT_STREQ(last_error_message(),
               "operator test::fail.out (instruction 1 of forward): it never works");
}

TEST_F(MethodTest, AFailureWithoutTextGetsNoneOfAnEarlierOne) {
  const Kernel kernels[] = {
      Kernel("test::add.out",
             [](KernelRuntimeContext&, Span<EValue*>) { set_error_message("worked around"); }),
      Kernel("test::fail.out", [](KernelRuntimeContext& context, Span<EValue*>) {
        context.fail(Error::NotSupported);
      })};
  ProgramBuilder builder;
  const int x = builder.constant({1}, {1});
  const int out = builder.planned({1}, 0);
  builder.kernel("test::add.out", {x, x, out, out});
  builder.kernel("test::fail.out", {x, out, out});
  LoadedMethod method(builder.build(), "forward", nullptr, LoadOptions(), {kernels, size_t{2}});
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  EXPECT_EQ(method->execute(), Error::NotSupported);
  EXPECT_THAT(last_error_message(), HasSubstr("test::fail.out"));
  EXPECT_THAT(last_error_message(), Not(HasSubstr("worked around")));
}

TEST_F(MethodTest, ListsMissingOperators) {
  ProgramBuilder builder;
  const int x = builder.constant({1}, {1});
  builder.kernel("test::missing.out", {x});
  builder.kernel("test::lost", {x});
  builder.kernel("test::missing.out", {x});
  LoadedMethod method(builder.build());
  EXPECT_EQ(method.error(), Error::OperatorMissing);
  EXPECT_THAT(method.text(),
              HasSubstr("3 instructions need operators that this process lacks: test::missing.out, "
                        "test::lost"));
  EXPECT_EQ(method.program().method_meta("forward")->num_operators(), 3u);
}

TEST_F(MethodTest, PrefersKernelsOfTheLoad) {
  static bool called = false;
  const Kernel kernels[] = {
      Kernel("test::add.out", [](KernelRuntimeContext&, Span<EValue*>) { called = true; })};
  LoadedMethod method(two_adds(), "forward", nullptr, LoadOptions(), {kernels, size_t{1}});
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor x({2, 3}, std::vector<float>(6));
  ASSERT_EQ(method->set_input(x.value(), 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_TRUE(called);
}

TEST_F(MethodTest, AcceptsOnlyTheLiteralsOfTheExport) {
  ProgramBuilder builder;
  const int number = builder.integer(3);
  const int real = builder.number(0.5);
  const int flag = builder.boolean(true);
  const int text = builder.string("sum");
  builder.inputs = {number, real, flag, text};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  EXPECT_EQ(method->set_input(EValue(int64_t{3}), 0), Error::Ok);
  EXPECT_EQ(method->set_input(EValue(int64_t{4}), 0), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("4 was given, but the program was exported for 3"));
  EXPECT_EQ(method->set_input(EValue(0.500001), 1), Error::Ok);
  EXPECT_EQ(method->set_input(EValue(0.6), 1), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(EValue(false), 2), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(EValue(int64_t{1}), 2), Error::InvalidArgument);
}

TEST_F(MethodTest, RefusesDevicesThatAreNotThere) {
  ProgramBuilder builder;
  TensorSpec spec;
  spec.sizes = {2};
  spec.arena_offset = 0;
  spec.device = fb::DeviceType::CUDA;
  builder.tensor(spec);
  LoadedMethod method(builder.build());
  // Another test of this program may have registered an allocator for the device; its arena is on
  // the CPU even so.
  const bool is_there = get_device_allocator(etensor::DeviceType::CUDA) != nullptr;
  EXPECT_EQ(method.error(), is_there ? Error::InvalidProgram : Error::NotSupported);
  EXPECT_THAT(method.text(),
              HasSubstr(is_there ? "values[0]: it lies on another device than arena 1"
                                 : "values[0]: it lies on CUDA:0, and no library for that device"));
}

TEST_F(MethodTest, RespectsTheMemoryLimit) {
  LoadOptions options;
  options.memory_limit = 1000;
  LoadedMethod method(two_adds(), "forward", nullptr, options);
  EXPECT_EQ(method.error(), Error::MemoryAllocationFailed);
  EXPECT_THAT(method.text(), HasSubstr("its arenas need 4096 bytes, the limit is 1000"));
}

TEST_F(MethodTest, MovedFromMethodsAnswerWithErrors) {
  LoadedMethod loaded(two_adds());
  Method method(std::move(loaded.method()));
  EXPECT_EQ(loaded->execute(), Error::InvalidState);
  EXPECT_EQ(loaded->inputs_size(), 0u);
  EXPECT_EQ(method.inputs_size(), 1u);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
