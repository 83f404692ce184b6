/**
 * @file
 * What the pool needs of the operating system.
 */
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace executorch::threadpool {

/// Sleeps while `word` holds `value`. May return early.
void wait_while_equal(const std::atomic<uint32_t>& word, uint32_t value) noexcept;

/// Wakes every thread that sleeps on `word`. The caller has changed it before.
void wake_all(const std::atomic<uint32_t>& word) noexcept;

/// Starts a detached thread with all signals blocked. False when the system refuses.
bool start_thread(void* (*function)(void*), void* argument) noexcept;

/// Lets other threads of the machine run.
void yield_cpu() noexcept;

/// Registers a function that every forked child calls first.
void call_in_forked_child(void (*function)()) noexcept;

/// Nanoseconds of a steady clock.
int64_t steady_nanoseconds() noexcept;

/// CPUs that the process may run on by its affinity, at least 1.
size_t affinity_cpu_count() noexcept;

/// Tells the CPU that this is a waiting loop.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace executorch::threadpool
