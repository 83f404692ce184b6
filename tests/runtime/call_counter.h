/**
 * @file
 * Counts the calls of the heap and of locks in this process, in every library and thread.
 */
#pragma once

#include <cstddef>

namespace executorch::testing {

struct Calls {
  size_t allocations = 0;
  size_t locks = 0;
};

/// From here on calls are counted, from zero.
void start_counting();

/// Ends counting.
Calls stop_counting();

/// Writes to standard error where the first counted call came from.
void print_first_caller();

}  // namespace executorch::testing
