// Windows gives no pages of a mapping back.
#if !defined(_WIN32)

#include "runtime/platform/file_mappings.h"

#include <cstdio>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace executorch {
namespace runtime {
namespace internal {
namespace {

class FileMappings : public ::testing::Test {
 protected:
  void SetUp() override {
    page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    const std::vector<char> contents(kPages * page_, 'x');
    ASSERT_EQ(std::fwrite(contents.data(), 1, contents.size(), file), contents.size());
    ASSERT_EQ(std::fflush(file), 0);
    data_ =
        static_cast<char*>(mmap(nullptr, contents.size(), PROT_READ, MAP_PRIVATE, fileno(file), 0));
    ASSERT_NE(data_, MAP_FAILED);
    std::fclose(file);
  }
  void TearDown() override {
    remove_file_mapping(data_);
    munmap(data_, kPages * page_);
  }

  static constexpr size_t kPages = 4;
  size_t page_ = 0;
  char* data_ = nullptr;
};

TEST_F(FileMappings, GivesBackPagesOfNotedMappingsAlone) {
  EXPECT_FALSE(release_file_pages(data_, kPages * page_));
  add_file_mapping(data_, kPages * page_);
  EXPECT_TRUE(release_file_pages(data_, kPages * page_));
  EXPECT_TRUE(release_file_pages(data_ + page_ / 2, 2 * page_));
  EXPECT_FALSE(release_file_pages(data_ + page_ / 2, page_));       // no whole page
  EXPECT_FALSE(release_file_pages(data_ + page_, kPages * page_));  // beyond the end
  for (size_t i = 0; i < kPages * page_; ++i) ASSERT_EQ(data_[i], 'x');
  remove_file_mapping(data_);
  EXPECT_FALSE(release_file_pages(data_, kPages * page_));
}

TEST_F(FileMappings, LeavesOtherMemoryAlone) {
  add_file_mapping(data_, kPages * page_);
  std::vector<char> heap(4 * page_, 'h');
  EXPECT_FALSE(release_file_pages(heap.data(), heap.size()));
  for (const char c : heap) ASSERT_EQ(c, 'h');
}

}  // namespace
}  // namespace internal
}  // namespace runtime
}  // namespace executorch

#endif
