// Processes, locks and limits of POSIX systems; cache_files_test.cpp runs on all.
#if !defined(_WIN32)

#include "engine/weights/weight_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/weights/content_hash.h"
#include "engine/weights/weight_store.h"
#include "threadpool/parallel.h"

namespace executorch::engine {
namespace {

namespace fs = std::filesystem;
using Packed = std::shared_ptr<const PackedWeight>;

constexpr size_t kFloats = 50000;

class Doubler final : public WeightPacker {
 public:
  explicit Doubler(const std::vector<float>& source) : source_(source) {}
  bool pack(float* packed) const override {
    ++count;
    for (size_t i = 0; i < source_.size(); ++i) packed[i] = 2 * source_[i];
    return true;
  }
  mutable std::atomic<int> count = 0;

 private:
  const std::vector<float>& source_;
};

/// Files of this process may not grow beyond so many bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : ignored_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, ignored_);
  }

 private:
  void (*ignored_)(int);
  rlimit before_{};
};

void make_older(const fs::path& file, std::chrono::minutes age) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - age);
}

class WeightFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weights-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    parent_ = name;
    folder_ = (parent_ / "cache").string();
    // Other contents for each test: a process keeps what it has packed.
    static float first = 0;
    ++first;
    source_.resize(kFloats);
    for (size_t i = 0; i < kFloats; ++i) source_[i] = first + static_cast<float>(i) / 64;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(parent_, ignored);
  }

  WeightSpec spec() const {
    return {source_.data(), kFloats * sizeof(float), nullptr, 0,
            {'t', 1, 2},    kFloats * sizeof(float)};
  }
  Packed get() { return packed_weight(spec(), packer_, {folder_.c_str(), limit_}, memory_); }
  void expect_right(const Packed& weight) const {
    ASSERT_NE(weight, nullptr);
    ASSERT_EQ(weight->size(), kFloats * sizeof(float));
    for (size_t i = 0; i < kFloats; ++i) ASSERT_EQ(weight->data()[i], 2 * source_[i]);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& file : fs::directory_iterator(folder_)) {
      if (file.path().extension() == ".packed") found.push_back(file.path());
    }
    return found;
  }
  size_t all_files() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  void overwrite(size_t offset, char value) const {
    const fs::path file = files().at(0);
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.put(value);
  }

  fs::path parent_;
  std::string folder_;
  uint64_t limit_ = UINT64_MAX;
  std::vector<float> source_;
  Doubler packer_{source_};
  WeightMemory memory_{0};
};

TEST_F(WeightFolder, KeepsAWeightForTheNextProcess) {
  Packed weight = get();
  expect_right(weight);
  EXPECT_TRUE(weight->shared());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(weight->data()) % MemoryBlock::kAlignment, 0u);
  EXPECT_EQ(get(), weight);
  EXPECT_EQ(packer_.count, 1);
  weight.reset();  // as in another process: nothing holds it
  weight = get();
  expect_right(weight);
  EXPECT_TRUE(weight->shared());
  EXPECT_EQ(packer_.count, 1);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(all_files(), 2u);  // the key
}

