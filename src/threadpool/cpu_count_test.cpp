#include "threadpool/cpu_count.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/platform/testing/process.h"
#include "threadpool/parallel.h"

namespace executorch::threadpool {
namespace {

class CgroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = test_support::temporary_path("cgroup");
    ASSERT_TRUE(std::filesystem::create_directory(root_));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = root_ + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  size_t limit() const { return cgroup_cpu_limit(root_.c_str()); }

  std::string root_;
};

TEST_F(CgroupTest, NothingMeansUnlimited) {
  EXPECT_EQ(limit(), 0u);
  write("/proc/self/cgroup", "0::/\n");
  EXPECT_EQ(limit(), 0u);
  write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(limit(), 0u);
}

TEST_F(CgroupTest, UnifiedTakesTheSmallestOnThePath) {
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "350000 100000\n");
  EXPECT_EQ(limit(), 4u);
  write("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  EXPECT_EQ(limit(), 2u);
}

TEST_F(CgroupTest, Controllers) {
  write("/proc/self/cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/docker/1\n");
  write("/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "50000\n");
  write("/sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limit(), 1u);
  write("/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(limit(), 0u);
}

TEST_F(CgroupTest, MalformedFilesAreIgnored) {
  write("/proc/self/cgroup", "nonsense\n0\n0::relative\n0::/a\n");
  write("/sys/fs/cgroup/a/cpu.max", "12");
  EXPECT_EQ(limit(), 0u);
}

TEST(ThreadCount, Parses) {
  EXPECT_EQ(parse_thread_count(nullptr), 0u);
  EXPECT_EQ(parse_thread_count(""), 0u);
  EXPECT_EQ(parse_thread_count("four"), 0u);
  EXPECT_EQ(parse_thread_count("-2"), 0u);
  EXPECT_EQ(parse_thread_count("3x"), 0u);
  EXPECT_EQ(parse_thread_count("3"), 3u);
  EXPECT_EQ(parse_thread_count("4,2"), 4u);
  EXPECT_EQ(parse_thread_count("99999999"), kMaxThreads);
}

TEST(ThreadCount, EnvironmentCaps) {
  const test_support::EnvironmentVariable none("EXECUTORCH_NUM_THREADS", nullptr);
  const test_support::EnvironmentVariable no_omp("OMP_NUM_THREADS", nullptr);
  const size_t machine = default_thread_count();
  EXPECT_GE(machine, 1u);
  const test_support::EnvironmentVariable one_omp("OMP_NUM_THREADS", "1");
  EXPECT_EQ(default_thread_count(), 1u);
  const test_support::EnvironmentVariable many("EXECUTORCH_NUM_THREADS", "100000");
  EXPECT_EQ(default_thread_count(), machine);
}

}  // namespace
}  // namespace executorch::threadpool
