// The contract that all data loaders share, and what each adds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/mman.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/data_loader/shared_ptr_data_loader.h>
#include <executorch/runtime/core/error_message.h>

#include "runtime/platform/testing/process.h"

namespace executorch {
namespace extension {
namespace {

using runtime::DataLoader;
using runtime::Error;
using runtime::last_error_message;
using ::testing::HasSubstr;

const DataLoader::SegmentInfo kInfo(DataLoader::SegmentInfo::Type::Program);

/// A file that disappears with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::vector<uint8_t>& bytes) {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    EXPECT_TRUE(file.good());
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const char* path() const { return path_.c_str(); }

 private:
  const std::string path_ = test_support::temporary_path("data_loaders_test");
};

/// More than two pages, every position recognisable.
std::vector<uint8_t> pattern() {
  std::vector<uint8_t> bytes(2 * get_os_page_size() + 100);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(i * 31 + (i >> 8));
  }
  return bytes;
}

enum class Kind { kBuffer, kSharedPtr, kFile, kMmap };

class DataLoaderTest : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    switch (GetParam()) {
      case Kind::kBuffer:
        loader_ = std::make_unique<BufferDataLoader>(bytes_.data(), bytes_.size());
        return;
      case Kind::kSharedPtr: {
        auto owner = std::make_shared<std::vector<uint8_t>>(bytes_);
        loader_ = std::make_unique<SharedPtrDataLoader>(std::shared_ptr<void>(owner, owner->data()),
                                                        bytes_.size());
        return;
      }
      case Kind::kFile: {
        auto loader = FileDataLoader::from(file_.path());
        ASSERT_TRUE(loader.ok()) << last_error_message();
        loader_ = std::make_unique<FileDataLoader>(std::move(*loader));
        return;
      }
      case Kind::kMmap: {
        auto loader = MmapDataLoader::from(file_.path(), MmapDataLoader::MlockConfig::NoMlock);
        ASSERT_TRUE(loader.ok()) << last_error_message();
        loader_ = std::make_unique<MmapDataLoader>(std::move(*loader));
        return;
      }
    }
  }

  const std::vector<uint8_t> bytes_ = pattern();
  TemporaryFile file_{bytes_};
  std::unique_ptr<DataLoader> loader_;
};

TEST_P(DataLoaderTest, LoadsEveryRange) {
  EXPECT_EQ(loader_->size().get(), bytes_.size());
  const size_t page = get_os_page_size();
  for (const size_t offset : {size_t{0}, size_t{1}, page - 1, page, page + 3, 2 * page + 99}) {
    for (const size_t size : {size_t{0}, size_t{1}, page, bytes_.size() - offset}) {
      if (size > bytes_.size() - offset) {
        continue;
      }
      const auto loaded = loader_->load(offset, size, kInfo);
      ASSERT_TRUE(loaded.ok()) << last_error_message();
      ASSERT_EQ(loaded->size(), size);
      EXPECT_TRUE(size == 0 || std::memcmp(loaded->data(), bytes_.data() + offset, size) == 0);
      std::vector<uint8_t> copy(size + 1, 0xAB);
      ASSERT_EQ(loader_->load_into(offset, size, kInfo, copy.data()), Error::Ok);
      EXPECT_TRUE(size == 0 || std::memcmp(copy.data(), bytes_.data() + offset, size) == 0);
      EXPECT_EQ(copy[size], 0xAB);
    }
  }
}

TEST_P(DataLoaderTest, RefusesRangesThatLeaveTheData) {
  uint8_t byte;
  const size_t size = bytes_.size();
  for (const auto& [offset, count] : {std::pair<size_t, size_t>{0, size + 1},
                                      {size, 1},
                                      {size + 1, 0},
                                      {SIZE_MAX, 2},
                                      {2, SIZE_MAX - 1},
                                      {SIZE_MAX, SIZE_MAX}}) {
    EXPECT_EQ(loader_->load(offset, count, kInfo).error(), Error::InvalidArgument);
    EXPECT_THAT(last_error_message(), HasSubstr(std::to_string(size)));
    EXPECT_EQ(loader_->load_into(offset, count, kInfo, &byte), Error::InvalidArgument);
  }
  EXPECT_EQ(loader_->load_into(0, 1, kInfo, nullptr), Error::InvalidArgument);
  EXPECT_TRUE(loader_->load(size, 0, kInfo).ok());
}

INSTANTIATE_TEST_SUITE_P(Kinds, DataLoaderTest,
                         ::testing::Values(Kind::kBuffer, Kind::kSharedPtr, Kind::kFile,
                                           Kind::kMmap));

