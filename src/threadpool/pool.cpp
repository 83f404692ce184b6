#include <atomic>

#include "threadpool/caller_limits.h"
#include "threadpool/cpu_count.h"
#include "threadpool/os.h"
#include "threadpool/parallel.h"

namespace executorch::threadpool {
namespace {

// How long a thread spins before it sleeps. Longer than the gap between two loops of a running
// model, short enough to be lost among others on a busy machine.
constexpr int64_t kSpinNanoseconds = 60'000;
constexpr int kSpinsPerClockReading = 16;

constexpr size_t kCacheLine = 64;

/**
 * The gate is one word, so that workers enter by a single compare-and-swap and sleep on it:
 *   bits 0..9    workers inside the loop
 *   bit  10      open: workers may enter
 *   bits 11..19  threads that take part, the caller included
 *   bits 20..31  number of the loop, to tell it from the one before
 * A worker that comes late finds the gate closed and touches nothing, so the caller waits only for
 * those inside.
 */
constexpr uint32_t kInsideMask = (1u << 10) - 1;
constexpr uint32_t kOpen = 1u << 10;
constexpr uint32_t kParticipantsShift = 11;
constexpr uint32_t kParticipantsMask = (1u << 9) - 1;
constexpr uint32_t kNumberShift = 20;
static_assert(kMaxThreads <= kParticipantsMask);

uint32_t participants_of(uint32_t gate) {
  return (gate >> kParticipantsShift) & kParticipantsMask;
}
uint32_t number_of(uint32_t gate) {
  return gate >> kNumberShift;
}

struct alignas(kCacheLine) Share {
  std::atomic<size_t> next{0};
  size_t end = 0;
};

struct Loop {
  TaskFunction function = nullptr;
  void* context = nullptr;
};

class Pool {
 public:
  size_t thread_count() noexcept {
    const uint32_t threads = threads_.load(std::memory_order_relaxed);
    return threads != 0 ? threads : initialize();
  }

  bool resize(size_t threads) noexcept {
    if (threads > kMaxThreads || !try_enter()) return false;
    if (threads == 0) threads = default_thread_count();
    threads_.store(static_cast<uint32_t>(threads), std::memory_order_relaxed);
    dismiss_workers(threads - 1);
    leave();
    return true;
  }

  bool stop() noexcept {
    if (!try_enter()) return false;
    dismiss_workers(0);
    leave();
    return true;
  }

  void run(size_t tasks, TaskFunction function, void* context, size_t threads) noexcept {
    if (threads > tasks) threads = tasks;
    if (threads <= 1 || !try_enter()) {
      for (size_t task = 0; task < tasks; ++task) function(context, task, 0);
      return;
    }
    start_workers(threads - 1);
    loop_ = {function, context};
    divide(tasks, threads);
    open_gate(threads);
    work(0, threads);
    close_gate();
    leave();
  }

  /// Only the thread that forked lives in the child: forget the workers and whatever loop was
  /// running.
  void reset_in_child() noexcept {
    gate_.store(0);
    sleepers_.store(0);
    caller_sleeps_.store(false);
    live_workers_.store(0);
    wanted_workers_.store(0);
    busy_.store(false);
  }

 private:
  bool try_enter() noexcept {
    return !busy_.load(std::memory_order_relaxed) &&
           !busy_.exchange(true, std::memory_order_acquire);
  }
  void leave() noexcept { busy_.store(false, std::memory_order_release); }

  size_t initialize() noexcept;
  void start_workers(size_t workers) noexcept;
  void dismiss_workers(size_t remaining) noexcept;
  void divide(size_t tasks, size_t threads) noexcept;
  void open_gate(size_t threads) noexcept;
  void close_gate() noexcept;
  void work(size_t thread, size_t threads) noexcept;
  void serve(size_t thread) noexcept;
  uint32_t wait_for_change(uint32_t seen) noexcept;

  std::atomic<uint32_t> threads_{0};
  std::atomic<bool> busy_{false};

  alignas(kCacheLine) std::atomic<uint32_t> gate_{0};

  alignas(kCacheLine) std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> caller_sleeps_{false};
  std::atomic<size_t> live_workers_{0};
  std::atomic<size_t> wanted_workers_{0};

  alignas(kCacheLine) Loop loop_;
  Share shares_[kMaxThreads];

