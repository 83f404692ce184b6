#include "compute/elementwise/cast.h"

#if defined(__F16C__)
#include "compute/math/vector.h"
#endif

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

// Storage types that C++ has no name for.
struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
struct Boolean {
  uint8_t value;
};

template <class To, class From>
inline To bits_of(From from) {
  To to;
  static_assert(sizeof(to) == sizeof(from));
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

#if defined(__F16C__)
inline float widen(Half h) {
  return _cvtsh_ss(h.bits);
}
inline Half narrow_to_half(float x) {
  return {static_cast<uint16_t>(_cvtss_sh(x, 0))};
}
#elif defined(__aarch64__)
inline float widen(Half h) {
  return static_cast<float>(bits_of<__fp16>(h.bits));
}
inline Half narrow_to_half(float x) {
  return {bits_of<uint16_t>(static_cast<__fp16>(x))};
}
#else
inline float widen(Half h) {
  const uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000) << 16;
  const uint32_t magnitude = h.bits & 0x7fff;
  // Subnormal: as many units of 2^-24.
  const uint32_t small =
      bits_of<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  const uint32_t normal = (magnitude << 13) + (magnitude >= 0x7c00 ? 0x70000000u : 0x38000000u);
  return bits_of<float>(sign | (magnitude < 0x400 ? small : normal));
}
inline Half narrow_to_half(float x) {
  const uint32_t bits = bits_of<uint32_t>(x);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  // The addition lets the processor round a subnormal to units of 2^-24.
  const uint32_t small = bits_of<uint32_t>(bits_of<float>(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t rounded = (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000u) >> 13;
  const uint32_t finite = magnitude < 0x38800000u ? small : rounded;
  const uint32_t large = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  return {static_cast<uint16_t>(sign | (magnitude >= 0x477ff000u ? large : finite))};
}
#endif

inline float widen(BFloat16 b) {
  return bits_of<float>(static_cast<uint32_t>(b.bits) << 16);
}
inline BFloat16 narrow_to_bfloat16(float x) {
  const uint32_t bits = bits_of<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return {static_cast<uint16_t>(x != x ? 0x7fc0u : rounded)};
}

// Truncation as x86-64 does it: what does not fit becomes the smallest value.
inline int32_t truncate_to_i32(float x) {
  return x >= -0x1p31f && x < 0x1p31f ? static_cast<int32_t>(x) : INT32_MIN;
}
inline int32_t truncate_to_i32(double x) {
  return x > -0x1p31 - 1 && x < 0x1p31 ? static_cast<int32_t>(x) : INT32_MIN;
}
template <class F>
inline int64_t truncate_to_i64(F x) {
  return x >= static_cast<F>(-0x1p63) && x < static_cast<F>(0x1p63) ? static_cast<int64_t>(x)
                                                                    : INT64_MIN;
}

template <class T>
constexpr bool kFloating = false;
template <>
inline constexpr bool kFloating<float> = true;
template <>
inline constexpr bool kFloating<double> = true;

template <class To, class From>
struct Convert {
  static inline To apply(From x) {
    if constexpr (kFloating<From> && !kFloating<To>) {
      if constexpr (sizeof(To) < 4 ||
                    (sizeof(To) == 4 && static_cast<To>(-1) < static_cast<To>(0))) {
        return static_cast<To>(truncate_to_i32(x));
      } else {
        return static_cast<To>(truncate_to_i64(x));
      }
    } else {
      return static_cast<To>(x);
    }
  }
};
template <class To>
struct Convert<To, Half> {
  static inline To apply(Half x) { return Convert<To, float>::apply(widen(x)); }
};
template <class To>
struct Convert<To, BFloat16> {
  static inline To apply(BFloat16 x) { return Convert<To, float>::apply(widen(x)); }
};
template <class To>
struct Convert<To, Boolean> {
  static inline To apply(Boolean x) { return static_cast<To>(x.value != 0); }
};
template <class From>
struct Convert<Half, From> {
  static inline Half apply(From x) { return narrow_to_half(static_cast<float>(x)); }
};
template <class From>
struct Convert<BFloat16, From> {
  static inline BFloat16 apply(From x) { return narrow_to_bfloat16(static_cast<float>(x)); }
};
template <class From>
struct Convert<Boolean, From> {
  static inline Boolean apply(From x) { return {static_cast<uint8_t>(x != 0)}; }
};

#if defined(__F16C__)
int64_t widen_block(float* to, const Half* from, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
  }
  return i;
}
int64_t narrow_block(Half* to, const float* from, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), half);
  }
  return i;
}
#endif

