/**
 * @file
 * How many CPUs the process may use.
 */
#pragma once

#include <cstddef>

namespace executorch::threadpool {

/// CPUs that the process's control groups grant it by quota, rounded up; 0 when nothing limits it.
/// Reads version 1 and 2. `root` stands before every path: "" in earnest.
size_t cgroup_cpu_limit(const char* root) noexcept;

/// The first whole number in an environment variable's text ("4", "4,2"), 0 when there is none that
/// makes sense.
size_t parse_thread_count(const char* text) noexcept;

/// Affinity and quota, capped by EXECUTORCH_NUM_THREADS or else OMP_NUM_THREADS; within [1,
/// kMaxThreads].
size_t default_thread_count() noexcept;

}  // namespace executorch::threadpool
