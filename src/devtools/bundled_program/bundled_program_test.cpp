#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/extension/module/bundled_module.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch::bundled_program {
namespace {

using extension::BundledModule;
using runtime::Error;
using runtime::last_error_message;
using ::testing::HasSubstr;

const std::string kPath = EXECUTORCH_TEST_DATA "/bundled/model.bpte";
const std::string kProgram = EXECUTORCH_TEST_DATA "/programs/add_mul/model.pte";

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Test cases 0 and 1 hold PyTorch's results, 2 expects zeros.
TEST(BundledModule, RunsAndVerifiesItsTestCases) {
  auto module = BundledModule::from_file(kPath);
  ASSERT_TRUE(module.ok()) << last_error_message();
  for (size_t test_case : {0, 1}) {
    const auto outputs = (*module)->execute("forward", test_case);
    ASSERT_TRUE(outputs.ok()) << last_error_message();
    EXPECT_EQ(outputs->size(), 2u);
    EXPECT_EQ((*module)->verify_method_outputs("forward", test_case), Error::Ok)
        << last_error_message();
    EXPECT_EQ((*module)->verify_method_outputs("forward", 1 - test_case), Error::NotFound);
  }
}

TEST(BundledModule, NamesTheElementThatDiffers) {
  auto module = BundledModule::from_file(kPath);
  ASSERT_TRUE(module.ok());
  ASSERT_TRUE((*module)->execute("forward", 2).ok());
  EXPECT_EQ((*module)->verify_method_outputs("forward", 2), Error::NotFound);
  EXPECT_THAT(last_error_message(),
              HasSubstr("method 'forward', test case 2: output 0: element [0, 0] is"));
  // What is allowed of floats holds for the first output; integers stay exact.
  EXPECT_EQ((*module)->verify_method_outputs("forward", 2, 0, 100), Error::NotFound);
  EXPECT_THAT(last_error_message(), HasSubstr("output 1: element"));
}

TEST(BundledModule, RefusesWhatDoesNotExist) {
  auto module = BundledModule::from_file(kPath);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ((*module)->execute("forward", 3).error(), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("number 3 does not exist"));
  EXPECT_EQ((*module)->execute("count", 0).error(), Error::InvalidArgument);
  EXPECT_EQ((*module)->verify_method_outputs("nothing", 0), Error::InvalidArgument);
  EXPECT_EQ(BundledModule::from_file("/nowhere").error(), Error::AccessFailed);
  EXPECT_EQ(BundledModule::from_file(kProgram).error(), Error::InvalidArgument);
  EXPECT_THAT(last_error_message(), HasSubstr("expected the identifier BP08"));
}

/// Shows the methods that it has loaded.
class OpenModule : public BundledModule {
 public:
  using BundledModule::BundledModule;
  runtime::Method& loaded(const std::string& name) { return *methods_.at(name).method; }
};

/// The functions on a method, over bytes at any address.
class BundledProgramTest : public ::testing::TestWithParam<size_t> {
 protected:
  BundledProgramTest() {
    const std::vector<char> content = read_file(kPath);
    storage_.resize(content.size() + GetParam() + 64);
    void* aligned = storage_.data();
    size_t room = storage_.size();
    bytes_ =
        static_cast<char*>(std::align(64, content.size() + GetParam(), aligned, room)) + GetParam();
    size_ = content.size();
    std::memcpy(bytes_, content.data(), size_);
  }

  std::vector<char> storage_;
  char* bytes_;
  size_t size_;
};

TEST_P(BundledProgramTest, RunsAMethod) {
  const void* program = nullptr;
  size_t size = 0;
  ASSERT_EQ(get_program_data(bytes_, size_, &program, &size), Error::Ok) << last_error_message();
  OpenModule module(bytes_);
  ASSERT_EQ(module.load_method("forward"), Error::Ok) << last_error_message();
  runtime::Method& method = module.loaded("forward");
  ASSERT_EQ(load_bundled_input(method, bytes_, 1), Error::Ok) << last_error_message();
  ASSERT_EQ(method.execute(), Error::Ok) << last_error_message();
  EXPECT_EQ(verify_method_outputs(method, bytes_, 1), Error::Ok) << last_error_message();
  EXPECT_EQ(verify_method_outputs(method, bytes_, 0), Error::NotFound);
  EXPECT_EQ(load_bundled_input(method, bytes_, 9), Error::InvalidArgument);
  EXPECT_EQ(verify_method_outputs(method, bytes_, 9), Error::InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Addresses, BundledProgramTest, ::testing::Values(0, 1, 8, 16));

TEST(BundledProgram, TellsWhatBytesAre) {
  std::vector<char> bundle = read_file(kPath), program = read_file(kProgram), nothing(100, 'x');
  EXPECT_TRUE(is_bundled_program(bundle.data(), bundle.size()));
  EXPECT_FALSE(is_bundled_program(bundle.data(), 7));
  EXPECT_FALSE(is_bundled_program(program.data(), program.size()));
  const void* data = nullptr;
  size_t size = 0;
  EXPECT_EQ(get_program_data(program.data(), program.size(), &data, &size), Error::Ok);
  EXPECT_EQ(data, program.data());
  EXPECT_EQ(size, program.size());
  EXPECT_EQ(get_program_data(nothing.data(), nothing.size(), &data, &size), Error::NotSupported);
  EXPECT_EQ(get_program_data(bundle.data(), bundle.size() / 2, &data, &size),
            Error::InvalidArgument);
  EXPECT_EQ(get_program_data(nullptr, 0, &data, &size), Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::bundled_program
