/**
 * @file
 * Heap memory that may be refused, aligned for vector loads.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace executorch::engine {

/// Owns `size` bytes, 64-byte aligned. Empty when the allocation failed or was of 0 bytes.
class MemoryBlock {
 public:
  MemoryBlock() = default;
  static MemoryBlock allocate(size_t size) {
    MemoryBlock block;
    if (size == 0) return block;
    block.data_.reset(
        static_cast<char*>(::operator new(size, std::align_val_t{kAlignment}, std::nothrow)));
    block.size_ = block.data_ != nullptr ? size : 0;
    return block;
  }

  static constexpr size_t kAlignment = 64;
  char* data() const { return data_.get(); }
  size_t size() const { return size_; }
  /// As many bytes as asked for.
  bool holds(size_t size) const { return size_ >= size; }

 private:
  struct Delete {
    void operator()(char* data) const { ::operator delete(data, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<char, Delete> data_;
  size_t size_ = 0;
};

}  // namespace executorch::engine
