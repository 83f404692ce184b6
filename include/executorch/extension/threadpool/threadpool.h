/**
 * @file
 * The process's thread pool, as applications and kernels see it. There is one pool; its size is set
 * once for all components, through this class, from Python or by the environment
 * (EXECUTORCH_NUM_THREADS, OMP_NUM_THREADS).
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/platform/export.h>

namespace executorch::extension::threadpool {

/// A handle to the one pool. All members may be called from any thread.
class EXECUTORCH_THREADPOOL_API ThreadPool final {
 public:
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;
  ~ThreadPool() = default;

  /// Threads of the pool, the caller of run() included.
  size_t get_thread_count() const;

  /// Resizes the pool for the whole process; 0 means the initial size. False, and no change, while
  /// a loop is running or when the number is over the pool's maximum (256).
  bool _unsafe_reset_threadpool(uint32_t num_threads);

  /// Ends the worker threads. The next loop starts them again. Does nothing while a loop is
  /// running.
  void _unsafe_destroy_threadpool();

  /**
   * Calls fn(i) once for each i in [0, range), on several threads in no order, and returns when all
   * are done. Runs on the calling thread alone under a NoThreadPoolGuard, from inside another
   * run(), and while another thread is in run(). `fn` must not throw and must not wait for another
   * index.
   */
  void run(runtime::FunctionRef<void(size_t)> fn, size_t range);

 private:
  constexpr ThreadPool() = default;
  friend EXECUTORCH_THREADPOOL_API ThreadPool* get_threadpool();
};

/// The pool. Never null; the pointer stays valid as long as the process.
EXECUTORCH_THREADPOOL_API ThreadPool* get_threadpool();

}  // namespace executorch::extension::threadpool

namespace torch::executorch::threadpool {  // former names
using ::executorch::extension::threadpool::get_threadpool;
using ::executorch::extension::threadpool::ThreadPool;
}  // namespace torch::executorch::threadpool
