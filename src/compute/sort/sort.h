/**
 * @file
 * Sorting along one dimension, and what needs the elements of a line in order: ranks, medians,
 * modes. NaN counts as larger than everything; equal elements keep their order.
 */
#pragma once

#include <cstddef>

#include "compute/copy/tensor_view.h"
#include "compute/cpu/cpu.h"

namespace executorch::compute {

/// Types that have an order: the arithmetic ones.
constexpr bool sortable(DType type) {
  return is_floating(type) || type == DType::boolean ||
         (is_integer(type) && type != DType::u16 && type != DType::u32 && type != DType::u64);
}

/// Sorts every line of dimension `dim`. `values` has the type of `in`, `indices` is i64, both have
/// its sizes, or no data where they are not wanted; none shares memory with another.
struct SortCall {
  TensorView in;
  int dim;
  bool descending;
  TensorView values;
  TensorView indices;
};

/// Memory that lines are ordered in: as many bytes as sort_scratch_bytes() says, aligned to 64.
struct SortMemory {
  void* data;
  size_t bytes;
};
EXECUTORCH_COMPUTE_API size_t sort_scratch_bytes(const TensorView& in, int dim);

/// Runs on the thread pool, line by line.
EXECUTORCH_COMPUTE_API void sort(const SortCall& call, const SortMemory& memory);

/// The `k` leading elements of every line of dimension `dim`, in order: the largest, NaN first, or
/// the smallest, NaN last. `values` (of the type of `in`) and `indices` (i64) have size k there.
struct TopCall {
  TensorView in;
  int dim;
  int64_t k;  ///< within [0, length]
  bool largest;
  TensorView values;
  TensorView indices;
};

/// As sort().
EXECUTORCH_COMPUTE_API void top(const TopCall& call, const SortMemory& memory);

enum class Choice {
  rank,       ///< the element with `rank` smaller ones before it
  median,     ///< the lower median; NaN when there is one
  nanmedian,  ///< the lower median of the elements that are not NaN, NaN when there is none
  mode,       ///< the most frequent element, the smallest of several, at its last position
};

/// Chooses one element of every line of dimension `dim`, which is not empty. `values` and `indices`
/// (i64, or without data) have size 1 there.
struct ChoiceCall {
  TensorView in;
  int dim;
  Choice choice;
  int64_t rank = 0;
  TensorView values;
  TensorView indices;
};

/// As sort().
EXECUTORCH_COMPUTE_API void choose(const ChoiceCall& call, const SortMemory& memory);

/// The distinct elements of a contiguous line.
struct UniqueCall {
  TensorView in;  ///< one dimension
  bool sorted;    ///< all equal elements are one; else only neighbours
};

/**
 * Finds them: for each element i, inverse[i] becomes the number of its value, in the order of the
 * values (sorted) or of their appearance; first[v] the position of an element with value v, and
 * counts[v] how many there are. All three arrays have room for one entry per element. Returns the
 * number of values. Every NaN is a value of its own.
 */
EXECUTORCH_COMPUTE_API int64_t find_unique(const UniqueCall& call, int64_t* inverse, int64_t* first,
                                           int64_t* counts, const SortMemory& memory);

}  // namespace executorch::compute
