/**
 * @file
 * The one operator registry of the process, shared by the files that implement it.
 */
#pragma once

#include "runtime/kernel/kernel_table.h"
#include "runtime/platform/lock.h"

namespace executorch {
namespace runtime {
namespace internal {

/// Kernels and their lock.
struct RegistryState {
  Lock lock;
  KernelTable kernels;
};

/// Defined in operator_registry.cpp.
extern RegistryState registry_state;

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
