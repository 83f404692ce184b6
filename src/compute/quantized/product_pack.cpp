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

// Values of one column, one after the other; returns their sum, which wraps.
uint32_t pack_column(const ByteWeights& w, int64_t column, int64_t step, int64_t step_bytes,
                     int8_t* to) {
  const int8_t* from = w.data + column * w.column_stride;
  uint32_t sum = 0;
  int64_t k = 0;
  for (int64_t y = 0; y < w.sizes[0]; ++y) {
    for (int64_t x = 0; x < w.sizes[1]; ++x) {
      const int8_t* run = from + y * w.strides[0] + x * w.strides[1];
      for (int64_t c = 0; c < w.sizes[2]; ++c, ++k) {
        const int8_t value = run[c * w.strides[2]];
        to[k / step * step_bytes + k % step] = value;
        sum += static_cast<uint32_t>(static_cast<int32_t>(value));
      }
    }
  }
  return sum;
}

float bf16_value(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

/// One column's place in its panel.
struct HalfByteColumn {
  const PackedLayout& layout;
  int64_t group;  ///< values
  uint8_t* data;  ///< its first byte of step 0, group 0

  // Two steps share bytes: the even one has the low halves.
  void put(int64_t k, uint8_t value) const {
    const int64_t step = layout.kernels.step, in_group = k % group;
    uint8_t* to = data + k / group * layout.group_bytes +
                  in_group / (2 * step) * step * layout.kernels.panel + in_group % step;
    *to = static_cast<uint8_t>(in_group / step % 2 == 0 ? (*to & 0xF0) | value
                                                        : (*to & 0x0F) | value << 4);
  }
};

// Returns the sum of the column's weights, each with its group's scale.
float pack_half_column(const QuantizedMatrix& matrix, const HalfByteWeights& w, int64_t column,
                       const HalfByteColumn& to, char* scales) {
  const uint8_t* from = w.data + column * w.column_bytes;
  double total = 0;
  for (int64_t g = 0; g < to.layout.groups; ++g) {
    int64_t sum = 0;
    for (int64_t k = g * matrix.group; k < (g + 1) * matrix.group; ++k) {
      const uint8_t value = k % 2 == 0 ? from[k / 2] & 15 : from[k / 2] >> 4;
      to.put(k, value);
      sum += value - 8;
    }
    const uint16_t scale = w.scales == nullptr ? kOne : w.scales[column * w.scales_stride + g];
    std::memcpy(scales + g * to.layout.group_bytes, &scale, sizeof(scale));
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
    for (int64_t j = 0; j < columns; ++j) {
      sums[p * panel + j] = pack_column(weights, p * panel + j, step, step * panel, to + j * step);
    }
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
      const HalfByteColumn column{layout, matrix.group, to + j * layout.kernels.step};
      char* scales = reinterpret_cast<char*>(to) + layout.scales_offset + j * 2;
      sums[p * panel + j] = pack_half_column(matrix, weights, p * panel + j, column, scales);
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
