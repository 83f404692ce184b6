/**
 * @file
 * Loops over the process's one thread pool.
 *
 * The pool is entered by trying: a call from inside a running loop, and a second thread that calls
 * while a loop runs, execute their loop inline on the calling thread. Tasks must therefore not wait
 * for each other. Nothing here allocates or throws; a task must not throw either. A forked child
 * starts workers of its own at first use.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

namespace executorch::threadpool {

/// Most threads that the pool ever uses, the caller included.
constexpr size_t kMaxThreads = 256;

/// Called once per task. `thread` is below the number of threads of the loop, and no two tasks of
/// one loop that run at the same time see the same one: it selects a slice of scratch memory.
using TaskFunction = void (*)(void* context, size_t task, size_t thread);

/// Threads that a loop started here and now would use at most, the caller included; 1 under a
/// guard. At first the number of CPUs that the process may use (affinity, cgroup quota), capped by
/// EXECUTORCH_NUM_THREADS or else OMP_NUM_THREADS.
EXECUTORCH_THREADPOOL_API size_t thread_count() noexcept;

/// Threads of the pool, the calling thread's limits aside.
EXECUTORCH_THREADPOOL_API size_t pool_thread_count() noexcept;

/// Resizes the pool for the whole process; 0 means the initial size. False, and no change, when
/// `threads` is over kMaxThreads or a loop is running.
EXECUTORCH_THREADPOOL_API bool set_thread_count(size_t threads) noexcept;

/// Stops all workers; the next loop starts them again. False while a loop is running.
EXECUTORCH_THREADPOOL_API bool stop_workers() noexcept;

/// Caps the threads of loops that the calling thread starts; 0 removes the cap. Returns the
/// previous cap.
EXECUTORCH_THREADPOOL_API size_t set_thread_limit(size_t threads) noexcept;

/// Runs tasks [0, tasks) and returns when all are done. Each thread begins with a contiguous share,
/// so that the same thread meets the same data in successive loops, and then helps the others. At
/// most `max_threads` take part.
EXECUTORCH_THREADPOOL_API void run(size_t tasks, TaskFunction function, void* context,
                                   size_t max_threads = kMaxThreads) noexcept;

/// Caps the threads of this thread's loops for a scope.
class ThreadLimit {
 public:
  explicit ThreadLimit(size_t threads) noexcept : previous_(set_thread_limit(threads)) {}
  ~ThreadLimit() { set_thread_limit(previous_); }
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  size_t previous_;
};

/**
 * Calls f(first, last) on disjoint ranges that cover [begin, end). Each range but the last is a
 * multiple of `grain` long, so a range always starts at begin + i * grain; no more threads are used
 * than there are grains. Choose the grain so that one is worth about 10 microseconds.
 */
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, F&& f) {
  if (begin >= end) return;
  if (grain < 1) grain = 1;
  const int64_t grains = (end - begin - 1) / grain + 1;
  const int64_t threads = grains > 1 ? static_cast<int64_t>(thread_count()) : 1;
  if (threads <= 1) {
    f(begin, end);
    return;
  }
  struct Loop {
    F& f;
    int64_t begin, end, grain, grains, tasks;
  } loop{f, begin, end, grain, grains, threads * 4 < grains ? threads * 4 : grains};
  run(
      static_cast<size_t>(loop.tasks),
      [](void* context, size_t task, size_t) {
        const Loop& l = *static_cast<Loop*>(context);
        const int64_t share = l.grains / l.tasks, extra = l.grains % l.tasks,
                      t = static_cast<int64_t>(task);
        const int64_t first = t * share + (t < extra ? t : extra);
        const int64_t last = first + share + (t < extra ? 1 : 0);
        l.f(l.begin + first * l.grain, last == l.grains ? l.end : l.begin + last * l.grain);
      },
      &loop);
}

}  // namespace executorch::threadpool
