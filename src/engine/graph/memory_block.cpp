#include "engine/graph/memory_block.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#if !defined(_WIN32)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace executorch::engine {
namespace {

constexpr size_t kSmallestMapped = 64 * 1024;
constexpr size_t kLargePage = 2 * 1024 * 1024;

constexpr size_t down_to(size_t unit, size_t bytes) {
  return bytes / unit * unit;
}
constexpr size_t up_to(size_t unit, size_t bytes) {
  return down_to(unit, bytes + unit - 1);
}

// The sanitizer watches the ends of heap memory only.
#if !defined(_WIN32) && !defined(__SANITIZE_ADDRESS__)
/// `size` bytes from a large page's boundary on.
char* map_aligned(size_t size) {
  const size_t padded = size + kLargePage;
  if (padded < size) return nullptr;
  void* const memory =
      ::mmap(nullptr, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* const first = static_cast<char*>(memory);
  const size_t before =
      up_to(kLargePage, reinterpret_cast<uintptr_t>(first)) - reinterpret_cast<uintptr_t>(first);
  const size_t end = up_to(static_cast<size_t>(::sysconf(_SC_PAGESIZE)), before + size);
  if (before > 0) ::munmap(first, before);
  if (end < padded) ::munmap(first + end, padded - end);
  return first + before;
}

char* map_memory(size_t size, size_t used) {
  if (used < kLargePage) {
    void* const memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
  }
  char* const memory = map_aligned(size);
#ifdef MADV_HUGEPAGE
  // Where the system declines, pages are small.
  if (memory != nullptr) ::madvise(memory, down_to(kLargePage, used), MADV_HUGEPAGE);
#endif
  return memory;
}
#else
char* map_memory(size_t, size_t) {
  return nullptr;
}
#endif

void unmap_memory(char* data, size_t size) {
#if !defined(_WIN32)
  ::munmap(data, size);
#else
  static_cast<void>(data);
  static_cast<void>(size);
#endif
}

}  // namespace

MemoryBlock MemoryBlock::allocate(size_t size) {
  if (size == 0) return {};
  void* const data = ::operator new(size, std::align_val_t{kAlignment}, std::nothrow);
  return {static_cast<char*>(data), size, Release()};
}

MemoryBlock MemoryBlock::map(size_t size, size_t used) {
  used = std::min(used, size);
  char* const data = size > 0 ? map_memory(size, used) : nullptr;
  if (data == nullptr) return {};
#ifdef MADV_POPULATE_WRITE
  // All at once costs less than page by page; older systems find them when they are written.
  if (used < kLargePage) ::madvise(data, used, MADV_POPULATE_WRITE);
#endif
  return {data, size, Release(size)};
}

MemoryBlock MemoryBlock::allocate_large(size_t size) {
  char* const data = size >= kSmallestMapped ? map_memory(size, size) : nullptr;
  if (data == nullptr) return allocate(size);
  return {data, size, Release(size)};
}

void MemoryBlock::discard(const char* part, size_t size) const {
#if !defined(_WIN32)
  if (!data_.get_deleter().mapped()) return;
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t offset = static_cast<size_t>(part - data());
  const size_t first = up_to(page, offset), last = down_to(page, offset + size);
  if (first < last) ::madvise(data() + first, last - first, MADV_DONTNEED);
#else
  static_cast<void>(part);
  static_cast<void>(size);
#endif
}

void MemoryBlock::Release::operator()(char* data) const {
  if (mapped_ > 0) {
    unmap_memory(data, mapped_);
  } else {
    ::operator delete(data, std::align_val_t{kAlignment});
  }
}

}  // namespace executorch::engine
