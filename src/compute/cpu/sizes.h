/**
 * @file
 * Small sums about sizes and operands. Not for *.isa.cpp files: a copy of an inline function
 * compiled for a newer CPU could win at link time.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch::compute {

/// Of scratch memory and its parts.
constexpr size_t kScratchAlignment = 64;

inline int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
inline size_t align_up(size_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}
/// Null stays null: an operand that is not there.
inline const float* shifted(const float* pointer, int64_t offset) {
  return pointer == nullptr ? nullptr : pointer + offset;
}

}  // namespace executorch::compute
