#include "extension/data_loader/opened_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/compat_unistd.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif
#ifndef O_BINARY
#define O_BINARY 0
#endif

namespace executorch {
namespace extension {
namespace internal {

using runtime::Error;
using runtime::Result;

Result<OpenedFile> open_file(const char* path) {
  ET_REQUIRE(path != nullptr, InvalidArgument, "the name of the file to open is null");
  // Without O_NONBLOCK opening a named pipe would wait for a writer.
#ifdef O_NONBLOCK
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
#else
  const int fd = ::open(path, O_RDONLY | O_BINARY);
#endif
  ET_REQUIRE(fd >= 0, AccessFailed, "cannot open %s: %s", path, std::strerror(errno));
  struct stat info;
  if (::fstat(fd, &info) < 0) {
    const int reason = errno;
    ::close(fd);
    return ET_ERROR(AccessFailed, "cannot find the size of %s: %s", path, std::strerror(reason));
  }
  if ((info.st_mode & S_IFMT) != S_IFREG) {
    ::close(fd);
    return ET_ERROR(AccessFailed, "cannot load %s: it is not a regular file", path);
  }
  return OpenedFile{fd, static_cast<size_t>(info.st_size)};
}

}  // namespace internal
}  // namespace extension
}  // namespace executorch
