#include <executorch/runtime/platform/runtime.h>

#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/profiler.h>

namespace executorch {
namespace runtime {

void runtime_init() {
  pal_init();
#if !defined(EXECUTORCH_MINIMAL)
  profiler_init();
#endif
}

}  // namespace runtime
}  // namespace executorch
