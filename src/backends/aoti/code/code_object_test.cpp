#include "backends/aoti/code/code_object.h"

#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/aoti/code/sha256.h"
#include "backends/aoti/testing/test_code.h"

extern "C" int32_t et_aoti_t1_live_tensors();

namespace executorch::backends::aoti {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_code;
using testing::span_of;

CodeOptions options() {
  CodeOptions options;
  options.shims = {reinterpret_cast<const void*>(&et_aoti_t1_live_tensors), "et_aoti_t1_"};
  return options;
}

size_t entries(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

/// Whether the process maps a file whose name holds a text.
bool is_mapped(const std::string& text) {
  std::ifstream maps("/proc/self/maps");
  const std::string all(std::istreambuf_iterator<char>(maps), {});
  return all.find(text) != std::string::npos;
}

class CodeObjectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = ::testing::TempDir() + "code-object-test-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    open_files_ = entries("/proc/self/fd");
  }
  void TearDown() override {
    EXPECT_EQ(entries("/proc/self/fd"), open_files_);
    EXPECT_EQ(entries(folder_), 0u);
    fs::remove_all(folder_);
  }
  Error load(const std::vector<uint8_t>& file, const CodeOptions& options) {
    runtime::clear_error_message();
    return CodeObject::load(span_of(file), options, &code_);
  }
  void expect_refused(const std::vector<uint8_t>& file, const CodeOptions& options, Error error,
                      const char* reason) {
    EXPECT_EQ(load(file, options), error);
    EXPECT_THAT(runtime::last_error_message(), HasSubstr(reason));
    EXPECT_EQ(code_, nullptr);
  }

  fs::path folder_;
  std::unique_ptr<CodeObject> code_;
  size_t open_files_ = 0;
};

TEST_F(CodeObjectTest, LoadsFromMemoryWithoutATemporaryFolder) {
  CodeOptions in_memory = options();
  in_memory.temporary_folder = "/nonexistent";
  ASSERT_EQ(load(read_code("aoti_fake"), in_memory), Error::Ok) << runtime::last_error_message();
  EXPECT_NE(code_->symbol("AOTInductorModelContainerRun"), nullptr);
  EXPECT_EQ(code_->symbol("AOTInductorModelContainerWalk"), nullptr);
  code_.reset();
}

TEST_F(CodeObjectTest, LoadsFromATemporaryFile) {
  CodeOptions from_file = options();
  from_file.place = CodePlace::file;
  from_file.temporary_folder = folder_.c_str();
  ASSERT_EQ(load(read_code("aoti_fake"), from_file), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(entries(folder_), 0u);
  EXPECT_NE(code_->symbol("AOTInductorModelContainerRun"), nullptr);
  code_.reset();
  from_file.temporary_folder = "/nonexistent";
  expect_refused(read_code("aoti_fake"), from_file, Error::AccessFailed, "/nonexistent");
}

TEST_F(CodeObjectTest, InstancesAreIndependent) {
  const std::vector<uint8_t> file = read_code("aoti_fake");
  ASSERT_EQ(load(file, options()), Error::Ok);
  std::unique_ptr<CodeObject> first = std::move(code_);
  ASSERT_EQ(load(file, options()), Error::Ok);
  const char* name = "AOTInductorModelContainerRun";
  EXPECT_NE(first->symbol(name), code_->symbol(name));
  first.reset();
  EXPECT_NE(code_->symbol(name), nullptr);
  // Another object must not be taken for one whose file number it got.
  ASSERT_EQ(load(read_code("aoti_fake_lacks_run"), options()), Error::Ok);
  EXPECT_EQ(code_->symbol(name), nullptr);
  code_.reset();
}

TEST_F(CodeObjectTest, IsUnloaded) {
  const std::vector<uint8_t> file = read_code("aoti_fake");
  for (const CodePlace place : {CodePlace::memory, CodePlace::file}) {
    CodeOptions how = options();
    how.place = place;
    ASSERT_EQ(load(file, how), Error::Ok);
    EXPECT_TRUE(is_mapped("executorch-"));
    code_.reset();
    EXPECT_FALSE(is_mapped("executorch-"));
  }
}

TEST_F(CodeObjectTest, StaysPrivate) {
  ASSERT_EQ(load(read_code("aoti_fake"), options()), Error::Ok);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "AOTInductorModelContainerRun"), nullptr);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "aoti_torch_get_data_ptr"), nullptr);
  code_.reset();
}

TEST_F(CodeObjectTest, NamesEveryMissingFunction) {
  expect_refused(read_code("aoti_fake_needs_function"), options(), Error::NotSupported,
                 "needs 2 functions that are not there");
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("et_aoti_t1_cpu_not_there"));
  EXPECT_THAT(runtime::last_error_message(), HasSubstr("nobody_has_this"));
  EXPECT_THAT(runtime::last_error_message(), Not(HasSubstr("get_data_ptr")));
  // Without any shims all of them are missing, under their own names.
  expect_refused(read_code("aoti_fake"), CodeOptions(), Error::NotSupported,
                 "aoti_torch_get_data_ptr");
}

TEST_F(CodeObjectTest, NamesEveryMissingLibrary) {
  expect_refused(read_code("aoti_fake_needs_library"), options(), Error::NotSupported,
                 "needs libraries that are not there: libaoti_gone.so");
}

TEST_F(CodeObjectTest, ChecksTheDigest) {
  const std::vector<uint8_t> file = read_code("aoti_fake");
  CodeOptions pinned = options();
  pinned.sha256 = sha256_hex(file.data(), file.size());
  ASSERT_EQ(load(file, pinned), Error::Ok);
  code_.reset();
  std::vector<uint8_t> changed = file;
  changed.push_back(0);
  expect_refused(changed, pinned, Error::InvalidProgram, pinned.sha256.c_str());
}

TEST_F(CodeObjectTest, RefusesOtherMachines) {
  std::vector<uint8_t> file = read_code("aoti_fake");
  file[18] = 40;
  file[19] = 0;
  expect_refused(file, options(), Error::NotSupported, "for machine 40");
  expect_refused(std::vector<uint8_t>(100), options(), Error::InvalidProgram, "ELF");
}

}  // namespace
}  // namespace executorch::backends::aoti
