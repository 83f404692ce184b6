// Memory for a method's own structures and for kernels' scratch. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/memory_allocator.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Hands out pieces of blocks that it takes from the heap as needed. reset() keeps the memory: once
/// a method has run, the same run needs no further block. Not thread-safe.
class GrowingAllocator final : public MemoryAllocator {
 public:
  GrowingAllocator() : MemoryAllocator(0, nullptr) {}
  ~GrowingAllocator() override { free_blocks(); }

  /// Null, with an error text, when the heap has no room.
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override;

  /// Takes everything back. Several blocks are replaced by one that would have sufficed.
  void reset() override;

  size_t used_size() const override { return used_; }
  size_t free_size() const override {
    return blocks_ == nullptr ? 0 : blocks_->size - blocks_->used;
  }

 private:
  struct Block {
    Block* next;
    size_t size;
    size_t used;
    uint8_t* data() { return reinterpret_cast<uint8_t*>(this + 1); }
  };

  Block* add_block(size_t size);
  void free_blocks();

  Block* blocks_ = nullptr;
  size_t used_ = 0;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
