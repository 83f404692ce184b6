// Loads and runs every method of a program under tight limits.
#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/named_data_map.h>

namespace executorch::fuzz {

/// Most bytes of planned memory that a fuzzed file may ask for.
constexpr size_t kMemoryLimit = size_t{64} << 20;

/// Loads the program, then loads each method and runs it twice on zero inputs of the largest
/// shapes. Refusals are what is expected; only crashes, hangs and sanitizer reports count.
void run_methods(runtime::DataLoader& loader, const runtime::NamedDataMap* data);

}  // namespace executorch::fuzz
