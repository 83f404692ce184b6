/**
 * @file
 * How partial results of blocks are put together.
 */
#pragma once

#include <cstring>

#include "compute/reduce/block_loops.h"

namespace executorch::compute {

/// One value of any real compute type, followed by room for a second to combine with.
struct alignas(16) ValuePair {
  char bytes[16];
};

/// Combines block results pairwise like a binary counter: level k holds 2^k blocks, so that
/// rounding errors grow with the logarithm of the length.
class PairwiseTree {
 public:
  using Combine = void (*)(void* result, const void* values, int64_t n);
  PairwiseTree(Combine combine, int64_t value_size)
      : combine_(combine), size_(static_cast<size_t>(value_size)) {}

  void add(const void* value) {
    ValuePair pair;
    std::memcpy(pair.bytes + size_, value, size_);
    int level = 0;
    for (uint64_t bits = count_++; bits & 1; bits >>= 1) join(pair, level++);
    std::memcpy(levels_[level], pair.bytes + size_, size_);
  }

  /// The result of at least one value.
  void total(void* result) const {
    ValuePair pair;
    bool started = false;
    int level = 0;
    for (uint64_t bits = count_; bits != 0; bits >>= 1, ++level) {
      if ((bits & 1) == 0) continue;
      if (started) {
        join(pair, level);
      } else {
        std::memcpy(pair.bytes + size_, levels_[level], size_);
      }
      started = true;
    }
    std::memcpy(result, pair.bytes + size_, size_);
  }

 private:
  // The earlier blocks are the left operand.
  void join(ValuePair& pair, int level) const {
    std::memcpy(pair.bytes, levels_[level], size_);
    ValuePair joined;
    combine_(joined.bytes, pair.bytes, 2);
    std::memcpy(pair.bytes + size_, joined.bytes, size_);
  }

  Combine combine_;
  size_t size_;
  uint64_t count_ = 0;
  char levels_[64][8];
};

}  // namespace executorch::compute
