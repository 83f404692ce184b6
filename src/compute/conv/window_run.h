/**
 * @file
 * Windows that lie next to each other, as loops that copy them see them.
 */
#pragma once

#include <cstdint>

namespace executorch::compute {

/// Windows of neighbouring output pixels, all inside the image.
template <class In, class Out>
struct WindowRun {
  const In* in;  ///< first value of the first window
  int64_t pixels, pixel_step;
  int64_t kernel_rows, row_step;
  int64_t run;  ///< consecutive values per kernel row
  Out* out;     ///< a row per pixel, with room for 64 bytes behind
  int64_t out_row_stride;
};

}  // namespace executorch::compute
