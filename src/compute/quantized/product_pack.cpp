#include <algorithm>
#include <cstring>

#include "compute/elementwise/cast.h"
#include "compute/quantized/packed_layout.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(ProductKernels, product_kernels);

namespace {

// bfloat16 of 1.
constexpr uint16_t kOne = 0x3F80;
// At least the columns of a panel of any instruction set.
constexpr int64_t kMostPanel = 64;

template <class F>
void each_panel(const QuantizedMatrix& matrix, const PackedLayout& layout, F f) {
  const int64_t panel = layout.kernels.panel;
  const int64_t grain = std::max<int64_t>(64 * 1024 / (std::max<int64_t>(matrix.k, 1) * panel), 1);
  threadpool::parallel_for(0, layout.columns / panel, grain, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) f(p, std::min(panel, matrix.n - p * panel));
  });
}

/// Runs of k that follow each other become one.
ByteWeights with_long_runs(ByteWeights w) {
  for (int i = 1; i >= 0; --i) {
    const bool follows = w.sizes[i] == 1 || w.strides[i] == w.sizes[2] * w.strides[2];
    if (!follows) break;
    w.sizes[2] *= w.sizes[i];
    w.sizes[i] = 1;
  }
  return w;
}

/// Of bytes, wraps.
uint32_t sum_of(const int8_t* from, int64_t count) {
  constexpr uint64_t kFlip = 0x8080808080808080, kEven = 0x00FF00FF00FF00FF;
  constexpr int64_t kMostWords = 128;  // as many as lanes of 16 bits hold
  uint32_t sum = 0;
  int64_t i = 0;
  while (i + 8 <= count) {
    const int64_t words = std::min((count - i) / 8, kMostWords);
    uint64_t lanes = 0;
    for (int64_t end = i + words * 8; i < end; i += 8) {
      uint64_t word;
      std::memcpy(&word, from + i, sizeof(word));
      word ^= kFlip;
      lanes += (word & kEven) + (word >> 8 & kEven);
    }
    lanes = (lanes & 0x0000FFFF0000FFFF) + (lanes >> 16 & 0x0000FFFF0000FFFF);
    sum += static_cast<uint32_t>(lanes) + static_cast<uint32_t>(lanes >> 32) -
           static_cast<uint32_t>(words * 8 * 128);
  }
  for (; i < count; ++i) sum += static_cast<uint32_t>(static_cast<int32_t>(from[i]));
  return sum;
}

/// Whole steps of adjacent values.
template <size_t kStep>
void pack_steps(const int8_t* from, int64_t column_stride, int64_t columns, int64_t steps,
                int64_t step_bytes, int8_t* to) {
  for (int64_t i = 0; i < steps; ++i) {
    const int8_t* values = from + i * static_cast<int64_t>(kStep);
    int8_t* places = to + i * step_bytes;
    for (int64_t j = 0; j < columns; ++j) {
      std::memcpy(places, values, kStep);
      values += column_stride;
      places += kStep;
    }
  }
}

// Values of one column one by one, from position k on; returns their sum, which wraps.
uint32_t pack_run(const int8_t* from, int64_t stride, int64_t count, int64_t k, int64_t step,
                  int64_t step_bytes, int8_t* column) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int8_t value = from[i * stride];
    column[(k + i) / step * step_bytes + (k + i) % step] = value;
    sum += static_cast<uint32_t>(static_cast<int32_t>(value));
  }
  return sum;
}

