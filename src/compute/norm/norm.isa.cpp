#include "compute/norm/norm.h"
#include "compute/math/math.h"
#include "compute/norm/rows.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

template <class V>
inline V larger(V a, V b) {
  return a > b || a != a ? a : b;
}

template <class V>
inline Element<V> max_lanes(V v) {
  Element<V> lanes[kLanes<V>];
  store<V>(lanes, v);
  Element<V> best = lanes[0];
  for (int i = 1; i < kLanes<V>; ++i)
    best = lanes[i] > best || lanes[i] != lanes[i] ? lanes[i] : best;
  return best;
}

/// Sums term(vector) over a row. Two accumulators for speed; each block of values is added up
/// on its own, so that long sums lose no digits.
template <class V, class Term>
inline Element<V> sum_terms(const Element<V>* in, int64_t n, Element<V> other, Term term) {
  Element<V> total = 0;
  for (int64_t start = 0; start < n; start += kSumBlock) {
    const int64_t end = n - start < kSumBlock ? n : start + kSumBlock;
    V a{}, b{};
    int64_t i = start;
    for (; i + 2 * kLanes<V> <= end; i += 2 * kLanes<V>) {
      a += term(load<V>(in + i));
      b += term(load<V>(in + i + kLanes<V>));
    }
    for (; i + kLanes<V> <= end; i += kLanes<V>) a += term(load<V>(in + i));
    if (i < end) b += term(load_some<V>(in + i, end - i, other));
    total += add_lanes<V>(a + b);
  }
  return total;
}

template <class V>
Element<V> row_max(const Element<V>* in, int64_t n) {
  V best = broadcast<V>(-kInfinity<V>);
  int64_t i = 0;
  for (; i + kLanes<V> <= n; i += kLanes<V>) best = larger<V>(load<V>(in + i), best);
  if (i < n) best = larger<V>(load_some<V>(in + i, n - i, -kInfinity<V>), best);
  return max_lanes<V>(best);
}

template <class V>
Element<V> sum_row(const Element<V>* in, int64_t n) {
  return sum_terms<V>(in, n, 0, [](V x) { return x; });
}

template <class V>
Element<V> square_sum_row(const Element<V>* in, int64_t n, Element<V> center) {
  return sum_terms<V>(in, n, center, [center](V x) {
    const V d = x - center;
    return d * d;
  });
}

/// out = exp(in - max); returns the sum.
template <class V>
Element<V> exp_row(const Element<V>* in, Element<V>* out, int64_t n, Element<V> max) {
  Element<V> total = 0;
  for (int64_t start = 0; start < n; start += kSumBlock) {
    const int64_t length = n - start < kSumBlock ? n - start : kSumBlock;
    V sum{};
    map_row<V>(in + start, out + start, length, -kInfinity<V>, [max, &sum](V x, int64_t) {
      const V e = exp<V>(x - max);
      sum += e;
      return e;
    });
    total += add_lanes<V>(sum);
  }
  return total;
}

template <class V>
void softmax_row(const Element<V>* in, Element<V>* out, int64_t n) {
  const Element<V> sum = exp_row<V>(in, out, n, row_max<V>(in, n));
  map_row<V>(out, out, n, 0, [sum](V x, int64_t) { return x / sum; });
}

template <class V>
void log_softmax_row(const Element<V>* in, Element<V>* out, int64_t n) {
  using T = Element<V>;
  const T max = row_max<V>(in, n);
  const T sum = sum_terms<V>(in, n, -kInfinity<V>, [max](V x) { return exp<V>(x - max); });
  const T log_sum = log<V>(broadcast<V>(sum))[0];
  map_row<V>(in, out, n, 0, [max, log_sum](V x, int64_t) { return x - max - log_sum; });
}

