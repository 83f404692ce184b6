/**
 * @file
 * Conversion between element types in memory and compute types, in blocks.
 *
 * Floating to integer conversion truncates; what does not fit becomes the smallest value of i32 or
 * i64, of which narrower integers keep the low bits (what eager gives on x86-64). Conversion to
 * bool is `!= 0`. f16 and bf16 are rounded half to even. A complex number converts to its real
 * part.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/isa.h"
#include "compute/elementwise/types.h"

namespace executorch::compute {

/// Widens `n` elements that lie `stride` elements apart (any sign, also 0) into a contiguous block.
using LoadLoop = void (*)(void* block, const void* source, int64_t stride, int64_t n);
/// Narrows a contiguous block into `n` elements that lie `stride` elements apart.
using StoreLoop = void (*)(void* destination, int64_t stride, const void* block, int64_t n);

constexpr int kDTypeCount = 30;

/// Conversions of one instruction set, null where a type has no arithmetic or only one side is
/// complex.
struct CastLoops {
  LoadLoop load[kDTypeCount][kRealComputeTypeCount];
  StoreLoop store[kRealComputeTypeCount][kDTypeCount];
};
EXECUTORCH_DECLARE_ISA_TABLE(CastLoops, cast_loops);

/// The loop that reads `from` into `to`, null when there is none.
EXECUTORCH_COMPUTE_API LoadLoop load_loop(DType from, ComputeType to);
/// The loop that writes `from` as `to`, null when there is none.
EXECUTORCH_COMPUTE_API StoreLoop store_loop(ComputeType from, DType to);

}  // namespace executorch::compute
