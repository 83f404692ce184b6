/**
 * @file
 * Packed weights of the process, addressed by content: instances of one model, and plans of one method for several
 * shapes, share them.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/graph/memory_block.h"

namespace executorch::engine {

/// Packs a weight into `packed`, of the size asked for.
class WeightPacker {
 public:
  virtual void pack(float* packed) const = 0;

 protected:
  ~WeightPacker() = default;
};

/// Identifies packed bytes: what they were made from, and how.
struct WeightKey {
  uint64_t content[2] = {};
  uint64_t layout[2] = {};
  friend bool operator==(const WeightKey& a, const WeightKey& b) {
    return a.content[0] == b.content[0] && a.content[1] == b.content[1] && a.layout[0] == b.layout[0] &&
           a.layout[1] == b.layout[1];
  }
};

/// Adds bytes to a running hash.
void hash_bytes(const void* data, size_t size, uint64_t hash[2]);

/// The packed weight of this key, made now if no plan of the process holds one. Null when memory is refused.
/// Thread-safe.
std::shared_ptr<const MemoryBlock> packed_weight(const WeightKey& key, size_t bytes, const WeightPacker& packer);

/// Whether a plan of the process holds the weight, so that sharing it costs nothing.
bool has_packed_weight(const WeightKey& key);

}  // namespace executorch::engine