TEST_F(WeightFolder, TellsSourceScaleAndLayoutApart) {
  std::vector<Packed> weights{get()};
  WeightSpec other = spec();
  other.layout[2] = 3;
  weights.push_back(packed_weight(other, packer_, {folder_.c_str(), limit_}, memory_));
  other = spec();
  const float scale[] = {1, 2};
  other.scale = scale;
  other.scales = 2;
  weights.push_back(packed_weight(other, packer_, {folder_.c_str(), limit_}, memory_));
  source_[kFloats - 1] += 1;
  weights.push_back(get());
  EXPECT_EQ(packer_.count, 4);
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(WeightFolder, DamagedFilesAreReplaced) {
  const auto damage = [&](auto&& how) {
    ASSERT_TRUE(get()->shared());
    const int before = packer_.count;
    how();
    const Packed again = get();
    expect_right(again);
    EXPECT_TRUE(again->shared());
    EXPECT_EQ(packer_.count, before + 1);
    EXPECT_EQ(files().size(), 1u);
  };
  damage([&] { overwrite(0, 'X'); });
  damage([&] { overwrite(40, 'X'); });
  damage([&] { overwrite(4096 + 1000, 'X'); });
  damage([&] { overwrite(4096 + kFloats * sizeof(float) - 1, 'X'); });
  damage([&] { overwrite(4096 + kFloats * sizeof(float), 'X'); });  // longer
  damage([&] { fs::resize_file(files().at(0), 5000); });
  damage([&] { fs::resize_file(files().at(0), 0); });
  damage([&] {
    const fs::path file = files().at(0);
    fs::remove(file);
    fs::create_symlink("/dev/zero", file);
  });
  damage([&] {
    // The packed bytes of another weight under this name.
    const fs::path file = files().at(0);
    source_[7] += 1;
    Packed other = get();
    ASSERT_NE(other, nullptr);
    for (const fs::path& found : files()) {
      if (found != file) fs::rename(found, file);
    }
    source_[7] -= 1;
    packer_.count -= 1;
  });
}

TEST_F(WeightFolder, AReadOnlyFolderIsReadFrom) {
  expect_right(get());
  fs::permissions(parent_, fs::perms{0755});
  fs::permissions(folder_, fs::perms{0555});
  // In a child: root may write anywhere, so it becomes somebody else.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (geteuid() == 0 && seteuid(65534) != 0) _exit(2);
    const Packed stored = get();
    const bool found = stored != nullptr && stored->shared() && packer_.count == 1;
    source_[0] += 1;
    const Packed other = get();
    const bool packed = other != nullptr && !other->shared() && other->data()[0] == 2 * source_[0];
    _exit(found && packed ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(WeightFolder, AFolderThatCannotBeMadeDoesNoHarm) {
  std::ofstream(folder_) << "a file";
  const Packed weight = get();
  expect_right(weight);
  EXPECT_FALSE(weight->shared());
}

TEST_F(WeightFolder, AFullDiskDoesNoHarm) {
  expect_right(get());
  source_[0] += 1;
  const FileSizeLimit small(10000);
  const Packed weight = get();
  expect_right(weight);
  EXPECT_FALSE(weight->shared());
  EXPECT_EQ(all_files(), 2u);  // key and first weight: nothing half written is left
}

TEST_F(WeightFolder, AFolderThatRefusesAWriteIsNotTriedAgain) {
  expect_right(get());
  source_[0] += 1;
  {
    const FileSizeLimit small(10000);
    EXPECT_FALSE(get()->shared());
  }
  source_[0] += 1;
  EXPECT_FALSE(get()->shared());
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(WeightFolder, WhatWasUsedLeastRecentlyMakesRoom) {
  limit_ = 3 * (kFloats * sizeof(float) + 4096);
  std::vector<fs::path> written;
  for (int i = 0; i < 3; ++i) {
    source_[0] = static_cast<float>(i);
    ASSERT_TRUE(get()->shared());
    for (const fs::path& file : files()) {
      if (std::find(written.begin(), written.end(), file) == written.end()) written.push_back(file);
    }
  }
  ASSERT_EQ(written.size(), 3u);
  for (size_t i = 0; i < 3; ++i) make_older(written[i], std::chrono::minutes(60 - 10 * i));
  source_[0] = 0;
  ASSERT_TRUE(get()->shared());  // the oldest is used once more
  EXPECT_EQ(packer_.count, 3);
  source_[0] = 3;
  ASSERT_TRUE(get()->shared());
  EXPECT_TRUE(fs::exists(written[0]));
  EXPECT_FALSE(fs::exists(written[1]));
  EXPECT_TRUE(fs::exists(written[2]));
  EXPECT_EQ(files().size(), 3u);
}

TEST_F(WeightFolder, WhatIsInUseStays) {
  limit_ = kFloats * sizeof(float) + 4096;
  ASSERT_TRUE(get()->shared());
  const fs::path first = files().at(0);
  source_[0] += 1;
  const Packed other = get();
  expect_right(other);
  EXPECT_FALSE(other->shared());
  EXPECT_EQ(files(), std::vector<fs::path>{first});
  make_older(first, std::chrono::minutes(11));
  source_[0] += 1;
  EXPECT_TRUE(get()->shared());
  EXPECT_FALSE(fs::exists(first));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(WeightFolder, AWeightOverTheLimitStaysPrivate) {
  limit_ = kFloats * sizeof(float);
  const Packed weight = get();
  expect_right(weight);
  EXPECT_FALSE(weight->shared());
  EXPECT_TRUE(files().empty());
}

TEST_F(WeightFolder, WhatDeadWritersHaveLeftIsRemoved) {
  fs::create_directory(folder_);
  const fs::path dead = fs::path(folder_) / ".new-1-0", fresh = fs::path(folder_) / ".new-1-1",
                 alive = fs::path(folder_) / ".new-1-2", other = fs::path(folder_) / "new-1-3";
  for (const fs::path& file : {dead, fresh, alive, other}) std::ofstream(file) << "half";
  for (const fs::path& file : {dead, alive, other}) make_older(file, std::chrono::minutes(2));
  const int writer = open(alive.c_str(), O_WRONLY);
  ASSERT_EQ(flock(writer, LOCK_EX), 0);
  expect_right(get());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_TRUE(fs::exists(alive));
  EXPECT_TRUE(fs::exists(other));
  close(writer);
}

TEST_F(WeightFolder, ALostKeyIsDrawnAnew) {
  ASSERT_NE(WeightStore::of_folder(folder_.c_str()), nullptr);
  const std::string other = (parent_ / "other").string();
  fs::create_directory(other);
  std::ofstream(other + "/key") << "short";
  ASSERT_NE(WeightStore::of_folder(other.c_str()), nullptr);
  EXPECT_EQ(fs::file_size(other + "/key"), sizeof(HashSecret));
}

TEST_F(WeightFolder, WritersAtTheSameTimeEndWithOneCopy) {
  constexpr int kProcesses = 4;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool right = true;
      const Packed weight = get();
      right = weight != nullptr && weight->shared();
      for (size_t k = 0; right && k < kFloats; ++k) right = weight->data()[k] == 2 * source_[k];
      _exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  std::vector<std::thread> threads;
  std::vector<Packed> weights(4);
  for (Packed& weight : weights) threads.emplace_back([&] { weight = get(); });
  for (std::thread& thread : threads) thread.join();
  for (const Packed& weight : weights) EXPECT_EQ(weight, weights[0]);
  EXPECT_EQ(packer_.count, 0);
  EXPECT_EQ(all_files(), 2u);
}

TEST(ContentHash, DependsOnEveryByteLengthOrderAndSecret) {
  std::vector<char> bytes(133, 'a');
  const HashSecret& secret = process_secret();
  const Digest whole = hash_bytes(secret, bytes.data(), bytes.size());
  EXPECT_EQ(hash_bytes(secret, bytes.data(), bytes.size()), whole);
  for (char& byte : bytes) {
    byte = 'b';
    EXPECT_NE(hash_bytes(secret, bytes.data(), bytes.size()), whole);
    byte = 'a';
  }
  const std::vector<char> zeros(133, 0);
  std::vector<Digest> digests;
  for (size_t size = 0; size <= zeros.size(); ++size)
    digests.push_back(hash_bytes(secret, zeros.data(), size));
  for (size_t i = 0; i < digests.size(); ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_NE(digests[i], digests[k]);
  }
  HashSecret other = secret;
  other.words[5] ^= 1;
  EXPECT_NE(hash_bytes(other, bytes.data(), bytes.size()), whole);
  EXPECT_NE(hash_bytes(secret, bytes.data(), bytes.size(), whole), whole);
}

TEST(ContentHash, LargeContentsGiveTheSameOnAnyNumberOfThreads) {
  std::vector<char> bytes((size_t{1} << 20) + 77, 'a');
  const Digest whole = hash_bytes(process_secret(), bytes.data(), bytes.size());
  {
    const threadpool::ThreadLimit one(1);
    EXPECT_EQ(hash_bytes(process_secret(), bytes.data(), bytes.size()), whole);
  }
  for (const size_t at :
       {size_t{0}, size_t{262143}, size_t{262144}, size_t{700000}, bytes.size() - 1}) {
    bytes[at] = 'b';
    EXPECT_NE(hash_bytes(process_secret(), bytes.data(), bytes.size()), whole) << at;
    bytes[at] = 'a';
  }
  std::swap_ranges(bytes.begin(), bytes.begin() + 262144, bytes.begin() + 262144);
  EXPECT_EQ(hash_bytes(process_secret(), bytes.data(), bytes.size()), whole);
  bytes[5] = 'c';
  const Digest early = hash_bytes(process_secret(), bytes.data(), bytes.size());
  std::swap_ranges(bytes.begin(), bytes.begin() + 262144, bytes.begin() + 262144);
  EXPECT_NE(hash_bytes(process_secret(), bytes.data(), bytes.size()), early);
}

}  // namespace
}  // namespace executorch::engine

#endif
