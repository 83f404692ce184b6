/**
 * @file
 * Memory for packed weights: those of one plan lie in one piece, so that the system has few and
 * large pages to find, and each weight's part goes back by itself.
 */
#pragma once

#include <cstddef>
#include <memory>

#include "engine/graph/memory_block.h"

namespace executorch::engine {

/// Memory of one weight, aligned for vector loads. Empty when there is none.
class WeightPart {
 public:
  WeightPart() = default;
  WeightPart(std::shared_ptr<const MemoryBlock> block, char* data, size_t size)
      : block_(std::move(block)), data_(data), size_(size) {}
  WeightPart(WeightPart&&) = default;
  WeightPart& operator=(WeightPart&&) = delete;
  ~WeightPart();

  char* data() const { return data_; }

 private:
  std::shared_ptr<const MemoryBlock> block_;
  char* data_ = nullptr;
  size_t size_ = 0;
};

class WeightMemory {
 public:
  /// `expected`: bytes of all weights together; more costs address space and at most one large
  /// page of memory for each that is not used.
  explicit WeightMemory(size_t expected) : expected_(expected) {}

  /// Memory of exactly this weight where the expected is used up. Empty when memory is refused.
  WeightPart allocate(size_t size);

 private:
  size_t expected_;
  size_t used_ = 0;
  std::shared_ptr<const MemoryBlock> block_;
};

}  // namespace executorch::engine
