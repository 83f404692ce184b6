/**
 * @file
 * The sentence behind an error code. Functions that return an `Error` leave a text for it: what was
 * refused, where (file, method, instruction, operator, argument), what was expected and what was
 * found.
 *
 * The text belongs to the calling thread, as `errno` does: it describes the most recent failure on
 * this thread and stays until the next one. Setting it allocates nothing; a text over the limit is
 * cut.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

#if defined(__GNUC__)
#define ET_PRINTF_FORMAT(format_index__, first_index__) \
  ET_PRINTFLIKE(format_index__, first_index__)
#else
#define ET_PRINTF_FORMAT(format_index__, first_index__)
#endif

namespace executorch {
namespace runtime {

/// Longest text kept, in bytes, with the terminating zero.
constexpr size_t kMaxErrorMessageSize = 2048;

/// The text of the most recent failure on this thread, "" if there was none. Never null. The
/// pointer stays valid for the life of the thread; what it shows changes with the next failure.
EXECUTORCH_API const char* last_error_message() noexcept;

/// Replaces this thread's text. Bytes that are not printable UTF-8 are shown escaped.
EXECUTORCH_API void set_error_message(const char* format, ...) noexcept ET_PRINTF_FORMAT(1, 2);

/// Puts "<context>: " before this thread's text, for callers that know more of the place than the
/// callee.
EXECUTORCH_API void add_error_context(const char* format, ...) noexcept ET_PRINTF_FORMAT(1, 2);

/// Empties this thread's text.
EXECUTORCH_API void clear_error_message() noexcept;

}  // namespace runtime
}  // namespace executorch

/// Sets this thread's error text and yields `Error::error__`: `return ET_ERROR(InvalidProgram,
/// "value %zu …", i);`
#define ET_ERROR(error__, ...) \
  (::executorch::runtime::set_error_message(__VA_ARGS__), ::executorch::runtime::Error::error__)

/// Returns `Error::error__` with a text unless the condition holds. Unlike ET_CHECK_OR_RETURN_ERROR
/// it never logs.
#define ET_REQUIRE(cond__, error__, ...)                  \
  do {                                                    \
    if (!(cond__)) return ET_ERROR(error__, __VA_ARGS__); \
  } while (0)

/// Returns the error of an expression of type Error unless it is Ok, text untouched.
#define ET_TRY(expression__)                                                       \
  do {                                                                             \
    const ::executorch::runtime::Error et_try_error__ = (expression__);            \
    if (et_try_error__ != ::executorch::runtime::Error::Ok) return et_try_error__; \
  } while (0)
