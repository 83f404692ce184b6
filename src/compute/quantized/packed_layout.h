/**
 * @file
 * Where things lie in a packed quantised matrix: panels first, then an i32 or f32 sum per column.
 */
#pragma once

#include <cstdint>

#include "compute/quantized/product.h"
#include "compute/quantized/product_kernels.h"

namespace executorch::compute {

struct PackedLayout {
  explicit PackedLayout(const QuantizedMatrix& m) : kernels(product_kernels(m.isa)) {
    const int64_t panel = kernels.panel;
    columns = (m.n + panel - 1) / panel * panel;
    if (m.bits == WeightBits::Int8) {
      steps = (m.k + kernels.step - 1) / kernels.step;
      panel_bytes = steps * kernels.step * panel;
      // Tiles read whole depths of the last panel.
      overread = kernels.tiles.rows > 0 ? kByteTileDepth * panel : 0;
      return;
    }
    const int64_t pair = 2 * kernels.step;
    groups = m.group > 0 ? m.k / m.group : 0;
    steps = (m.group + pair - 1) / pair * 2;
    scales_offset = steps * kernels.step * panel / 2;
    group_bytes = scales_offset + panel * static_cast<int64_t>(sizeof(uint16_t));
    panel_bytes = groups * group_bytes;
  }

  int64_t panels_bytes() const { return columns / kernels.panel * panel_bytes + overread; }
  /// Of a whole row of A, as steps want it.
  int64_t padded_k() const { return (groups > 0 ? groups : 1) * steps * kernels.step; }

  const ProductKernels& kernels;
  int64_t columns = 0;  ///< n in whole panels
  int64_t steps = 0;    ///< Int8: of all k; Int4: of a group
  int64_t panel_bytes = 0;
  int64_t overread = 0;       ///< Int8: bytes behind the panels
  int64_t groups = 0;         ///< Int4
  int64_t scales_offset = 0;  ///< Int4: within a group
  int64_t group_bytes = 0;    ///< Int4
};

}  // namespace executorch::compute
