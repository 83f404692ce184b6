#include "extension/module/zeroed_memory.h"

#include <cstdlib>

#include <executorch/extension/data_loader/mman.h>
#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace extension {
namespace internal {

using runtime::Error;
using runtime::Result;

namespace {

/// Smaller blocks come from the heap: a mapping has whole pages and costs a system call.
constexpr size_t kSmallestMapping = size_t{1} << 16;

}  // namespace

Result<ZeroedMemory> ZeroedMemory::allocate(size_t size) {
  if (size == 0) {
    return ZeroedMemory();
  }
  if (size >= kSmallestMapping) {
    void* const pages =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ET_REQUIRE(pages != MAP_FAILED, MemoryAllocationFailed, "no memory for an arena of %zu bytes",
               size);
    return ZeroedMemory(pages, static_cast<uint8_t*>(pages), size, /*mapped=*/true);
  }
  void* const block = std::calloc(size + kAlignment - 1, 1);
  ET_REQUIRE(block != nullptr, MemoryAllocationFailed, "no memory for an arena of %zu bytes", size);
  const uintptr_t address = reinterpret_cast<uintptr_t>(block);
  const uintptr_t aligned = (address + kAlignment - 1) & ~static_cast<uintptr_t>(kAlignment - 1);
  return ZeroedMemory(block, static_cast<uint8_t*>(block) + (aligned - address), size,
                      /*mapped=*/false);
}

ZeroedMemory::~ZeroedMemory() {
  if (mapped_) {
    ::munmap(block_, size_);
  } else {
    std::free(block_);
  }
}

}  // namespace internal
}  // namespace extension
}  // namespace executorch
