// The hooks that an application may replace at link time. They use the C++ runtime only, so they
// serve every system that has one.
#include <executorch/runtime/platform/compiler.h>

// PE files have no weak definitions that another library could replace.
#if !defined(_WIN32)
#define ET_INTERNAL_PLATFORM_WEAKNESS ET_WEAK
#endif
#include <executorch/runtime/platform/platform.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#if !defined(EXECUTORCH_MINIMAL)
namespace {

/// Hours, minutes, seconds and microseconds of a time in nanoseconds.
struct ClockTime {
  explicit ClockTime(uint64_t ns)
      : hours(ns / 3'600'000'000'000),
        minutes(static_cast<unsigned>(ns / 60'000'000'000 % 60)),
        seconds(static_cast<unsigned>(ns / 1'000'000'000 % 60)),
        micros(static_cast<unsigned>(ns / 1'000 % 1'000'000)) {}

  uint64_t hours;
  unsigned minutes;
  unsigned seconds;
  unsigned micros;
};

}  // namespace
#endif

extern "C" {

void et_pal_init(void) {}

void et_pal_abort(void) {
  std::abort();
}

et_timestamp_t et_pal_current_ticks(void) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<et_timestamp_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void) {
  return {1, 1};
}

#if defined(EXECUTORCH_MINIMAL)
void et_pal_emit_log_message(et_timestamp_t, et_pal_log_level_t, const char*, const char*, size_t,
                             const char*, size_t) {}
#else
void et_pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level,
                             const char* filename, const char* /*function*/, size_t line,
                             const char* message, size_t /*length*/) {
  const ClockTime time(timestamp);
  // One call, so that lines of several threads do not mix.
  std::fprintf(stderr, "%c %02llu:%02u:%02u.%06u executorch:%s:%zu] %s\n", static_cast<char>(level),
               static_cast<unsigned long long>(time.hours), time.minutes, time.seconds, time.micros,
               filename, line, message);
  std::fflush(stderr);
}
#endif

void* et_pal_allocate(size_t size) {
  return std::malloc(size);
}

void et_pal_free(void* ptr) {
  std::free(ptr);
}

}  // extern "C"
