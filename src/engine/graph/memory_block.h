/**
 * @file
 * Memory that may be refused, aligned for vector loads.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <executorch/runtime/platform/export.h>

namespace executorch::engine {

/// Owns `size` bytes, 64-byte aligned. Empty when the allocation failed or was of 0 bytes.
class EXECUTORCH_COMPUTE_API MemoryBlock {
 public:
  MemoryBlock() = default;
  /// From the heap.
  static MemoryBlock allocate(size_t size);
  /// For weights and the like: large blocks come from the system, in large pages where it has them,
  /// and go back to it as soon as they are freed, where a heap would keep the gaps that packing
  /// leaves.
  static MemoryBlock allocate_large(size_t size);
  /// From the system, or empty. `used` bytes from the start on are all going to be written: their
  /// pages are large ones or found at once, those beyond are found one by one.
  static MemoryBlock map(size_t size, size_t used);
  /// Gives the whole pages of a part of a large block back to the system: what it holds is lost,
  /// and the memory returns, zeroed, when it is written next.
  void discard(const char* part, size_t size) const;

  static constexpr size_t kAlignment = 64;
  char* data() const { return data_.get(); }
  size_t size() const { return size_; }
  /// As many bytes as asked for.
  bool holds(size_t size) const { return size_ >= size; }

 private:
  class Release {
   public:
    Release() : mapped_(0) {}
    explicit Release(size_t mapped) : mapped_(mapped) {}
    void operator()(char* data) const;
    bool mapped() const { return mapped_ > 0; }

   private:
    size_t mapped_;  ///< bytes to give back to the system; 0: to the heap
  };
  MemoryBlock(char* data, size_t size, Release release)
      : data_(data, release), size_(data != nullptr ? size : 0) {}

  std::unique_ptr<char, Release> data_;
  size_t size_ = 0;
};

}  // namespace executorch::engine
