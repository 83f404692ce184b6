#include <executorch/devtools/etdump/data_sinks/file_data_sink.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace etdump {

using ::executorch::runtime::Error;
using ::executorch::runtime::Result;

Result<FileDataSink> FileDataSink::create(const char* file_path) {
  ET_REQUIRE(file_path != nullptr, InvalidArgument, "debug file: its path is null");
  FILE* const file = std::fopen(file_path, "wb");
  ET_REQUIRE(file != nullptr, AccessFailed, "debug file: cannot create %s: %s", file_path,
             std::strerror(errno));
  return FileDataSink(file, file_path);
}

FileDataSink::FileDataSink(FILE* file, std::string path) : file_(file), path_(std::move(path)) {}

FileDataSink::FileDataSink(FileDataSink&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      path_(std::move(other.path_)),
      written_(std::exchange(other.written_, 0)) {}

FileDataSink& FileDataSink::operator=(FileDataSink&& other) noexcept {
  if (this != &other) {
    close();
    file_ = std::exchange(other.file_, nullptr);
    path_ = std::move(other.path_);
    written_ = std::exchange(other.written_, 0);
  }
  return *this;
}

FileDataSink::~FileDataSink() {
  close();
}

Result<size_t> FileDataSink::write(const void* ptr, size_t size) {
  ET_REQUIRE(file_ != nullptr, AccessFailed, "debug file: %s has been closed", path_.c_str());
  if (size == 0) {
    return SIZE_MAX;
  }
  ET_REQUIRE(ptr != nullptr, InvalidArgument, "debug file: %zu bytes at a null pointer", size);
  const size_t offset = written_;
  const size_t done = std::fwrite(ptr, 1, size, file_);
  written_ += done;
  ET_REQUIRE(done == size, Internal, "debug file: only %zu of %zu bytes were written to %s: %s",
             done, size, path_.c_str(), std::strerror(errno));
  return offset;
}

size_t FileDataSink::get_used_bytes() const {
  return written_;
}

void FileDataSink::close() {
  if (file_ != nullptr) {
    std::fclose(file_);
    file_ = nullptr;
  }
}

}  // namespace etdump
}  // namespace executorch
