/**
 * @file
 * Memory of constants that were made with a graph or computed while planning. Pieces stay where they are.
 */
#pragma once

#include <cstddef>
#include <vector>

#include "engine/graph/memory_block.h"

namespace executorch::engine {

class ConstantMemory {
 public:
  /// `size` bytes, null when memory is refused (never for 0 bytes).
  void* allocate(size_t size) {
    MemoryBlock block = MemoryBlock::allocate(size == 0 ? 1 : size);
    if (block.data() == nullptr) return nullptr;
    total_ += block.size();
    blocks_.push_back(static_cast<MemoryBlock&&>(block));
    return blocks_.back().data();
  }
  size_t total() const { return total_; }

 private:
  std::vector<MemoryBlock> blocks_;
  size_t total_ = 0;
};

}  // namespace executorch::engine
