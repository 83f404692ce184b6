#include "backends/aoti/code/elf_image.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/aoti/testing/test_code.h"

namespace executorch::backends::aoti {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::read_code;
using testing::span_of;

std::vector<std::string> names(const ElfImage& image) {
  std::vector<std::string> result;
  for (const UndefinedName& undefined : image.undefined) result.push_back(undefined.name);
  return result;
}

TEST(ElfImageTest, ListsWhatAnObjectNeeds) {
  const std::vector<uint8_t> file = read_code("aoti_fake_needs_function");
  ElfImage image;
  ASSERT_EQ(read_elf(span_of(file), &image), Error::Ok) << runtime::last_error_message();
  EXPECT_EQ(image.machine, own_elf_machine());
  EXPECT_THAT(image.needed, Contains("libc.so.6"));
  EXPECT_THAT(names(image), Contains("aoti_torch_get_data_ptr"));
  EXPECT_THAT(names(image), Contains("nobody_has_this"));
  std::vector<std::string> sorted = names(image);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
}

TEST(ElfImageTest, RenamesInPlace) {
  std::vector<uint8_t> file = read_code("aoti_fake_needs_function");
  const size_t size = file.size();
  ElfImage image;
  ASSERT_EQ(read_elf(span_of(file), &image), Error::Ok);
  ASSERT_EQ(rename_undefined({file.data(), file.size()}, "aoti_torch_", "et_aoti_t1_", &image),
            Error::Ok);
  ElfImage again;
  ASSERT_EQ(read_elf(span_of(file), &again), Error::Ok);
  EXPECT_EQ(file.size(), size);
  EXPECT_EQ(names(again), names(image));
  EXPECT_THAT(names(again), Contains("et_aoti_t1_get_data_ptr"));
  for (const std::string& name : names(again)) EXPECT_NE(name.substr(0, 11), "aoti_torch_");
  EXPECT_EQ(rename_undefined({file.data(), file.size()}, "et_aoti_t1_", "short", &again),
            Error::InvalidArgument);
}

TEST(ElfImageTest, OtherFilesAreRefused) {
  ElfImage image;
  for (const std::string& text : {std::string(),
                                  std::string("\x7f"
                                              "ELF"),
                                  std::string(100, 'x')}) {
    const std::vector<uint8_t> file(text.begin(), text.end());
    EXPECT_EQ(read_elf(span_of(file), &image), Error::InvalidProgram);
    EXPECT_THAT(runtime::last_error_message(), HasSubstr("no 64-bit little-endian ELF"));
  }
}

TEST(ElfImageTest, CutFilesAreReadOrRefused) {
  const std::vector<uint8_t> file = read_code("aoti_fake");
  ASSERT_FALSE(file.empty());
  for (size_t size = 0; size < file.size(); size += 7) {
    // A copy of its own size, so that a sanitizer sees a read beyond it.
    const std::vector<uint8_t> cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    ElfImage image;
    const Error error = read_elf(span_of(cut), &image);
    EXPECT_TRUE(error == Error::Ok || error == Error::InvalidProgram);
  }
}

TEST(ElfImageTest, DamagedFilesAreReadOrRefused) {
  const std::vector<uint8_t> file = read_code("aoti_fake");
  ASSERT_FALSE(file.empty());
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint8_t> damaged = file;
    // Most of what is read lies in the first pages.
    const size_t range = round % 2 == 0 ? std::min<size_t>(1024, file.size()) : file.size();
    for (int i = 0; i < 4; ++i) damaged[random() % range] = static_cast<uint8_t>(random());
    ElfImage image;
    Error error = read_elf(span_of(damaged), &image);
    EXPECT_TRUE(error == Error::Ok || error == Error::InvalidProgram);
    if (error != Error::Ok) continue;
    error = clear_unique_symbols({damaged.data(), damaged.size()});
    EXPECT_TRUE(error == Error::Ok || error == Error::InvalidProgram);
    error =
        rename_undefined({damaged.data(), damaged.size()}, "aoti_torch_", "et_aoti_t1_", &image);
    EXPECT_TRUE(error == Error::Ok || error == Error::NotSupported);
  }
}

}  // namespace
}  // namespace executorch::backends::aoti
