#include "compute/sort/sort.h"

#include <algorithm>
#include <utility>

#include "compute/copy/line_set.h"
#include "compute/sort/keys.h"

namespace executorch::compute {
namespace {

/// Shorter lines are compared, longer ones counted.
constexpr int64_t kMinRadixLength = 256;
constexpr int64_t kAlignment = 64;
/// Elements that are worth a thread.
constexpr int64_t kGrain = 2048;

/// Sorts by the digits of the keys, the lowest first; digits that all entries share cost nothing.
/// Returns the array, of the two, that has the result.
template <class Key>
SortEntry<Key>* radix_sort(SortEntry<Key>* from, SortEntry<Key>* to, int64_t n) {
  constexpr int kDigits = sizeof(Key);
  int64_t counts[kDigits][256] = {};
  for (int64_t i = 0; i < n; ++i) {
    for (int d = 0; d < kDigits; ++d) ++counts[d][from[i].key >> (8 * d) & 255];
  }
  for (int d = 0; d < kDigits; ++d) {
    const int shift = 8 * d;
    if (counts[d][from[0].key >> shift & 255] == n) continue;
    int64_t place = 0;
    for (int64_t& count : counts[d]) place += std::exchange(count, place);
    for (int64_t i = 0; i < n; ++i) to[counts[d][from[i].key >> shift & 255]++] = from[i];
    std::swap(from, to);
  }
  return from;
}

template <class Key>
SortEntry<Key>* sort_entries(SortEntry<Key>* entries, SortEntry<Key>* other, int64_t n) {
  if (n >= kMinRadixLength) return radix_sort(entries, other, n);
  std::sort(entries, entries + n);
  return entries;
}

template <class Key>
void read_line(const Line& line, DType type, bool descending, SortEntry<Key>* entries) {
  const Key flip = descending ? ~Key{0} : Key{0};
  for (int64_t i = 0; i < line.length; ++i)
    entries[i] = {static_cast<Key>(read_key<Key>(type, line.at(i)) ^ flip), i};
}

/// Reads the keys of `n` neighbours of a line; one type to a function, so that the loop is tight.
template <class Key, DType type>
void read_keys(const Line& line, int64_t first, int64_t n, Key flip, Key* keys) {
  constexpr auto unit = static_cast<int64_t>(element_size(type));
  const char* const from = line.at(first);
  if (line.step == unit) {
    for (int64_t i = 0; i < n; ++i) keys[i] = read_key<Key>(type, from + i * unit) ^ flip;
  } else {
    for (int64_t i = 0; i < n; ++i) keys[i] = read_key<Key>(type, from + i * line.step) ^ flip;
  }
}

template <class Key>
using ReadKeys = void (*)(const Line& line, int64_t first, int64_t n, Key flip, Key* keys);

template <class Key>
ReadKeys<Key> read_keys_of(DType type) {
  if constexpr (sizeof(Key) == 8) {
    return type == DType::f64 ? read_keys<Key, DType::f64> : read_keys<Key, DType::i64>;
  } else {
    switch (type) {
      case DType::f32:
        return read_keys<Key, DType::f32>;
      case DType::f16:
        return read_keys<Key, DType::f16>;
      case DType::bf16:
        return read_keys<Key, DType::bf16>;
      case DType::i32:
        return read_keys<Key, DType::i32>;
      case DType::i16:
        return read_keys<Key, DType::i16>;
      case DType::i8:
        return read_keys<Key, DType::i8>;
      default:
        return read_keys<Key, DType::u8>;
    }
  }
}

void copy_element(size_t size, char* to, const char* from) {
  switch (size) {
    case 1:
      return static_cast<void>(*to = *from);
    case 2:
      return static_cast<void>(std::memcpy(to, from, 2));
    case 4:
      return static_cast<void>(std::memcpy(to, from, 4));
    default:
      return static_cast<void>(std::memcpy(to, from, 8));
  }
}

void write_index(char* to, int64_t index) {
  std::memcpy(to, &index, sizeof(index));
}

// ---- lines on threads ----

int64_t entry_bytes(const TensorView& in) {
  return has_wide_keys(in.dtype) ? sizeof(SortEntry<uint64_t>) : sizeof(SortEntry<uint32_t>);
}

/// Bytes of a thread's two arrays of entries.
int64_t thread_bytes(const TensorView& in, int dim) {
  const int64_t bytes = 2 * in.sizes[dim] * entry_bytes(in);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

int64_t thread_share(const TensorView& in, int dim) {
  return threads_for_lines(LineSet(in, dim).count(), in.sizes[dim], kGrain);
}

/// Calls body(line number, entries, other entries) for every line, on as many threads as there is
/// memory for.
template <class Key, class Body>
void for_each_sorted_line(const TensorView& in, int dim, const SortMemory& memory, Body body) {
  const int64_t length = in.sizes[dim], bytes = thread_bytes(in, dim);
  const int64_t threads =
      std::min(thread_share(in, dim), static_cast<int64_t>(memory.bytes) / bytes);
  for_each_line(LineSet(in, dim).count(), threads, memory.data, bytes,
                [&](int64_t number, char* own) {
                  auto* entries = reinterpret_cast<SortEntry<Key>*>(own);
                  body(number, entries, entries + length);
                });
}

template <class Key>
void sort_lines(const SortCall& call, const SortMemory& memory) {
  const LineSet in(call.in, call.dim), values(call.values, call.dim),
      indices(call.indices, call.dim);
  for_each_sorted_line<Key>(
      call.in, call.dim, memory, [&](int64_t number, SortEntry<Key>* a, SortEntry<Key>* b) {
        const Line from = in.line(number), to = values.line(number), places = indices.line(number);
        read_line(from, call.in.dtype, call.descending, a);
        const SortEntry<Key>* sorted = sort_entries(a, b, from.length);
        for (int64_t i = 0; call.values.data != nullptr && i < from.length; ++i)
          copy_element(call.in.element_size, to.at(i), from.at(sorted[i].position));
        for (int64_t i = 0; call.indices.data != nullptr && i < from.length; ++i)
          write_index(places.at(i), sorted[i].position);
      });
}

// ---- leading elements ----

/// Leaves the k smallest entries of a line in `best`, in order: a heap holds the best so far, its
/// worst on top.
template <class Key>
void select_smallest(const Line& line, ReadKeys<Key> read, Key flip, int64_t k,
                     SortEntry<Key>* best) {
  constexpr int64_t kBlock = 512;
  Key keys[kBlock];
  int64_t held = 0;
  for (int64_t first = 0; first < line.length; first += kBlock) {
    const int64_t n = std::min(kBlock, line.length - first);
    read(line, first, n, flip, keys);
    int64_t i = 0;
    for (; held < k && i < n; ++i) best[held++] = {keys[i], first + i};
    if (held == k && first + i == k) std::make_heap(best, best + k);
    for (; i < n; ++i) {
      // Of equal elements the earlier one stays.
      if (keys[i] >= best[0].key) continue;
      std::pop_heap(best, best + k);
      best[k - 1] = {keys[i], first + i};
      std::push_heap(best, best + k);
    }
  }
  std::sort_heap(best, best + k);
}

template <class Key>
void top_of_lines(const TopCall& call, const SortMemory& memory) {
  const LineSet in(call.in, call.dim), values(call.values, call.dim),
      indices(call.indices, call.dim);
  const ReadKeys<Key> read = read_keys_of<Key>(call.in.dtype);
  const Key flip = call.largest ? ~Key{0} : Key{0};
  for_each_sorted_line<Key>(
      call.in, call.dim, memory, [&](int64_t number, SortEntry<Key>* best, SortEntry<Key>*) {
        const Line from = in.line(number), to = values.line(number), places = indices.line(number);
        select_smallest(from, read, flip, call.k, best);
        for (int64_t i = 0; i < call.k; ++i) {
          copy_element(call.in.element_size, to.at(i), from.at(best[i].position));
          write_index(places.at(i), best[i].position);
        }
      });
}

// ---- one element of each line ----

template <class Key>
int64_t count_numbers(const SortEntry<Key>* entries, int64_t n, DType type) {
  if (!is_floating(type)) return n;
  return std::count_if(entries, entries + n,
                       [](const SortEntry<Key>& e) { return e.key != kNanKey<Key>; });
}

template <class Key>
SortEntry<Key> entry_of_rank(SortEntry<Key>* entries, int64_t n, int64_t rank) {
  std::nth_element(entries, entries + rank, entries + n);
  return entries[rank];
}

/// The last entry of the longest run of equal keys.
template <class Key>
SortEntry<Key> most_frequent(const SortEntry<Key>* sorted, int64_t n) {
  int64_t best = 0, longest = 0;
  for (int64_t first = 0; first < n;) {
    int64_t end = first + 1;
    while (end < n && sorted[end].key == sorted[first].key) ++end;
    if (end - first > longest) {
      longest = end - first;
      best = end - 1;
    }
    first = end;
  }
  return sorted[best];
}

template <class Key>
SortEntry<Key> choose_entry(const ChoiceCall& call, SortEntry<Key>* entries, SortEntry<Key>* other,
                            int64_t n) {
  const DType type = call.in.dtype;
  switch (call.choice) {
    case Choice::rank:
      return entry_of_rank(entries, n, call.rank);
    case Choice::median: {
      const int64_t numbers = count_numbers(entries, n, type);
      return entry_of_rank(entries, n, numbers < n ? numbers : (n - 1) / 2);
    }
    case Choice::nanmedian: {
      const int64_t numbers = count_numbers(entries, n, type);
      return entry_of_rank(entries, n, numbers > 0 ? (numbers - 1) / 2 : 0);
    }
    default:
      return most_frequent(sort_entries(entries, other, n), n);
  }
}

template <class Key>
void choose_in_lines(const ChoiceCall& call, const SortMemory& memory) {
  const LineSet in(call.in, call.dim), values(call.values, call.dim),
      indices(call.indices, call.dim);
  for_each_sorted_line<Key>(
      call.in, call.dim, memory, [&](int64_t number, SortEntry<Key>* a, SortEntry<Key>* b) {
        const Line from = in.line(number);
        read_line(from, call.in.dtype, false, a);
        const int64_t position = choose_entry(call, a, b, from.length).position;
        copy_element(call.in.element_size, values.line(number).data, from.at(position));
        if (call.indices.data != nullptr) write_index(indices.line(number).data, position);
      });
}

// ---- distinct elements ----

template <class Key>
int64_t unique_in_line(const UniqueCall& call, int64_t* inverse, int64_t* first, int64_t* counts,
                       const SortMemory& memory) {
  const Line line = LineSet(call.in, 0).line(0);
  auto* entries = static_cast<SortEntry<Key>*>(memory.data);
  read_line(line, call.in.dtype, false, entries);
  const SortEntry<Key>* ordered =
      call.sorted ? sort_entries(entries, entries + line.length, line.length) : entries;
  const bool has_nan = is_floating(call.in.dtype);
  int64_t found = 0;
  for (int64_t i = 0; i < line.length; ++i) {
    const bool same = i > 0 && ordered[i].key == ordered[i - 1].key &&
                      !(has_nan && ordered[i].key == kNanKey<Key>);
    if (!same) {
      first[found] = ordered[i].position;
      counts[found++] = 0;
    }
    ++counts[found - 1];
    inverse[ordered[i].position] = found - 1;
  }
  return found;
}

}  // namespace

size_t sort_scratch_bytes(const TensorView& in, int dim) {
  return static_cast<size_t>(thread_share(in, dim) * thread_bytes(in, dim));
}

void sort(const SortCall& call, const SortMemory& memory) {
  if (call.in.numel() == 0) return;
  has_wide_keys(call.in.dtype) ? sort_lines<uint64_t>(call, memory)
                               : sort_lines<uint32_t>(call, memory);
}

void top(const TopCall& call, const SortMemory& memory) {
  if (call.in.numel() == 0 || call.k == 0) return;
  has_wide_keys(call.in.dtype) ? top_of_lines<uint64_t>(call, memory)
                               : top_of_lines<uint32_t>(call, memory);
}

void choose(const ChoiceCall& call, const SortMemory& memory) {
  if (call.in.numel() == 0) return;
  has_wide_keys(call.in.dtype) ? choose_in_lines<uint64_t>(call, memory)
                               : choose_in_lines<uint32_t>(call, memory);
}

int64_t find_unique(const UniqueCall& call, int64_t* inverse, int64_t* first, int64_t* counts,
                    const SortMemory& memory) {
  if (call.in.numel() == 0) return 0;
  return has_wide_keys(call.in.dtype)
             ? unique_in_line<uint64_t>(call, inverse, first, counts, memory)
             : unique_in_line<uint32_t>(call, inverse, first, counts, memory);
}

}  // namespace executorch::compute
