/**
 * @file
 * Packed weights by content: instances of one model, and plans of one method for several shapes,
 * share them in this process and, through a folder, with other processes.
 */
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "engine/weights/cache_files.h"
#include "engine/weights/weight_memory.h"
#include "engine/weights/weight_spec.h"

namespace executorch::engine {

/// Packed bytes, aligned for vector loads. Never changed.
class PackedWeight {
 public:
  PackedWeight(WeightPart part, size_t size)
      : part_(std::move(part)), data_(part_.data()), size_(size) {}
  PackedWeight(FileMapping mapping, const char* data, size_t size)
      : mapping_(std::move(mapping)), data_(data), size_(size) {}

  const float* data() const { return reinterpret_cast<const float*>(data_); }
  size_t size() const { return size_; }
  /// Other processes may map the same memory.
  bool shared() const { return mapping_.data() != nullptr; }

 private:
  WeightPart part_;
  FileMapping mapping_;
  const char* data_;
  size_t size_;
};

/// Weights smaller than this are not worth a file.
constexpr size_t kSmallestSharedWeight = 16 * 1024;

/// The packed weight of this description: what a plan of the process holds, else from
/// `folder`, else packed now, to `memory`. A folder that cannot be used is logged and does
/// no harm. Null when memory is refused. Thread-safe, each thread with a memory of its own.
std::shared_ptr<const PackedWeight> packed_weight(const WeightSpec& spec,
                                                  const WeightPacker& packer,
                                                  const CacheFolder& folder, WeightMemory& memory);

}  // namespace executorch::engine
