/**
 * @file
 * Start-up of the runtime.
 */
#pragma once

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {

/**
 * Prepares the platform and the profiler. Call it once before other functions of the runtime;
 * calling it again does no harm.
 */
EXECUTORCH_API void runtime_init();

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::runtime_init;
}  // namespace executor
}  // namespace torch
