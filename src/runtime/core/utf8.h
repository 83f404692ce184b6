/**
 * @file
 * Recognises text that is safe to print.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// Bytes (1 to 4) of the printable character that a terminated text begins with; 0 when it begins
/// with a control character, with a byte that is not UTF-8, or when it is empty.
inline size_t printable_utf8_length(const char* text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;

  size_t length = 0;
  uint32_t smallest = 0;
  uint32_t code = 0;
  if ((first & 0xe0) == 0xc0) {
    length = 2, smallest = 0x80, code = first & 0x1f;
  } else if ((first & 0xf0) == 0xe0) {
    length = 3, smallest = 0x800, code = first & 0x0f;
  } else if ((first & 0xf8) == 0xf0) {
    length = 4, smallest = 0x10000, code = first & 0x07;
  } else {
    return 0;
  }
  // A terminating zero is no continuation byte, so the loop never reads past it.
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool control = code < 0xa0;
  return code < smallest || code > 0x10ffff || surrogate || control ? 0 : length;
}

}  // namespace runtime
}  // namespace executorch
