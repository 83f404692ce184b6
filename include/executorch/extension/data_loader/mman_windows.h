/**
 * @file
 * The POSIX memory mapping calls over the Windows API, as far as data loaders need them.
 * Other systems bring their own; there this header declares nothing.
 */
#pragma once

#ifdef _WIN32

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/export.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4

#define MAP_FILE 0
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_TYPE 0xf
#define MAP_FIXED 0x10
#define MAP_ANONYMOUS 0x20
#define MAP_ANON MAP_ANONYMOUS
#define MAP_FAILED (reinterpret_cast<void*>(-1))

#define MS_ASYNC 1
#define MS_SYNC 2
#define MS_INVALIDATE 4

#ifdef __cplusplus
extern "C" {
#endif

/// Maps `len` bytes of an open file, or of fresh memory, as POSIX says. MAP_FIXED is refused.
EXECUTORCH_API void* mmap(void* addr, size_t len, int prot, int flags, int fildes, uint64_t off);
/// Undoes a mapping; `addr` must be what mmap returned.
EXECUTORCH_API int munmap(void* addr, size_t len);
/// Changes the protection of mapped pages.
EXECUTORCH_API int mprotect(void* addr, size_t len, int prot);
/// Writes changed pages to the file.
EXECUTORCH_API int msync(void* addr, size_t len, int flags);
/// Keeps pages in memory.
EXECUTORCH_API int mlock(const void* addr, size_t len);
/// Lets pages leave memory again.
EXECUTORCH_API int munlock(const void* addr, size_t len);

#ifdef __cplusplus
}
#endif

#endif
