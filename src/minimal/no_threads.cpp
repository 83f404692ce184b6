// A minimal build has one thread: loops run where they are called.
#include "threadpool/parallel.h"

namespace executorch::threadpool {

size_t thread_count() noexcept {
  return 1;
}

size_t pool_thread_count() noexcept {
  return 1;
}

bool set_thread_count(size_t threads) noexcept {
  return threads <= 1;
}

bool stop_workers() noexcept {
  return true;
}

size_t set_thread_limit(size_t) noexcept {
  return 0;
}

void run(size_t tasks, TaskFunction function, void* context, size_t) noexcept {
  for (size_t task = 0; task < tasks; ++task) function(context, task, 0);
}

}  // namespace executorch::threadpool
