#include "runtime/platform/file_mappings.h"

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#if !defined(_WIN32)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace executorch {
namespace runtime {
namespace internal {

namespace {

struct Range {
  uintptr_t first;
  uintptr_t last;  ///< behind the end
};

/// In no order: a process maps few files. Never freed, mappings may outlive static objects.
struct Mappings {
  std::mutex mutex;
  Range* ranges = nullptr;
  size_t count = 0;
  size_t room = 0;

  bool make_room() {
    if (count < room) return true;
    const size_t more = room == 0 ? 16 : room * 2;
    void* const grown = std::realloc(ranges, more * sizeof(Range));
    if (grown == nullptr) return false;
    ranges = static_cast<Range*>(grown);
    room = more;
    return true;
  }
};

Mappings& mappings() {
  alignas(Mappings) static unsigned char memory[sizeof(Mappings)];
  static Mappings* const instance = new (memory) Mappings;
  return *instance;
}

bool give_back(uintptr_t first, uintptr_t last) {
#if defined(MADV_DONTNEED) && !defined(_WIN32)
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  first = (first + page - 1) / page * page;
  last = last / page * page;
  // Refused for pages that are locked into memory.
  return first < last && madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED) == 0;
#else
  static_cast<void>(first);
  static_cast<void>(last);
  return false;
#endif
}

}  // namespace

void add_file_mapping(const void* data, size_t size) {
  Mappings& all = mappings();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (!all.make_room()) return;
  const auto first = reinterpret_cast<uintptr_t>(data);
  all.ranges[all.count++] = {first, first + size};
}

void remove_file_mapping(const void* data) {
  Mappings& all = mappings();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (size_t i = 0; i < all.count; ++i) {
    if (all.ranges[i].first != reinterpret_cast<uintptr_t>(data)) continue;
    all.ranges[i] = all.ranges[--all.count];
    return;
  }
}

bool release_file_pages(const void* data, size_t size) {
  const auto first = reinterpret_cast<uintptr_t>(data);
  Mappings& all = mappings();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (size_t i = 0; i < all.count; ++i) {
    const Range& range = all.ranges[i];
    if (first >= range.first && first < range.last && size <= range.last - first)
      return give_back(first, first + size);
  }
  return false;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
