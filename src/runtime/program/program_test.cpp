#include <executorch/runtime/executor/program.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/executor/testing/loaded_method.h"

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<uint8_t> constant_program() {
  ProgramBuilder builder;
  const int weight = builder.constant({2}, {1, 2});
  builder.constant({1}, {9});
  const int x = builder.planned({2}, 0);
  builder.inputs = {x};
  builder.outputs = {weight};
  return builder.build();
}

void put(std::vector<uint8_t>& file, size_t offset, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) file[offset + i] = static_cast<uint8_t>(value >> (8 * i));
}

Error load_error(const std::vector<uint8_t>& file) {
  return LoadedMethod(file).error();
}

TEST(ProgramTest, ReadsConstantsInPlace) {
  LoadedMethod method(constant_program());
  ASSERT_EQ(method.error(), Error::Ok) << method.text();
  auto second = method.program().get_constant_buffer_data(2, 4);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(*static_cast<const float*>(second.get()), 9);
  EXPECT_EQ(method.program().get_constant_buffer_data(2, 8).error(), Error::InvalidArgument);
  EXPECT_EQ(method.program().get_constant_buffer_data(3, 1).error(), Error::InvalidArgument);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(1, 2));
}

TEST(ProgramTest, AcceptsHeadersOfSeveralLengths) {
  for (const uint32_t length : {24u, 28u, 32u, 40u}) {
    std::vector<uint8_t> file = constant_program();
    put(file, 12, length, 4);
    EXPECT_EQ(load_error(file), Error::Ok) << length;
  }
  std::vector<uint8_t> file = constant_program();
  put(file, 12, 23, 4);
  EXPECT_EQ(load_error(file), Error::InvalidProgram);
}

TEST(ProgramTest, RefusesSizesThatTheFileDoesNotHave) {
  for (const uint64_t value : {uint64_t{1} << 40, UINT64_MAX, UINT64_MAX - 100}) {
    for (const size_t field : {16, 24, 32}) {
      std::vector<uint8_t> file = constant_program();
      put(file, field, value, 8);
      EXPECT_EQ(load_error(file), Error::InvalidProgram) << field;
    }
  }
}

TEST(ProgramTest, RefusesConstantsWithoutAnOffsetForThem) {
  std::vector<uint8_t> file = constant_program();
  put(file, 24, 0, 8);
  EXPECT_EQ(load_error(file), Error::InvalidProgram);
  std::vector<uint8_t> no_magic = constant_program();
  no_magic[8] = 'x';
  EXPECT_EQ(load_error(no_magic), Error::InvalidProgram);
}

TEST(ProgramTest, RefusesOtherFiles) {
  std::vector<uint8_t> file = constant_program();
  file[7] = '3';
  LoadedMethod method(file);
  EXPECT_EQ(method.error(), Error::InvalidProgram);
  EXPECT_THAT(method.text(), HasSubstr("the identifier at offset 4 is 'ET13', expected 'ET12'"));
  EXPECT_EQ(Program::load(nullptr).error(), Error::InvalidArgument);
}

TEST(ProgramTest, ChecksHeads) {
  const std::vector<uint8_t> file = constant_program();
  EXPECT_EQ(Program::check_header(file.data(), file.size()),
            Program::HeaderStatus::CompatibleVersion);
  EXPECT_EQ(Program::check_header(file.data(), 63), Program::HeaderStatus::ShortData);
  std::vector<uint8_t> other = file;
  other[6] = '9';
  EXPECT_EQ(Program::check_header(other.data(), other.size()),
            Program::HeaderStatus::IncompatibleVersion);
  other[4] = 'x';
  EXPECT_EQ(Program::check_header(other.data(), other.size()), Program::HeaderStatus::NotPresent);
}

TEST(ProgramTest, DescribesMethods) {
  LoadedMethod method(constant_program());
  ASSERT_EQ(method.error(), Error::Ok);
  EXPECT_STREQ(*method.program().get_method_name(0), "forward");
  EXPECT_EQ(method.program().get_method_name(1).error(), Error::InvalidArgument);
  const MethodMeta meta = method->method_meta();
  EXPECT_EQ(*meta.input_tag(0), Tag::Tensor);
  EXPECT_EQ(meta.input_tag(1).error(), Error::InvalidArgument);
  auto input = meta.input_tensor_meta(0);
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input->nbytes(), 8u);
  EXPECT_TRUE(input->is_memory_planned());
  EXPECT_FALSE(input->is_dynamic());
  EXPECT_TRUE(meta.output_tensor_meta(0)->is_memory_planned());
  EXPECT_EQ(meta.num_memory_planned_buffers(), 1u);
  EXPECT_EQ(*meta.memory_planned_buffer_size(0), 4096);
  EXPECT_EQ(meta.memory_planned_buffer_size(1).error(), Error::InvalidArgument);
  EXPECT_TRUE(meta.memory_planned_buffer_device(0)->is_cpu());
  EXPECT_EQ(meta.num_backends(), 0u);
  EXPECT_FALSE(meta.uses_backend(nullptr));
}

TEST(ProgramTest, RefusesNamedDataUnderOneKeyInTwoMaps) {
  class OneKey final : public NamedDataMap {
   public:
    Result<const TensorLayout> get_tensor_layout(std::string_view key) const override {
      return key == "key" ? Error::NotImplemented : Error::NotFound;
    }
    Result<FreeableBuffer> get_data(std::string_view key) const override {
      if (key != "key") return Error::NotFound;
      return FreeableBuffer("x", 1, nullptr);
    }
    Error load_data_into(std::string_view, void*, size_t) const override {
      return Error::NotImplemented;
    }
    Result<uint32_t> get_num_keys() const override { return 1u; }
    Result<const char*> get_key(uint32_t) const override { return "key"; }
  };
  const OneKey first;
  const OneKey second;
  EXPECT_EQ(internal::MergedDataMap::load(&first, &second).error(), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("Key 'key' is in two data maps"));
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
