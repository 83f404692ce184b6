#include "compute/quantized/depthwise_kernels.h"
#include "compute/quantized/int_vector.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

using I = IntVector;
using F = FloatVector;

#if defined(__AVX512F__)

/// 64 channels in four registers. Unpacking bytes leaves each 16 channels' quarters in registers of
/// their own; packing results puts them back.
struct Block {
  static constexpr int kChannels = 64;
  static constexpr int kRegisters = 4;

  explicit Block(int64_t live)
      : mask(live >= kChannels ? ~uint64_t{0} : (uint64_t{1} << live) - 1) {}

  void load(const int8_t* const* taps, int64_t channel, I::Type (&x)[kRegisters]) const {
    const __m512i flip = _mm512_set1_epi8(-128);
    __m512i tap[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      tap[i] = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, taps[i] + channel), flip);
    }
    const __m512i low01 = _mm512_unpacklo_epi8(tap[0], tap[1]),
                  high01 = _mm512_unpackhi_epi8(tap[0], tap[1]),
                  low23 = _mm512_unpacklo_epi8(tap[2], tap[3]),
                  high23 = _mm512_unpackhi_epi8(tap[2], tap[3]);
    x[0] = _mm512_unpacklo_epi16(low01, low23);
    x[1] = _mm512_unpackhi_epi16(low01, low23);
    x[2] = _mm512_unpacklo_epi16(high01, high23);
    x[3] = _mm512_unpackhi_epi16(high01, high23);
  }

  /// Numbers of 64 channels, as registers have them.
  static void load_table(const void* table, __m512i (&registers)[kRegisters]) {
    const auto* quarters = static_cast<const __m128i*>(table);
    for (int r = 0; r < kRegisters; ++r) {
      __m512i all = _mm512_castsi128_si512(_mm_loadu_si128(quarters + r));
      all = _mm512_inserti32x4(all, _mm_loadu_si128(quarters + 4 + r), 1);
      all = _mm512_inserti32x4(all, _mm_loadu_si128(quarters + 8 + r), 2);
      registers[r] = _mm512_inserti32x4(all, _mm_loadu_si128(quarters + 12 + r), 3);
    }
  }

  void store_bytes(int8_t* out, const I::Type (&q)[kRegisters]) const {
    const __m512i bytes =
        _mm512_packs_epi16(_mm512_packs_epi32(q[0], q[1]), _mm512_packs_epi32(q[2], q[3]));
    _mm512_mask_storeu_epi8(out, mask, bytes);
  }
  static void store_floats(float* out, int64_t live, const F::Type (&values)[kRegisters]) {
    for (int r = 0; r < kRegisters; ++r) {
      float numbers[16];
      F::store(numbers, values[r]);
      for (int j = 0; j < 16; ++j) {
        const int channel = j / 4 * 16 + r * 4 + j % 4;
        if (channel < live) out[channel] = numbers[j];
      }
    }
  }

  __mmask64 mask;
};

constexpr int channel_at(int place) {
  return place % 16 / 4 * 16 + place / 16 * 4 + place % 4;
}

#else

/// One register of channels in their order.
struct Block {
  static constexpr int kChannels = I::kLanes;
  static constexpr int kRegisters = 1;

  explicit Block(int64_t live) : live(live < kChannels ? live : kChannels) {}

  using Taps = decltype(I::broadcast(nullptr));
  void load(const int8_t* const* taps, int64_t channel, Taps (&x)[kRegisters]) const {
    I::Row rows[kChannels * I::kStep] = {};
    for (int64_t c = 0; c < live; ++c) {
      for (int i = 0; i < I::kStep; ++i) rows[c * I::kStep + i] = taps[i][channel + c];
    }
    x[0] = I::load_rows(rows);
  }

  static void load_table(const void* table, I::Type (&registers)[kRegisters]) {
    __builtin_memcpy(registers, table, sizeof(registers));
  }

  void store_bytes(int8_t* out, const I::Type (&q)[kRegisters]) const {
    I::store_bytes(out, q[0], live);
  }
  static void store_floats(float* out, int64_t live, const F::Type (&values)[kRegisters]) {
    store_up_to(out, values[0], live);
  }

  int64_t live;
};

constexpr int channel_at(int place) {
  return place;
}

#endif

constexpr int kRegisters = Block::kRegisters;
constexpr int kRegisterBytes = I::kLanes * I::kStep;
static_assert(Block::kChannels <= kMaxDepthwiseBlock);

F::Type as_floats(I::Type v) {
  F::Type result;
  __builtin_memcpy(&result, &v, sizeof(result));
  return result;
}

/// What is done with the sums of a block's channels.
struct Finish {
  Finish(const SumsOutput& output, int64_t channel) : output(output) {
    Block::load_table(output.start + channel, start);
    I::Type factors[kRegisters];
    Block::load_table(output.scale + channel, factors);
    for (int r = 0; r < kRegisters; ++r) scale[r] = as_floats(factors[r]);
  }

