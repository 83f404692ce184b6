// Programs with faults at every place: whatever the damage, they are refused or run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "runtime/executor/testing/loaded_method.h"
#include "runtime/executor/testing/test_operators.h"

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using ::testing::HasSubstr;

/// A program with a bit of everything, to be damaged.
std::vector<uint8_t> varied_program() {
  ProgramBuilder b;
  const int x = b.planned({2, 2}, 0);
  const int weight = b.constant({2, 2}, {1, 2, 3, 4});
  const float initial[] = {1, 2, 3, 4};
  TensorSpec spec;
  spec.sizes = {2, 2};
  spec.arena_offset = 64;
  spec.buffer = b.initial_data(initial, sizeof(initial));
  spec.name = "state";
  const int state = b.tensor(spec);
  const int two = b.integer(2);
  const int sizes = b.int_list({two, two});
  const int view = b.unplanned({2, 2});
  const int out = b.planned({2, 2}, 128);
  const int list = b.tensor_list({x, weight});
  b.optional_tensor_list({x, -1});
  b.double_list({1, 2});
  b.string("text");
  const int yes = b.boolean(true);
  const int counts = b.planned({2}, 256);
  b.delegate("AddingBackend", "blob", true);
  b.kernel("executorch_prim::et_view.default", {x, sizes, view});
  b.kernel("test::add.out", {view, weight, out, out});
  b.jump_false(yes, 4);
  b.kernel("test::add_", {state, out, state});
  b.delegate_call(0, {out, state, out});
  b.kernel("test::count.out", {list, counts, counts});
  b.named("key", "data");
  b.inputs = {x};
  b.outputs = {out, counts};
  return b.build();
}

/// Loads and, if that succeeds, runs. Whatever happens must be an error or a result.
void try_everything(const std::vector<uint8_t>& file, Program::Verification verification) {
  LoadedMethod method(file, verification);
  if (method.error() != Error::Ok) {
    EXPECT_FALSE(method.text().empty());
    return;
  }
  RunControl control;
  control.instruction_budget = 10000;
  method->set_run_control(&control);
  const MethodMeta meta = method->method_meta();
  std::vector<FloatTensor> inputs;
  inputs.reserve(meta.num_inputs());
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    auto info = meta.input_tensor_meta(i);
    if (!info.ok() || info->nbytes() > 4096) return;
    const std::vector<int32_t> sizes(info->sizes().begin(), info->sizes().end());
    inputs.emplace_back(sizes, std::vector<float>(info->nbytes() / sizeof(float) + 1));
    if (method->set_input(inputs.back().value(), i) != Error::Ok) return;
  }
  static_cast<void>(method->execute() == Error::Ok);
  static_cast<void>(method->execute() == Error::Ok);
}

void try_everything(const std::vector<uint8_t>& file) {
  try_everything(file, Program::Verification::Minimal);
  try_everything(file, Program::Verification::InternalConsistency);
}

TEST(DamagedProgramTest, RunsUndamaged) {
  runtime_init();
  register_test_operators();
  LoadedMethod method(varied_program());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  FloatTensor x({2, 2}, {1, 1, 1, 1});
  ASSERT_EQ(method->set_input(x.value(), 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok) << last_error_message();
}

TEST(DamagedProgramTest, EveryByteMayBeWrong) {
  runtime_init();
  register_test_operators();
  const std::vector<uint8_t> file = varied_program();
  for (size_t i = 0; i < file.size(); ++i) {
    for (const uint8_t damage : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> damaged = file;
      damaged[i] = static_cast<uint8_t>(damaged[i] ^ damage);
      try_everything(damaged);
    }
  }
}

TEST(DamagedProgramTest, EveryWordMayBeExtreme) {
  runtime_init();
  register_test_operators();
  const std::vector<uint8_t> file = varied_program();
  for (size_t i = 0; i + 4 <= file.size(); i += 4) {
    for (const uint32_t value : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
      std::vector<uint8_t> damaged = file;
      std::memcpy(damaged.data() + i, &value, 4);
      try_everything(damaged);
    }
  }
}

// A field is absent when its entry in the table's list of 16-bit offsets is 0.
TEST(DamagedProgramTest, EveryFieldMayBeAbsent) {
  runtime_init();
  register_test_operators();
  const std::vector<uint8_t> file = varied_program();
  for (size_t i = 0; i + 2 <= file.size(); i += 2) {
    std::vector<uint8_t> damaged = file;
    damaged[i] = damaged[i + 1] = 0;
    if (damaged != file) try_everything(damaged);
  }
}

// FlatBuffers' own verifier accepts a vector of doubles that begins 4 bytes later.
TEST(DamagedProgramTest, WideElementsAreAligned) {
  runtime_init();
  ProgramBuilder b;
  b.double_list({1, 2});
  std::vector<uint8_t> file = b.build();
  const double items[] = {1, 2};
  const auto* bytes = reinterpret_cast<const uint8_t*>(items);
  const auto found = std::search(file.begin(), file.end(), bytes, bytes + sizeof(items));
  ASSERT_NE(found, file.end());
  const auto vector = static_cast<uint32_t>(found - file.begin()) - 4;
  size_t references = 0;
  for (uint32_t at = 0; at < vector; at += 4) {
    uint32_t offset = 0;
    std::memcpy(&offset, &file[at], 4);
    if (at + offset != vector) continue;
    // The lower half of 1.0, which is 0, becomes the length.
    offset += 4;
    std::memcpy(&file[at], &offset, 4);
    ++references;
  }
  ASSERT_EQ(references, 1u);
  const LoadedMethod method(file);
  EXPECT_EQ(method.error(), Error::InvalidProgram);
  EXPECT_THAT(method.text(), HasSubstr("the items of a list are not aligned"));
}

TEST(DamagedProgramTest, MayEndAnywhere) {
  runtime_init();
  register_test_operators();
  const std::vector<uint8_t> file = varied_program();
  for (size_t size = 0; size < file.size(); size += 3) {
    const LoadedMethod method(
        std::vector<uint8_t>(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_NE(method.error(), Error::Ok) << size;
  }
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
