#include "compute/resize/grid_sampler.h"

#include <algorithm>
#include <cmath>

#include "compute/math/scalar.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

constexpr int kMostTaps = 16;

/// An input cell and its weight.
template <class T>
struct Tap {
  int64_t offset;
  T weight;
};

/// Taps along one dimension.
template <class T>
struct AxisTaps {
  int64_t position[4];
  T weight[4];
  int count;
};

/// One dimension of the input.
template <class T>
struct Axis {
  int64_t size;
  GridPadding padding;
  bool align_corners;

  T to_pixels(T coordinate) const {
    const T n = static_cast<T>(size);
    return align_corners ? (coordinate + 1) / 2 * (n - 1) : ((coordinate + 1) * n - 1) / 2;
  }

  T clamp(T position) const {
    const T last = static_cast<T>(size - 1);
    return position > 0 ? std::min(position, last) : T{0};
  }

  /// Mirrors at the ends of the image.
  T reflect(T position) const {
    const T low = align_corners ? T{0} : T(-0.5);
    const T span = static_cast<T>(align_corners ? size - 1 : size);
    if (span <= 0) return 0;
    const T distance = std::fabs(position - low);
    const T extra =
        static_cast<T>(exact_fmod(static_cast<double>(distance), static_cast<double>(span)));
    const double turns = exact_fmod(static_cast<double>(std::floor(distance / span)), 2);
    const bool even = turns == 0;
    return even ? low + extra : low + span - extra;
  }

  /// The position within the image that stands for one beyond it; zeros are left outside.
  T inside(T position) const {
    if (padding == GridPadding::border) return clamp(position);
    return padding == GridPadding::reflection ? clamp(reflect(position)) : position;
  }

  /// A whole position as an index; -1 outside.
  int64_t index(T position) const {
    return position >= 0 && position < static_cast<T>(size) ? static_cast<int64_t>(position) : -1;
  }
};

template <class T>
T near_weight(T x) {
  constexpr T a = T(-0.75);
  return ((a + 2) * x - (a + 3)) * x * x + 1;
}
template <class T>
T far_weight(T x) {
  constexpr T a = T(-0.75);
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

template <class T>
AxisTaps<T> axis_taps(const Axis<T>& axis, GridFilter filter, T coordinate) {
  const T pixel = axis.to_pixels(coordinate);
  if (filter == GridFilter::cubic) {
    const T low = std::floor(pixel), t = pixel - low;
    AxisTaps<T> taps = {
        {}, {far_weight(t + 1), near_weight(t), near_weight(1 - t), far_weight(2 - t)}, 4};
    for (int k = 0; k < 4; ++k)
      taps.position[k] = axis.index(axis.inside(low + static_cast<T>(k - 1)));
    return taps;
  }
  const T position = axis.inside(pixel);
  if (filter == GridFilter::nearest) {
    return {{axis.index(std::nearbyint(position))}, {T{1}}, 1};
  }
  const T low = std::floor(position), weight = position - low;
  return {{axis.index(low), axis.index(low + 1)}, {1 - weight, weight}, 2};
}

/// The cells that make one point; returns their number.
template <class T>
int point_taps(const GridSampler& s, const T* point, Tap<T>* taps) {
  AxisTaps<T> axes[3] = {{{0}, {T{1}}, 1}, {{0}, {T{1}}, 1}, {{0}, {T{1}}, 1}};
  for (int d = 3 - s.dims; d < 3; ++d) {
    axes[d] = axis_taps(Axis<T>{s.size[d], s.padding, s.align_corners}, s.filter, point[2 - d]);
  }
  int count = 0;
  for (int z = 0; z < axes[0].count; ++z) {
    for (int y = 0; y < axes[1].count; ++y) {
      for (int x = 0; x < axes[2].count; ++x) {
        const int64_t at[] = {axes[0].position[z], axes[1].position[y], axes[2].position[x]};
        if (at[0] < 0 || at[1] < 0 || at[2] < 0) continue;
        taps[count++] = {(at[0] * s.size[1] + at[1]) * s.size[2] + at[2],
                         axes[0].weight[z] * axes[1].weight[y] * axes[2].weight[x]};
      }
    }
  }
  return count;
}

}  // namespace

template <class T>
void grid_sample(const GridSampler& s, const T* in, const T* grid, T* out) noexcept {
  const int64_t cells = s.size[0] * s.size[1] * s.size[2];
  const int64_t grain = 4096 / std::max<int64_t>(s.channels, 1) + 1;
  threadpool::parallel_for(0, s.batch * s.points, grain, [&](int64_t first, int64_t last) {
    Tap<T> taps[kMostTaps];
    for (int64_t i = first; i < last; ++i) {
      const int count = point_taps(s, grid + i * s.dims, taps);
      const int64_t image = i / s.points * s.channels, point = i % s.points;
      for (int64_t c = image; c < image + s.channels; ++c) {
        T sum = 0;
        for (int k = 0; k < count; ++k) sum += in[c * cells + taps[k].offset] * taps[k].weight;
        out[c * s.points + point] = sum;
      }
    }
  });
}

template void grid_sample<float>(const GridSampler&, const float*, const float*, float*) noexcept;
template void grid_sample<double>(const GridSampler&, const double*, const double*,
                                  double*) noexcept;

}  // namespace executorch::compute
