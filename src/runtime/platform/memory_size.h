/**
 * @file
 * How much memory the machine has.
 */
#pragma once

#include <cstddef>

#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Half of the machine's memory: the limit where an application sets none.
EXECUTORCH_API size_t default_memory_limit();

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
