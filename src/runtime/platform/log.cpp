#include <executorch/runtime/platform/log.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {
namespace {

constexpr size_t kMaxLogMessageSize = 1024;
constexpr int kNotRead = -1;

/// A LogLevel, or kNotRead before the environment was looked at.
constinit std::atomic<int> lowest_level{kNotRead};

LogLevel level_from_environment() {
  static constexpr const char* names[] = {"debug", "info", "error", "fatal", "off"};
  const char* const wanted = std::getenv("EXECUTORCH_LOG_LEVEL");
  if (wanted == nullptr) return LogLevel::Debug;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    if (std::strcmp(wanted, names[i]) == 0) return static_cast<LogLevel>(i);
  }
  return LogLevel::Debug;
}

et_pal_log_level_t platform_level(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return kDebug;
    case LogLevel::Info:
      return kInfo;
    case LogLevel::Error:
      return kError;
    case LogLevel::Fatal:
      return kFatal;
    case LogLevel::NumLevels:
      break;
  }
  return kUnknown;
}

}  // namespace

void set_log_level(LogLevel level) {
  lowest_level.store(static_cast<int>(level), std::memory_order_relaxed);
}

LogLevel log_level() {
  int level = lowest_level.load(std::memory_order_relaxed);
  if (level == kNotRead) {
    const int read = static_cast<int>(level_from_environment());
    // A level that was set meanwhile stays: the exchange then fails and yields it.
    if (lowest_level.compare_exchange_strong(level, read, std::memory_order_relaxed)) level = read;
  }
  return static_cast<LogLevel>(level);
}

namespace internal {

et_timestamp_t get_log_timestamp() {
  return pal_current_ticks();
}

void vlogf(LogLevel level, et_timestamp_t timestamp, const char* filename, const char* function,
           size_t line, const char* format, va_list args) {
  if (level < log_level()) return;
  char message[kMaxLogMessageSize];
  const int written = std::vsnprintf(message, sizeof(message), format, args);
  if (written < 0) {
    std::snprintf(message, sizeof(message), "(a message that cannot be formatted: %s)", format);
  }
  pal_emit_log_message(timestamp, platform_level(level), filename, function, line, message,
                       std::strlen(message));
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
