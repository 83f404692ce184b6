#include <executorch/extension/data_loader/file_data_loader.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <sys/types.h>

#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/compat_unistd.h>

#include "extension/data_loader/opened_file.h"

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

/// One system call reads no more than this: some systems refuse more.
constexpr size_t kMaxReadSize = size_t{1} << 30;

/// The context is the alignment that the buffer was allocated with.
void free_aligned(void* context, void* data, size_t /*size*/) {
  ::operator delete(data, std::align_val_t{reinterpret_cast<uintptr_t>(context)});
}

}  // namespace

Result<FileDataLoader> FileDataLoader::from(const char* file_name, size_t alignment) {
  ET_REQUIRE(alignment != 0 && (alignment & (alignment - 1)) == 0, InvalidArgument,
             "file loader: the alignment %zu is not a power of two", alignment);
  const Result<internal::OpenedFile> file = internal::open_file(file_name);
  if (!file.ok()) {
    return file.error();
  }
  return FileDataLoader(file->fd, file->size, alignment, file_name);
}

FileDataLoader::FileDataLoader(int fd, size_t file_size, size_t alignment, std::string file_name)
    : file_name_(std::move(file_name)), file_size_(file_size), alignment_(alignment), fd_(fd) {}

FileDataLoader::FileDataLoader(FileDataLoader&& other) noexcept
    : file_name_(std::move(other.file_name_)),
      file_size_(std::exchange(other.file_size_, 0)),
      alignment_(other.alignment_),
      fd_(std::exchange(other.fd_, -1)) {}

FileDataLoader::~FileDataLoader() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Result<FreeableBuffer> FileDataLoader::load(size_t offset, size_t size,
                                            const SegmentInfo& /*segment_info*/) const {
  ET_TRY(check_range(offset, size));
  if (size == 0) {
    return FreeableBuffer(nullptr, 0, /*free_fn=*/nullptr);
  }
  void* data = ::operator new(size, std::align_val_t{alignment_}, std::nothrow);
  ET_REQUIRE(data != nullptr, MemoryAllocationFailed, "%s: no memory for %zu bytes at offset %zu",
             file_name_.c_str(), size, offset);
  // From here on the buffer owns the memory.
  FreeableBuffer buffer(data, size, free_aligned, reinterpret_cast<void*>(alignment_));
  ET_TRY(read(offset, size, data));
  return buffer;
}

Result<size_t> FileDataLoader::size() const {
  ET_REQUIRE(fd_ >= 0, InvalidState, "file loader: it was moved to another object");
  return file_size_;
}

Error FileDataLoader::load_into(size_t offset, size_t size, const SegmentInfo& /*segment_info*/,
                                void* buffer) const {
  ET_REQUIRE(buffer != nullptr, InvalidArgument, "%s: the destination is null", file_name_.c_str());
  ET_TRY(check_range(offset, size));
  return read(offset, size, buffer);
}

Error FileDataLoader::check_range(size_t offset, size_t size) const {
  ET_REQUIRE(fd_ >= 0, InvalidState, "file loader: it was moved to another object");
  ET_REQUIRE(runtime::range_fits(offset, size, file_size_), InvalidArgument,
             "%s: %zu bytes at offset %zu were asked for, the file has %zu", file_name_.c_str(),
             size, offset, file_size_);
  return Error::Ok;
}

Error FileDataLoader::read(size_t offset, size_t size, void* buffer) const {
  uint8_t* destination = static_cast<uint8_t*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(fd_, destination, std::min(size, kMaxReadSize), offset);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    ET_REQUIRE(got >= 0, AccessFailed, "%s: cannot read %zu bytes at offset %zu: %s",
               file_name_.c_str(), size, offset, std::strerror(errno));
    ET_REQUIRE(
        got > 0, AccessFailed,
        "%s: the file became shorter: it had %zu bytes when it was opened and now ends at %zu",
        file_name_.c_str(), file_size_, offset);
    destination += got;
    offset += static_cast<size_t>(got);
    size -= static_cast<size_t>(got);
  }
  return Error::Ok;
}

}  // namespace extension
}  // namespace executorch
