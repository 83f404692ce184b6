#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include <executorch/runtime/executor/method_planner.h>

#include "runtime/executor/testing/loaded_method.h"
#include "runtime/executor/testing/test_operators.h"
#include "runtime/platform/testing/process.h"

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Does what the running test wants with methods called "planned", and nothing with others.
class TestPlanner final : public MethodPlanner {
 public:
  const char* name() const override { return "test planner"; }
  Error plan(const MethodView& view, PlanEditor& editor) override {
    if (std::string(view.method_name()) != "planned" || !action) return Error::Ok;
    return action(view, editor);
  }
  std::function<Error(const MethodView&, PlanEditor&)> action;
};

TestPlanner& planner() {
  static TestPlanner* instance = [] {
    auto* created = new TestPlanner;
    if (register_method_planner(created) != Error::Ok) std::abort();
    return created;
  }();
  return *instance;
}

/// Sets a value's elements to one number.
class FillStep final : public PlannedStep {
 public:
  FillStep(EValue& value, float number) : value_(value), number_(number) { ++live; }
  ~FillStep() override { --live; }
  Error execute(KernelRuntimeContext&) override {
    auto tensor = value_.toTensor();
    for (ssize_t i = 0; i < tensor.numel(); ++i) tensor.mutable_data_ptr<float>()[i] = number_;
    return Error::Ok;
  }
  const char* description() const override { return "fill"; }
  size_t memory_bytes() const override { return 100; }

  static int live;

 private:
  EValue& value_;
  float number_;
};

int FillStep::live = 0;

class MethodPlanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime_init();
    register_test_operators();
  }
  void TearDown() override { planner().action = nullptr; }
};

/// a = x + 1; b = a + a; if never: skip; c = b + 1; out = c.
struct Plan {
  ProgramBuilder builder{"planned"};
  int x, one, a, b, c, flag;
  std::vector<uint8_t> file;
  Plan() {
    x = builder.planned({2}, 0);
    one = builder.constant({2}, {1, 1});
    a = builder.planned({2}, 64);
    b = builder.planned({2}, 128);
    c = builder.planned({2}, 192);
    flag = builder.boolean(false);
    builder.kernel("test::add.out", {x, one, a, a});
    builder.kernel("test::add.out", {a, a, b, b});
    builder.jump_false(flag, 4);
    builder.kernel("test::add_", {b, one, b});
    builder.kernel("test::add.out", {b, one, c, c});
    builder.inputs = {x};
    builder.outputs = {c};
    file = builder.build();
  }
};

std::vector<float> run(LoadedMethod& method) {
  FloatTensor x({2}, {1, 2});
  EXPECT_EQ(method->set_input(x.value(), 0), Error::Ok);
  EXPECT_EQ(method->execute(), Error::Ok) << last_error_message();
  return floats(method->get_output(0));
}

TEST_F(MethodPlanTest, ShowsNoSchemaForTheApplicationsOwnKernel) {
  Plan plan;
  const OperatorSchema* schemas[2] = {};
  planner().action = [&](const MethodView& view, PlanEditor&) {
    schemas[0] = view.instructions(0)[0].schema;
    schemas[1] = view.instructions(0)[3].schema;
    return Error::Ok;
  };
  const Kernel kernels[] = {Kernel("test::add.out", [](KernelRuntimeContext&, Span<EValue*>) {})};
  LoadedMethod method(plan.file, "planned", nullptr, LoadOptions(), {kernels, size_t{1}});
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  EXPECT_EQ(schemas[0], nullptr);
  EXPECT_NE(schemas[1], nullptr);
}

TEST_F(MethodPlanTest, ShowsTheMethod) {
  Plan plan;
  bool seen = false;
  planner().action = [&](const MethodView& view, PlanEditor&) {
    seen = true;
    EXPECT_EQ(view.num_chains(), 1u);
    const auto instructions = view.instructions(0);
    EXPECT_EQ(instructions.size(), 5u);
    EXPECT_STREQ(instructions[0].name, "test::add.out");
    EXPECT_NE(instructions[0].schema, nullptr);
    EXPECT_EQ(instructions[2].kind, InstructionKind::JumpFalse);
    EXPECT_EQ(instructions[2].destination, 4u);
    EXPECT_TRUE(view.value_info(plan.one).constant);
    EXPECT_FALSE(view.value_info(plan.x).constant);
    EXPECT_EQ(view.value_info(plan.x).input_index, 0);
    EXPECT_EQ(view.value_info(plan.c).output_index, 0);
    EXPECT_FALSE(view.value_info(plan.a).state);
    EXPECT_FALSE(view.value_info(plan.b).state);
    EXPECT_EQ(view.value_info(plan.b).arena_offset, 128u);
    EXPECT_TRUE(view.value_info(plan.flag).constant);
    return Error::Ok;
  };
  LoadedMethod method(plan.file, "planned");
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  EXPECT_TRUE(seen);
  EXPECT_THAT(run(method), ElementsAre(5, 7));
}

