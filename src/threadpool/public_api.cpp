#ifndef ET_USE_THREADPOOL
#define ET_USE_THREADPOOL
#endif

#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>

#include "threadpool/caller_limits.h"
#include "threadpool/parallel.h"

namespace executorch::extension {
namespace {

thread_local int64_t current_thread_num = 0;

}  // namespace

bool parallel_for(const int64_t begin, const int64_t end, const int64_t grain_size,
                  runtime::FunctionRef<void(int64_t, int64_t)> f) {
  if (begin < 0 || begin > end || grain_size <= 0) return false;
  if (begin == end) return true;
  const int64_t size = end - begin;
  const int64_t wanted = (size - 1) / grain_size + 1;
  const int64_t threads = static_cast<int64_t>(::executorch::threadpool::thread_count());
  struct Loop {
    runtime::FunctionRef<void(int64_t, int64_t)>& f;
    int64_t begin, size, tasks;
  } loop{f, begin, size, wanted < threads ? wanted : threads};
  ::executorch::threadpool::run(
      static_cast<size_t>(loop.tasks),
      [](void* context, size_t task, size_t) {
        const Loop& l = *static_cast<Loop*>(context);
        const int64_t t = static_cast<int64_t>(task), share = l.size / l.tasks,
                      extra = l.size % l.tasks;
        const int64_t first = l.begin + t * share + (t < extra ? t : extra);
        const int64_t before = current_thread_num;
        current_thread_num = t;
        l.f(first, first + share + (t < extra ? 1 : 0));
        current_thread_num = before;
      },
      &loop);
  return true;
}

int64_t get_thread_count() {
  return static_cast<int64_t>(::executorch::threadpool::thread_count());
}

int64_t get_thread_num() {
  return current_thread_num;
}

void set_thread_num(int64_t thread_num) {
  current_thread_num = thread_num;
}

}  // namespace executorch::extension

namespace executorch::extension::threadpool {

namespace pool = ::executorch::threadpool;

size_t ThreadPool::get_thread_count() const {
  return pool::pool_thread_count();
}

bool ThreadPool::_unsafe_reset_threadpool(uint32_t num_threads) {
  return pool::set_thread_count(num_threads);
}

void ThreadPool::_unsafe_destroy_threadpool() {
  pool::stop_workers();
}

void ThreadPool::run(runtime::FunctionRef<void(size_t)> fn, size_t range) {
  pool::run(
      range,
      [](void* context, size_t task, size_t) {
        (*static_cast<runtime::FunctionRef<void(size_t)>*>(context))(task);
      },
      &fn);
}

ThreadPool* get_threadpool() {
  static constinit ThreadPool handle;
  return &handle;
}

bool NoThreadPoolGuard::is_enabled() {
  return pool::caller_limits.disabled;
}

void NoThreadPoolGuard::set_enabled(bool enabled) {
  pool::caller_limits.disabled = enabled;
}

size_t UseNThreadsThreadPoolGuard::num_threads() {
  return pool::caller_limits.threads;
}

UseNThreadsThreadPoolGuard::UseNThreadsThreadPoolGuard(size_t num_threads)
    : previous_(pool::set_thread_limit(num_threads)) {}

UseNThreadsThreadPoolGuard::~UseNThreadsThreadPoolGuard() {
  pool::set_thread_limit(previous_);
}

}  // namespace executorch::extension::threadpool
