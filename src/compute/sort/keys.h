/**
 * @file
 * Elements as unsigned numbers of the same order: what sorting compares. NaN comes after
 * everything, zeros of both signs are equal.
 */
#pragma once

#include <cstdint>
#include <cstring>

#include "compute/elementwise/types.h"

namespace executorch::compute {

/// A key beside the position of its element in the line. Entries of a line differ by position, so
/// that sorting them is stable whatever the method.
template <class Key>
struct SortEntry {
  Key key;
  int64_t position;

  bool operator<(const SortEntry& other) const {
    return key != other.key ? key < other.key : position < other.position;
  }
};

/// The key of NaN; no other element has it.
template <class Key>
constexpr Key kNanKey = ~Key{0};

/// Types of eight bytes have wide keys.
constexpr bool has_wide_keys(DType type) {
  return element_size(type) == 8;
}

namespace internal {

template <class Bits>
Bits read_bits(const char* element) {
  Bits bits;
  std::memcpy(&bits, element, sizeof(bits));
  return bits;
}

template <class Key, class Bits>
Key read_float(const char* element, Bits infinity) {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  const Bits bits = read_bits<Bits>(element);
  const Bits magnitude = static_cast<Bits>(bits & ~sign);
  if (magnitude > infinity) return kNanKey<Key>;
  if (magnitude == 0) return sign;
  return static_cast<Bits>((bits & sign) != 0 ? ~bits : bits | sign);
}

template <class Key, class Bits>
Key read_signed(const char* element) {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  return static_cast<Bits>(read_bits<Bits>(element) ^ sign);
}

}  // namespace internal

/// The key of the element at `element`, of an arithmetic type. Key is uint64_t for types with wide
/// keys, else uint32_t.
template <class Key>
Key read_key(DType type, const char* element) {
  using namespace internal;
  if constexpr (sizeof(Key) == 8) {
    if (type == DType::f64) return read_float<Key, uint64_t>(element, 0x7ff0000000000000);
    return read_signed<Key, uint64_t>(element);
  } else {
    switch (type) {
      case DType::f32:
        return read_float<Key, uint32_t>(element, 0x7f800000);
      case DType::f16:
        return read_float<Key, uint16_t>(element, 0x7c00);
      case DType::bf16:
        return read_float<Key, uint16_t>(element, 0x7f80);
      case DType::i32:
        return read_signed<Key, uint32_t>(element);
      case DType::i16:
        return read_signed<Key, uint16_t>(element);
      case DType::i8:
        return read_signed<Key, uint8_t>(element);
      default:
        return read_bits<uint8_t>(element);
    }
  }
}

}  // namespace executorch::compute
