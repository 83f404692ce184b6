#include "compute/sort/search.h"

#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

constexpr int64_t kGrain = 1024;

/// The first place whose element is not before `value`: none is lost to a NaN, which nothing is
/// before or behind.
template <class T>
int64_t place_of(const T* sorted, const int64_t* sorter, int64_t length, T value, bool right) {
  int64_t first = 0, end = length;
  while (first < end) {
    const int64_t middle = first + (end - first) / 2;
    const T element = sorted[sorter != nullptr ? sorter[middle] : middle];
    const bool reached = right ? element > value : element >= value;
    if (reached) {
      end = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

template <class T>
void search(const SearchCall& call) {
  const auto* values = static_cast<const T*>(call.values);
  const auto* sorted = static_cast<const T*>(call.sorted);
  const int64_t share = call.count / call.sequences;
  threadpool::parallel_for(0, call.count, kGrain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t offset = call.sequences == 1 ? 0 : i / share * call.length;
      const int64_t* sorter = call.sorter != nullptr ? call.sorter + offset : nullptr;
      call.out[i] = place_of(sorted + offset, sorter, call.length, values[i], call.right);
    }
  });
}

}  // namespace

void search_sorted(const SearchCall& call) {
  if (call.count == 0) return;
  call.type == ComputeType::f64 ? search<double>(call) : search<int64_t>(call);
}

}  // namespace executorch::compute
