#include "runtime/executor/growing_allocator.h"

#include <algorithm>
#include <cstdlib>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace {

constexpr size_t kFirstBlock = 4096;

/// Bytes from `address` to the next multiple of `alignment`.
size_t padding(const uint8_t* address, size_t alignment) {
  return (alignment - (reinterpret_cast<uintptr_t>(address) & (alignment - 1))) & (alignment - 1);
}

}  // namespace

void* GrowingAllocator::allocate(size_t size, size_t alignment) {
  if (!isPowerOf2(alignment)) {
    set_error_message("allocation of %zu bytes: alignment %zu is no power of two", size, alignment);
    return nullptr;
  }
  Block* block = blocks_;
  size_t needed = 0;
  if (!checked_add(size, alignment, &needed)) {
    set_error_message("allocation of %zu bytes: the size overflows", size);
    return nullptr;
  }
  if (block == nullptr || needed > block->size - block->used) {
    block = add_block(needed);
    if (block == nullptr) {
      set_error_message("the heap has no room for %zu bytes", size);
      return nullptr;
    }
  }
  const size_t gap = padding(block->data() + block->used, alignment);
  uint8_t* start = block->data() + block->used + gap;
  block->used += gap + size;
  used_ += gap + size;
  return start;
}

GrowingAllocator::Block* GrowingAllocator::add_block(size_t size) {
  // Doubling keeps the number of blocks, and with it the number of heap calls, logarithmic.
  const size_t previous = blocks_ == nullptr ? 0 : blocks_->size;
  const size_t wanted = std::max({size, kFirstBlock, std::min(previous * 2, size_t{1} << 20)});
  if (wanted > PTRDIFF_MAX - sizeof(Block)) return nullptr;
  auto* block = static_cast<Block*>(std::malloc(sizeof(Block) + wanted));
  if (block == nullptr) return nullptr;
  *block = {blocks_, wanted, 0};
  blocks_ = block;
  return block;
}

void GrowingAllocator::reset() {
  used_ = 0;
  if (blocks_ == nullptr) return;
  if (blocks_->next == nullptr) {
    blocks_->used = 0;
    return;
  }
  size_t total = 0;
  for (Block* block = blocks_; block != nullptr; block = block->next) total += block->size;
  free_blocks();
  // Without room for the one large block, the next allocate() grows anew.
  add_block(total);
}

void GrowingAllocator::free_blocks() {
  while (blocks_ != nullptr) {
    Block* next = blocks_->next;
    std::free(blocks_);
    blocks_ = next;
  }
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
