/**
 * @file
 * Logged tensors in a file.
 */
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace etdump {

/// Writes blobs one behind the other, without gaps, into a file that it owns.
class EXECUTORCH_ETDUMP_API FileDataSink : public DataSinkBase {
 public:
  /**
   * Creates the file, or empties an existing one.
   * @retval Error::AccessFailed The file cannot be opened for writing.
   * @retval Error::InvalidArgument The path is null.
   */
  static ::executorch::runtime::Result<FileDataSink> create(const char* file_path);

  /// Closes the file.
  ~FileDataSink() override;

  FileDataSink(const FileDataSink&) = delete;
  FileDataSink& operator=(const FileDataSink&) = delete;
  FileDataSink(FileDataSink&& other) noexcept;
  FileDataSink& operator=(FileDataSink&& other) noexcept;

  /**
   * Appends a blob and returns its offset. An empty one has the offset SIZE_MAX, which the dump
   * shows as -1.
   * @retval Error::AccessFailed The file has been closed.
   * @retval Error::Internal The system could not write.
   */
  ::executorch::runtime::Result<size_t> write(const void* ptr, size_t size) override;

  /// Bytes written.
  size_t get_used_bytes() const override;

  /// Closes the file, unless that is done already.
  void close();

 private:
  FileDataSink(FILE* file, std::string path);

  FILE* file_ = nullptr;
  std::string path_;
  size_t written_ = 0;
};

}  // namespace etdump
}  // namespace executorch
