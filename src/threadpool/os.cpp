#include "threadpool/os.h"

#include <chrono>

#if defined(__linux__)
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#else
#include <condition_variable>
#include <mutex>
#include <thread>
#if !defined(_WIN32)
#include <pthread.h>
#endif
#endif

namespace executorch::threadpool {

int64_t steady_nanoseconds() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

#if defined(__linux__)

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

void wait_while_equal(const std::atomic<uint32_t>& word, uint32_t value) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake_all(const std::atomic<uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

bool start_thread(void* (*function)(void*), void* argument) noexcept {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, function, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return !failed;
}

void yield_cpu() noexcept {
  sched_yield();
}

void call_in_forked_child(void (*function)()) noexcept {
  pthread_atfork(nullptr, nullptr, function);
}

size_t affinity_cpu_count() noexcept {
  // The kernel's set may be larger than cpu_set_t: 8192 CPUs fit here.
  cpu_set_t sets[8];
  CPU_ZERO_S(sizeof(sets), sets);
  if (sched_getaffinity(0, sizeof(sets), sets) != 0) {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<size_t>(online) : 1;
  }
  const int count = CPU_COUNT_S(sizeof(sets), sets);
  return count > 0 ? static_cast<size_t>(count) : 1;
}

#else

namespace {

// One place to sleep for everybody: waits are rare and short, so that a needless wake costs little.
std::mutex& sleep_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}
std::condition_variable& sleep_condition() {
  static std::condition_variable& condition = *new std::condition_variable;
  return condition;
}

}  // namespace

void wait_while_equal(const std::atomic<uint32_t>& word, uint32_t value) noexcept {
  std::unique_lock<std::mutex> lock(sleep_mutex());
  if (word.load(std::memory_order_seq_cst) == value) sleep_condition().wait(lock);
}

void wake_all(const std::atomic<uint32_t>&) noexcept {
  std::lock_guard<std::mutex> lock(sleep_mutex());
  sleep_condition().notify_all();
}

bool start_thread(void* (*function)(void*), void* argument) noexcept {
  std::thread(function, argument).detach();
  return true;
}

void yield_cpu() noexcept {
  std::this_thread::yield();
}

void call_in_forked_child([[maybe_unused]] void (*function)()) noexcept {
#if !defined(_WIN32)
  pthread_atfork(nullptr, nullptr, function);
#endif
}

size_t affinity_cpu_count() noexcept {
  const unsigned count = std::thread::hardware_concurrency();
  return count > 0 ? count : 1;
}

#endif

}  // namespace executorch::threadpool
