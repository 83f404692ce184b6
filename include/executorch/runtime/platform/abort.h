/**
 * @file
 * Ending the process.
 */
#pragma once

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {

/// Ends the process through the platform's abort hook. Used only where a documented precondition is
/// broken.
ET_NORETURN EXECUTORCH_API void runtime_abort();

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::runtime_abort;
}  // namespace executor
}  // namespace torch
