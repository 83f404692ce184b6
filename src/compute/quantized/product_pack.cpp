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

template <class F>
void each_panel(const QuantizedMatrix& matrix, const PackedLayout& layout, F f) {
  const int64_t panel = layout.kernels.panel;
  const int64_t grain = std::max<int64_t>(64 * 1024 / (std::max<int64_t>(matrix.k, 1) * panel), 1);
  threadpool::parallel_for(0, layout.columns / panel, grain, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) f(p, std::min(panel, matrix.n - p * panel));
  });
}

// Adjacent values of one column, from position k on; returns their sum, which wraps.
uint32_t pack_run(const int8_t* from, int64_t stride, int64_t count, int64_t k, int64_t step,
                  int64_t step_bytes, int8_t* column) {
  uint32_t sum = 0;
  int64_t i = 0;
  if (stride == 1) {
    for (int64_t c = 0; c < count; ++c) sum += static_cast<uint32_t>(static_cast<int32_t>(from[c]));
    int8_t* to = column + k / step * step_bytes;
    for (; k % step == 0 && i + step <= count; i += step, to += step_bytes) {
      std::memcpy(to, from + i, static_cast<size_t>(step));
    }
  }
  for (; i < count; ++i) {
    const int8_t value = from[i * stride];
    column[(k + i) / step * step_bytes + (k + i) % step] = value;
    if (stride != 1) sum += static_cast<uint32_t>(static_cast<int32_t>(value));
  }
  return sum;
}

// A panel, few k at a time, so that all columns meet the same part of it.
void pack_panel(const ByteWeights& w, int64_t first, int64_t columns, int64_t step, int64_t panel,
                int8_t* to, uint32_t* sums) {
  constexpr int64_t kAtOnce = 256;
  int64_t k = 0;
  for (int64_t y = 0; y < w.sizes[0]; ++y) {
    for (int64_t x = 0; x < w.sizes[1]; ++x) {
      const int8_t* taps = w.data + first * w.column_stride + y * w.strides[0] + x * w.strides[1];
      for (int64_t c = 0; c < w.sizes[2]; c += kAtOnce) {
        const int64_t count = std::min(kAtOnce, w.sizes[2] - c);
        for (int64_t j = 0; j < columns; ++j) {
          sums[j] += pack_run(taps + j * w.column_stride + c * w.strides[2], w.strides[2], count, k,
                              step, step * panel, to + j * step);
        }
        k += count;
      }
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

/// One group of a column: pairs of steps that share bytes, the even step in the low halves.
/// `from` holds `count` values; returns their sum, each less 8.
int64_t pack_group(const uint8_t* from, int64_t count, int64_t step, int64_t pair_bytes,
                   uint8_t* to) {
  int64_t sum = 0;
  for (int64_t k = 0; k < count; k += 2 * step, to += pair_bytes) {
    // As many half bytes as there are, 8 beyond.
    uint32_t values = 0x88888888;
    const int64_t live = std::min(2 * step, count - k);
    for (int64_t i = 0; i < (live + 1) / 2; ++i) {
      const int64_t kept = live - 2 * i;
      const uint32_t byte = kept > 1 ? from[k / 2 + i] : (from[k / 2 + i] & 15u) | 0x80u;
      values = (values & ~(0xFFu << 8 * i)) | byte << 8 * i;
    }
    const uint32_t even = spread(values & ((1u << 4 * step) - 1)),
                   odd = spread(values >> 4 * step & ((1u << 4 * step) - 1));
    const uint32_t both = even | odd << 4;
    for (int64_t i = 0; i < step; ++i) to[i] = static_cast<uint8_t>(both >> 8 * i);
    sum += static_cast<int64_t>((even + odd) * 0x01010101u >> 24) - 16 * step;
  }
  return sum;
}

// Returns the sum of the column's weights, each with its group's scale. `to` is the column's place
// in its panel.
float pack_half_column(const QuantizedMatrix& matrix, const PackedLayout& layout,
                       const HalfByteWeights& w, int64_t column, uint8_t* to, uint8_t* scales) {
  const int64_t step = layout.kernels.step;
  const uint8_t* from = w.data + column * w.column_bytes;
  double total = 0;
  for (int64_t g = 0; g < layout.groups; ++g) {
    const int64_t sum = pack_group(from + g * matrix.group / 2, matrix.group, step,
                                   step * layout.kernels.panel, to + g * layout.group_bytes);
    const uint16_t scale = w.scales == nullptr ? kOne : w.scales[column * w.scales_stride + g];
    std::memcpy(scales + g * layout.group_bytes, &scale, sizeof(scale));
    total += static_cast<double>(sum) * static_cast<double>(bf16_value(scale));
  }
  return static_cast<float>(total);
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
  auto* sums = reinterpret_cast<uint32_t*>(static_cast<char*>(packed) + layout.panels_bytes());
  std::memset(reinterpret_cast<char*>(sums) - layout.overread, 0,
              static_cast<size_t>(layout.overread));
  each_panel(matrix, layout, [&](int64_t p, int64_t columns) {
    int8_t* to = static_cast<int8_t*>(packed) + p * layout.panel_bytes;
    std::memset(to, 0, static_cast<size_t>(layout.panel_bytes));
    std::fill(sums + p * panel, sums + (p + 1) * panel, 0u);
    pack_panel(weights, p * panel, columns, step, panel, to, sums + p * panel);
  });
}

void pack_halves(const QuantizedMatrix& matrix, const HalfByteWeights& weights,
                 void* packed) noexcept {
  const PackedLayout layout(matrix);
  const int64_t panel = layout.kernels.panel;
  auto* sums = reinterpret_cast<float*>(static_cast<char*>(packed) + layout.panels_bytes());
  each_panel(matrix, layout, [&](int64_t p, int64_t columns) {
    auto* to = static_cast<uint8_t*>(packed) + p * layout.panel_bytes;
    for (int64_t g = 0; g < layout.groups; ++g) {
      uint8_t* group = to + g * layout.group_bytes;
      std::memset(group, 0x88, static_cast<size_t>(layout.scales_offset));
      std::memset(group + layout.scales_offset, 0,
                  static_cast<size_t>(layout.group_bytes - layout.scales_offset));
    }
    std::fill(sums + p * panel, sums + (p + 1) * panel, 0.0f);
    for (int64_t j = 0; j < columns; ++j) {
      sums[p * panel + j] =
          pack_half_column(matrix, layout, weights, p * panel + j, to + j * layout.kernels.step,
                           to + layout.scales_offset + j * 2);
    }
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
