#include "runtime/platform/library_path.h"

#include <cstdio>

#if defined(EXECUTORCH_MINIMAL)
// Everything is in one program.
#elif defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace executorch {
namespace runtime {
namespace internal {

LibraryPath::LibraryPath(const void* address) {
  std::snprintf(text, sizeof(text), "(unknown file)");
#if defined(EXECUTORCH_MINIMAL)
  static_cast<void>(address);
#elif defined(_WIN32)
  HMODULE module = nullptr;
  constexpr DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  char path[kMaxLibraryPath];
  if (GetModuleHandleExA(flags, static_cast<LPCSTR>(address), &module) &&
      GetModuleFileNameA(module, path, sizeof(path)) != 0) {
    std::snprintf(text, sizeof(text), "%s", path);
  }
#else
  Dl_info info;
  if (dladdr(address, &info) != 0 && info.dli_fname != nullptr) {
    std::snprintf(text, sizeof(text), "%s", info.dli_fname);
  }
#endif
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
