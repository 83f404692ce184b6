// Error texts and messages of a minimal build: none.
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {

const char* last_error_message() noexcept {
  return "";
}

void set_error_message(const char*, ...) noexcept {}

void add_error_context(const char*, ...) noexcept {}

void clear_error_message() noexcept {}

namespace internal {

bool add_message(const char*, ...) noexcept {
  return false;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
