/**
 * @file
 * Bodies of a stable merge sort along one dimension. What is sorted is a permutation of places;
 * keys stay where they are. Runs of kSortRun are sorted by counting, then pairs of runs are merged:
 * each element finds its place by a binary search in the other run (merge by ranks: Valiant 1975;
 * Satish, Harris, Garland, IPDPS 2009).
 */
#pragma once

#include <cstdint>
#include <type_traits>

#include "backends/cuda/device/loops.h"

namespace executorch::backends::cuda {

constexpr int64_t kSortRun = 64;

/// Whether `a` comes before `b`: as in PyTorch, NaN is the largest number, and -0 equals 0.
template <class T>
ET_HOST_DEVICE bool comes_before(T a, T b, bool descending) {
  const bool less = descending ? b < a : a < b;
  if constexpr (std::is_floating_point_v<T>) {
    const bool a_nan = a != a, b_nan = b != b;
    if (a_nan || b_nan) return descending ? a_nan && !b_nan : !a_nan && b_nan;
  }
  return less;
}

/// A contiguous tensor seen as `outer` x `length` x `inner`, sorted along `length`. Permutations
/// are laid out line by line. `Key` is read from memory, `Compared` is what it is compared as.
template <class Key, class Compared>
struct SortLines {
  const Key* keys;
  int64_t length;
  int64_t inner;
  bool descending;

  ET_HOST_DEVICE int64_t offset(int64_t line, int64_t place) const {
    return (line / inner * length + place) * inner + line % inner;
  }
  ET_HOST_DEVICE Compared key(int64_t line, int64_t place) const {
    return static_cast<Compared>(keys[offset(line, place)]);
  }
  ET_HOST_DEVICE bool before(Compared a, Compared b) const {
    return comes_before(a, b, descending);
  }
};

/// Sorts each run of kSortRun: an element's place is the number of those that come before it. One
/// index for each element.
template <class Lines>
struct SortRuns {
  Lines lines;
  int64_t* to;

  ET_HOST_DEVICE void operator()(int64_t index) const {
    const int64_t line = index / lines.length, place = index % lines.length;
    const int64_t begin = place / kSortRun * kSortRun;
    const int64_t end = begin + kSortRun < lines.length ? begin + kSortRun : lines.length;
    const auto own = lines.key(line, place);
    int64_t rank = begin;
    for (int64_t other = begin; other < end; ++other) {
      const auto key = lines.key(line, other);
      // Equal keys keep their order.
      if (lines.before(key, own) || (other < place && !lines.before(own, key))) ++rank;
    }
    to[line * lines.length + rank] = place;
  }
};

/// Merges pairs of sorted runs of `run` elements. One index for each element.
template <class Lines>
struct MergeRuns {
  Lines lines;
  const int64_t* from;
  int64_t* to;
  int64_t run;

  ET_HOST_DEVICE void operator()(int64_t index) const {
    const int64_t line = index / lines.length, place = index % lines.length;
    const int64_t base = line * lines.length;
    const int64_t pair = place / (2 * run) * (2 * run);
    const int64_t middle = limit(pair + run);
    const bool left = place < middle;
    const auto own = lines.key(line, from[base + place]);
    // Of the other run, those that come before: equal ones come before only from the left.
    int64_t low = left ? middle : pair, high = left ? limit(pair + 2 * run) : middle;
    const int64_t begin = low;
    while (low < high) {
      const int64_t probe = low + (high - low) / 2;
      const auto key = lines.key(line, from[base + probe]);
      const bool first = left ? lines.before(key, own) : !lines.before(own, key);
      if (first) {
        low = probe + 1;
      } else {
        high = probe;
      }
    }
    const int64_t own_rank = place - (left ? pair : middle);
    to[base + pair + own_rank + (low - begin)] = from[base + place];
  }

 private:
  ET_HOST_DEVICE int64_t limit(int64_t place) const {
    return place < lines.length ? place : lines.length;
  }
};

/// Writes the sorted values and where they were. One index for each element.
template <class Lines, class Key>
struct StoreSorted {
  Lines lines;
  const int64_t* permutation;
  Key* values;
  int64_t* places;

  ET_HOST_DEVICE void operator()(int64_t index) const {
    const int64_t line = index / lines.length, place = index % lines.length;
    const int64_t source = permutation[line * lines.length + place];
    const int64_t target = lines.offset(line, place);
    values[target] = lines.keys[lines.offset(line, source)];
    places[target] = source;
  }
};

}  // namespace executorch::backends::cuda
