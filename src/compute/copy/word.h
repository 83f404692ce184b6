/**
 * @file
 * Elements as words: what moves or compares elements needs their size only, not their type.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch::compute {

/// Calls f with an unsigned integer of `size` bytes; false, and no call, when there is none.
template <class F>
bool with_word(size_t size, F&& f) {
  switch (size) {
    case 1:
      f(uint8_t{});
      return true;
    case 2:
      f(uint16_t{});
      return true;
    case 4:
      f(uint32_t{});
      return true;
    case 8:
      f(uint64_t{});
      return true;
    default:
      return false;
  }
}

}  // namespace executorch::compute
