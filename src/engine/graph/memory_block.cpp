#include "engine/graph/memory_block.h"

#include <new>

#if !defined(_WIN32)
#include <sys/mman.h>
#endif

namespace executorch::engine {
namespace {

constexpr size_t kSmallestMapped = 64 * 1024;

/// Null where the system does not map memory, or refuses.
char* map_memory(size_t size) {
// The sanitizer watches the ends of heap memory only.
#if !defined(_WIN32) && !defined(__SANITIZE_ADDRESS__)
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
#else
  static_cast<void>(size);
  return nullptr;
#endif
}

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

MemoryBlock MemoryBlock::allocate_weight(size_t size) {
  char* const data = size >= kSmallestMapped ? map_memory(size) : nullptr;
  if (data == nullptr) return allocate(size);
  return {data, size, Release(size)};
}

void MemoryBlock::Release::operator()(char* data) const {
  if (mapped_ > 0) {
    unmap_memory(data, mapped_);
  } else {
    ::operator delete(data, std::align_val_t{kAlignment});
  }
}

}  // namespace executorch::engine
