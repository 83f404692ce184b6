/**
 * @file
 * A data loader that reads ranges of a file into memory of their own.
 */
#pragma once

#include <cstddef>
#include <new>
#include <string>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace extension {

/**
 * Reads every range into a heap buffer of its own, so what was loaded does not change when the file
 * does, and a file that is cut short while in use gives an error. The file stays open for the life
 * of the loader. The buffers may outlive the loader. Thread-safe.
 */
class EXECUTORCH_API FileDataLoader final : public executorch::runtime::DataLoader {
 public:
  /**
   * Opens a file for reading.
   *
   * @param[in] file_name Path of a regular file.
   * @param[in] alignment Alignment in bytes, a power of two, of the buffers that load() returns.
   * @retval Error::InvalidArgument The alignment is not a power of two, or the name is null.
   * @retval Error::AccessFailed The file cannot be opened, or its size is unknown.
   */
  static executorch::runtime::Result<FileDataLoader> from(
      const char* file_name, size_t alignment = alignof(std::max_align_t));

  /// DEPRECATED: use from().
  ET_DEPRECATED static executorch::runtime::Result<FileDataLoader> From(
      const char* file_name, size_t alignment = alignof(std::max_align_t)) {
    return from(file_name, alignment);
  }

  FileDataLoader(FileDataLoader&& other) noexcept;
  FileDataLoader(const FileDataLoader&) = delete;
  FileDataLoader& operator=(const FileDataLoader&) = delete;
  FileDataLoader& operator=(FileDataLoader&&) = delete;
  ~FileDataLoader() override;

  /**
   * Reads bytes [offset, offset + size) into a new buffer, which the result owns.
   * @retval Error::InvalidArgument The range leaves the file.
   * @retval Error::AccessFailed Reading failed or ended early.
   * @retval Error::MemoryAllocationFailed
   */
  ET_NODISCARD executorch::runtime::Result<executorch::runtime::FreeableBuffer> load(
      size_t offset, size_t size, const DataLoader::SegmentInfo& segment_info) const override;

  /// The size of the file in bytes when it was opened.
  ET_NODISCARD executorch::runtime::Result<size_t> size() const override;

  /// Reads bytes [offset, offset + size) into `buffer`, which must have room for them. Errors as
  /// load().
  ET_NODISCARD executorch::runtime::Error load_into(size_t offset, size_t size,
                                                    ET_UNUSED const SegmentInfo& segment_info,
                                                    void* buffer) const override;

 private:
  FileDataLoader(int fd, size_t file_size, size_t alignment, std::string file_name);

  executorch::runtime::Error check_range(size_t offset, size_t size) const;
  executorch::runtime::Error read(size_t offset, size_t size, void* buffer) const;

  std::string file_name_;
  size_t file_size_;
  size_t alignment_;
  int fd_;
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::FileDataLoader;
}  // namespace util
}  // namespace executor
}  // namespace torch
