// Programs that no exporter writes: each must be refused with a reason, and nothing may crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "runtime/executor/testing/loaded_method.h"
#include "runtime/executor/testing/test_operators.h"

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using ::testing::HasSubstr;

struct HostileCase {
  const char* name;
  Error error;
  const char* text;
  std::function<void(ProgramBuilder&)> build;
};

std::ostream& operator<<(std::ostream& stream, const HostileCase& c) {
  return stream << c.name;
}

class HostileProgramTest : public ::testing::TestWithParam<HostileCase> {};

TEST_P(HostileProgramTest, IsRefusedWithAReason) {
  runtime_init();
  register_test_operators();
  ProgramBuilder builder;
  GetParam().build(builder);
  LoadedMethod method(builder.build());
  Error error = method.error();
  std::string text = method.text();
  if (error == Error::Ok) {
    error = method->execute();
    text = last_error_message();
  }
  EXPECT_EQ(error, GetParam().error) << text;
  EXPECT_THAT(text, HasSubstr(GetParam().text));
}

TensorSpec planned_spec(std::vector<int32_t> sizes, int64_t offset = 0) {
  TensorSpec spec;
  spec.sizes = std::move(sizes);
  spec.arena_offset = offset;
  return spec;
}

int big_tensor(ProgramBuilder& b, std::vector<int32_t> sizes) {
  return b.tensor(planned_spec(std::move(sizes)));
}

