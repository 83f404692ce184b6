/**
 * @file
 * What the mapping data loader needs of the operating system, under one set of names: mmap and
 * friends in the global namespace, and small helpers for page size, file size and read-ahead.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/compiler.h>
#include <sys/stat.h>

#ifndef _WIN32

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/// Granularity of mapping offsets, in bytes.
ET_INLINE size_t get_os_page_size() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

/// Stores the size in bytes of an open file. Negative, with errno set, on failure.
ET_INLINE int get_file_stat(int fd, size_t* out_size) {
  struct stat info;
  const int status = ::fstat(fd, &info);
  if (status >= 0) {
    *out_size = static_cast<size_t>(info.st_size);
  }
  return status;
}

/// A file offset in the type that mmap takes.
ET_INLINE off_t get_mmap_offset(size_t offset) {
  return static_cast<off_t>(offset);
}

/// Asks for read-ahead of mapped pages. A hint: nothing is reported.
ET_INLINE void madvise_pages_willneed_sequential(void* addr, size_t len) {
#ifdef MADV_WILLNEED
  (void)::madvise(addr, len, MADV_WILLNEED);
#endif
#ifdef MADV_SEQUENTIAL
  (void)::madvise(addr, len, MADV_SEQUENTIAL);
#endif
  (void)addr;
  (void)len;
}

/// Asks Apple's kernels to read a file ahead; does nothing elsewhere.
ET_INLINE void fcntl_rdadvise_apple(int fd, size_t file_size) {
#if defined(__APPLE__)
  struct radvisory advice = {0, static_cast<int>(file_size)};
  (void)::fcntl(fd, F_RDADVISE, &advice);
#endif
  (void)fd;
  (void)file_size;
}

#else

#ifndef NOMINMAX
#define NOMINMAX
#include <windows.h>
#undef NOMINMAX
#else
#include <windows.h>
#endif
#include <io.h>

#include <executorch/extension/data_loader/mman_windows.h>

/// Granularity of mapping offsets, in bytes.
ET_INLINE long get_os_page_size() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return static_cast<long>(info.dwAllocationGranularity > info.dwPageSize
                               ? info.dwAllocationGranularity
                               : info.dwPageSize);
}

/// Stores the size in bytes of an open file. Negative, with errno set, on failure.
ET_INLINE int get_file_stat(int fd, size_t* out_size) {
  struct _stat64 info;
  const int status = ::_fstat64(fd, &info);
  if (status >= 0) {
    *out_size = static_cast<size_t>(info.st_size);
  }
  return status;
}

/// A file offset in the type that mmap takes.
ET_INLINE uint64_t get_mmap_offset(size_t offset) {
  return static_cast<uint64_t>(offset);
}

/// Windows has no such hint: does nothing.
ET_INLINE void madvise_pages_willneed_sequential(void* addr, size_t len) {
  (void)addr;
  (void)len;
}

/// Does nothing on Windows.
ET_INLINE void fcntl_rdadvise_apple(int fd, size_t file_size) {
  (void)fd;
  (void)file_size;
}

#endif
