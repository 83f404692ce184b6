/**
 * @file
 * A data loader over bytes that are already in memory.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace extension {

/**
 * Serves ranges of a caller's buffer in place: nothing is copied, and the buffers it returns free
 * nothing. The bytes must outlive the loader and everything loaded through it, and must not change
 * meanwhile. Programs expect the start of the buffer to be aligned to 16 bytes. Thread-safe.
 */
class BufferDataLoader final : public executorch::runtime::DataLoader {
 public:
  /// Wraps `size` bytes at `data`, without taking ownership.
  BufferDataLoader(const void* data, size_t size)
      : data_(static_cast<const uint8_t*>(data)), size_(size) {}

  /// A view of bytes [offset, offset + size). InvalidArgument when they leave the buffer.
  ET_NODISCARD executorch::runtime::Result<executorch::runtime::FreeableBuffer> load(
      size_t offset, size_t size,
      ET_UNUSED const DataLoader::SegmentInfo& segment_info) const override {
    ET_TRY(check_range(offset, size));
    return executorch::runtime::FreeableBuffer(data_ + offset, size, /*free_fn=*/nullptr);
  }

  /// The size of the buffer in bytes.
  ET_NODISCARD executorch::runtime::Result<size_t> size() const override { return size_; }

  /// Copies bytes [offset, offset + size) to `buffer`, which must have room for them.
  ET_NODISCARD executorch::runtime::Error load_into(size_t offset, size_t size,
                                                    ET_UNUSED const SegmentInfo& segment_info,
                                                    void* buffer) const override {
    ET_REQUIRE(buffer != nullptr, InvalidArgument, "buffer loader: the destination is null");
    ET_TRY(check_range(offset, size));
    if (size > 0) {
      std::memcpy(buffer, data_ + offset, size);
    }
    return executorch::runtime::Error::Ok;
  }

 private:
  executorch::runtime::Error check_range(size_t offset, size_t size) const {
    ET_REQUIRE(offset <= size_ && size <= size_ - offset, InvalidArgument,
               "buffer loader: bytes [%zu, +%zu) were asked for, the buffer has %zu", offset, size,
               size_);
    return executorch::runtime::Error::Ok;
  }

  const uint8_t* const data_;
  const size_t size_;
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::BufferDataLoader;
}  // namespace util
}  // namespace executor
}  // namespace torch
