/**
 * @file
 * Symbol visibility macros, under the names that PyTorch uses.
 */
#pragma once

// The guard's name is PyTorch's: whichever copy is seen first wins.
#ifndef C10_MACROS_EXPORT_H_
#define C10_MACROS_EXPORT_H_

#if defined(_WIN32)
#define C10_HIDDEN
#if defined(C10_BUILD_SHARED_LIBS)
#define C10_EXPORT __declspec(dllexport)
#define C10_IMPORT __declspec(dllimport)
#else
#define C10_EXPORT
#define C10_IMPORT
#endif
#elif defined(__GNUC__)
#define C10_HIDDEN __attribute__((__visibility__("hidden")))
#define C10_EXPORT __attribute__((__visibility__("default")))
#define C10_IMPORT C10_EXPORT
#else
#define C10_HIDDEN
#define C10_EXPORT
#define C10_IMPORT
#endif

#ifdef NO_EXPORT
#undef C10_EXPORT
#define C10_EXPORT
#endif

#ifdef C10_BUILD_MAIN_LIB
#define C10_API C10_EXPORT
#else
#define C10_API C10_IMPORT
#endif

#define C10_API_ENUM
#define TORCH_API C10_IMPORT

#endif  // C10_MACROS_EXPORT_H_
