/**
 * @file
 * Logged tensors in a buffer of the application.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace etdump {

/// Appends blobs to a fixed buffer, which must outlive the sink. Each begins at an aligned address;
/// gaps are zeroed.
class EXECUTORCH_ETDUMP_API BufferDataSink : public DataSinkBase {
 public:
  /**
   * @param[in] buffer The storage.
   * @param[in] alignment Of each blob's address, a power of two.
   * @retval Error::InvalidArgument The alignment is not a power of two.
   */
  static ::executorch::runtime::Result<BufferDataSink> create(
      ::executorch::runtime::Span<uint8_t> buffer, size_t alignment = 64) noexcept;

  /// As above, over `size` bytes at `ptr`.
  static ::executorch::runtime::Result<BufferDataSink> create(void* ptr, size_t size,
                                                              size_t alignment = 64) noexcept;

  /// A sink without storage: only empty blobs fit.
  BufferDataSink() = default;

  BufferDataSink(const BufferDataSink&) = delete;
  BufferDataSink& operator=(const BufferDataSink&) = delete;
  BufferDataSink(BufferDataSink&&) = default;
  BufferDataSink& operator=(BufferDataSink&&) = default;
  ~BufferDataSink() override;

  /**
   * Copies a blob behind the earlier ones and returns its offset. An empty one takes no room and
   * has the offset SIZE_MAX, which the dump shows as -1.
   * @retval Error::OutOfResources The blob does not fit.
   * @retval Error::InvalidArgument A null pointer with a length.
   */
  ::executorch::runtime::Result<size_t> write(const void* ptr, size_t size) override;

  /// Size of the buffer in bytes.
  ::executorch::runtime::Result<size_t> get_storage_size() const;

  /// Bytes in use, gaps included.
  size_t get_used_bytes() const override;

 private:
  BufferDataSink(::executorch::runtime::Span<uint8_t> buffer, size_t alignment)
      : buffer_(buffer), alignment_(alignment) {}

  ::executorch::runtime::Span<uint8_t> buffer_;
  size_t used_ = 0;
  size_t alignment_ = 64;
};

}  // namespace etdump
}  // namespace executorch
