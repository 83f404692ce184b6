#ifndef ET_USE_THREADPOOL
#define ET_USE_THREADPOOL
#endif

#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>
#include <gtest/gtest.h>

#include <atomic>

namespace {

using executorch::extension::get_thread_count;
using executorch::extension::get_thread_num;
using executorch::extension::parallel_for;
using executorch::extension::set_thread_num;
using executorch::extension::threadpool::get_threadpool;
using executorch::extension::threadpool::NoThreadPoolGuard;
using executorch::extension::threadpool::UseNThreadsThreadPoolGuard;

class PublicPoolTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(get_threadpool()->_unsafe_reset_threadpool(3)); }
  void TearDown() override { ASSERT_TRUE(get_threadpool()->_unsafe_reset_threadpool(0)); }
};

TEST_F(PublicPoolTest, RunCallsEachIndexOnce) {
  EXPECT_EQ(get_threadpool()->get_thread_count(), 3u);
  std::atomic<size_t> sum{0};
  get_threadpool()->run([&](size_t i) { sum += i; }, 101);
  EXPECT_EQ(sum, 5050u);
  get_threadpool()->_unsafe_destroy_threadpool();
  get_threadpool()->run([&](size_t i) { sum += i; }, 101);
  EXPECT_EQ(sum, 10100u);
}

TEST_F(PublicPoolTest, ParallelForCoversTheRange) {
  std::atomic<int64_t> covered{0}, wrong{0};
  EXPECT_TRUE(parallel_for(10, 1010, 100, [&](int64_t first, int64_t last) {
    covered += last - first;
    if (get_thread_num() < 0 || get_thread_num() >= 3) wrong++;
  }));
  EXPECT_EQ(covered, 1000);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(get_thread_num(), 0);
}

TEST_F(PublicPoolTest, ParallelForRefusesNonsense) {
  const auto never = [](int64_t, int64_t) { FAIL(); };
  EXPECT_FALSE(parallel_for(5, 4, 1, never));
  EXPECT_FALSE(parallel_for(-1, 4, 1, never));
  EXPECT_FALSE(parallel_for(0, 4, 0, never));
  EXPECT_TRUE(parallel_for(4, 4, 1, never));
}

TEST_F(PublicPoolTest, Guards) {
  EXPECT_EQ(get_thread_count(), 3);
  {
    const UseNThreadsThreadPoolGuard two(2);
    EXPECT_EQ(get_thread_count(), 2);
    EXPECT_EQ(UseNThreadsThreadPoolGuard::num_threads(), 2u);
    const NoThreadPoolGuard none;
    EXPECT_TRUE(NoThreadPoolGuard::is_enabled());
    EXPECT_EQ(get_thread_count(), 1);
    int calls = 0;
    EXPECT_TRUE(parallel_for(0, 100, 1, [&](int64_t first, int64_t last) {
      calls++;
      EXPECT_EQ(last - first, 100);
    }));
    EXPECT_EQ(calls, 1);
  }
  EXPECT_FALSE(NoThreadPoolGuard::is_enabled());
  EXPECT_EQ(get_thread_count(), 3);
}

TEST_F(PublicPoolTest, ThreadNumberCanBeSet) {
  set_thread_num(7);
  EXPECT_EQ(get_thread_num(), 7);
  set_thread_num(0);
}

}  // namespace
