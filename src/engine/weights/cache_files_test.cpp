#include "engine/weights/cache_files.h"

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/platform/testing/process.h"

namespace executorch::engine {
namespace {

namespace fs = std::filesystem;

class CacheFiles : public ::testing::Test {
 protected:
  void SetUp() override { make_folder(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  bool publish(const std::string& name, const std::string& text, IfPresent if_present) {
    const size_t half = text.size() / 2;
    std::string reason;
    const bool done =
        publish_file(folder_, name, {{text.data(), half}, {text.data() + half, text.size() - half}},
                     if_present, &reason);
    EXPECT_EQ(done, reason.empty()) << reason;
    return done;
  }
  std::string content(const std::string& name, size_t size) {
    FileMapping mapping;
    if (map_file(folder_ + "/" + name, size, &mapping) != MapResult::Mapped) return "";
    return {mapping.data(), mapping.size()};
  }

  const std::string folder_ = test_support::temporary_path("cache_files_test");
};

TEST_F(CacheFiles, WritesOnceOrAnew) {
  EXPECT_TRUE(publish("a", "first", IfPresent::Keep));
  EXPECT_EQ(content("a", 5), "first");
  EXPECT_TRUE(publish("a", "other", IfPresent::Keep));
  EXPECT_EQ(content("a", 5), "first");
  EXPECT_TRUE(publish("a", "third one", IfPresent::Replace));
  EXPECT_EQ(content("a", 9), "third one");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(CacheFiles, MapsFilesOfTheRightSizeAlone) {
  ASSERT_TRUE(publish("a", "four", IfPresent::Keep));
  FileMapping mapping;
  EXPECT_EQ(map_file(folder_ + "/b", 4, &mapping), MapResult::Missing);
  EXPECT_EQ(map_file(folder_ + "/a", 5, &mapping), MapResult::Unusable);
  EXPECT_EQ(map_file(folder_, 4, &mapping), MapResult::Unusable);
  EXPECT_EQ(map_file(folder_ + "/a", 4, &mapping), MapResult::Mapped);
}

TEST_F(CacheFiles, ListsAndRemoves) {
  ASSERT_TRUE(publish("a.w", "1", IfPresent::Keep));
  ASSERT_TRUE(publish("b.w", "22", IfPresent::Keep));
  ASSERT_TRUE(publish("c", "333", IfPresent::Keep));
  fs::create_directory(folder_ + "/d.w");
  std::vector<FileInfo> files = list_files(folder_, ".w");
  ASSERT_EQ(files.size(), 2u);
  if (files[0].name != "a.w") std::swap(files[0], files[1]);
  EXPECT_EQ(files[0].size, 1u);
  EXPECT_EQ(files[1].size, 2u);
  EXPECT_LT(files[0].seconds_unused, 60);
  mark_used(folder_ + "/a.w");
  EXPECT_LT(list_files(folder_, "a.w")[0].seconds_unused, 60);
  EXPECT_TRUE(remove_file(folder_ + "/a.w"));
  EXPECT_FALSE(remove_file(folder_ + "/a.w"));
  EXPECT_EQ(list_files(folder_, ".w").size(), 1u);
  EXPECT_TRUE(list_files(folder_ + "/nowhere", "").empty());
}

TEST_F(CacheFiles, RemovesWhatWritersHaveLeft) {
  ASSERT_TRUE(publish(".new-1-abandoned", "half", IfPresent::Keep));
  ASSERT_TRUE(publish("kept", "whole", IfPresent::Keep));
  remove_unfinished_files(folder_);
  EXPECT_TRUE(fs::exists(folder_ + "/.new-1-abandoned")) << "its writer may still be there";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto& entry : fs::directory_iterator(folder_))
    fs::last_write_time(entry.path(), long_ago);
  remove_unfinished_files(folder_);
  EXPECT_FALSE(fs::exists(folder_ + "/.new-1-abandoned"));
  EXPECT_TRUE(fs::exists(folder_ + "/kept"));
}

TEST_F(CacheFiles, SaysWhyItCannotWrite) {
  std::string reason;
  EXPECT_FALSE(publish_file(folder_ + "/nowhere", "a", {}, IfPresent::Keep, &reason));
  EXPECT_FALSE(reason.empty());
}

TEST(RandomBytes, Differ) {
  char a[33] = {}, b[33] = {};
  ASSERT_TRUE(random_bytes(a, 32) && random_bytes(b, 32));
  EXPECT_NE(std::memcmp(a, b, 32), 0);
}

}  // namespace
}  // namespace executorch::engine
