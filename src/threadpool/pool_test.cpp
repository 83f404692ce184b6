#include "threadpool/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>
#endif

// ThreadSanitizer forbids threads in a forked child.
#if defined(__SANITIZE_THREAD__)
#define EXECUTORCH_TEST_FORK 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EXECUTORCH_TEST_FORK 0
#endif
#endif
#if !defined(EXECUTORCH_TEST_FORK)
#define EXECUTORCH_TEST_FORK 1
#endif

namespace executorch::threadpool {
namespace {

class PoolTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(set_thread_count(4)); }
  void TearDown() override { ASSERT_TRUE(set_thread_count(0)); }
};

void count_once(size_t tasks) {
  std::vector<std::atomic<int>> calls(tasks);
  run(
      tasks,
      [](void* context, size_t task, size_t) {
        (*static_cast<std::vector<std::atomic<int>>*>(context))[task]++;
      },
      &calls);
  EXPECT_TRUE(std::all_of(calls.begin(), calls.end(), [](const auto& n) { return n == 1; }));
}

TEST_F(PoolTest, EveryTaskRunsOnce) {
  for (size_t tasks : {0, 1, 2, 3, 4, 5, 7, 100, 1001}) count_once(tasks);
}

TEST_F(PoolTest, ManyLoopsInARow) {
  std::atomic<size_t> sum{0};
  for (int i = 0; i < 20000; ++i) {
    run(
        8,
        [](void* context, size_t task, size_t) {
          *static_cast<std::atomic<size_t>*>(context) += task;
        },
        &sum);
  }
  EXPECT_EQ(sum, 20000u * 28);
}

TEST_F(PoolTest, ThreadNumbersAreExclusive) {
  struct Slots {
    std::atomic<bool> taken[kMaxThreads] = {};
    std::atomic<bool> failed{false};
  } slots;
  run(
      400,
      [](void* context, size_t, size_t thread) {
        Slots& s = *static_cast<Slots*>(context);
        if (thread >= 4 || s.taken[thread].exchange(true)) {
          s.failed = true;
          return;
        }
        std::this_thread::yield();
        s.taken[thread] = false;
      },
      &slots);
  EXPECT_FALSE(slots.failed);
}

TEST_F(PoolTest, LimitsAreObserved) {
  EXPECT_EQ(thread_count(), 4u);
  {
    const ThreadLimit two(2);
    EXPECT_EQ(thread_count(), 2u);
    {
      const ThreadLimit one(1);
      EXPECT_EQ(thread_count(), 1u);
    }
    EXPECT_EQ(thread_count(), 2u);
    EXPECT_EQ(pool_thread_count(), 4u);
  }
  EXPECT_EQ(thread_count(), 4u);
  std::atomic<size_t> highest{0};
  run(
      100,
      [](void* context, size_t, size_t thread) {
        auto& most = *static_cast<std::atomic<size_t>*>(context);
        size_t seen = most;
        while (thread > seen && !most.compare_exchange_weak(seen, thread)) {
        }
      },
      &highest, 2);
  EXPECT_LT(highest, 2u);
}

TEST_F(PoolTest, NestedAndResizingFromInside) {
  std::atomic<int> inner{0}, resized{0};
  struct Counters {
    std::atomic<int>&inner, &resized;
  } counters{inner, resized};
  run(
      8,
      [](void* context, size_t, size_t) {
        Counters& c = *static_cast<Counters*>(context);
        if (set_thread_count(2)) c.resized++;
        parallel_for(0, 100, 1, [&](int64_t first, int64_t last) {
          c.inner += static_cast<int>(last - first);
        });
      },
      &counters);
  EXPECT_EQ(inner, 800);
  EXPECT_EQ(resized, 0);
}

TEST_F(PoolTest, SeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&total] {
      for (int i = 0; i < 500; ++i) {
        std::vector<int64_t> squares(1000);
        parallel_for(0, 1000, 10, [&](int64_t first, int64_t last) {
          for (int64_t k = first; k < last; ++k) squares[static_cast<size_t>(k)] = k * k;
        });
        for (int64_t square : squares) total += square;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, int64_t{4 * 500} * 332833500);
}

TEST_F(PoolTest, RangesStartAtMultiplesOfTheGrain) {
  std::atomic<int64_t> covered{0}, misplaced{0};
  parallel_for(5, 1234, 16, [&](int64_t first, int64_t last) {
    covered += last - first;
    if ((first - 5) % 16 != 0) misplaced++;
  });
  EXPECT_EQ(covered, 1229);
  EXPECT_EQ(misplaced, 0);
  parallel_for(3, 3, 1, [&](int64_t, int64_t) { misplaced++; });
  EXPECT_EQ(misplaced, 0);
}

TEST_F(PoolTest, ResizingAndSleeping) {
  for (size_t threads : {1, 3, 2, 8, 1, 4}) {
    ASSERT_TRUE(set_thread_count(threads));
    EXPECT_EQ(thread_count(), threads);
    count_once(50);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(2));  // long enough for workers to fall asleep
    count_once(50);
  }
  EXPECT_FALSE(set_thread_count(kMaxThreads + 1));
  ASSERT_TRUE(stop_workers());
  count_once(50);
}

#if defined(__linux__) && EXECUTORCH_TEST_FORK
TEST_F(PoolTest, ForkedChildWorks) {
  count_once(100);
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> calls{0};
    run(
        100, [](void* context, size_t, size_t) { (*static_cast<std::atomic<int>*>(context))++; },
        &calls);
    _exit(calls == 100 && set_thread_count(2) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  count_once(100);
}
#endif

}  // namespace
}  // namespace executorch::threadpool
