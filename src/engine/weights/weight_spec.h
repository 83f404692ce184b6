/**
 * @file
 * What a packed weight is made from, and where packed weights are kept.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch::engine {

struct WeightSpec {
  static constexpr size_t kLayoutNumbers = 16;

  const void* source = nullptr;
  size_t source_bytes = 0;
  /// One factor per output channel, null for none.
  const float* scale = nullptr;
  size_t scales = 0;
  /// Kind of layout, instruction set, sizes: all that the packed bytes depend on beside source and
  /// scale.
  int64_t layout[kLayoutNumbers] = {};
  size_t packed_bytes = 0;
  /// More bytes that the packed ones are made from, null for none.
  const void* extra = nullptr;
  size_t extra_bytes = 0;
};

/// A folder that processes share packed weights through.
struct CacheFolder {
  /// Null for none.
  const char* path = nullptr;
  /// Most bytes of all its files together, about; what was used least recently makes room.
  uint64_t limit = UINT64_MAX;
};

/// Packs a weight into `packed`, of the size asked for. False when memory is refused.
class WeightPacker {
 public:
  [[nodiscard]] virtual bool pack(float* packed) const = 0;

 protected:
  ~WeightPacker() = default;
};

}  // namespace executorch::engine
