#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/executor/testing/loaded_method.h"
#include "runtime/executor/testing/test_operators.h"

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ViewCopiesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime_init();
    register_test_operators();
  }
};

/// A float tensor of shape (1, 2, 1, 3) whose channels lie innermost.
TensorSpec channels_last(int64_t arena_offset) {
  TensorSpec spec;
  spec.sizes = {1, 2, 1, 3};
  spec.dim_order = {0, 2, 3, 1};
  spec.arena_offset = arena_offset;
  return spec;
}

TEST_F(ViewCopiesTest, AViewOfAnotherDimOrderHasMemoryOfItsOwn) {
  ProgramBuilder builder;
  const int x = builder.tensor(channels_last(0));
  const int sizes = builder.int_list({builder.integer(2), builder.integer(-1)});
  const int view = builder.planned({2, 3}, 0);
  builder.kernel("executorch_prim::et_view.default", {x, sizes, view});
  builder.inputs = {x};
  builder.outputs = {view, x};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor given({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
    EXPECT_THAT(floats(method->get_output(0)), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(floats(method->get_output(1)), ElementsAre(1, 4, 2, 5, 3, 6));
  }
}

TEST_F(ViewCopiesTest, AViewMayLieInMemoryOfTheCaller) {
  ProgramBuilder builder;
  const int x = builder.tensor(channels_last(0));
  const int sizes = builder.int_list({builder.integer(6)});
  const int view = builder.unplanned({6});
  builder.kernel("executorch_prim::et_view.default", {x, sizes, view});
  builder.inputs = {x};
  builder.outputs = {view};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor given({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
  EXPECT_EQ(method->execute(), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("their dim orders forbid to share it"));
  std::vector<float> memory(6);
  ASSERT_EQ(method->set_output_data_ptr(memory.data(), 24, 0), Error::Ok) << last_error_message();
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(memory, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(ViewCopiesTest, NeedNoArena) {
  ProgramBuilder builder;
  const int x = builder.tensor(channels_last(-1));
  const int zero = builder.constant({1}, {0});
  const int sizes = builder.int_list({builder.integer(6)});
  const int view = builder.unplanned({6});
  const int out = builder.unplanned({6});
  builder.kernel("executorch_prim::et_view.default", {x, sizes, view});
  builder.kernel("test::add.out", {view, zero, out, out});
  builder.inputs = {x};
  builder.outputs = {out};
  builder.arena_sizes = {0};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor given({1, 2, 1, 3}, {1, 4, 2, 5, 3, 6}, {0, 2, 3, 1});
  ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok) << last_error_message();
  std::vector<float> memory(6);
  ASSERT_EQ(method->set_output_data_ptr(memory.data(), 24, 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(memory, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(ViewCopiesTest, HiddenViewsShowElementsAndNotBytes) {
  ProgramBuilder builder;
  const int x = builder.tensor(channels_last(0));
  const int zero = builder.constant({1}, {0});
  const int view = builder.planned({2, 3}, 0);
  const int sum = builder.tensor(channels_last(64));
  const int view_of_sum = builder.planned({6}, 64);
  const int out = builder.planned({2, 3}, 128);
  const int second = builder.planned({6}, 192);
  builder.kernel("test::add.out", {view, zero, out, out});
  builder.kernel("test::add.out", {x, x, sum, sum});
  builder.kernel("test::add_", {sum, sum, sum});
  builder.kernel("test::add.out", {view_of_sum, zero, second, second});
  builder.inputs = {x};
  builder.outputs = {out, second, view_of_sum};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  for (const float scale : {1.0f, 10.0f}) {
    FloatTensor given({1, 2, 1, 3},
                      {1 * scale, 2 * scale, 3 * scale, 4 * scale, 5 * scale, 6 * scale});
    ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
    for (const size_t output : {0, 1, 2}) {
      const float factor = output == 0 ? scale : 4 * scale;
      EXPECT_THAT(floats(method->get_output(output)),
                  ElementsAre(factor, 2 * factor, 3 * factor, 4 * factor, 5 * factor, 6 * factor));
    }
  }
}

TEST_F(ViewCopiesTest, HiddenViewsOfConstantsShowElementsAndNotBytes) {
  ProgramBuilder builder;
  TensorSpec spec = channels_last(-1);
  const float data[] = {1, 4, 2, 5, 3, 6};
  spec.buffer = builder.constant_data(data, sizeof(data));
  const int kernel = builder.tensor(spec);
  const int x = builder.planned({6}, 0);
  spec.sizes = {6};
  spec.dim_order = {0};
  const int view = builder.tensor(spec);
  const int out = builder.planned({6}, 64);
  builder.kernel("test::add.out", {view, x, out, out});
  builder.inputs = {x};
  builder.outputs = {out, kernel};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor given({6}, {0, 0, 0, 0, 0, 0});
  ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(floats(method->get_output(1)), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST_F(ViewCopiesTest, CountAgainstTheMemoryLimit) {
  ProgramBuilder builder;
  const int x = builder.tensor(channels_last(0));
  const int view = builder.planned({2, 3}, 0);
  const int out = builder.planned({2, 3}, 64);
  builder.kernel("test::add.out", {view, view, out, out});
  builder.inputs = {x};
  builder.outputs = {out};
  builder.arena_sizes = {0, 88};
  const std::vector<uint8_t> file = builder.build();
  LoadOptions options;
  options.memory_limit = 88 + 32;
  LoadedMethod fits(file, "forward", nullptr, options);
  EXPECT_EQ(fits.error(), Error::Ok) << fits.text();
  options.memory_limit = 88 + 31;
  LoadedMethod refused(file, "forward", nullptr, options);
  EXPECT_EQ(refused.error(), Error::MemoryAllocationFailed);
  EXPECT_THAT(refused.text(), HasSubstr("the limit is 119"));
}

TEST_F(ViewCopiesTest, TakeNoMoreThanTheProgramJustifies) {
  ProgramBuilder builder;
  const int x = builder.tensor(channels_last(0));
  const int out = builder.planned({2, 3}, 32);
  for (int i = 0; i < 2000; ++i) {
    const int view = builder.planned({2, 3}, 0);
    builder.kernel("test::add.out", {view, view, out, out});
  }
  builder.arena_sizes = {0, 56};
  builder.inputs = {x};
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  EXPECT_EQ(method.error(), Error::MemoryAllocationFailed);
  EXPECT_THAT(method.text(), HasSubstr("views that cannot share memory need 64000 bytes"));
}

TEST_F(ViewCopiesTest, AreMadeAgainInALoop) {
  ProgramBuilder builder;
  const int x = builder.tensor(channels_last(0));
  const int sum = builder.tensor(channels_last(64));
  const int view = builder.planned({6}, 64);
  const int out = builder.planned({6}, 128);
  const int counter = builder.integer(0);
  const int one = builder.integer(1);
  const int rounds = builder.integer(3);
  const int done = builder.boolean(false);
  builder.kernel("test::add.out", {x, x, sum, sum});
  builder.kernel("test::add_", {sum, x, sum});
  builder.kernel("test::add.out", {view, view, out, out});
  builder.kernel("executorch_prim::add.Scalar", {counter, one, counter});
  builder.kernel("executorch_prim::eq.Scalar", {counter, rounds, done});
  builder.jump_false(done, 1);
  builder.kernel("executorch_prim::sub.Scalar", {counter, rounds, counter});
  builder.inputs = {x};
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor given({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
    EXPECT_THAT(floats(method->get_output(0)), ElementsAre(10, 20, 30, 40, 50, 60));
  }
}

TEST_F(ViewCopiesTest, ShowWhatABranchMovedToTheirTensor) {
  ProgramBuilder builder;
  const int x = builder.planned({2, 3}, 0);
  const int zero = builder.constant({1}, {0});
  const int sum = builder.planned({2, 3}, 64);
  const int result = builder.planned({2, 3}, 128);
  const int view = builder.planned({6}, 128);
  const int out = builder.planned({6}, 192);
  builder.kernel("test::add.out", {x, x, sum, sum});
  builder.move(sum, result);
  builder.kernel("test::add.out", {view, zero, out, out});
  builder.inputs = {x};
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor given({2, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST_F(ViewCopiesTest, ReachDelegates) {
  ProgramBuilder builder;
  const int x = builder.tensor(channels_last(0));
  const int view = builder.planned({6}, 0);
  const int out = builder.planned({6}, 64);
  builder.delegate("AddingBackend", "blob", true);
  builder.delegate_call(0, {view, view, view, out});
  builder.inputs = {x};
  builder.outputs = {out};
  LoadedMethod method(builder.build());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor given({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(method->set_input(given.value(), 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(3, 6, 9, 12, 15, 18));
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
