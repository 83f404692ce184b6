/**
 * @file
 * Scopes in which the calling thread runs its loops on fewer threads, or alone. Guards act on the
 * thread that makes them and must be destroyed on it, in reverse order.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/platform/export.h>

namespace executorch::extension::threadpool {

/// While one lives, loops of this thread run inline.
struct EXECUTORCH_THREADPOOL_API NoThreadPoolGuard {
  /// Whether loops of this thread run inline by such a guard.
  static bool is_enabled();
  /// Switches the behaviour on or off for this thread.
  static void set_enabled(bool enabled);

  NoThreadPoolGuard() : previous_(is_enabled()) { set_enabled(true); }
  ~NoThreadPoolGuard() { set_enabled(previous_); }
  NoThreadPoolGuard(const NoThreadPoolGuard&) = delete;
  NoThreadPoolGuard& operator=(const NoThreadPoolGuard&) = delete;

 private:
  const bool previous_;
};

/// While one lives, loops of this thread use at most `num_threads` threads of the pool (0: no cap
/// of this guard).
struct EXECUTORCH_THREADPOOL_API UseNThreadsThreadPoolGuard {
  /// The cap of this thread, 0 when there is none.
  static size_t num_threads();

  explicit UseNThreadsThreadPoolGuard(size_t num_threads);
  ~UseNThreadsThreadPoolGuard();
  UseNThreadsThreadPoolGuard(const UseNThreadsThreadPoolGuard&) = delete;
  UseNThreadsThreadPoolGuard& operator=(const UseNThreadsThreadPoolGuard&) = delete;

 private:
  const size_t previous_;
};

}  // namespace executorch::extension::threadpool

namespace torch::executorch::threadpool {  // former name
using ::executorch::extension::threadpool::NoThreadPoolGuard;
}  // namespace torch::executorch::threadpool
