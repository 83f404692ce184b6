/**
 * @file
 * Per-thread slices of the scratch memory that a caller gives.
 */
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "threadpool/parallel.h"

namespace executorch::compute {

constexpr size_t kSlotAlignment = 64;

inline size_t align_slot(size_t bytes) {
  return (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
}

/// As many slices of `each` bytes (a multiple of kSlotAlignment) as fit and threads may use.
struct Slots {
  char* memory;
  size_t bytes_each;
  size_t count;

  Slots(void* scratch, size_t bytes, size_t each) : bytes_each(each) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(scratch);
    const size_t skip = align_slot(address) - address;
    memory = static_cast<char*>(scratch) + skip;
    count = std::min((bytes - skip) / each, threadpool::thread_count());
  }
  /// Scratch that holds a slice for each thread of the pool.
  static size_t bytes_for(size_t each) {
    return kSlotAlignment + threadpool::pool_thread_count() * each;
  }
};

}  // namespace executorch::compute
