/**
 * @file
 * A memory allocator for systems with a heap.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <executorch/extension/memory_allocator/memory_allocator_utils.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/memory_allocator.h>

namespace executorch {
namespace extension {

/**
 * Takes each allocation from malloc() and frees them all on reset() or destruction. Grows as
 * needed, so nobody has to know in advance how much a method takes. Not thread-safe.
 */
class MallocMemoryAllocator : public executorch::runtime::MemoryAllocator {
 public:
  MallocMemoryAllocator() : MemoryAllocator(0, nullptr) {}

  MallocMemoryAllocator(const MallocMemoryAllocator&) = delete;
  MallocMemoryAllocator& operator=(const MallocMemoryAllocator&) = delete;

  ~MallocMemoryAllocator() override { free_blocks(); }

  /**
   * Allocates `size` bytes aligned to `alignment`, which must be a power of two. Null on failure,
   * with a text in last_error_message(). The memory belongs to this allocator.
   */
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    if (!isPowerOf2(alignment)) {
      runtime::set_error_message("malloc allocator: alignment %zu is not a power of two",
                                 alignment);
      return nullptr;
    }
    const auto padded_size = utils::get_aligned_size(size, alignment);
    if (!padded_size.ok()) {
      return nullptr;
    }
    void* block = std::malloc(padded_size.get());
    if (block == nullptr) {
      runtime::set_error_message("malloc allocator: no memory for %zu bytes", padded_size.get());
      return nullptr;
    }
    blocks_.push_back(block);
    used_size_ += padded_size.get();
    EXECUTORCH_TRACK_ALLOCATION(prof_id(), padded_size.get());
    return alignPointer(block, alignment);
  }

  /// Bytes handed out since the last reset(), padding included.
  size_t used_size() const override { return used_size_; }

  /// Bounded by the heap only.
  size_t free_size() const override { return SIZE_MAX - used_size_; }

  /// Frees everything that was allocated.
  void reset() override { free_blocks(); }

 private:
  void free_blocks() {
    for (void* block : blocks_) {
      std::free(block);
    }
    blocks_.clear();
    used_size_ = 0;
  }

  std::vector<void*> blocks_;
  size_t used_size_ = 0;
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::MallocMemoryAllocator;
}  // namespace util
}  // namespace executor
}  // namespace torch