#if defined(__AVX512BF16__)
int64_t narrow_block(BFloat16* to, const float* from, int64_t n) {
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const __m512 low = _mm512_loadu_ps(from + i), high = _mm512_loadu_ps(from + i + 16);
    // The instruction takes subnormal numbers for zero.
    constexpr int kSubnormal = 0x20;
    if (_mm512_fpclass_ps_mask(low, kSubnormal) | _mm512_fpclass_ps_mask(high, kSubnormal)) {
      for (int64_t j = i; j < i + 32; ++j) to[j] = narrow_to_bfloat16(from[j]);
      continue;
    }
    const __m512bh both = _mm512_cvtne2ps_pbh(high, low);
    __builtin_memcpy(to + i, &both, sizeof(both));
  }
  return i;
}
#endif

/// Converts a leading part in a special way and says how much.
template <class To, class From>
inline int64_t convert_head(To*, const From*, int64_t) {
  return 0;
}
#if defined(__F16C__)
inline int64_t convert_head(float* to, const Half* from, int64_t n) {
  return widen_block(to, from, n);
}
inline int64_t convert_head(Half* to, const float* from, int64_t n) {
  return narrow_block(to, from, n);
}
#endif
#if defined(__AVX512BF16__)
inline int64_t convert_head(BFloat16* to, const float* from, int64_t n) {
  return narrow_block(to, from, n);
}
#endif

template <class To, class From>
void convert_contiguous(To* __restrict to, const From* __restrict from, int64_t n) {
  for (int64_t i = convert_head(to, from, n); i < n; ++i) to[i] = Convert<To, From>::apply(from[i]);
}

template <class Stored, class Computed>
void load_from(void* block, const void* source, int64_t stride, int64_t n) {
  auto* to = static_cast<Computed*>(block);
  const auto* from = static_cast<const Stored*>(source);
  if (stride == 1) return convert_contiguous(to, from, n);
  for (int64_t i = 0; i < n; ++i) to[i] = Convert<Computed, Stored>::apply(from[i * stride]);
}

template <class Computed, class Stored>
void store_to(void* destination, int64_t stride, const void* block, int64_t n) {
  auto* to = static_cast<Stored*>(destination);
  const auto* from = static_cast<const Computed*>(block);
  if (stride == 1) return convert_contiguous(to, from, n);
  for (int64_t i = 0; i < n; ++i) to[i * stride] = Convert<Stored, Computed>::apply(from[i]);
}

constexpr int index_of(DType type) {
  return static_cast<int>(type);
}

template <class Stored>
constexpr void fill_row(CastLoops& loops, DType type) {
  LoadLoop* load = loops.load[index_of(type)];
  load[0] = load_from<Stored, float>;
  load[1] = load_from<Stored, double>;
  load[2] = load_from<Stored, int32_t>;
  load[3] = load_from<Stored, int64_t>;
  loops.store[0][index_of(type)] = store_to<float, Stored>;
  loops.store[1][index_of(type)] = store_to<double, Stored>;
  loops.store[2][index_of(type)] = store_to<int32_t, Stored>;
  loops.store[3][index_of(type)] = store_to<int64_t, Stored>;
}

constexpr CastLoops make_table() {
  CastLoops loops = {};
  fill_row<uint8_t>(loops, DType::u8);
  fill_row<int8_t>(loops, DType::i8);
  fill_row<int16_t>(loops, DType::i16);
  fill_row<int32_t>(loops, DType::i32);
  fill_row<int64_t>(loops, DType::i64);
  fill_row<Half>(loops, DType::f16);
  fill_row<float>(loops, DType::f32);
  fill_row<double>(loops, DType::f64);
  fill_row<Boolean>(loops, DType::boolean);
  fill_row<BFloat16>(loops, DType::bf16);
  fill_row<uint16_t>(loops, DType::u16);
  fill_row<uint32_t>(loops, DType::u32);
  fill_row<uint64_t>(loops, DType::u64);
  return loops;
}

}  // namespace

constexpr CastLoops cast_loops_table = make_table();

}  // namespace EXECUTORCH_ISA_NAMESPACE
