#include "compute/resize/taps.h"

#include <algorithm>
#include <cmath>

#include "compute/resize/resize_lines.h"

namespace executorch::compute {
namespace {

/// Input distance between neighbouring output positions.
template <class T>
T source_step(const ResizeShape& shape, const ResizeAxis& axis) {
  if (shape.align_corners) {
    return axis.out > 1 ? static_cast<T>(axis.in - 1) / static_cast<T>(axis.out - 1) : T{0};
  }
  if (axis.scale > 0) return static_cast<T>(1.0 / axis.scale);
  return static_cast<T>(axis.in) / static_cast<T>(axis.out);
}

/// A position as an integer within [low, high], whatever the value.
template <class T>
int64_t to_position(T value, int64_t low, int64_t high) {
  if (!(value > static_cast<T>(low))) return low;
  return value < static_cast<T>(high) ? static_cast<int64_t>(value) : high;
}

/// Positions to each side that the filter reaches.
int64_t reach(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::cubic:
      return 2;
    case Interpolation::lanczos:
      return 3;
    default:
      return 1;
  }
}

template <class T>
T cubic_weight(T x, T a) {
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

template <class T>
T lanczos_weight(T x) {
  constexpr double kPi = 3.14159265358979323846;
  if (x == 0) return 1;
  if (x >= 3) return 0;
  const double angle = kPi * static_cast<double>(x);
  const auto sine = resize_lines().sine;
  return static_cast<T>(3 * sine(angle) * sine(angle / 3) / (angle * angle));
}

/// Weight of an input position at distance x from the output position.
template <class T>
T weight_at(const ResizeShape& shape, T x) {
  x = std::fabs(x);
  switch (shape.interpolation) {
    case Interpolation::cubic:
      return cubic_weight(x, static_cast<T>(shape.antialias ? -0.5 : -0.75));
    case Interpolation::lanczos:
      return lanczos_weight(x);
    default:
      return x < 1 ? 1 - x : T{0};
  }
}

/// Eager ignores the scale of a dimension that keeps its size.
bool keeps_equal_sizes(const ResizeShape& shape) {
  return shape.interpolation == Interpolation::linear && !shape.antialias;
}

/// The positions around a point; those beyond the border count for the border.
template <class T>
TapRange interpolate(const ResizeShape& shape, const ResizeAxis& axis, T step, int64_t index,
                     T* weights) {
  const int64_t width = reach(shape.interpolation);
  if (axis.in == axis.out && keeps_equal_sizes(shape)) {
    weights[0] = 1;
    return {index, 1};
  }
  T position = shape.align_corners ? step * static_cast<T>(index)
                                   : step * (static_cast<T>(index) + T(0.5)) - T(0.5);
  if (width == 1 && !(position > 0)) position = 0;
  const int64_t last = axis.in - 1;
  const int64_t low = to_position(std::floor(position), -width, last);
  const T lambda = std::clamp(position - static_cast<T>(low), T{0}, T{1});
  const int64_t first = std::clamp<int64_t>(low - width + 1, 0, last);
  const int64_t count = std::clamp<int64_t>(low + width, 0, last) - first + 1;
  std::fill(weights, weights + count, T{0});
  for (int64_t k = 1 - width; k <= width; ++k) {
    const int64_t tap = std::clamp<int64_t>(low + k, 0, last);
    const T linear = k == 0 ? 1 - lambda : lambda;
    weights[tap - first] += width == 1 ? linear : weight_at(shape, static_cast<T>(k) - lambda);
  }
  return {first, count};
}

/// All positions under a filter that is stretched over what an output position stands for.
template <class T>
TapRange cover(const ResizeShape& shape, const ResizeAxis& axis, T step, int64_t index,
               int64_t most, T* weights) {
  const T stretch = std::max(step, T{1});
  const T support = static_cast<T>(reach(shape.interpolation)) * stretch;
  const T center = step * (static_cast<T>(index) + T(0.5));
  const int64_t first = to_position(center - support + T(0.5), 0, axis.in - 1);
  const int64_t end = to_position(center + support + T(0.5), 0, axis.in);
  const int64_t count = std::clamp<int64_t>(end - first, 0, most);
  T total = 0;
  for (int64_t k = 0; k < count; ++k) {
    weights[k] = weight_at(shape, (static_cast<T>(first + k) - center + T(0.5)) / stretch);
    total += weights[k];
  }
  for (int64_t k = 0; k < count && total != 0; ++k) weights[k] /= total;
  return {first, count};
}

}  // namespace

int64_t most_taps(const ResizeShape& shape, const ResizeAxis& axis) noexcept {
  if (shape.is_nearest()) return 1;
  const int64_t width = reach(shape.interpolation);
  if (!shape.antialias) return std::min(2 * width, axis.in);
  const double stretch = std::max(source_step<double>(shape, axis), 1.0);
  const double span = 2 * std::ceil(static_cast<double>(width) * stretch) + 1;
  return to_position(span, 1, axis.in);
}

size_t tap_table_bytes(const ResizeShape& shape, const ResizeAxis& axis) noexcept {
  const auto most = static_cast<size_t>(most_taps(shape, axis));
  size_t bytes;
  const size_t each = sizeof(TapRange) + most * (sizeof(double) + sizeof(int16_t));
  return __builtin_mul_overflow(static_cast<size_t>(axis.out), each, &bytes) ? SIZE_MAX : bytes;
}

template <class T>
TapTable<T> make_tap_table(const ResizeShape& shape, const ResizeAxis& axis,
                           void* memory) noexcept {
  auto* ranges = static_cast<TapRange*>(memory);
  T* weights = reinterpret_cast<T*>(ranges + axis.out);
  const int64_t most = most_taps(shape, axis);
  const T step = source_step<T>(shape, axis);
  for (int64_t i = 0; i < axis.out; ++i) {
    T* to = weights + i * most;
    if (shape.is_nearest()) {
      ranges[i] = {nearest_position(shape, axis, i), 1};
      to[0] = 1;
    } else if (shape.antialias) {
      ranges[i] = cover(shape, axis, step, i, most, to);
    } else {
      ranges[i] = interpolate(shape, axis, step, i, to);
    }
  }
  const bool identity = axis.in == axis.out && (step == 1 || keeps_equal_sizes(shape));
  return {axis.out, most, ranges, weights, identity};
}

template TapTable<float> make_tap_table<float>(const ResizeShape&, const ResizeAxis&,
                                               void*) noexcept;
template TapTable<double> make_tap_table<double>(const ResizeShape&, const ResizeAxis&,
                                                 void*) noexcept;

int64_t nearest_position(const ResizeShape& shape, const ResizeAxis& axis, int64_t index) noexcept {
  const auto step = source_step<float>(shape, axis);
  if (shape.interpolation == Interpolation::nearest_exact) {
    return to_position((static_cast<float>(index) + 0.5f) * step, 0, axis.in - 1);
  }
  // Exact where single precision might not be.
  if (axis.in == axis.out) return index;
  if (axis.out == 2 * axis.in) return index >> 1;
  return to_position(static_cast<float>(index) * step, 0, axis.in - 1);
}

int quantize_taps(const TapTable<double>& table, TapTable<int16_t>* quantized) noexcept {
  constexpr int kMostDigits = 22;
  double largest = 0;
  for (int64_t i = 0; i < table.out; ++i) {
    for (int64_t k = 0; k < table.ranges[i].count; ++k) {
      largest = std::max(largest, table.weights[i * table.most + k]);
    }
  }
  int digits = 0;
  while (digits < kMostDigits && 0.5 + largest * (1 << (digits + 1)) < (1 << 15)) ++digits;
  auto* weights =
      reinterpret_cast<int16_t*>(const_cast<double*>(table.weights) + table.out * table.most);
  for (int64_t i = 0; i < table.out; ++i) {
    for (int64_t k = 0; k < table.ranges[i].count; ++k) {
      const double value = table.weights[i * table.most + k] * (1 << digits);
      const double rounded = value < 0 ? value - 0.5 : value + 0.5;
      weights[i * table.most + k] =
          static_cast<int16_t>(to_position(rounded, INT16_MIN, INT16_MAX));
    }
  }
  *quantized = {table.out, table.most, table.ranges, weights, table.identity};
  return digits;
}

}  // namespace executorch::compute
