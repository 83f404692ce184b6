/**
 * @file
 * What a backend gets when its options are set or read.
 */
#pragma once

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>

namespace executorch {
namespace runtime {

/// Empty: reserved for what option handling may need.
class BackendOptionContext final {
 public:
  explicit BackendOptionContext() {}
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::BackendOptionContext;
}  // namespace executor
}  // namespace torch
