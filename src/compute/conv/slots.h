/**
 * @file
 * Per-thread slices of the scratch memory that a caller gives.
 */
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "compute/cpu/sizes.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

/// As many slices of `each` bytes (a multiple of kScratchAlignment) as fit and threads may use.
struct Slots {
  char* memory;
  size_t bytes_each;
  size_t count;

  Slots(void* scratch, size_t bytes, size_t each) : bytes_each(each) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(scratch);
    const size_t skip = align_up(address) - address;
    memory = static_cast<char*>(scratch) + skip;
    count = std::min((bytes - skip) / each, threadpool::thread_count());
  }
  /// Scratch that holds a slice for each thread of the pool.
  static size_t bytes_for(size_t each) {
    return kScratchAlignment + threadpool::pool_thread_count() * each;
  }
};

}  // namespace executorch::compute
