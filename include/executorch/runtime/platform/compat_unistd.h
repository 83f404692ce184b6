/**
 * @file
 * POSIX file calls on every platform: `<unistd.h>` where it exists, the same names over the C
 * runtime on Windows.
 */
#pragma once

#if defined(_WIN32) && !defined(_WIN64)
#error "ExecuTorch needs a 64-bit Windows"
#endif

#if !defined(_WIN32)
#include <unistd.h>
#else

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

#include <executorch/runtime/platform/compiler.h>

#if defined(_MSC_VER)
#define O_RDONLY _O_RDONLY
#define open _open
#define close _close
#define read _read
#define write _write
#define stat _stat64
#define fstat _fstat64
#define off_t _off_t
#define lseek _lseeki64
#endif

/// Reads `nbytes` at `offset` without moving the file position. -1 with errno set on failure, 0 at
/// the end.
inline ssize_t pread(int fd, void* buf, size_t nbytes, size_t offset) {
  const HANDLE file = reinterpret_cast<HANDLE>(_get_osfhandle(fd));
  OVERLAPPED position;
  memset(&position, 0, sizeof(position));
  position.Offset = static_cast<DWORD>(offset & 0xffffffffu);
  position.OffsetHigh = static_cast<DWORD>(static_cast<unsigned long long>(offset) >> 32);
  const DWORD wanted = nbytes > 0x7fffffffu ? 0x7fffffffu : static_cast<DWORD>(nbytes);
  DWORD got = 0;
  BOOL done = ReadFile(file, buf, wanted, &got, &position);
  if (!done && GetLastError() == ERROR_IO_PENDING) {
    done = GetOverlappedResult(file, &position, &got, TRUE);
  }
  if (done) return static_cast<ssize_t>(got);
  if (GetLastError() == ERROR_HANDLE_EOF) return 0;
  errno = EIO;
  return -1;
}

#endif
