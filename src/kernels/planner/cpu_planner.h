/**
 * @file
 * The planner of the CPU operator library.
 */
#pragma once

#include <executorch/runtime/executor/method_planner.h>

namespace executorch {
namespace kernels {

/// Registered when the library loads.
runtime::MethodPlanner& cpu_planner();

}  // namespace kernels
}  // namespace executorch
