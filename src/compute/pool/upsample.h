/**
 * @file
 * Resizing images, in single and double precision, over NHWC or NCHW memory.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/cpu.h"

namespace executorch::compute {

struct UpsampleShape {
  int64_t batch = 1, channels = 1;
  int64_t in_height = 1, in_width = 1;
  int64_t out_height = 1, out_width = 1;
  bool channels_last = true;
  bool align_corners = false;  ///< bilinear only
  /// Scale factors (output by input) as given, 0: from the sizes.
  double scale_height = 0, scale_width = 0;
};

/// The input index that an output index reads.
EXECUTORCH_COMPUTE_API int64_t nearest_index(int64_t index, int64_t in_size, int64_t out_size,
                                             double scale);

/// Copies the nearest input pixel for each output pixel. `element_size` bytes per element.
EXECUTORCH_COMPUTE_API void upsample_nearest2d(const UpsampleShape& shape, size_t element_size,
                                               const void* in, void* out);

/// Interpolates between the four surrounding pixels. T: float, double.
template <class T>
EXECUTORCH_COMPUTE_API void upsample_bilinear2d(const UpsampleShape& shape, const T* in, T* out);

}  // namespace executorch::compute
