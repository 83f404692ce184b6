// Opening a file for a data loader.
#pragma once

#include <cstddef>

#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace internal {

struct OpenedFile {
  int fd;
  size_t size;
};

/// Opens a regular file for reading; the caller closes it. AccessFailed, with the path and the
/// system's reason, when that is not possible.
runtime::Result<OpenedFile> open_file(const char* path);

}  // namespace internal
}  // namespace extension
}  // namespace executorch
