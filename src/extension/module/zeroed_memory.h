// Zero-filled memory that costs nothing until it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace extension {
namespace internal {

/// Owns zero-filled memory, aligned to at least kAlignment bytes.
class ZeroedMemory {
 public:
  static constexpr size_t kAlignment = 64;

  /// MemoryAllocationFailed when there is no memory. Zero bytes give an empty block.
  static runtime::Result<ZeroedMemory> allocate(size_t size);

  ZeroedMemory() = default;
  ZeroedMemory(ZeroedMemory&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        mapped_(other.mapped_) {}
  ZeroedMemory& operator=(ZeroedMemory&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(mapped_, other.mapped_);
    return *this;
  }
  ~ZeroedMemory();

  runtime::Span<uint8_t> span() const { return {data_, size_}; }

 private:
  ZeroedMemory(void* block, uint8_t* data, size_t size, bool mapped)
      : block_(block), data_(data), size_(size), mapped_(mapped) {}

  void* block_ = nullptr;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  bool mapped_ = false;
};

}  // namespace internal
}  // namespace extension
}  // namespace executorch
