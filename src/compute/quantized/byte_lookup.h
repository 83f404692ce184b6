/**
 * @file
 * Bytes replaced by those of a table. For *.isa.cpp files only.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/float_vector.h"

namespace EXECUTORCH_ISA_NAMESPACE {

#if defined(__AVX512BW__)

/// The table in sixteen registers, of which each answers for the indices of its upper half byte.
class ByteLookup {
 public:
  explicit ByteLookup(const int8_t* table) {
#pragma GCC unroll 16
    for (int i = 0; i < kParts; ++i) {
      // An index is q + 128.
      const void* part = table + 16 * i;
      parts_[i] =
          _mm512_maskz_broadcast_i32x4(0xFFFF, _mm_loadu_si128(static_cast<const __m128i*>(part)));
    }
  }

  void apply(const int8_t* x, int8_t* out, int64_t n) const {
    for (int64_t i = 0; i < n; i += kLanes) {
      const __mmask64 live = n - i >= kLanes ? ~uint64_t{0} : (uint64_t{1} << (n - i)) - 1;
      _mm512_mask_storeu_epi8(out + i, live, at(_mm512_maskz_loadu_epi8(live, x + i)));
    }
  }

 private:
  static constexpr int kParts = 16;
  static constexpr int64_t kLanes = 64;

  __m512i at(__m512i q) const {
    // The lowest index of a part becomes 0x70: beyond it, and below it by wrapping, the sign bit is
    // set, for which the shuffle gives zero.
    const __m512i bias = _mm512_set1_epi8(0x70), step = _mm512_set1_epi8(16);
    __m512i index = _mm512_xor_si512(q, _mm512_set1_epi8(-128));
    __m512i found = _mm512_setzero_si512();
#pragma GCC unroll 16
    for (int i = 0; i < kParts; ++i) {
      found = _mm512_or_si512(found, _mm512_shuffle_epi8(parts_[i], _mm512_adds_epu8(index, bias)));
      index = _mm512_sub_epi8(index, step);
    }
    return found;
  }

  __m512i parts_[kParts];
};

#else

class ByteLookup {
 public:
  explicit ByteLookup(const int8_t* table) : middle_(table + 128) {}

  void apply(const int8_t* x, int8_t* out, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) out[i] = middle_[x[i]];
  }

 private:
  const int8_t* middle_;
};

#endif

}  // namespace EXECUTORCH_ISA_NAMESPACE
