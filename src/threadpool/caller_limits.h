/**
 * @file
 * What a thread allows the loops that it starts.
 */
#pragma once

#include <cstddef>

namespace executorch::threadpool {

struct CallerLimits {
  size_t threads = 0;     ///< most threads, 0: no cap
  bool disabled = false;  ///< run everything inline
};

extern constinit thread_local CallerLimits caller_limits;

}  // namespace executorch::threadpool
