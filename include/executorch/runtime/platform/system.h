/**
 * @file
 * Questions about the process, answered without the runtime library.
 */
#pragma once

#if defined(ET_USE_LIBDL)
#include <dlfcn.h>
#endif

/// Answer of et_pal_get_shared_library_name() in a build without ET_USE_LIBDL.
static constexpr const char* DYNAMIC_LIBRARY_NOT_SUPPORTED = "NOT_SUPPORTED";
/// Answer of et_pal_get_shared_library_name() for an address that is in no library.
static constexpr const char* DYNAMIC_LIBRARY_NOT_FOUND = "NOT_FOUND";

extern "C" {

/// The file of the shared library or program that contains `addr`, or one of the two constants
/// above.
inline const char* et_pal_get_shared_library_name(const void* addr) {
#if defined(ET_USE_LIBDL)
  Dl_info info;
  if (dladdr(addr, &info) != 0 && info.dli_fname != nullptr) return info.dli_fname;
  return DYNAMIC_LIBRARY_NOT_FOUND;
#else
  (void)addr;
  return DYNAMIC_LIBRARY_NOT_SUPPORTED;
#endif
}

}  // extern "C"
