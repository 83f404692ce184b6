/**
 * @file
 * Memory of constants that were made with a graph or computed while planning. Pieces stay where
 * they are.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/graph/memory_block.h"

namespace executorch::engine {

class ConstantMemory {
 public:
  /// Most bytes that will be held.
  void set_limit(size_t limit) { limit_ = limit; }

  /// `size` bytes, null when memory is refused or the limit would be passed (never for 0 bytes).
  void* allocate(size_t size) {
    if (size > 0 && (total_ > limit_ || size > limit_ - total_)) return nullptr;
    MemoryBlock block = MemoryBlock::allocate_large(size == 0 ? 1 : size);
    if (block.data() == nullptr) return nullptr;
    total_ += block.size();
    blocks_.push_back(static_cast<MemoryBlock&&>(block));
    return blocks_.back().data();
  }
  /// Frees all pieces that none of the addresses points into.
  void keep(const char* const* addresses, size_t count) {
    size_t kept = 0;
    for (MemoryBlock& block : blocks_) {
      const char* const first = block.data();
      const char* const last = first + block.size();
      bool needed = false;
      for (size_t i = 0; i < count && !needed; ++i)
        needed = first <= addresses[i] && addresses[i] < last;
      if (!needed) {
        total_ -= block.size();
      } else if (&blocks_[kept++] != &block) {
        blocks_[kept - 1] = static_cast<MemoryBlock&&>(block);
      }
    }
    blocks_.resize(kept);
  }
  /// The address lies in one of the pieces.
  bool contains(const void* address) const {
    const auto* byte = static_cast<const char*>(address);
    for (const MemoryBlock& block : blocks_) {
      if (byte >= block.data() && byte < block.data() + block.size()) return true;
    }
    return false;
  }
  size_t total() const { return total_; }

 private:
  std::vector<MemoryBlock> blocks_;
  size_t total_ = 0;
  size_t limit_ = SIZE_MAX;
};

}  // namespace executorch::engine
