/**
 * @file
 * Parallel loops for kernels. With ET_USE_THREADPOOL (set by the CMake targets when the thread pool
 * is linked) they run on the process's pool, else on the calling thread.
 */
#pragma once

#include <cinttypes>
#include <cstdint>
#include <functional>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace extension {
namespace internal {

/// Work per task that makes a loop worth dividing, in elements of a cheap operation; PyTorch's
/// number.
constexpr int64_t GRAIN_SIZE = 32768;

/// The loop without a pool: one call for the whole range. In debug builds one call per element,
/// last first, so that code which relies on an order or on whole ranges shows.
template <typename Func>
inline bool parallel_for_no_threadpool(const int64_t begin, const int64_t end,
                                       const int64_t grain_size, const Func& f) {
  ET_CHECK_OR_RETURN_FALSE(0 <= begin && begin <= end,
                           "parallel_for: range [%" PRId64 ", %" PRId64 ") is not valid", begin,
                           end);
  ET_CHECK_OR_RETURN_FALSE(grain_size > 0, "parallel_for: grain size %" PRId64 " is not positive",
                           grain_size);
#ifdef NDEBUG
  f(begin, end);
#else
  for (int64_t i = end; i > begin; --i) f(i - 1, i);
#endif
  return true;
}

}  // namespace internal

#ifdef ET_USE_THREADPOOL

/**
 * Calls f(first, last) on disjoint ranges that cover [begin, end), on several threads when the
 * range holds more than `grain_size` elements. Thread-local state of the caller is not carried
 * over. `f` must not throw.
 *
 * Returns false, without a call, when begin is negative or over end, or grain_size is not positive.
 */
EXECUTORCH_THREADPOOL_API bool parallel_for(const int64_t begin, const int64_t end,
                                            const int64_t grain_size,
                                            runtime::FunctionRef<void(int64_t, int64_t)> f);

/// Threads that parallel_for uses at most when called here.
EXECUTORCH_THREADPOOL_API int64_t get_thread_count();

/// Inside parallel_for: the number of the range being processed, below the number of ranges.
/// Otherwise 0, or what set_thread_num() set on this thread.
EXECUTORCH_THREADPOOL_API int64_t get_thread_num();

/// Sets what get_thread_num() returns on this thread.
EXECUTORCH_THREADPOOL_API void set_thread_num(int64_t thread_num);

#else  // ET_USE_THREADPOOL

template <typename Func>
bool parallel_for(const int64_t begin, const int64_t end, const int64_t grain_size,
                  const Func& func) {
  return internal::parallel_for_no_threadpool(begin, end, grain_size, func);
}

inline int64_t get_thread_count() {
  return 1;
}

inline int64_t get_thread_num() {
  return 0;
}

inline void set_thread_num(int64_t thread_num) {
  (void)thread_num;
  ET_DCHECK_MSG(false, "set_thread_num(%" PRId64 ") needs a build with the thread pool",
                thread_num);
}

#endif  // ET_USE_THREADPOOL

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::extension::get_thread_num;
using ::executorch::extension::parallel_for;
using ::executorch::extension::set_thread_num;
}  // namespace executor
}  // namespace torch
