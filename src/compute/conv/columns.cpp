#include "compute/conv/columns.h"

#include <algorithm>
#include <cstring>

#include "compute/copy/word.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// Small indices [first, last) whose large index lies in the image, for one tap of one dimension.
struct Range {
  int64_t first;
  int64_t last;
  int64_t offset;  ///< large index of small index 0
};

Range valid_range(const WindowGrid& grid, int d, int64_t tap) {
  const int64_t offset = tap * grid.dilation[d] - grid.padding[d];
  const int64_t stride = grid.stride[d];
  const int64_t first = offset < 0 ? (-offset + stride - 1) / stride : 0;
  const int64_t last = offset < grid.large[d] ? (grid.large[d] - 1 - offset) / stride + 1 : 0;
  return {first, std::min(last, grid.small[d]), offset};
}

/// A run of adjacent columns that lie in one row of the small grid.
struct Run {
  int64_t column;  ///< of the first, within the block
  int64_t length;
  int64_t before;  ///< columns whose cell lies before the image's row
  int64_t inside;
  int64_t source;  ///< large cell of the first one inside
};

/// Calls f(run) for all columns [first, first + count) of one tap. A run outside of the image has
/// none inside.
template <class F>
void each_run(const WindowGrid& grid, int64_t tap, int64_t first, int64_t count, F f) {
  const int64_t kz = tap / grid.kernel[2] / grid.kernel[1];
  const int64_t ky = tap / grid.kernel[2] % grid.kernel[1];
  const Range columns = valid_range(grid, 2, tap % grid.kernel[2]);
  const int64_t width = grid.small[2];
  for (int64_t cell = first; cell < first + count;) {
    const int64_t x = cell % width, y = cell / width % grid.small[1];
    const int64_t z = cell / width / grid.small[1];
    const int64_t length = std::min(width - x, first + count - cell);
    const int64_t large_z = z * grid.stride[0] + kz * grid.dilation[0] - grid.padding[0];
    const int64_t large_y = y * grid.stride[1] + ky * grid.dilation[1] - grid.padding[1];
    Run run = {cell - first, length, length, 0, 0};
    if (large_z >= 0 && large_z < grid.large[0] && large_y >= 0 && large_y < grid.large[1]) {
      const int64_t begin = std::clamp(columns.first, x, x + length);
      const int64_t end = std::clamp(columns.last, begin, x + length);
      run.before = begin - x;
      run.inside = end - begin;
      run.source = (large_z * grid.large[1] + large_y) * grid.large[2] + begin * grid.stride[2] +
                   columns.offset;
    }
    f(run);
    cell += length;
  }
}

template <class T>
void copy_run(const Run& run, int64_t stride, const T* plane, T* row) {
  T* to = row + run.column;
  std::fill(to, to + run.before, T{});
  to += run.before;
  const T* from = plane + run.source;
  if (stride == 1) {
    std::copy(from, from + run.inside, to);
  } else {
    for (int64_t i = 0; i < run.inside; ++i) to[i] = from[i * stride];
  }
  std::fill(to + run.inside, row + run.column + run.length, T{});
}

/// Rows that are worth a task.
int64_t rows_per_task(int64_t count) {
  return 16 * 1024 / std::max<int64_t>(count, 1) + 1;
}

template <class T>
void to_columns(const WindowGrid& grid, int64_t channels, const void* image, int64_t first,
                int64_t count, void* columns) {
  const int64_t taps = grid.taps();
  threadpool::parallel_for(
      0, channels * taps, rows_per_task(count), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const T* plane = static_cast<const T*>(image) + row / taps * grid.large_cells();
          T* to = static_cast<T*>(columns) + row * count;
          each_run(grid, row % taps, first, count,
                   [&](const Run& run) { copy_run(run, grid.stride[2], plane, to); });
        }
      });
}

struct Wide {
  uint64_t halves[2];
};

}  // namespace

void image_to_columns(const WindowGrid& grid, int64_t channels, size_t element_size,
                      const void* image, int64_t first, int64_t count, void* columns) noexcept {
  const bool is_word = with_word(element_size, [&](auto word) {
    to_columns<decltype(word)>(grid, channels, image, first, count, columns);
  });
  if (!is_word) to_columns<Wide>(grid, channels, image, first, count, columns);
}

template <class T>
void add_columns_to_image(const WindowGrid& grid, int64_t channels, const T* columns, int64_t first,
                          int64_t count, T* image) noexcept {
  const int64_t taps = grid.taps(), stride = grid.stride[2];
  threadpool::parallel_for(0, channels, rows_per_task(count * taps),
                           [&](int64_t begin, int64_t end) {
                             for (int64_t row = begin * taps; row < end * taps; ++row) {
                               T* plane = image + row / taps * grid.large_cells();
                               const T* from = columns + row * count;
                               each_run(grid, row % taps, first, count, [&](const Run& run) {
                                 const T* values = from + run.column + run.before;
                                 T* to = plane + run.source;
                                 for (int64_t i = 0; i < run.inside; ++i)
                                   to[i * stride] += values[i];
                               });
                             }
                           });
}

#define EXECUTORCH_ADD_COLUMNS(type__)                               \
  template EXECUTORCH_COMPUTE_API void add_columns_to_image<type__>( \
      const WindowGrid&, int64_t, const type__*, int64_t, int64_t, type__*) noexcept;
EXECUTORCH_ADD_COLUMNS(float)
EXECUTORCH_ADD_COLUMNS(double)
EXECUTORCH_ADD_COLUMNS(uint32_t)
EXECUTORCH_ADD_COLUMNS(uint64_t)

}  // namespace executorch::compute
