/**
 * @file
 * What guards the registries of a process, and what a thread has for itself: nothing of either in a
 * build without threads (EXECUTORCH_MINIMAL).
 */
#pragma once

#include <mutex>

namespace executorch {
namespace runtime {
namespace internal {

#if defined(EXECUTORCH_MINIMAL)

class Lock {
 public:
  void lock() {}
  void unlock() {}
};

#define EXECUTORCH_THREAD_LOCAL

#elif defined(_WIN32)

/// Unlike std::mutex there, ready before any constructor has run: registries live in static memory.
class Lock {
 public:
  void lock();
  void unlock();

 private:
  void* state_ = nullptr;  ///< an SRWLOCK
};

#define EXECUTORCH_THREAD_LOCAL thread_local

#else

using Lock = std::mutex;

#define EXECUTORCH_THREAD_LOCAL thread_local

#endif

using LockGuard = std::lock_guard<Lock>;

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
