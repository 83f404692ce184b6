#ifdef _WIN32

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <io.h>
#include <cerrno>

#include <executorch/extension/data_loader/mman_windows.h>

namespace {

/// The nearest errno to what Windows reported last.
int last_errno() {
  switch (GetLastError()) {
    case ERROR_ACCESS_DENIED:
      return EACCES;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
      return ENOMEM;
    case ERROR_INVALID_HANDLE:
      return EBADF;
    default:
      return EINVAL;
  }
}

DWORD low_half(uint64_t value) {
  return static_cast<DWORD>(value & 0xffffffffu);
}
DWORD high_half(uint64_t value) {
  return static_cast<DWORD>(value >> 32);
}

DWORD page_protection(int prot, bool copy_on_write) {
  if (prot == PROT_NONE) {
    return PAGE_NOACCESS;
  }
  const bool execute = (prot & PROT_EXEC) != 0;
  if ((prot & PROT_WRITE) == 0) {
    return execute ? PAGE_EXECUTE_READ : PAGE_READONLY;
  }
  if (copy_on_write) {
    return execute ? PAGE_EXECUTE_WRITECOPY : PAGE_WRITECOPY;
  }
  return execute ? PAGE_EXECUTE_READWRITE : PAGE_READWRITE;
}

DWORD view_access(int prot, bool copy_on_write) {
  DWORD access = FILE_MAP_READ;
  if ((prot & PROT_WRITE) != 0) {
    access = copy_on_write ? FILE_MAP_COPY : (FILE_MAP_READ | FILE_MAP_WRITE);
  }
  return (prot & PROT_EXEC) != 0 ? access | FILE_MAP_EXECUTE : access;
}

int report(BOOL done) {
  if (done) {
    return 0;
  }
  errno = last_errno();
  return -1;
}

}  // namespace

void* mmap(void* /*addr*/, size_t len, int prot, int flags, int fildes, uint64_t off) {
  if (len == 0 || (flags & MAP_FIXED) != 0 || prot == PROT_EXEC) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  const bool anonymous = (flags & MAP_ANONYMOUS) != 0;
  const HANDLE file =
      anonymous ? INVALID_HANDLE_VALUE : reinterpret_cast<HANDLE>(_get_osfhandle(fildes));
  if (!anonymous && file == INVALID_HANDLE_VALUE) {
    errno = EBADF;
    return MAP_FAILED;
  }
  const bool copy_on_write = !anonymous && (flags & MAP_PRIVATE) != 0;
  const uint64_t first = anonymous ? 0 : off;
  const uint64_t end = first + len;
  const HANDLE mapping = CreateFileMapping(file, nullptr, page_protection(prot, copy_on_write),
                                           high_half(end), low_half(end), nullptr);
  if (mapping == nullptr) {
    errno = last_errno();
    return MAP_FAILED;
  }
  void* const view = MapViewOfFile(mapping, view_access(prot, copy_on_write), high_half(first),
                                   low_half(first), len);
  const int reason = view == nullptr ? last_errno() : 0;
  // The view keeps the mapping alive.
  CloseHandle(mapping);
  if (view == nullptr) {
    errno = reason;
    return MAP_FAILED;
  }
  return view;
}

int munmap(void* addr, size_t /*len*/) {
  return report(UnmapViewOfFile(addr));
}

int mprotect(void* addr, size_t len, int prot) {
  DWORD earlier = 0;
  return report(VirtualProtect(addr, len, page_protection(prot, false), &earlier));
}

int msync(void* addr, size_t len, int /*flags*/) {
  return report(FlushViewOfFile(addr, len));
}

int mlock(const void* addr, size_t len) {
  return report(VirtualLock(const_cast<void*>(addr), len));
}

int munlock(const void* addr, size_t len) {
  return report(VirtualUnlock(const_cast<void*>(addr), len));
}

#endif