const HostileCase kCases[] = {
    {"SizeProduct", Error::InvalidProgram,
     "values[0]: the product of its sizes overflows at dimension 3",
     [](ProgramBuilder& b) { big_tensor(b, {65536, 65536, 65536, 65536}); }},
    {"SizeProductHiddenByZero", Error::InvalidProgram, "the product of its sizes overflows",
     [](ProgramBuilder& b) { big_tensor(b, {65536, 65536, 65536, 65536, 0}); }},
    {"NegativeSize", Error::InvalidProgram, "size -1 of dimension 1 is negative",
     [](ProgramBuilder& b) { big_tensor(b, {2, -1}); }},
    {"StrideTooLarge", Error::InvalidProgram, "a stride does not fit 32 bits",
     [](ProgramBuilder& b) { big_tensor(b, {1, 65536, 65536}); }},
    {"Rank", Error::InvalidProgram, "17 dimensions, at most 16",
     [](ProgramBuilder& b) { big_tensor(b, std::vector<int32_t>(17, 1)); }},
    {"DimOrderRepeats", Error::InvalidProgram, "dim_order is no permutation",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2, 2});
       spec.dim_order = {0, 0};
       b.tensor(spec);
     }},
    {"DimOrderLength", Error::InvalidProgram, "2 sizes but 3 dim_order entries",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2, 2});
       spec.dim_order = {0, 1, 2};
       b.tensor(spec);
     }},
    {"NoSizes", Error::InvalidProgram, "sizes are missing",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2, 2});
       spec.without_sizes = true;
       b.tensor(spec);
     }},
    {"NoDimOrder", Error::InvalidProgram, "dim_order entries are missing",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2, 2});
       spec.without_dim_order = true;
       b.tensor(spec);
     }},
    {"UnknownElementType", Error::InvalidProgram, "unknown element type 99",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2});
       spec.type = static_cast<fb::ScalarType>(99);
       b.tensor(spec);
     }},
    {"StorageOffset", Error::NotSupported, "storage_offset is 4",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2});
       spec.storage_offset = 4;
       b.tensor(spec);
     }},
    {"UnboundShape", Error::NotSupported, "shape_dynamism is 2",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2});
       spec.dynamism = fb::TensorShapeDynamism::DYNAMIC_UNBOUND;
       b.tensor(spec);
     }},
    {"OffsetPastArena", Error::MemoryAllocationFailed, "memory arena 0 is too small",
     [](ProgramBuilder& b) { b.planned({2}, 4092); }},
    {"OffsetWraps", Error::InvalidArgument, "overflows",
     [](ProgramBuilder& b) { b.planned({4}, -4); }},
    {"Misaligned", Error::InvalidProgram, "not aligned to its elements of 4 bytes",
     [](ProgramBuilder& b) { b.planned({2}, 2); }},
    {"NoSuchArena", Error::InvalidArgument, "planned into arena 9, the method has arenas 1 to 1",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2});
       spec.arena = 9;
       b.tensor(spec);
     }},
    {"ArenaWithoutTensors", Error::InvalidProgram,
     "asks for 1152921504606846976 bytes, but its tensors end at 8",
     [](ProgramBuilder& b) {
       b.planned({2}, 0);
       b.arena_sizes = {0, int64_t{1} << 60};
     }},
    {"NegativeArena", Error::InvalidProgram, "non_const_buffer_sizes[1] is negative",
     [](ProgramBuilder& b) { b.arena_sizes = {0, -5}; }},
    {"ConstantIndex", Error::InvalidArgument, "constant 7 does not exist, the program has 1",
     [](ProgramBuilder& b) {
       TensorSpec spec;
       spec.sizes = {2};
       spec.buffer = 7;
       b.tensor(spec);
     }},
    {"ConstantTooShort", Error::InvalidArgument,
     "constant 1: 16 bytes at offset 0, the constant segment has 8",
     [](ProgramBuilder& b) { b.constant({4}, {1, 2}); }},
    {"InitialValueMissing", Error::NotFound, "the program has no mutable_data_segments",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2});
       spec.buffer = 1;
       b.tensor(spec);
     }},
    {"InitialValueTooShort", Error::InvalidArgument,
     "initial value 1: 16 bytes at offset 0, its segment has 4",
     [](ProgramBuilder& b) {
       const float one = 1;
       TensorSpec spec = planned_spec({4});
       spec.buffer = b.initial_data(&one, sizeof(one));
       b.tensor(spec);
     }},
    {"ExternalWithoutFile", Error::InvalidState,
     "tensor 'weight' lies in a data file (.ptd), but none was given",
     [](ProgramBuilder& b) {
       TensorSpec spec;
       spec.sizes = {2};
       spec.name = "weight";
       spec.location = fb::TensorDataLocation::EXTERNAL;
       b.tensor(spec);
     }},
    {"ExternalWithoutName", Error::InvalidProgram, "external but has no name",
     [](ProgramBuilder& b) {
       TensorSpec spec;
       spec.sizes = {2};
       spec.location = fb::TensorDataLocation::EXTERNAL;
       b.tensor(spec);
     }},
    {"HollowTensor", Error::InvalidProgram, "values[0]: a Tensor without content",
     [](ProgramBuilder& b) { b.hollow(fb::KernelTypes::Tensor); }},
    {"UnknownKind", Error::InvalidProgram, "values[0]",
     [](ProgramBuilder& b) { b.hollow(static_cast<fb::KernelTypes>(77)); }},
    {"ListIndex", Error::InvalidProgram, "list item 0: value 50 does not exist",
     [](ProgramBuilder& b) { b.int_list({50}); }},
    {"TensorListOfInts", Error::InvalidProgram,
     "values[1]: list item 0: value 0 is Int, expected Tensor",
     [](ProgramBuilder& b) { b.tensor_list({b.integer(3)}); }},
    {"IntListOfTensors", Error::InvalidProgram, "value 0 is Tensor, expected Int",
     [](ProgramBuilder& b) { b.int_list({b.planned({2}, 0)}); }},
    {"OptionalListIndex", Error::InvalidProgram, "value -2 does not exist",
     [](ProgramBuilder& b) { b.optional_tensor_list({-1, -2}); }},
    {"InputIndex", Error::InvalidProgram, "inputs[0]: value 5 does not exist",
     [](ProgramBuilder& b) { b.inputs = {5}; }},
    {"OutputIndex", Error::InvalidProgram, "outputs[0]: value -1 does not exist",
     [](ProgramBuilder& b) { b.outputs = {-1}; }},
    {"InputIsConstant", Error::InvalidProgram, "inputs[0] is a constant",
     [](ProgramBuilder& b) { b.inputs = {b.constant({1}, {1})}; }},
    {"ArgumentIndex", Error::InvalidProgram,
     "chains[0].instructions[0]: argument: value 99 does not exist",
     [](ProgramBuilder& b) {
       b.null();
       b.kernel("test::add.out", {99});
     }},
    {"OperatorIndex", Error::InvalidProgram, "operator 3 does not exist, the method names 0",
     [](ProgramBuilder& b) {
       b.null();
       b.instruction(
           fb::InstructionArguments::KernelCall,
           fb::CreateKernelCall(b.fbb, 3, b.fbb.CreateVector(std::vector<int32_t>{0})).Union());
     }},
    {"KernelWithoutArguments", Error::InvalidProgram, "its arguments are missing",
     [](ProgramBuilder& b) {
       b.null();
       b.kernel("test::add.out", {0});
       b.instruction(fb::InstructionArguments::KernelCall, fb::CreateKernelCall(b.fbb, 0).Union());
     }},
    {"DelegateIndex", Error::InvalidProgram, "delegate 0 does not exist, the method has 0",
     [](ProgramBuilder& b) {
       b.null();
       b.delegate_call(0, {0});
     }},
    {"EmptyInstruction", Error::InvalidProgram, "chains[0].instructions[0]: it is empty",
     [](ProgramBuilder& b) {
       b.null();
       b.instruction(fb::InstructionArguments::KernelCall, 0);
     }},
    {"UnknownInstruction", Error::InvalidProgram, "chains[0].instructions[0]",
     [](ProgramBuilder& b) {
       b.instruction(static_cast<fb::InstructionArguments>(77),
                     fb::CreateFreeCall(b.fbb, b.planned({1}, 0)).Union());
     }},
    {"MoveIndex", Error::InvalidProgram, "move_to: value 8 does not exist",
     [](ProgramBuilder& b) { b.move(b.null(), 8); }},
    {"MoveChangesKind", Error::InvalidProgram, "a Int is moved to a Tensor",
     [](ProgramBuilder& b) {
       const int number = b.integer(1);
       b.move(number, b.planned({1}, 0));
     }},
    {"JumpDestination", Error::InvalidProgram, "jump to instruction 3, the chain has 1",
     [](ProgramBuilder& b) { b.jump_false(b.boolean(false), 3); }},
    {"JumpCondition", Error::InvalidProgram, "is Int, expected Bool or Tensor",
     [](ProgramBuilder& b) { b.jump_false(b.integer(1), 0); }},
    {"JumpOnFloats", Error::InvalidProgram,
     "the condition is a tensor of element type 6, expected Bool (11)",
     [](ProgramBuilder& b) { b.jump_false(b.planned({1}, 0), 0); }},
    {"FreesANumber", Error::InvalidProgram, "value 0 is freed, but is Int",
     [](ProgramBuilder& b) { b.free(b.integer(1)); }},
    {"Endless", Error::InvalidProgram, "did not end within 10000000 instructions",
     [](ProgramBuilder& b) { b.jump_false(b.boolean(false), 0); }},
    {"TooFewArguments", Error::InvalidProgram, "it is called with 2 values, expected 4",
     [](ProgramBuilder& b) {
       const int x = b.planned({1}, 0);
       b.kernel("test::add.out", {x, x});
     }},
    {"TooManyArguments", Error::InvalidProgram, "it is called with 5 values, expected 4",
     [](ProgramBuilder& b) {
       const int x = b.planned({1}, 0);
       const int out = b.planned({1}, 64);
       b.kernel("test::add.out", {x, x, out, out, out});
     }},
    {"ErrorBeforeAGoodInstruction", Error::InvalidProgram, "instruction 0 of forward",
     [](ProgramBuilder& b) {
       const int x = b.planned({1}, 0);
       const int out = b.planned({1}, 64);
       b.kernel("test::add.out", {x, x});
       b.kernel("test::add.out", {x, x, out, out});
     }},
    {"ArgumentOfAnotherKind", Error::InvalidProgram,
     "operator test::add.out (instruction 0 of forward): argument 1 'b': it is Int, expected "
     "Tensor",
     [](ProgramBuilder& b) {
       const int x = b.planned({1}, 0);
       const int out = b.planned({1}, 64);
       b.kernel("test::add.out", {x, b.integer(1), out, out});
     }},
    {"WritesAConstant", Error::InvalidProgram, "argument 2 'out': a constant would be written",
     [](ProgramBuilder& b) {
       const int x = b.planned({1}, 0);
       const int out = b.constant({1}, {1});
       b.kernel("test::add.out", {x, x, out, out});
     }},
    {"WritesAConstantInPlace", Error::InvalidProgram,
     "argument 0 'self': a constant would be written",
     [](ProgramBuilder& b) {
       const int x = b.constant({1}, {1});
       b.kernel("test::add_", {x, x, x});
     }},
    {"WritesAMovedConstant", Error::InvalidProgram, "a constant would be written",
     [](ProgramBuilder& b) {
       const int x = b.constant({1}, {1});
       const int out = b.planned({1}, 0);
       b.move(x, out);
       b.kernel("test::add.out", {x, x, out, out});
     }},
    {"WritesAViewOfAConstant", Error::InvalidProgram,
     "it shares memory that is not planned, and would be written",
     [](ProgramBuilder& b) {
       const int x = b.constant({1}, {1});
       const int one = b.integer(1);
       const int sizes = b.int_list({one});
       const int view = b.planned({1}, 0);
       b.kernel("executorch_prim::et_view.default", {x, sizes, view});
       b.kernel("test::add.out", {x, x, view, view});
     }},
    {"Overlap", Error::InvalidProgram, "arguments 2 and 0 lie in the same memory",
     [](ProgramBuilder& b) {
       const int x = b.planned({4}, 0);
       const int out = b.planned({4}, 8);
       b.kernel("test::add.out", {x, x, out, out});
     }},
    {"OverlapInAList", Error::InvalidProgram, "lie in the same memory",
     [](ProgramBuilder& b) {
       const int x = b.planned({4}, 0);
       const int list = b.tensor_list({x});
       const int out = b.planned({4}, 8);
       b.kernel("test::count.out", {list, out, out});
     }},
    {"OverlapAfterAMove", Error::InvalidProgram, "lie in the same memory",
     [](ProgramBuilder& b) {
       const int x = b.planned({4}, 0);
       const int other = b.planned({4}, 64);
       const int out = b.planned({4}, 8);
       b.move(x, other);
       b.kernel("test::add.out", {other, other, out, out});
     }},
    // What is written is smaller at present than it may become.
    {"OverlapOfATensorThatGrows", Error::InvalidProgram, "lie in the same memory",
     [](ProgramBuilder& b) {
       const int small = b.planned({1}, 128);
       const int x = b.planned({16}, 64);
       const int other = b.planned({16}, 192);
       TensorSpec spec = planned_spec({32}, 0);
       spec.dynamism = fb::TensorShapeDynamism::DYNAMIC_BOUND;
       const int out = b.tensor(spec);
       b.kernel("test::add.out", {small, small, out, out});
       b.move(x, other);
       b.kernel("test::add.out", {other, other, out, out});
     }},
    {"KindAfterAMove", Error::InvalidProgram, "it is Int, expected Tensor",
     [](ProgramBuilder& b) {
       const int number = b.integer(4);
       const int slot = b.null();
       const int out = b.planned({1}, 0);
       b.move(number, slot);
       b.kernel("test::add.out", {slot, slot, out, out});
     }},
    {"KindAfterAPrimitive", Error::InvalidProgram, "argument 1 'b': it is Double, expected Tensor",
     [](ProgramBuilder& b) {
       const int number = b.number(4);
       const int x = b.planned({1}, 0);
       const int target = b.planned({1}, 64);
       const int out = b.planned({1}, 128);
       b.kernel("executorch_prim::add.Scalar", {number, number, target});
       b.kernel("test::add.out", {x, target, out, out});
     }},
    {"NoMemory", Error::InvalidProgram, "the tensor has neither planned memory nor constant data",
     [](ProgramBuilder& b) {
       const int x = b.unplanned({1});
       const int out = b.planned({1}, 0);
       b.kernel("test::add.out", {x, x, out, out});
     }},
    {"ListPastItsBound", Error::NotSupported, "executorch_prim::et_copy_index.tensor",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2, 2});
       spec.dynamism = fb::TensorShapeDynamism::DYNAMIC_BOUND;
       const int list = b.tensor(spec);
       const int row = b.constant({2}, {1, 2});
       b.kernel("executorch_prim::et_copy_index.tensor", {list, row, b.integer(2)});
     }},
    {"NegativeListIndex", Error::InvalidArgument, "row -1",
     [](ProgramBuilder& b) {
       TensorSpec spec = planned_spec({2, 2});
       spec.dynamism = fb::TensorShapeDynamism::DYNAMIC_BOUND;
       const int list = b.tensor(spec);
       const int row = b.constant({2}, {1, 2});
       b.kernel("executorch_prim::et_copy_index.tensor", {list, row, b.integer(-1)});
     }},
    {"NoChains", Error::InvalidProgram, "chains are missing",
     [](ProgramBuilder& b) { b.without_chains = true; }},
    {"NoDelegates", Error::InvalidProgram, "delegates are missing",
     [](ProgramBuilder& b) { b.without_delegates = true; }},
    {"Version", Error::InvalidProgram, "the file has version 1",
     [](ProgramBuilder& b) { b.version = 1; }},
    {"SegmentOffsetWraps", Error::InvalidProgram, "segments[0]",
     [](ProgramBuilder& b) { b.segment_shift = UINT64_MAX - 64; }},
    {"SegmentPastTheFile", Error::InvalidProgram, "segments[0]",
     [](ProgramBuilder& b) { b.segment_shift = uint64_t{1} << 40; }},
    {"SegmentSizeWraps", Error::InvalidProgram, "segments[0]",
     [](ProgramBuilder& b) { b.segment_growth = UINT64_MAX - 64; }},
    {"LongOperatorName", Error::Internal, "a name of 150 characters",
     [](ProgramBuilder& b) {
       b.null();
       b.kernel(std::string(150, 'x'), {0});
     }},
};

INSTANTIATE_TEST_SUITE_P(Programs, HostileProgramTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
