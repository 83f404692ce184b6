#include "runtime/platform/lock.h"

#if defined(_WIN32) && !defined(EXECUTORCH_MINIMAL)
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

namespace executorch {
namespace runtime {
namespace internal {

static_assert(sizeof(SRWLOCK) == sizeof(void*) && alignof(SRWLOCK) == alignof(void*));

void Lock::lock() {
  AcquireSRWLockExclusive(reinterpret_cast<SRWLOCK*>(&state_));
}

void Lock::unlock() {
  ReleaseSRWLockExclusive(reinterpret_cast<SRWLOCK*>(&state_));
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
#endif
