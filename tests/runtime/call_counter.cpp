// Stands in for the C library's functions: counts, then calls them.
#include "call_counter.h"

#include <cerrno>

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace executorch::testing {
namespace {

constexpr int kMaxFrames = 32;

std::atomic<bool> counting{false};
std::atomic<size_t> allocations{0};
std::atomic<size_t> locks{0};
std::atomic<bool> has_first{false};
void* first_caller[kMaxFrames];
int first_depth = 0;

void count(std::atomic<size_t>& calls) {
  if (!counting.load(std::memory_order_relaxed)) return;
  calls.fetch_add(1);
  if (has_first.exchange(true)) return;
  first_depth = backtrace(first_caller, kMaxFrames);
}

}  // namespace

void start_counting() {
  // The first call loads what it needs.
  void* frame = nullptr;
  backtrace(&frame, 1);
  allocations = 0;
  locks = 0;
  has_first = false;
  first_depth = 0;
  counting = true;
}

Calls stop_counting() {
  counting = false;
  return {allocations, locks};
}

void print_first_caller() {
  backtrace_symbols_fd(first_caller, first_depth, STDERR_FILENO);
}

}  // namespace executorch::testing

using executorch::testing::allocations;
using executorch::testing::count;
using executorch::testing::locks;

#define EXPORTED extern "C" __attribute__((visibility("default")))

// glibc's allocator under its own names. What it returns is freed by its free(), which stays.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

EXPORTED void* malloc(size_t size) {
  count(allocations);
  return __libc_malloc(size);
}

EXPORTED void* calloc(size_t items, size_t size) {
  count(allocations);
  return __libc_calloc(items, size);
}

EXPORTED void* realloc(void* memory, size_t size) {
  count(allocations);
  return __libc_realloc(memory, size);
}

EXPORTED void* memalign(size_t alignment, size_t size) {
  count(allocations);
  return __libc_memalign(alignment, size);
}

EXPORTED void* aligned_alloc(size_t alignment, size_t size) {
  count(allocations);
  return __libc_memalign(alignment, size);
}

EXPORTED int posix_memalign(void** memory, size_t alignment, size_t size) {
  count(allocations);
  void* const got = __libc_memalign(alignment, size);
  if (got == nullptr) return ENOMEM;
  *memory = got;
  return 0;
}

namespace {

/// Calls the function of this name in the libraries after this program.
template <class Lock>
int counted_lock(const char* name, std::atomic<int (*)(Lock*)>& function, Lock* lock) {
  if (function == nullptr) function = reinterpret_cast<int (*)(Lock*)>(dlsym(RTLD_NEXT, name));
  count(locks);
  return function.load()(lock);
}

constinit std::atomic<int (*)(pthread_mutex_t*)> mutex_lock{nullptr};
constinit std::atomic<int (*)(pthread_rwlock_t*)> read_lock{nullptr};
constinit std::atomic<int (*)(pthread_rwlock_t*)> write_lock{nullptr};

}  // namespace

EXPORTED int pthread_mutex_lock(pthread_mutex_t* lock) {
  return counted_lock("pthread_mutex_lock", mutex_lock, lock);
}

EXPORTED int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  return counted_lock("pthread_rwlock_rdlock", read_lock, lock);
}

EXPORTED int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  return counted_lock("pthread_rwlock_wrlock", write_lock, lock);
}