  friend void* worker_main(void* index) noexcept;
};

// Constant-initialized and never destroyed: workers may outlive static destruction.
constinit Pool pool;

void* worker_main(void* index) noexcept {
  pool.serve(reinterpret_cast<size_t>(index));
  return nullptr;
}

size_t Pool::initialize() noexcept {
  static std::atomic<bool> fork_handled{false};
  if (!fork_handled.exchange(true)) call_in_forked_child([] { pool.reset_in_child(); });
  const uint32_t threads = static_cast<uint32_t>(default_thread_count());
  uint32_t expected = 0;
  return threads_.compare_exchange_strong(expected, threads) ? threads : expected;
}

void Pool::start_workers(size_t workers) noexcept {
  if (workers <= wanted_workers_.load(std::memory_order_relaxed)) return;
  // Workers are numbered without gaps, so that a refusal of the system only means fewer of them.
  size_t index = wanted_workers_.load(std::memory_order_relaxed);
  for (; index < workers; ++index) {
    wanted_workers_.store(index + 1, std::memory_order_relaxed);
    live_workers_.fetch_add(1);
    if (!start_thread(worker_main, reinterpret_cast<void*>(index + 1))) {
      live_workers_.fetch_sub(1);
      wanted_workers_.store(index, std::memory_order_relaxed);
      return;
    }
  }
}

void Pool::dismiss_workers(size_t remaining) noexcept {
  if (remaining >= wanted_workers_.load(std::memory_order_relaxed)) return;
  wanted_workers_.store(remaining, std::memory_order_relaxed);
  gate_.fetch_add(1u << kNumberShift);
  wake_all(gate_);
  while (live_workers_.load() > remaining) yield_cpu();
}

void Pool::divide(size_t tasks, size_t threads) noexcept {
  const size_t share = tasks / threads, extra = tasks % threads;
  size_t first = 0;
  for (size_t i = 0; i < threads; ++i) {
    shares_[i].next.store(first, std::memory_order_relaxed);
    first += share + (i < extra ? 1 : 0);
    shares_[i].end = first;
  }
}

void Pool::open_gate(size_t threads) noexcept {
  const uint32_t number = number_of(gate_.load(std::memory_order_relaxed)) + 1;
  gate_.store(number << kNumberShift | static_cast<uint32_t>(threads) << kParticipantsShift |
              kOpen);
  if (sleepers_.load() != 0) wake_all(gate_);
}

void Pool::close_gate() noexcept {
  uint32_t gate = gate_.fetch_and(~kOpen) & ~kOpen;
  if ((gate & kInsideMask) == 0) return;
  const int64_t deadline = steady_nanoseconds() + kSpinNanoseconds;
  do {
    for (int i = 0; i < kSpinsPerClockReading; ++i) {
      if ((gate_.load(std::memory_order_acquire) & kInsideMask) == 0) return;
      relax();
    }
  } while (steady_nanoseconds() < deadline);
  caller_sleeps_.store(true);
  while (((gate = gate_.load()) & kInsideMask) != 0) wait_while_equal(gate_, gate);
  caller_sleeps_.store(false, std::memory_order_relaxed);
}

void Pool::work(size_t thread, size_t threads) noexcept {
  const Loop loop = loop_;
  for (size_t i = 0; i < threads; ++i) {
    Share& share = shares_[thread + i < threads ? thread + i : thread + i - threads];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      const size_t task = share.next.fetch_add(1, std::memory_order_relaxed);
      if (task >= share.end) break;
      loop.function(loop.context, task, thread);
    }
  }
}

/// Returns the gate once it differs from `seen`, spinning first.
uint32_t Pool::wait_for_change(uint32_t seen) noexcept {
  uint32_t gate;
  const int64_t deadline = steady_nanoseconds() + kSpinNanoseconds;
  do {
    for (int i = 0; i < kSpinsPerClockReading; ++i) {
      if ((gate = gate_.load(std::memory_order_acquire)) != seen) return gate;
      relax();
    }
  } while (steady_nanoseconds() < deadline);
  sleepers_.fetch_add(1);
  while (number_of(gate = gate_.load()) == number_of(seen)) wait_while_equal(gate_, gate);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  return gate;
}

void Pool::serve(size_t thread) noexcept {
  uint32_t done = ~0u;  // the number of the loop that this worker has served or missed
  uint32_t gate = gate_.load(std::memory_order_acquire);
  while (thread <= wanted_workers_.load(std::memory_order_relaxed)) {
    const bool open =
        (gate & kOpen) != 0 && number_of(gate) != done && thread < participants_of(gate);
    if (!open) {
      gate = wait_for_change(gate);
      continue;
    }
    if (!gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire)) continue;
    done = number_of(gate);
    work(thread, participants_of(gate));
    gate = gate_.fetch_sub(1) - 1;
    if ((gate & (kOpen | kInsideMask)) == 0 && caller_sleeps_.load()) wake_all(gate_);
  }
  live_workers_.fetch_sub(1);
}

}  // namespace

constinit thread_local CallerLimits caller_limits;

size_t pool_thread_count() noexcept {
  return pool.thread_count();
}

size_t thread_count() noexcept {
  const size_t threads = pool.thread_count();
  if (caller_limits.disabled) return 1;
  return caller_limits.threads != 0 && caller_limits.threads < threads ? caller_limits.threads
                                                                       : threads;
}

bool set_thread_count(size_t threads) noexcept {
  pool.thread_count();
  return pool.resize(threads);
}

bool stop_workers() noexcept {
  return pool.stop();
}

size_t set_thread_limit(size_t threads) noexcept {
  const size_t previous = caller_limits.threads;
  caller_limits.threads = threads;
  return previous;
}

void run(size_t tasks, TaskFunction function, void* context, size_t max_threads) noexcept {
  const size_t threads = thread_count();
  pool.run(tasks, function, context, threads < max_threads ? threads : max_threads);
}

}  // namespace executorch::threadpool
