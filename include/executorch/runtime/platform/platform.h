/**
 * @file
 * The platform layer: time, messages, memory and abort, replaceable by the application in two ways.
 *
 * - At link time: define any of the `et_pal_*` functions in the application. The runtime's own
 * definitions are weak.
 * - At run time: register_pal() with a table of functions; entries left null keep what is active.
 *
 * The runtime calls the `pal_*` functions of namespace executorch::runtime, which go through the
 * active table.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>
#include <executorch/runtime/platform/types.h>

// Set to ET_WEAK by the file that carries the replaceable definitions.
#ifndef ET_INTERNAL_PLATFORM_WEAKNESS
#define ET_INTERNAL_PLATFORM_WEAKNESS
#endif

extern "C" {

/// nanoseconds = ticks * numerator / denominator
typedef struct {
  uint64_t numerator;
  uint64_t denominator;
} et_tick_ratio_t;

/// Severity of a message, a printable letter.
typedef enum {
  kDebug = 'D',
  kInfo = 'I',
  kError = 'E',
  kFatal = 'F',
  kUnknown = '?',
} et_pal_log_level_t;

/// Prepares the platform. May be called more than once.
EXECUTORCH_API void et_pal_init(void) ET_INTERNAL_PLATFORM_WEAKNESS;
using pal_init_method = void (*)();

/// Ends the process.
ET_NORETURN EXECUTORCH_API void et_pal_abort(void) ET_INTERNAL_PLATFORM_WEAKNESS;
using pal_abort_method = void (*)();

/// A monotonic time in ticks. Thread-safe.
EXECUTORCH_API et_timestamp_t et_pal_current_ticks(void) ET_INTERNAL_PLATFORM_WEAKNESS;
typedef et_timestamp_t (*et_pal_current_ticks_t)(void);
using pal_current_ticks_method = et_timestamp_t (*)();

/// How many nanoseconds a tick takes, as a fraction.
EXECUTORCH_API et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void) ET_INTERNAL_PLATFORM_WEAKNESS;
using pal_ticks_to_ns_multiplier_method = et_tick_ratio_t (*)();

/**
 * Shows one message. Thread-safe.
 *
 * @param[in] timestamp When the message was made, in ticks.
 * @param[in] level Severity.
 * @param[in] filename Source file, without folders.
 * @param[in] function Function that logs.
 * @param[in] line Line in the file.
 * @param[in] message Text, terminated by zero, without a newline.
 * @param[in] length Bytes of the text without its terminator.
 */
EXECUTORCH_API void et_pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level,
                                            const char* filename, const char* function, size_t line,
                                            const char* message,
                                            size_t length) ET_INTERNAL_PLATFORM_WEAKNESS;
using pal_emit_log_message_method = void (*)(et_timestamp_t timestamp, et_pal_log_level_t level,
                                             const char* filename, const char* function,
                                             size_t line, const char* message, size_t length);

/// `size` bytes aligned for any scalar type, or null. Released by et_pal_free().
EXECUTORCH_API void* et_pal_allocate(size_t size) ET_INTERNAL_PLATFORM_WEAKNESS;
using pal_allocate_method = void* (*)(size_t size);

/// Releases memory of et_pal_allocate(); null is allowed.
EXECUTORCH_API void et_pal_free(void* ptr) ET_INTERNAL_PLATFORM_WEAKNESS;
using pal_free_method = void (*)(void* ptr);

}  // extern "C"

namespace executorch::runtime {

/// Table of platform functions. A null entry means "leave as it is" when the table is registered.
struct EXECUTORCH_API PalImpl {
  /// A table that only redirects messages.
  static PalImpl create(pal_emit_log_message_method emit_log_message, const char* source_filename);

  static PalImpl create(pal_init_method init, pal_abort_method abort,
                        pal_current_ticks_method current_ticks,
                        pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier,
                        pal_emit_log_message_method emit_log_message, pal_allocate_method allocate,
                        pal_free_method free, const char* source_filename);

  pal_init_method init = nullptr;
  pal_abort_method abort = nullptr;
  pal_current_ticks_method current_ticks = nullptr;
  pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier = nullptr;
  pal_emit_log_message_method emit_log_message = nullptr;
  pal_allocate_method allocate = nullptr;
  pal_free_method free = nullptr;

  /// File that made the table, for messages; may be null.
  const char* source_filename = nullptr;
};

/**
 * Replaces the functions that `impl` names. May be called from a static initializer and while other
 * threads use the platform: each call sees the old or the new function. A later registration wins.
 *
 * @returns true; the result is kept for compatibility.
 */
EXECUTORCH_API bool register_pal(PalImpl impl);

/// The active table. Never null, no null entries among the functions; valid for the life of the
/// process.
EXECUTORCH_API const PalImpl* get_pal_impl();

/// The hooks of the active table; see the `et_pal_*` function of the same name.
EXECUTORCH_API void pal_init();
ET_NORETURN EXECUTORCH_API void pal_abort();
EXECUTORCH_API et_timestamp_t pal_current_ticks();
EXECUTORCH_API et_tick_ratio_t pal_ticks_to_ns_multiplier();
EXECUTORCH_API void pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level,
                                         const char* filename, const char* function, size_t line,
                                         const char* message, size_t length);
EXECUTORCH_API void* pal_allocate(size_t size);
EXECUTORCH_API void pal_free(void* ptr);

}  // namespace executorch::runtime
