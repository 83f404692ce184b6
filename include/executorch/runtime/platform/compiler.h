/**
 * @file
 * What differs between compilers, as macros. Nothing here depends on another header of the project.
 */
#pragma once

#if defined(_MSC_VER)
#include <sal.h>
#include <stddef.h>
using ssize_t = ptrdiff_t;
#else
#include <sys/types.h>
#endif

#if defined(_MSC_VER)
#define ET_INTERNAL_CPLUSPLUS _MSVC_LANG
#else
#define ET_INTERNAL_CPLUSPLUS __cplusplus
#endif
#if ET_INTERNAL_CPLUSPLUS < 201703L
#error "ExecuTorch headers need C++17 or later"
#endif
#if defined(_MSC_VER) && (defined(min) || defined(max))
#error "Define NOMINMAX before including windows.h: its min and max macros break ExecuTorch headers"
#endif

// Attributes.
#define ET_NORETURN [[noreturn]]
#define ET_DEPRECATED [[deprecated]]
#define ET_EXPERIMENTAL [[deprecated("Experimental: this interface may change without notice.")]]
#define ET_FALLTHROUGH [[fallthrough]]
#define ET_NODISCARD [[nodiscard]]
#define ET_UNUSED [[maybe_unused]]

// Written `if ET_LIKELY (condition) {...}`.
#if ET_INTERNAL_CPLUSPLUS >= 202002L
#define ET_LIKELY(expr) (expr) [[likely]]
#define ET_UNLIKELY(expr) (expr) [[unlikely]]
#else
#define ET_LIKELY(expr) (expr)
#define ET_UNLIKELY(expr) (expr)
#endif

#if defined(_MSC_VER)
#define ET_NOINLINE __declspec(noinline)
#define ET_INLINE __forceinline
#define ET_RESTRICT __restrict
#define ET_UNREACHABLE() __assume(0)
#define ET_WEAK
#define ET_PRINTFLIKE(_string_index, _va_index) _Printf_format_string_
#else
#define ET_NOINLINE __attribute__((noinline))
#define ET_INLINE __attribute__((always_inline)) inline
#define ET_RESTRICT __restrict__
#define ET_UNREACHABLE() __builtin_unreachable()
#define ET_WEAK __attribute__((weak))
#if defined(__MINGW32__) && !defined(__clang__)
// The C runtime's own functions know other conversions than those of mingw-w64 that C++ gets.
#define ET_PRINTFLIKE(_string_index, _va_index) \
  __attribute__((format(gnu_printf, _string_index, _va_index)))
#else
#define ET_PRINTFLIKE(_string_index, _va_index) \
  __attribute__((format(printf, _string_index, _va_index)))
#endif
#endif

#ifndef __has_builtin
#define __has_builtin(x) (0)
#endif

// Where a message comes from: file name without its folders, line, function.
#if defined(__FILE_NAME__)
#define ET_SHORT_FILENAME __FILE_NAME__
#elif __has_builtin(__builtin_strrchr)
#define ET_SHORT_FILENAME (__builtin_strrchr("/" __FILE__, '/') + 1)
#else
#define ET_SHORT_FILENAME __FILE__
#endif

#if __has_builtin(__builtin_LINE)
#define ET_LINE __builtin_LINE()
#else
#define ET_LINE __LINE__
#endif

#if defined(ET_USE_BUILTIN_FUNCTION_NAME) && ET_USE_BUILTIN_FUNCTION_NAME == 0
#define ET_FUNCTION __FUNCTION__
#elif __has_builtin(__builtin_FUNCTION)
#define ET_FUNCTION __builtin_FUNCTION()
#else
#define ET_FUNCTION __FUNCTION__
#endif

// printf conversions of size_t and ssize_t, without the percent sign.
#if defined(__XTENSA__)
#define ET_PRIsize_t "u"
#define ET_PRIssize_t "d"
#else
#define ET_PRIsize_t "zu"
#define ET_PRIssize_t "zd"
#endif

/// 1 where `({ ...; value; })` is an expression.
#ifndef ET_HAVE_GNU_STATEMENT_EXPRESSIONS
#if defined(__GNUC__) || defined(__clang__)
#define ET_HAVE_GNU_STATEMENT_EXPRESSIONS 1
#else
#define ET_HAVE_GNU_STATEMENT_EXPRESSIONS 0
#endif
#endif

/// 1 when the including file is compiled with exceptions.
#if defined(__EXCEPTIONS) || (defined(_MSC_VER) && defined(_HAS_EXCEPTIONS) && _HAS_EXCEPTIONS)
#define ET_HAS_EXCEPTIONS 1
#else
#define ET_HAS_EXCEPTIONS 0
#endif

// Older spelling of the same macros.
#define __ET_DEPRECATED ET_DEPRECATED
#define __ET_FALLTHROUGH ET_FALLTHROUGH
#define __ET_FUNCTION ET_FUNCTION
#define __ET_HAVE_GNU_STATEMENT_EXPRESSIONS ET_HAVE_GNU_STATEMENT_EXPRESSIONS
#define __ET_INLINE ET_INLINE
#define __ET_LIKELY ET_LIKELY
#define __ET_LINE ET_LINE
#define __ET_NODISCARD ET_NODISCARD
#define __ET_NOINLINE ET_NOINLINE
#define __ET_NORETURN ET_NORETURN
#define __ET_PRINTFLIKE ET_PRINTFLIKE
#define __ET_SHORT_FILENAME ET_SHORT_FILENAME
#define __ET_UNLIKELY ET_UNLIKELY
#define __ET_UNREACHABLE ET_UNREACHABLE
#define __ET_UNUSED ET_UNUSED
#define __ET_WEAK ET_WEAK
