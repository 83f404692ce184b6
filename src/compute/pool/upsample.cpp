#include "compute/pool/upsample.h"

#include <cmath>
#include <cstring>

#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// Input distance between neighbouring output pixels.
template <class T>
T source_step(int64_t in_size, int64_t out_size, bool align_corners, double scale) {
  if (align_corners)
    return out_size > 1 ? static_cast<T>(in_size - 1) / static_cast<T>(out_size - 1) : T{0};
  if (scale > 0) return static_cast<T>(1.0 / scale);
  return static_cast<T>(in_size) / static_cast<T>(out_size);
}

/// The two input indices around an output index and the weight of the second.
template <class T>
struct Neighbours {
  int64_t low;
  int64_t high;
  T weight;
};

template <class T>
Neighbours<T> neighbours(int64_t index, T step, int64_t in_size, bool align_corners) {
  T position = align_corners ? step * static_cast<T>(index)
                             : step * (static_cast<T>(index) + T(0.5)) - T(0.5);
  if (!(position > 0)) position = 0;
  int64_t low = static_cast<int64_t>(std::floor(position));
  if (low > in_size - 1) low = in_size - 1;
  T weight = position - static_cast<T>(low);
  weight = weight < 0 ? T{0} : weight > 1 ? T{1} : weight;
  return {low, low + 1 < in_size ? low + 1 : low, weight};
}

template <class T>
T blend(T a, T b, T weight) {
  return a * (1 - weight) + b * weight;
}

/// Calls f(first, last) over output rows of all planes or images, worth about 16K elements each.
template <class F>
void for_rows(const UpsampleShape& shape, F&& f) {
  const int64_t images = shape.channels_last ? shape.batch : shape.batch * shape.channels;
  const int64_t row = shape.out_width * (shape.channels_last ? shape.channels : 1);
  threadpool::parallel_for(0, images * shape.out_height, 16384 / (row > 0 ? row : 1) + 1, f);
}

}  // namespace

int64_t nearest_index(int64_t index, int64_t in_size, int64_t out_size, double scale) {
  if (in_size == out_size) return index;
  if (out_size == 2 * in_size) return index >> 1;
  const float step = source_step<float>(in_size, out_size, false, scale);
  const auto position = static_cast<int64_t>(std::floor(static_cast<float>(index) * step));
  return position < in_size ? position : in_size - 1;
}

void upsample_nearest2d(const UpsampleShape& shape, size_t element_size, const void* in,
                        void* out) {
  const int64_t pixel =
      static_cast<int64_t>(element_size) * (shape.channels_last ? shape.channels : 1);
  for_rows(shape, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t y = nearest_index(i % shape.out_height, shape.in_height, shape.out_height,
                                      shape.scale_height);
      const char* source = static_cast<const char*>(in) +
                           (i / shape.out_height * shape.in_height + y) * shape.in_width * pixel;
      char* target = static_cast<char*>(out) + i * shape.out_width * pixel;
      for (int64_t x = 0; x < shape.out_width; ++x) {
        const int64_t column = nearest_index(x, shape.in_width, shape.out_width, shape.scale_width);
        std::memcpy(target + x * pixel, source + column * pixel, static_cast<size_t>(pixel));
      }
    }
  });
}

namespace {

/// Output columns whose neighbours are computed once for many rows.
constexpr int64_t kColumnBlock = 128;

/// Blends a block of columns of one output row. `pixel` values are adjacent at each position.
template <class T>
void blend_columns(const Neighbours<T>* columns, int64_t count, int64_t pixel, const T* upper,
                   const T* lower, T weight, T* out) {
  for (int64_t x = 0; x < count; ++x) {
    const int64_t left = columns[x].low * pixel;
    const int64_t right = columns[x].high * pixel;
    const T w = columns[x].weight;
    for (int64_t c = 0; c < pixel; ++c) {
      out[x * pixel + c] = blend(blend(upper[left + c], upper[right + c], w),
                                 blend(lower[left + c], lower[right + c], w), weight);
    }
  }
}

}  // namespace

template <class T>
void upsample_bilinear2d(const UpsampleShape& shape, const T* in, T* out) {
  const T step_y =
      source_step<T>(shape.in_height, shape.out_height, shape.align_corners, shape.scale_height);
  const T step_x =
      source_step<T>(shape.in_width, shape.out_width, shape.align_corners, shape.scale_width);
  const int64_t pixel = shape.channels_last ? shape.channels : 1;
  for_rows(shape, [&](int64_t first, int64_t last) {
    Neighbours<T> columns[kColumnBlock];
    for (int64_t start = 0; start < shape.out_width; start += kColumnBlock) {
      const int64_t count =
          shape.out_width - start < kColumnBlock ? shape.out_width - start : kColumnBlock;
      for (int64_t x = 0; x < count; ++x) {
        columns[x] = neighbours(start + x, step_x, shape.in_width, shape.align_corners);
      }
      for (int64_t i = first; i < last; ++i) {
        const Neighbours<T> rows =
            neighbours(i % shape.out_height, step_y, shape.in_height, shape.align_corners);
        const T* image = in + i / shape.out_height * shape.in_height * shape.in_width * pixel;
        blend_columns(columns, count, pixel, image + rows.low * shape.in_width * pixel,
                      image + rows.high * shape.in_width * pixel, rows.weight,
                      out + (i * shape.out_width + start) * pixel);
      }
    }
  });
}

template void upsample_bilinear2d<float>(const UpsampleShape&, const float*, float*);
template void upsample_bilinear2d<double>(const UpsampleShape&, const double*, double*);

}  // namespace executorch::compute
