/**
 * @file
 * Messages to the platform's log. ET_LOG is cut at compile time below ET_MIN_LOG_LEVEL and
 * altogether with ET_LOG_ENABLED 0; what is left can be cut further at run time with
 * set_log_level().
 */
#pragma once

#include <cinttypes>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>
#include <executorch/runtime/platform/types.h>

/// Name of the lowest LogLevel that is compiled in.
#ifndef ET_MIN_LOG_LEVEL
#define ET_MIN_LOG_LEVEL Info
#endif

#ifndef ET_LOG_ENABLED
#define ET_LOG_ENABLED 1
#endif

namespace executorch {
namespace runtime {

/// Severity, ascending.
enum class LogLevel : uint8_t {
  Debug,  ///< for who debugs the code that logs
  Info,   ///< worth knowing, nothing is wrong
  Error,  ///< something failed; the process goes on
  Fatal,  ///< the process is about to abort
  NumLevels,
};

/// Messages below `level` are dropped from now on; LogLevel::NumLevels drops all. Initially Debug
/// (nothing is dropped), or what EXECUTORCH_LOG_LEVEL in the environment names (debug, info, error,
/// fatal, off). Thread-safe.
EXECUTORCH_API void set_log_level(LogLevel level);

/// The level that set_log_level() set.
EXECUTORCH_API LogLevel log_level();

namespace internal {

/// Time stamp for a message.
EXECUTORCH_API et_timestamp_t get_log_timestamp();

/// Formats a message and hands it to the platform. A message over the limit of 1023 bytes is cut.
ET_PRINTFLIKE(6, 0)
EXECUTORCH_API void vlogf(LogLevel level, et_timestamp_t timestamp, const char* filename,
                          const char* function, size_t line, const char* format, va_list args);

ET_PRINTFLIKE(6, 7)
inline void logf(LogLevel level, et_timestamp_t timestamp, const char* filename,
                 const char* function, size_t line, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vlogf(level, timestamp, filename, function, line, format, args);
  va_end(args);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::LogLevel;
}  // namespace executor
}  // namespace torch

#if ET_LOG_ENABLED

/// Logs a printf-like message: `ET_LOG(Info, "loaded %zu methods", count);`
#define ET_LOG(_level, _format, ...)                                                              \
  do {                                                                                            \
    if (static_cast<uint32_t>(::executorch::runtime::LogLevel::_level) >=                         \
        static_cast<uint32_t>(::executorch::runtime::LogLevel::ET_MIN_LOG_LEVEL)) {               \
      ::executorch::runtime::internal::logf(::executorch::runtime::LogLevel::_level,              \
                                            ::executorch::runtime::internal::get_log_timestamp(), \
                                            ET_SHORT_FILENAME, ET_FUNCTION, ET_LINE,              \
                                            _format, ##__VA_ARGS__);                              \
    }                                                                                             \
  } while (0)

/// Logs an error unless the condition holds.
#define ET_CHECK_OR_LOG_ERROR(_condition, _format, ...)       \
  do {                                                        \
    if (!(_condition)) ET_LOG(Error, _format, ##__VA_ARGS__); \
  } while (0)

#else

#define ET_LOG(_level, _format, ...) ((void)0)
#define ET_CHECK_OR_LOG_ERROR(_condition, _format, ...) ((void)0)

#endif
