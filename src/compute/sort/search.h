/**
 * @file
 * Places of values in sorted sequences.
 */
#pragma once

#include "compute/cpu/cpu.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

/**
 * Searches `count` values in `sequences` sorted ones: value i belongs to sequence i / (count /
 * sequences). Sequences and values are contiguous and both f64 or both i64.
 */
struct SearchCall {
  ComputeType type;       ///< f64 or i64
  const void* sorted;     ///< sequences * length elements
  const int64_t* sorter;  ///< null, or the order of each sequence's elements, each within length
  int64_t sequences;
  int64_t length;
  const void* values;
  int64_t count;
  bool right;    ///< behind equal elements, else before them
  int64_t* out;  ///< a place within [0, length] for each value
};

/// Runs on the thread pool. NaN is looked for behind everything.
EXECUTORCH_COMPUTE_API void search_sorted(const SearchCall& call);

}  // namespace executorch::compute