// A run of k of all columns of a panel, few at a time, so that they meet the same part of it.
void pack_runs(const ByteWeights& w, const int8_t* from, int64_t columns, int64_t k, int64_t step,
               int64_t panel, int8_t* to, uint32_t* sums) {
  constexpr int64_t kAtOnce = 256;
  const int64_t whole = w.strides[2] == 1 && k % step == 0 ? w.sizes[2] / step * step : int64_t{0};
  const auto pack = step == 4 ? pack_steps<4> : pack_steps<2>;
  pack(from, w.column_stride, columns, whole / step, step * panel, to + k * panel);
  for (int64_t j = 0; j < columns; ++j) sums[j] += sum_of(from + j * w.column_stride, whole);
  for (int64_t c = whole; c < w.sizes[2]; c += kAtOnce) {
    const int64_t count = std::min(kAtOnce, w.sizes[2] - c);
    for (int64_t j = 0; j < columns; ++j) {
      sums[j] += pack_run(from + j * w.column_stride + c * w.strides[2], w.strides[2], count, k + c,
                          step, step * panel, to + j * step);
    }
  }
}

void pack_panel(const ByteWeights& w, int64_t first, int64_t columns, int64_t step, int64_t panel,
                int8_t* to, uint32_t* sums) {
  int64_t k = 0;
  for (int64_t y = 0; y < w.sizes[0]; ++y) {
    for (int64_t x = 0; x < w.sizes[1]; ++x, k += w.sizes[2]) {
      const int8_t* from = w.data + first * w.column_stride + y * w.strides[0] + x * w.strides[1];
      pack_runs(w, from, columns, k, step, panel, to, sums);
    }
  }
}

float bf16_value(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

/// The low four bits of `nibbles`, and the next, and so on, to the low halves of bytes.
uint32_t spread(uint32_t nibbles) {
  nibbles = (nibbles | nibbles << 8) & 0x00FF00FF;
  return (nibbles | nibbles << 4) & 0x0F0F0F0F;
}

/// Two steps of a column, which share bytes, the even one in the low halves: stored + 8, they
/// become two's complement. Returns the sum of the values, each with 8 added.
template <size_t kStep>
int64_t pack_pair(uint32_t values, uint8_t* to) {
  constexpr uint32_t kMask = (1u << 4 * kStep) - 1;
  const uint32_t even = spread(values & kMask), odd = spread(values >> 4 * kStep & kMask);
  const uint32_t both = (even | odd << 4) ^ 0x88888888;
  std::memcpy(to, &both, kStep);
  return static_cast<int64_t>((even + odd) * 0x01010101u >> 24);
}

/// As many half bytes as there are left, 8 beyond.
uint32_t last_values(const uint8_t* from, int64_t count) {
  uint32_t values = 0x88888888;
  for (int64_t i = 0; i < (count + 1) / 2; ++i) {
    const uint32_t byte = count - 2 * i > 1 ? from[i] : (from[i] & 15u) | 0x80u;
    values = (values & ~(0xFFu << 8 * i)) | byte << 8 * i;
  }
  return values;
}

/// One group of a column of `count` values; returns their sum, each less 8.
template <size_t kStep>
int64_t pack_group(const uint8_t* from, int64_t count, int64_t pair_bytes, uint8_t* to) {
  constexpr auto kPair = static_cast<int64_t>(2 * kStep);
  int64_t sum = 0;
  int64_t k = 0;
  for (; k + kPair <= count; k += kPair, from += kStep, to += pair_bytes) {
    uint32_t values = 0;
    std::memcpy(&values, from, kStep);
    sum += pack_pair<kStep>(values, to) - 8 * kPair;
  }
  if (k < count) sum += pack_pair<kStep>(last_values(from, count - k), to) - 8 * kPair;
  return sum;
}

// A panel, group by group. Leaves the sums of columns, each weight with its group's scale.
template <size_t kStep>
void pack_half_panel(const QuantizedMatrix& matrix, const PackedLayout& layout,
                     const HalfByteWeights& w, int64_t first, int64_t columns, uint8_t* to,
                     float* sums) {
  double totals[kMostPanel] = {};
  for (int64_t g = 0; g < layout.groups; ++g, to += layout.group_bytes) {
    std::memset(to, 0, static_cast<size_t>(layout.group_bytes));
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t column = first + j;
      const int64_t sum = pack_group<kStep>(
          w.data + column * w.column_bytes + g * matrix.group / 2, matrix.group,
          static_cast<int64_t>(kStep) * layout.kernels.panel, to + j * static_cast<int64_t>(kStep));
      const uint16_t scale = w.scales == nullptr ? kOne : w.scales[column * w.scales_stride + g];
      std::memcpy(to + layout.scales_offset + j * 2, &scale, sizeof(scale));
      totals[j] += static_cast<double>(sum) * static_cast<double>(bf16_value(scale));
    }
  }
  for (int64_t j = 0; j < layout.kernels.panel; ++j) sums[j] = static_cast<float>(totals[j]);
}

}  // namespace

