#include <executorch/extension/data_loader/mmap_data_loader.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <executorch/extension/data_loader/mman.h>
#include <executorch/runtime/core/checked_math.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/compat_unistd.h>

#include "extension/data_loader/opened_file.h"
#include "runtime/platform/file_mappings.h"

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

/// The context is the page size: mappings begin at a page, data anywhere in it.
void unmap(void* context, void* data, size_t size) {
  const uintptr_t page_size = reinterpret_cast<uintptr_t>(context);
  const uintptr_t skipped = reinterpret_cast<uintptr_t>(data) & (page_size - 1);
  runtime::internal::remove_file_mapping(static_cast<uint8_t*>(data) - skipped);
  ::munmap(static_cast<uint8_t*>(data) - skipped, size + skipped);
}

}  // namespace

Result<MmapDataLoader> MmapDataLoader::from(const char* file_name, MlockConfig mlock_config) {
  const size_t page_size = static_cast<size_t>(get_os_page_size());
  ET_REQUIRE(page_size != 0 && (page_size & (page_size - 1)) == 0, AccessFailed,
             "mmap loader: the system gives %zu as page size", page_size);
  const Result<internal::OpenedFile> file = internal::open_file(file_name);
  if (!file.ok()) {
    return file.error();
  }
  return MmapDataLoader(file->fd, file->size, file_name, page_size, mlock_config);
}

MmapDataLoader::MmapDataLoader(int fd, size_t file_size, std::string file_name, size_t page_size,
                               MlockConfig mlock_config)
    : file_name_(std::move(file_name)),
      file_size_(file_size),
      page_size_(page_size),
      fd_(fd),
      mlock_config_(mlock_config) {}

MmapDataLoader::MmapDataLoader(MmapDataLoader&& other) noexcept
    : file_name_(std::move(other.file_name_)),
      file_size_(std::exchange(other.file_size_, 0)),
      page_size_(other.page_size_),
      fd_(std::exchange(other.fd_, -1)),
      mlock_config_(other.mlock_config_) {}

MmapDataLoader::~MmapDataLoader() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Result<FreeableBuffer> MmapDataLoader::load(size_t offset, size_t size,
                                            const SegmentInfo& /*segment_info*/) const {
  ET_TRY(check_range(offset, size));
  if (size == 0) {
    return FreeableBuffer(nullptr, 0, /*free_fn=*/nullptr);
  }
  const size_t skipped = offset & (page_size_ - 1);
  void* const pages = ::mmap(nullptr, size + skipped, PROT_READ, MAP_PRIVATE, fd_,
                             get_mmap_offset(offset - skipped));
  ET_REQUIRE(pages != MAP_FAILED, AccessFailed, "%s: cannot map %zu bytes at offset %zu: %s",
             file_name_.c_str(), size, offset, std::strerror(errno));
  FreeableBuffer buffer(static_cast<uint8_t*>(pages) + skipped, size, unmap,
                        reinterpret_cast<void*>(page_size_));
  runtime::internal::add_file_mapping(pages, size + skipped);
  ET_TRY(prepare_pages(pages, size + skipped));
  return buffer;
}

Result<size_t> MmapDataLoader::size() const {
  ET_REQUIRE(fd_ >= 0, InvalidState, "mmap loader: it was moved to another object");
  return file_size_;
}

Error MmapDataLoader::load_into(size_t offset, size_t size, const SegmentInfo& segment_info,
                                void* buffer) const {
  ET_REQUIRE(buffer != nullptr, InvalidArgument, "%s: the destination is null", file_name_.c_str());
  const Result<FreeableBuffer> mapped = load(offset, size, segment_info);
  if (!mapped.ok()) {
    return mapped.error();
  }
  if (size > 0) {
    std::memcpy(buffer, mapped->data(), size);
  }
  return Error::Ok;
}

Error MmapDataLoader::check_range(size_t offset, size_t size) const {
  ET_REQUIRE(fd_ >= 0, InvalidState, "mmap loader: it was moved to another object");
  ET_REQUIRE(runtime::range_fits(offset, size, file_size_), InvalidArgument,
             "%s: %zu bytes at offset %zu were asked for, the file has %zu", file_name_.c_str(),
             size, offset, file_size_);
  size_t size_now = 0;
  ET_REQUIRE(get_file_stat(fd_, &size_now) >= 0, AccessFailed, "%s: cannot find its size: %s",
             file_name_.c_str(), std::strerror(errno));
  ET_REQUIRE(runtime::range_fits(offset, size, size_now), AccessFailed,
             "%s: the file became shorter: it had %zu bytes when it was opened and now has %zu",
             file_name_.c_str(), file_size_, size_now);
  return Error::Ok;
}

Error MmapDataLoader::prepare_pages(void* address, size_t size) const {
  switch (mlock_config_) {
    case MlockConfig::NoMlock:
      return Error::Ok;
    case MlockConfig::UseMadvise:
      fcntl_rdadvise_apple(fd_, file_size_);
      madvise_pages_willneed_sequential(address, size);
      return Error::Ok;
    case MlockConfig::UseMlockIgnoreErrors:
      static_cast<void>(::mlock(address, size));
      return Error::Ok;
    case MlockConfig::UseMlock:
      ET_REQUIRE(::mlock(address, size) >= 0, NotSupported,
                 "%s: cannot lock %zu bytes into memory: %s", file_name_.c_str(), size,
                 std::strerror(errno));
      return Error::Ok;
  }
  return ET_ERROR(InvalidArgument, "mmap loader: unknown lock mode %d",
                  static_cast<int>(mlock_config_));
}

}  // namespace extension
}  // namespace executorch
