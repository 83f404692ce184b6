/**
 * @file
 * Symbol visibility. Every shared library is compiled with hidden symbols and exports what carries
 * the macro of its component: `EXECUTORCH_API` for libexecutorch, `EXECUTORCH_<COMPONENT>_API` for
 * the others. The library itself is built with `EXECUTORCH_BUILDING_<COMPONENT>` defined.
 */
#pragma once

#if defined(_WIN32)
#define EXECUTORCH_EXPORT_SYMBOL __declspec(dllexport)
#define EXECUTORCH_IMPORT_SYMBOL __declspec(dllimport)
#else
#define EXECUTORCH_EXPORT_SYMBOL __attribute__((visibility("default")))
#define EXECUTORCH_IMPORT_SYMBOL __attribute__((visibility("default")))
#endif

#if defined(EXECUTORCH_BUILDING_RUNTIME)
#define EXECUTORCH_API EXECUTORCH_EXPORT_SYMBOL
#else
#define EXECUTORCH_API EXECUTORCH_IMPORT_SYMBOL
#endif

#if defined(EXECUTORCH_BUILDING_THREADPOOL)
#define EXECUTORCH_THREADPOOL_API EXECUTORCH_EXPORT_SYMBOL
#else
#define EXECUTORCH_THREADPOOL_API EXECUTORCH_IMPORT_SYMBOL
#endif

#if defined(EXECUTORCH_BUILDING_COMPUTE)
#define EXECUTORCH_COMPUTE_API EXECUTORCH_EXPORT_SYMBOL
#else
#define EXECUTORCH_COMPUTE_API EXECUTORCH_IMPORT_SYMBOL
#endif

#if defined(EXECUTORCH_BUILDING_KERNELS)
#define EXECUTORCH_KERNELS_API EXECUTORCH_EXPORT_SYMBOL
#else
#define EXECUTORCH_KERNELS_API EXECUTORCH_IMPORT_SYMBOL
#endif

#if defined(EXECUTORCH_BUILDING_ETDUMP)
#define EXECUTORCH_ETDUMP_API EXECUTORCH_EXPORT_SYMBOL
#else
#define EXECUTORCH_ETDUMP_API EXECUTORCH_IMPORT_SYMBOL
#endif