TEST(FileLoadersTest, MissingFileIsNamedWithTheReason) {
  EXPECT_EQ(FileDataLoader::from("/no/such/model.pte").error(), Error::AccessFailed);
  EXPECT_THAT(last_error_message(), HasSubstr("/no/such/model.pte"));
  EXPECT_THAT(last_error_message(), HasSubstr("No such file"));
  EXPECT_EQ(MmapDataLoader::from("/no/such/model.pte").error(), Error::AccessFailed);
  EXPECT_THAT(last_error_message(), HasSubstr("No such file"));
  EXPECT_EQ(FileDataLoader::from(nullptr).error(), Error::InvalidArgument);
  EXPECT_EQ(MmapDataLoader::from(nullptr).error(), Error::InvalidArgument);
}

TEST(FileLoadersTest, OnlyRegularFilesAreLoaded) {
  const std::string folder = std::filesystem::temp_directory_path().generic_string();
  EXPECT_EQ(FileDataLoader::from(folder.c_str()).error(), Error::AccessFailed);
#if !defined(_WIN32)  // which does not open folders, and has no pipes with a path
  EXPECT_THAT(last_error_message(), HasSubstr("not a regular file"));
  const std::string pipe = test_support::temporary_path("data_loaders_test");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(MmapDataLoader::from(pipe.c_str()).error(), Error::AccessFailed);
  std::remove(pipe.c_str());
#endif
}

TEST(FileLoadersTest, EmptyFileHasNoBytes) {
  const TemporaryFile file({});
  const auto loader = MmapDataLoader::from(file.path(), MmapDataLoader::MlockConfig::NoMlock);
  ASSERT_TRUE(loader.ok());
  EXPECT_EQ(loader->size().get(), 0u);
  EXPECT_TRUE(loader->load(0, 0, kInfo).ok());
  EXPECT_EQ(loader->load(0, 1, kInfo).error(), Error::InvalidArgument);
}

TEST(FileLoadersTest, BuffersOutliveTheirLoader) {
  const std::vector<uint8_t> bytes = pattern();
  const TemporaryFile file(bytes);
  auto file_loader = std::make_optional(std::move(FileDataLoader::from(file.path()).get()));
  auto mmap_loader = std::make_optional(
      std::move(MmapDataLoader::from(file.path(), MmapDataLoader::MlockConfig::UseMadvise).get()));
  const auto read = file_loader->load(5, 50, kInfo);
  const auto mapped = mmap_loader->load(5, 50, kInfo);
  file_loader.reset();
  mmap_loader.reset();
  EXPECT_EQ(std::memcmp(read->data(), bytes.data() + 5, 50), 0);
  EXPECT_EQ(std::memcmp(mapped->data(), bytes.data() + 5, 50), 0);
}

TEST(FileLoadersTest, ShortenedFileIsAnError) {
  const std::vector<uint8_t> bytes = pattern();
  const TemporaryFile file(bytes);
  const auto file_loader = FileDataLoader::from(file.path());
  const auto mmap_loader = MmapDataLoader::from(file.path(), MmapDataLoader::MlockConfig::NoMlock);
  std::filesystem::resize_file(file.path(), 10);
  EXPECT_EQ(file_loader->load(0, bytes.size(), kInfo).error(), Error::AccessFailed);
  EXPECT_THAT(last_error_message(), HasSubstr("became shorter"));
  EXPECT_EQ(mmap_loader->load(0, bytes.size(), kInfo).error(), Error::AccessFailed);
  EXPECT_THAT(last_error_message(), HasSubstr("became shorter"));
  EXPECT_TRUE(file_loader->load(0, 10, kInfo).ok());
}

TEST(FileDataLoaderTest, AlignsWhatItLoads) {
  const TemporaryFile file(pattern());
  for (const size_t alignment : {size_t{1}, size_t{16}, size_t{64}, size_t{4096}}) {
    const auto loader = FileDataLoader::from(file.path(), alignment);
    ASSERT_TRUE(loader.ok());
    const auto loaded = loader->load(3, 100, kInfo);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(loaded->data()) % alignment, 0u);
  }
  EXPECT_EQ(FileDataLoader::from(file.path(), 3).error(), Error::InvalidArgument);
  EXPECT_EQ(FileDataLoader::from(file.path(), 0).error(), Error::InvalidArgument);
}

TEST(MmapDataLoaderTest, TriesToLockPages) {
  const TemporaryFile file(pattern());
  const auto loader =
      MmapDataLoader::from(file.path(), MmapDataLoader::MlockConfig::UseMlockIgnoreErrors);
  ASSERT_TRUE(loader.ok());
  EXPECT_TRUE(loader->load(0, 100, kInfo).ok());
  // Whether locking is allowed depends on the machine; refusing must come with a text.
  const auto strict = MmapDataLoader::from(file.path());
  ASSERT_TRUE(strict.ok());
  const auto locked = strict->load(0, 100, kInfo);
  EXPECT_TRUE(locked.ok() || locked.error() == Error::NotSupported);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