int64_t padded_columns(Isa isa, int64_t n) noexcept {
  const int64_t panel = product_kernels(isa).panel;
  return (n + panel - 1) / panel * panel;
}

size_t quantized_packed_bytes(const QuantizedMatrix& matrix) noexcept {
  // Far from overflow, or more than any memory holds.
  constexpr int64_t kMost = int64_t{1} << 46;
  int64_t product;
  const int64_t per_column = matrix.bits == WeightBits::Int8
                                 ? matrix.k
                                 : matrix.k + 2 * (matrix.group > 0 ? matrix.k / matrix.group : 0);
  if (matrix.k < 0 || matrix.n < 0 || matrix.k > kMost || matrix.n > kMost ||
      __builtin_mul_overflow(per_column + 64, matrix.n + 64, &product) || product > kMost) {
    return SIZE_MAX;
  }
  const PackedLayout layout(matrix);
  return static_cast<size_t>(layout.panels_bytes() +
                             layout.columns * static_cast<int64_t>(sizeof(int32_t)));
}

void pack_bytes(const QuantizedMatrix& matrix, const ByteWeights& weights, void* packed) noexcept {
  const PackedLayout layout(matrix);
  const int64_t panel = layout.kernels.panel, step = layout.kernels.step;
  const ByteWeights runs = with_long_runs(weights);
  auto* sums = reinterpret_cast<uint32_t*>(static_cast<char*>(packed) + layout.panels_bytes());
  std::memset(reinterpret_cast<char*>(sums) - layout.overread, 0,
              static_cast<size_t>(layout.overread));
  each_panel(matrix, layout, [&](int64_t p, int64_t columns) {
    int8_t* to = static_cast<int8_t*>(packed) + p * layout.panel_bytes;
    if (columns < panel || matrix.k % step != 0)
      std::memset(to, 0, static_cast<size_t>(layout.panel_bytes));
    std::fill(sums + p * panel, sums + (p + 1) * panel, 0u);
    pack_panel(runs, p * panel, columns, step, panel, to, sums + p * panel);
  });
}

void pack_halves(const QuantizedMatrix& matrix, const HalfByteWeights& weights,
                 void* packed) noexcept {
  const PackedLayout layout(matrix);
  const int64_t panel = layout.kernels.panel;
  auto* sums = reinterpret_cast<float*>(static_cast<char*>(packed) + layout.panels_bytes());
  const auto pack = layout.kernels.step == 4 ? pack_half_panel<4> : pack_half_panel<2>;
  each_panel(matrix, layout, [&](int64_t p, int64_t columns) {
    pack(matrix, layout, weights, p * panel, columns,
         static_cast<uint8_t*>(packed) + p * layout.panel_bytes, sums + p * panel);
  });
}

const int32_t* weight_sums(const QuantizedMatrix& matrix) noexcept {
  return reinterpret_cast<const int32_t*>(static_cast<const char*>(matrix.data) +
                                          PackedLayout(matrix).panels_bytes());
}

const float* scaled_weight_sums(const QuantizedMatrix& matrix) noexcept {
  return reinterpret_cast<const float*>(static_cast<const char*>(matrix.data) +
                                        PackedLayout(matrix).panels_bytes());
}

}  // namespace executorch::compute