TEST_F(MethodPlanTest, ReplacesAndDrops) {
  Plan plan;
  planner().action = [&](const MethodView& view, PlanEditor& editor) {
    const size_t both[] = {0, 1};
    editor.note("one note");
    return editor.replace(0, {both, size_t{2}},
                          std::make_unique<FillStep>(view.value(plan.b), 7.f));
  };
  {
    LoadedMethod method(plan.file, "planned");
    ASSERT_EQ(method.error(), Error::Ok) << method.text();
    EXPECT_EQ(FillStep::live, 1);
    EXPECT_THAT(run(method), ElementsAre(8, 8));
    EXPECT_EQ(method->plan_memory_bytes(), 100u);
    ASSERT_EQ(method->plan_report().size(), 2u);
    EXPECT_STREQ(method->plan_report()[0], "one note");
    EXPECT_STREQ(method->plan_report()[1], "fill [instructions 0, 1]");
  }
  EXPECT_EQ(FillStep::live, 0);
}

TEST_F(MethodPlanTest, KeepsJumpsRight) {
  Plan plan;
  planner().action = [&](const MethodView&, PlanEditor& editor) {
    const size_t first[] = {0};
    return editor.drop(0, {first, size_t{1}});
  };
  LoadedMethod method(plan.file, "planned");
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  // a stays zero, and the jump still leads over the addition in place.
  EXPECT_THAT(run(method), ElementsAre(1, 1));
}

TEST_F(MethodPlanTest, RefusesChangesThatWouldBreakTheMethod) {
  Plan plan;
  planner().action = [&](const MethodView& view, PlanEditor& editor) {
    const auto step = [&] { return std::make_unique<FillStep>(view.value(plan.b), 7.f); };
    const size_t across_jump[] = {1, 3};
    EXPECT_EQ(editor.replace(0, {across_jump, size_t{2}}, step()), Error::InvalidArgument);
    const size_t into_destination[] = {3, 4};
    EXPECT_EQ(editor.replace(0, {into_destination, size_t{2}}, step()), Error::InvalidArgument);
    const size_t jump[] = {2};
    EXPECT_EQ(editor.drop(0, {jump, size_t{1}}), Error::InvalidArgument);
    const size_t disorder[] = {1, 0};
    EXPECT_EQ(editor.replace(0, {disorder, size_t{2}}, step()), Error::InvalidArgument);
    const size_t beyond[] = {5};
    EXPECT_EQ(editor.drop(0, {beyond, size_t{1}}), Error::InvalidArgument);
    EXPECT_EQ(editor.drop(1, {beyond, size_t{1}}), Error::InvalidArgument);
    const size_t once[] = {1};
    EXPECT_EQ(editor.drop(0, {once, size_t{1}}), Error::Ok);
    EXPECT_EQ(editor.drop(0, {once, size_t{1}}), Error::InvalidArgument);
    return ET_ERROR(NotSupported, "enough");
  };
  LoadedMethod method(plan.file, "planned");
  EXPECT_EQ(method.error(), Error::NotSupported);
  EXPECT_THAT(method.text(), HasSubstr("planning by test planner: enough"));
  EXPECT_EQ(FillStep::live, 0);
}

TEST_F(MethodPlanTest, CanBeSwitchedOffAndBounded) {
  Plan plan;
  planner().action = [&](const MethodView& view, PlanEditor& editor) {
    const size_t last[] = {4};
    return editor.replace(0, {last, size_t{1}},
                          std::make_unique<FillStep>(view.value(plan.c), 7.f));
  };
  LoadOptions options;
  options.plan = false;
  LoadedMethod plain(plan.file, "planned", nullptr, options);
  ASSERT_EQ(plain.error(), Error::Ok);
  EXPECT_THAT(run(plain), ElementsAre(5, 7));
  EXPECT_EQ(plain->plan_report().size(), 0u);
  options.plan = true;
  options.plan_memory_limit = 99;
  LoadedMethod bounded(plan.file, "planned", nullptr, options);
  EXPECT_EQ(bounded.error(), Error::MemoryAllocationFailed);
  EXPECT_THAT(bounded.text(), HasSubstr("its plan needs 100 bytes, the limit is 99"));
  const test_support::EnvironmentVariable no_plans("EXECUTORCH_PLAN", "off");
  LoadedMethod off(plan.file, "planned");
  ASSERT_EQ(off.error(), Error::Ok);
  EXPECT_EQ(off->plan_report().size(), 0u);
}

TEST_F(MethodPlanTest, KnowsState) {
  ProgramBuilder builder("planned");
  const int one = builder.constant({2}, {1, 1});
  const int buffer = builder.planned({2}, 0);
  const int branch_only = builder.planned({2}, 64);
  const int out = builder.planned({2}, 128);
  const int flag = builder.boolean(false);
  builder.kernel("test::add_", {buffer, one, buffer});
  builder.jump_false(flag, 3);
  builder.kernel("test::add.out", {one, one, branch_only, branch_only});
  builder.kernel("test::add.out", {branch_only, one, out, out});
  builder.outputs = {out};
  planner().action = [&](const MethodView& view, PlanEditor&) {
    EXPECT_TRUE(view.value_info(static_cast<size_t>(buffer)).state);
    EXPECT_TRUE(view.value_info(static_cast<size_t>(branch_only)).state);
    EXPECT_FALSE(view.value_info(static_cast<size_t>(out)).state);
    EXPECT_FALSE(view.value_info(static_cast<size_t>(one)).state);
    return Error::Ok;
  };
  LoadedMethod method(builder.build(), "planned");
  EXPECT_EQ(method.error(), Error::Ok) << method.text();
}

TEST_F(MethodPlanTest, RefusesPlannersTwice) {
  EXPECT_EQ(register_method_planner(&planner()), Error::RegistrationAlreadyRegistered);
  EXPECT_EQ(register_method_planner(nullptr), Error::InvalidArgument);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
