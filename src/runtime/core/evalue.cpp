#include <executorch/runtime/core/evalue.h>

#include <executorch/runtime/core/error_message.h>

namespace executorch {
namespace runtime {
namespace internal {

Error evalue_kind_error(const char* expected, Tag found) {
  char found_name[kTagNameBufferSize];
  tag_to_string(found, found_name, sizeof(found_name));
  return ET_ERROR(InvalidType, "expected a value of kind %s, found %s", expected, found_name);
}

Error evalue_list_error(size_t index, const char* problem, Error error) {
  if (problem != nullptr) {
    set_error_message("%s", problem);
  }
  add_error_context("list element %zu", index);
  return error;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