  void store(const Block& block, const I::Type (&sum)[kRegisters], char* out, int64_t channel,
             int64_t live) const {
    F::Type value[kRegisters];
#pragma GCC unroll 4
    for (int r = 0; r < kRegisters; ++r) value[r] = F::mul(I::to_float(sum[r]), scale[r]);
    const F::Type low = F::set(output.low), high = F::set(output.high);
    if (output.to_float) {
      for (int r = 0; r < kRegisters; ++r) {
        value[r] = F::at_most(F::at_least(value[r], low), high);
      }
      Block::store_floats(reinterpret_cast<float*>(out) + channel, live, value);
      return;
    }
    I::Type q[kRegisters];
#pragma GCC unroll 4
    for (int r = 0; r < kRegisters; ++r) {
      q[r] = I::add(I::round(clamp_to(value[r], low, high)), I::set(output.zero_point));
    }
    block.store_bytes(reinterpret_cast<int8_t*>(out) + channel, q);
  }

  const SumsOutput& output;
  I::Type start[kRegisters];
  F::Type scale[kRegisters];
};

/// All taps move by one distance from pixel to pixel, as they do inside the image.
bool moves_as_one(const ByteDepthwiseArgs& a, const TapRun& run) {
  for (int64_t t = 1; t < a.kernel_taps; ++t) {
    if (run.distance[t] != run.distance[0]) return false;
  }
  return true;
}

/// One pixel: `taps` are those of channel 0, `at` leads from them to the block's channels.
template <int kSteps>
inline void compute_pixel(const ByteDepthwiseArgs& a, const int8_t* const* taps, int64_t at,
                          const int8_t* weights, const Block& block, const Finish& finish,
                          char* out, int64_t channel) {
  const int64_t steps = kSteps > 0 ? kSteps : a.taps / I::kStep;
  I::Type sum[kRegisters];
#pragma GCC unroll 4
  for (int r = 0; r < kRegisters; ++r) sum[r] = finish.start[r];
#pragma GCC unroll 8
  for (int64_t step = 0; step < steps; ++step) {
    decltype(I::broadcast(nullptr)) x[kRegisters];
    block.load(taps + step * I::kStep, at, x);
#pragma GCC unroll 4
    for (int r = 0; r < kRegisters; ++r) {
      const int8_t* w = weights + (step * kRegisters + r) * kRegisterBytes;
      sum[r] = I::dot(sum[r], x[r], I::load_weights(w));
    }
  }
  finish.store(block, sum, out, channel, a.channels - channel);
}

template <int kSteps>
void compute_run(const ByteDepthwiseArgs& a, const TapRun& run, const int8_t* weights,
                 int64_t channel, const Finish& finish) {
  const Block block(a.channels - channel);
  const int8_t* taps[kMaxDepthwiseTaps];
  for (int64_t t = 0; t < a.kernel_taps; ++t) taps[t] = run.first[t];
  // Taps that only fill a step meet zeros: they may stand anywhere.
  for (int64_t t = a.kernel_taps; t < a.taps; ++t) taps[t] = taps[0];
  const bool together = moves_as_one(a, run);
  char* out = run.out;
  int64_t at = channel;
  for (int64_t pixel = 0; pixel < run.pixels; ++pixel, out += a.out_pixel_stride) {
    compute_pixel<kSteps>(a, taps, at, weights, block, finish, out, channel);
    if (together) {
      at += run.distance[0];
      continue;
    }
    for (int64_t t = 0; t < a.taps; ++t) {
      taps[t] += run.distance[t < a.kernel_taps ? t : 0];
    }
  }
}

using RunLoop = void (*)(const ByteDepthwiseArgs&, const TapRun&, const int8_t*, int64_t,
                         const Finish&);

/// Kernels of 3x3 and 5x5 have loops of their own.
RunLoop run_loop(int64_t taps) {
  constexpr int kThree = (9 + I::kStep - 1) / I::kStep, kFive = (25 + I::kStep - 1) / I::kStep;
  return taps == kThree * I::kStep  ? compute_run<kThree>
         : taps == kFive * I::kStep ? compute_run<kFive>
                                    : compute_run<0>;
}

void compute(const ByteDepthwiseArgs& a, const TapRun* runs, int64_t count) {
  const RunLoop loop = run_loop(a.taps);
  const int8_t* weights = a.weights;
  for (int64_t channel = 0; channel < a.channels; channel += Block::kChannels) {
    const Finish finish(a.output, channel);
    for (int64_t i = 0; i < count; ++i) loop(a, runs[i], weights, channel, finish);
    weights += a.taps / I::kStep * kRegisters * kRegisterBytes;
  }
}

constexpr ByteDepthwiseKernels make_table() {
  ByteDepthwiseKernels table{Block::kChannels, I::kStep, I::kOffset, {}, compute};
  for (int place = 0; place < Block::kChannels; ++place) {
    table.order[place] = static_cast<int8_t>(channel_at(place));
  }
  return table;
}

}  // namespace

const ByteDepthwiseKernels byte_depthwise_kernels_table = make_table();

}  // namespace EXECUTORCH_ISA_NAMESPACE
