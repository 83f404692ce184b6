/**
 * @file
 * A data loader that maps ranges of a file into memory.
 */
#pragma once

#include <cstddef>
#include <string>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace extension {

/**
 * Maps every range that is loaded, read-only: pages come from the file when they are touched and
 * are shared with all processes that map the same file. The file stays open for the life of the
 * loader; the buffers may outlive it. Thread-safe.
 *
 * Cutting the file short while a buffer is in use makes the process fail with SIGBUS when it
 * touches the missing pages, as with any mapping. Replace model files by renaming, or use
 * FileDataLoader, which is immune.
 */
class EXECUTORCH_API MmapDataLoader final : public executorch::runtime::DataLoader {
 public:
  /// What to ask of the operating system for mapped pages.
  enum class MlockConfig {
    /// Nothing.
    NoMlock,
    /// Lock them into memory; failing to do so is an error.
    UseMlock,
    /// Lock them into memory if that is possible.
    UseMlockIgnoreErrors,
    /// Read ahead (MADV_WILLNEED and MADV_SEQUENTIAL) without locking.
    UseMadvise,
  };

  /**
   * Opens a file for mapping.
   *
   * @param[in] file_name Path of a regular file.
   * @retval Error::InvalidArgument The name is null.
   * @retval Error::AccessFailed The file cannot be opened, or its size is unknown.
   */
  static executorch::runtime::Result<MmapDataLoader> from(
      const char* file_name, MlockConfig mlock_config = MlockConfig::UseMlock);

  /// DEPRECATED: use from().
  ET_DEPRECATED static executorch::runtime::Result<MmapDataLoader> From(
      const char* file_name, MlockConfig mlock_config = MlockConfig::UseMlock) {
    return from(file_name, mlock_config);
  }

  /// DEPRECATED: use from() with an MlockConfig.
  ET_DEPRECATED static executorch::runtime::Result<MmapDataLoader> From(const char* file_name,
                                                                        bool use_mlock) {
    return from(file_name, use_mlock ? MlockConfig::UseMlock : MlockConfig::NoMlock);
  }

  MmapDataLoader(MmapDataLoader&& other) noexcept;
  MmapDataLoader(const MmapDataLoader&) = delete;
  MmapDataLoader& operator=(const MmapDataLoader&) = delete;
  MmapDataLoader& operator=(MmapDataLoader&&) = delete;
  ~MmapDataLoader() override;

  /**
   * Maps bytes [offset, offset + size). The mapping is undone when the result is freed.
   * @retval Error::InvalidArgument The range leaves the file.
   * @retval Error::NotSupported UseMlock, and the pages cannot be locked.
   * @retval Error::AccessFailed The file became shorter, or mapping failed.
   */
  ET_NODISCARD executorch::runtime::Result<executorch::runtime::FreeableBuffer> load(
      size_t offset, size_t size, const DataLoader::SegmentInfo& segment_info) const override;

  /// The size of the file in bytes when it was opened.
  ET_NODISCARD executorch::runtime::Result<size_t> size() const override;

  /// Copies bytes [offset, offset + size) to `buffer`, which must have room for them. Errors as
  /// load().
  ET_NODISCARD executorch::runtime::Error load_into(size_t offset, size_t size,
                                                    ET_UNUSED const SegmentInfo& segment_info,
                                                    void* buffer) const override;

 private:
  MmapDataLoader(int fd, size_t file_size, std::string file_name, size_t page_size,
                 MlockConfig mlock_config);

  executorch::runtime::Error check_range(size_t offset, size_t size) const;
  executorch::runtime::Error prepare_pages(void* address, size_t size) const;

  std::string file_name_;
  size_t file_size_;
  size_t page_size_;
  int fd_;
  MlockConfig mlock_config_;
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::MmapDataLoader;
}  // namespace util
}  // namespace executor
}  // namespace torch
