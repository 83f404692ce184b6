#include "runtime/platform/memory_size.h"

#if defined(EXECUTORCH_MINIMAL)
// The application knows.
#elif defined(_WIN32)
#include <windows.h>
#else
#include <unistd.h>
#endif

#include <cstdint>

#include <executorch/runtime/core/checked_math.h>

namespace executorch {
namespace runtime {
namespace internal {

size_t default_memory_limit() {
#if defined(EXECUTORCH_MINIMAL)
#elif defined(_WIN32)
  MEMORYSTATUSEX status;
  status.dwLength = sizeof(status);
  if (GlobalMemoryStatusEx(&status)) return static_cast<size_t>(status.ullTotalPhys / 2);
#else
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  size_t bytes = 0;
  if (pages > 0 && page > 0 &&
      checked_mul(static_cast<size_t>(pages), static_cast<size_t>(page), &bytes)) {
    return bytes / 2;
  }
#endif
  return SIZE_MAX / 2;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
