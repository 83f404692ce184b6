#include <utility>

#include "backends/cuda/device/sort.h"
#include "backends/cuda/shims/launches.h"

namespace executorch::backends::cuda {
namespace {

template <class Key, class Compared>
Error sort_as(cudaStream_t stream, const SortArguments& a) {
  using Lines = SortLines<Key, Compared>;
  const Lines lines{static_cast<const Key*>(a.keys), a.length, a.inner, a.descending};
  int64_t* from = a.permutations[0];
  int64_t* to = a.permutations[1];
  ET_TRY(for_each_index(stream, a.numel, SortRuns<Lines>{lines, from}));
  for (int64_t run = kSortRun; run < a.length; run *= 2) {
    ET_TRY(for_each_index(stream, a.numel, MergeRuns<Lines>{lines, from, to, run}));
    std::swap(from, to);
  }
  return for_each_index(
      stream, a.numel, StoreSorted<Lines, Key>{lines, from, static_cast<Key*>(a.values), a.places});
}

}  // namespace

Error launch_sort(cudaStream_t stream, SortKey key, const SortArguments& arguments) {
  switch (key) {
    case SortKey::int32:
      return sort_as<int32_t, int32_t>(stream, arguments);
    case SortKey::int64:
      return sort_as<int64_t, int64_t>(stream, arguments);
    case SortKey::float32:
      return sort_as<float, float>(stream, arguments);
    case SortKey::float16:
      return sort_as<c10::Half, float>(stream, arguments);
    case SortKey::bfloat16:
      return sort_as<c10::BFloat16, float>(stream, arguments);
  }
  return ET_ERROR(Internal, "a sort of unknown keys");
}

}  // namespace executorch::backends::cuda
