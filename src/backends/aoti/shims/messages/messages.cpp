// What generated code has to say. Compiled with exceptions, which generated code catches where it
// was called.
#include <cinttypes>
#include <stdexcept>
#include <string>

#include <executorch/runtime/platform/log.h>

#include "backends/aoti/shims/common/common_table.h"

namespace executorch::backends::aoti {

void fail_check(const char* function, const char* file, uint32_t line, const char* message) {
  const std::string text = message == nullptr ? "a condition does not hold" : message;
  runtime::set_error_message("%s (%s, %s:%" PRIu32 ")", text.c_str(),
                             function == nullptr ? "" : function, file == nullptr ? "" : file,
                             line);
  throw std::runtime_error(text);
}

extern "C" {

void AOTI_SHIM(warn)(const char* function, const char* file, uint32_t line, const char* message) {
  ET_LOG(Info, "generated code warns: %s (%s, %s:%" PRIu32 ")", message == nullptr ? "" : message,
         function == nullptr ? "" : function, file == nullptr ? "" : file, line);
}

void AOTI_SHIM(check)(bool condition, const char* function, const char* file, uint32_t line,
                      const char* message) {
  if (!condition) fail_check(function, file, line, message);
}

}  // extern "C"

}  // namespace executorch::backends::aoti
