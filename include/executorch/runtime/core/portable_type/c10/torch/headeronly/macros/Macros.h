/**
 * @file
 * Compiler macros, under the names that PyTorch uses.
 */
#pragma once

// The guard's name is PyTorch's: whichever copy is seen first wins.
#ifndef C10_MACROS_MACROS_H_
#define C10_MACROS_MACROS_H_

#include <cassert>
#include <cstdint>

#include <torch/headeronly/macros/Export.h>

// -- Sanitizers --

#if defined(__clang__)
#define __ubsan_ignore_float_divide_by_zero__ __attribute__((no_sanitize("float-divide-by-zero")))
#define __ubsan_ignore_undefined__ __attribute__((no_sanitize("undefined")))
#define __ubsan_ignore_signed_int_overflow__ __attribute__((no_sanitize("signed-integer-overflow")))
#define __ubsan_ignore_pointer_overflow__ __attribute__((no_sanitize("pointer-overflow")))
#define __ubsan_ignore_function__ __attribute__((no_sanitize("function")))
#define __ubsan_ignore_float_cast_overflow__ __attribute__((no_sanitize("float-cast-overflow")))
#else
#define __ubsan_ignore_float_divide_by_zero__
#define __ubsan_ignore_undefined__
#define __ubsan_ignore_signed_int_overflow__
#define __ubsan_ignore_pointer_overflow__
#define __ubsan_ignore_function__
#define __ubsan_ignore_float_cast_overflow__
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define C10_ASAN_ENABLED 1
#endif
#if __has_feature(undefined_behavior_sanitizer)
#define C10_UBSAN_ENABLED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(C10_ASAN_ENABLED)
#define C10_ASAN_ENABLED 1
#endif
#ifndef C10_ASAN_ENABLED
#define C10_ASAN_ENABLED 0
#endif
#ifndef C10_UBSAN_ENABLED
#define C10_UBSAN_ENABLED 0
#endif

// -- Text --

#define C10_CONCATENATE_IMPL(left__, right__) left__##right__
#define C10_CONCATENATE(left__, right__) C10_CONCATENATE_IMPL(left__, right__)
#define C10_MACRO_EXPAND(args__) args__
#define C10_STRINGIZE_IMPL(text__) #text__
#define C10_STRINGIZE(text__) C10_STRINGIZE_IMPL(text__)

#ifdef __COUNTER__
#define C10_UID __COUNTER__
#else
#define C10_UID __LINE__
#endif
#define C10_ANONYMOUS_VARIABLE(prefix__) C10_CONCATENATE(prefix__, C10_UID)

// -- Attributes --

#ifdef __has_cpp_attribute
#define C10_HAS_CPP_ATTRIBUTE(attribute__) __has_cpp_attribute(attribute__)
#else
#define C10_HAS_CPP_ATTRIBUTE(attribute__) (0)
#endif

#if defined(__clang__) && C10_HAS_CPP_ATTRIBUTE(clang::lifetimebound)
#define C10_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define C10_LIFETIMEBOUND
#endif

#define C10_NODISCARD [[nodiscard]]
#define C10_UNUSED [[maybe_unused]]
#define C10_RESTRICT __restrict

#if defined(__GNUC__)
#define C10_USED __attribute__((__used__))
#define C10_NOINLINE __attribute__((noinline))
#define C10_ALWAYS_INLINE_ATTRIBUTE __attribute__((__always_inline__))
#define C10_ALWAYS_INLINE __attribute__((__always_inline__)) inline
#define C10_ATTR_VISIBILITY_HIDDEN __attribute__((__visibility__("hidden")))
#define C10_LIKELY(condition__) (__builtin_expect(static_cast<bool>(condition__), 1))
#define C10_UNLIKELY(condition__) (__builtin_expect(static_cast<bool>(condition__), 0))
#else
#define C10_USED
#if defined(_MSC_VER)
#define C10_NOINLINE __declspec(noinline)
#define C10_ALWAYS_INLINE __forceinline
#else
#define C10_NOINLINE
#define C10_ALWAYS_INLINE inline
#endif
#define C10_ALWAYS_INLINE_ATTRIBUTE
#define C10_ATTR_VISIBILITY_HIDDEN
#define C10_LIKELY(condition__) (condition__)
#define C10_UNLIKELY(condition__) (condition__)
#endif

#define C10_ERASE C10_ALWAYS_INLINE C10_ATTR_VISIBILITY_HIDDEN

#define C10_DISABLE_COPY_AND_ASSIGN(class__) \
  class__(const class__&) = delete;          \
  class__& operator=(const class__&) = delete

#if defined(__CUDACC__) || defined(__HIPCC__)
#define C10_HOST_DEVICE __host__ __device__
#define C10_HOST __host__
#define C10_DEVICE __device__
#else
#define C10_HOST_DEVICE
#define C10_HOST
#define C10_DEVICE
#endif

#define C10_WARP_SIZE 32

// -- Warnings --

#define C10_INTERNAL_PRAGMA(text__) _Pragma(#text__)

#if defined(__clang__)
#define C10_CLANG_DIAGNOSTIC_PUSH() C10_INTERNAL_PRAGMA(clang diagnostic push)
#define C10_CLANG_DIAGNOSTIC_POP() C10_INTERNAL_PRAGMA(clang diagnostic pop)
#define C10_CLANG_DIAGNOSTIC_IGNORE(flag__) C10_INTERNAL_PRAGMA(clang diagnostic ignored flag__)
#define C10_CLANG_HAS_WARNING(flag__) __has_warning(flag__)
#define C10_DIAGNOSTIC_PUSH_AND_IGNORED_IF_DEFINED(flag__)                 \
  C10_INTERNAL_PRAGMA(clang diagnostic push)                               \
  C10_INTERNAL_PRAGMA(clang diagnostic ignored "-Wunknown-warning-option") \
  C10_INTERNAL_PRAGMA(clang diagnostic ignored flag__)
#define C10_DIAGNOSTIC_POP() C10_INTERNAL_PRAGMA(clang diagnostic pop)
#else
#define C10_CLANG_DIAGNOSTIC_PUSH()
#define C10_CLANG_DIAGNOSTIC_POP()
#define C10_CLANG_DIAGNOSTIC_IGNORE(flag__)
#define C10_CLANG_HAS_WARNING(flag__) 0
#if defined(__GNUC__)
#define C10_DIAGNOSTIC_PUSH_AND_IGNORED_IF_DEFINED(flag__) \
  C10_INTERNAL_PRAGMA(GCC diagnostic push)                 \
  C10_INTERNAL_PRAGMA(GCC diagnostic ignored "-Wpragmas")  \
  C10_INTERNAL_PRAGMA(GCC diagnostic ignored flag__)
#define C10_DIAGNOSTIC_POP() C10_INTERNAL_PRAGMA(GCC diagnostic pop)
#else
#define C10_DIAGNOSTIC_PUSH_AND_IGNORED_IF_DEFINED(flag__)
#define C10_DIAGNOSTIC_POP()
#endif
#endif

#endif  // C10_MACROS_MACROS_H_

namespace c10 {}

namespace at {
using namespace c10;
}  // namespace at
