// A minimal build plans nothing: instructions run one by one.
#include "runtime/loading/method_loader.h"

namespace executorch {
namespace runtime {
namespace internal {

const char* cache_dir(const LoadOptions& options) {
  return options.cache_dir;
}

bool is_planned(const LoadOptions&) {
  return false;
}

Error plan_method(MethodImpl&, const LoadOptions&) {
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
