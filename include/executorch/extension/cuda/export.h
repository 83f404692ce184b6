/**
 * @file
 * Visibility of what libexecutorch_extension_cuda exports.
 */
#pragma once

#include <executorch/runtime/platform/export.h>

#if defined(EXECUTORCH_EXTENSION_CUDA_BUILDING) || defined(EXECUTORCH_BUILDING_EXTENSION_CUDA)
#define EXECUTORCH_EXTENSION_CUDA_API EXECUTORCH_EXPORT_SYMBOL
#else
#define EXECUTORCH_EXTENSION_CUDA_API EXECUTORCH_IMPORT_SYMBOL
#endif
