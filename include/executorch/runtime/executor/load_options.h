/**
 * @file
 * What an application may decide when a method is loaded.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// Options of Program::load_method. The defaults suit every program.
struct LoadOptions {
  /// Let operator libraries rewrite the instruction list (folded constants, packed weights, fused
  /// steps). The environment variable EXECUTORCH_PLAN=off switches it off for the whole process.
  bool plan = true;

  /// Most bytes that the plan may hold beyond the program and the application's arenas. Planners
  /// leave instructions as they are where the limit would be passed.
  size_t plan_memory_limit = SIZE_MAX;

  /// Most bytes of planned arenas and plan together. A method that needs more is refused, with both
  /// numbers.
  size_t memory_limit = SIZE_MAX;

  /// Folder through which the processes of a host share packed weights: the first to load a model
  /// writes them there, the others map one copy and start warm. Made if it is missing; may be
  /// read-only. Null: EXECUTORCH_CACHE_DIR in the environment, where set; empty: none. A folder
  /// that cannot be used is logged and the weights stay private. Who may write there is trusted as
  /// far as who may write to the program's file. The text must live as long as the options are in
  /// use.
  const char* cache_dir = nullptr;

  /// Most bytes of the cache folder's files together. What was used least recently makes room for
  /// new weights, but nothing used in the last ten minutes: weights that then have no room stay
  /// private. Processes that write at the same time may pass the limit by a few percent.
  uint64_t cache_limit = uint64_t{16} << 30;
};

}  // namespace runtime
}  // namespace executorch