/// One vector of columns, `width` of them real.
template <class V, bool logarithm>
inline void softmax_column_vector(const Element<V>* in, Element<V>* out, int64_t n, int64_t stride,
                                  int64_t width) {
  const auto get = [width](const Element<V>* p) {
    return width == kLanes<V> ? load<V>(p) : load_some<V>(p, width, 0);
  };
  const auto put = [width](Element<V>* p, V value) {
    width == kLanes<V> ? store<V>(p, value) : store_some<V>(p, value, width);
  };
  V max = broadcast<V>(-kInfinity<V>);
  for (int64_t i = 0; i < n; ++i) max = larger<V>(get(in + i * stride), max);
  V sum{};
  for (int64_t start = 0; start < n; start += kSumBlock) {
    const int64_t end = n - start < kSumBlock ? n : start + kSumBlock;
    V part{};
    for (int64_t i = start; i < end; ++i) {
      const V e = exp<V>(get(in + i * stride) - max);
      part += e;
      if (!logarithm) put(out + i * stride, e);
    }
    sum += part;
  }
  const V log_sum = logarithm ? log<V>(sum) : V{};
  for (int64_t i = 0; i < n; ++i) {
    put(out + i * stride,
        logarithm ? get(in + i * stride) - max - log_sum : get(out + i * stride) / sum);
  }
}

template <class V, bool logarithm>
void softmax_columns(const Element<V>* in, Element<V>* out, int64_t n, int64_t stride,
                     int64_t width) {
  for (int64_t c = 0; c < width; c += kLanes<V>) {
    const int64_t columns = width - c < kLanes<V> ? width - c : kLanes<V>;
    softmax_column_vector<V, logarithm>(in + c, out + c, n, stride, columns);
  }
}

template <class V>
constexpr int64_t kLongestShortRow = kLanes<V> / 2;

/// Rows of few values: a lane for each row.
template <class V, bool logarithm>
void softmax_short_rows(const Element<V>* in, Element<V>* out, int64_t rows, int64_t n) {
  constexpr int64_t L = kLanes<V>;
  Element<V> columns[kLongestShortRow<V> * L] = {};
  for (int64_t first = 0; first < rows; first += L) {
    const int64_t count = rows - first < L ? rows - first : L;
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < n; ++i) columns[i * L + r] = in[(first + r) * n + i];
    }
    softmax_column_vector<V, logarithm>(columns, columns, n, L, L);
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < n; ++i) out[(first + r) * n + i] = columns[i * L + r];
    }
  }
}

template <class V, bool logarithm>
void softmax_rows(const Element<V>* in, Element<V>* out, int64_t rows, int64_t n) {
  if (n <= kLongestShortRow<V>) {
    softmax_short_rows<V, logarithm>(in, out, rows, n);
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    (logarithm ? log_softmax_row<V> : softmax_row<V>)(in + r * n, out + r * n, n);
  }
}

template <class V>
void normalize_row(const Element<V>* in, Element<V>* out, int64_t n, Element<V> mean,
                   Element<V> rstd, const Element<V>* weight, const Element<V>* bias) {
  if (weight != nullptr && bias != nullptr) {
    map_row<V>(in, out, n, 0, [=](V x, int64_t i) {
      return (x - mean) * rstd * load_at<V>(weight, i, n, 0) + load_at<V>(bias, i, n, 0);
    });
    return;
  }
  map_row<V>(in, out, n, 0, [=](V x, int64_t i) {
    V y = (x - mean) * rstd;
    if (weight != nullptr) y *= load_at<V>(weight, i, n, 0);
    if (bias != nullptr) y += load_at<V>(bias, i, n, 0);
    return y;
  });
}

template <class V>
void scale_shift_row(const Element<V>* in, Element<V>* out, int64_t n, Element<V> scale,
                     Element<V> shift) {
  map_row<V>(in, out, n, 0, [=](V x, int64_t) { return x * scale + shift; });
}

template <class V>
void scale_shift_each(const Element<V>* in, Element<V>* out, int64_t n, const Element<V>* scale,
                      const Element<V>* shift) {
  map_row<V>(in, out, n, 0, [=](V x, int64_t i) {
    return x * load_at<V>(scale, i, n, 0) + load_at<V>(shift, i, n, 0);
  });
}

template <class V>
constexpr NormRowLoops<Element<V>> row_loops_of() {
  return {softmax_row<V>,
          log_softmax_row<V>,
          softmax_rows<V, false>,
          softmax_rows<V, true>,
          softmax_columns<V, false>,
          softmax_columns<V, true>,
          row_max<V>,
          exp_row<V>,
          sum_row<V>,
          square_sum_row<V>,
          normalize_row<V>,
          scale_shift_row<V>,
          scale_shift_each<V>};
}

}  // namespace

extern constexpr NormLoops norm_loops_table = {row_loops_of<F32>(), row_loops_of<F64>()};

}  // namespace EXECUTORCH_ISA_NAMESPACE
