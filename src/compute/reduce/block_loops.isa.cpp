#include "compute/reduce/block_loops.h"

#include "compute/elementwise/functors.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

template <class T>
constexpr bool kHasInfinity = false;
template <>
inline constexpr bool kHasInfinity<float> = true;
template <>
inline constexpr bool kHasInfinity<double> = true;

template <class V>
constexpr Element<V> lowest() {
  using T = Element<V>;
  if constexpr (kHasInfinity<T>) {
    return -kInfinity<V>;
  } else {
    return static_cast<T>(static_cast<T>(1) << (sizeof(T) * 8 - 2)) * -2;
  }
}
template <class V>
constexpr Element<V> highest() {
  if constexpr (kHasInfinity<Element<V>>) {
    return kInfinity<V>;
  } else {
    return ~lowest<V>();
  }
}

// A reduction: its identity, how a vector enters and how two partial results combine.
struct SumOf {
  template <class V>
  static Element<V> identity() {
    return 0;
  }
  template <class V>
  static V combine(V a, V b) {
    return wrapping_add(a, b);
  }
};
struct ProductOf {
  template <class V>
  static Element<V> identity() {
    return 1;
  }
  template <class V>
  static V combine(V a, V b) {
    return wrapping_mul(a, b);
  }
};
struct MaximumOf {
  template <class V>
  static Element<V> identity() {
    return lowest<V>();
  }
  template <class V>
  static V combine(V a, V b) {
    return Maximum::apply<V>(a, b);
  }
};
struct MinimumOf {
  template <class V>
  static Element<V> identity() {
    return highest<V>();
  }
  template <class V>
  static V combine(V a, V b) {
    return Minimum::apply<V>(a, b);
  }
};

/// Combines the lanes by halves.
template <class Op, class V>
inline Element<V> across(V v) {
  Element<V> lanes[kLanes<V>];
  store<V>(lanes, v);
  for (int width = kLanes<V> / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) {
      lanes[i] = Op::template combine<V>(broadcast<V>(lanes[i]), broadcast<V>(lanes[i + width]))[0];
    }
  }
  return lanes[0];
}

template <class V>
inline V load_padded(const Element<V>* values, int64_t n, Element<V> padding) {
  V v = broadcast<V>(padding);
  __builtin_memcpy(&v, values, static_cast<size_t>(n) * sizeof(Element<V>));
  return v;
}

/// Combines f(vector) over a block with four independent partial results.
template <class Op, class V, class F>
inline Element<V> reduce_mapped(const Element<V>* values, int64_t n, F f) {
  constexpr int64_t lanes = kLanes<V>;
  V partial[4];
  for (V& p : partial) p = broadcast<V>(Op::template identity<V>());
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    for (int k = 0; k < 4; ++k)
      partial[k] = Op::template combine<V>(partial[k], f(load<V>(values + i + k * lanes)));
  }
  for (; i + lanes <= n; i += lanes)
    partial[0] = Op::template combine<V>(partial[0], f(load<V>(values + i)));
  if (i < n) {
    // Padding must not pass through f: it enters as the identity.
    const V rest = f(load_padded<V>(values + i, n - i, values[i]));
    Element<V> mapped[lanes];
    store<V>(mapped, rest);
    partial[1] = Op::template combine<V>(partial[1],
                                         load_padded<V>(mapped, n - i, Op::template identity<V>()));
  }
  const V left = Op::template combine<V>(partial[0], partial[1]);
  const V right = Op::template combine<V>(partial[2], partial[3]);
  return across<Op, V>(Op::template combine<V>(left, right));
}

template <class Op, class V>
void reduce_block(void* result, const void* values, int64_t n) {
  *static_cast<Element<V>*>(result) =
      reduce_mapped<Op, V>(static_cast<const Element<V>*>(values), n, [](V v) { return v; });
}

template <bool largest, class V>
void track(void* best, int64_t* index, const void* row, int64_t n, int64_t position) {
  using T = Element<V>;
  auto* held = static_cast<T*>(best);
  const auto* values = static_cast<const T*>(row);
  for (int64_t i = 0; i < n; ++i) {
    const T value = values[i], old = held[i];
    const bool better = (largest ? value > old : value < old) || (value != value && old == old);
    held[i] = better ? value : old;
    index[i] = better ? position : index[i];
  }
}

template <class V>
int64_t find(const void* values, int64_t n, const void* wanted) {
  using T = Element<V>;
  const auto* v = static_cast<const T*>(values);
  const T target = *static_cast<const T*>(wanted);
  const bool nan = target != target;
  for (int64_t i = 0; i < n; ++i) {
    if (nan ? v[i] != v[i] : v[i] == target) return i;
  }
  return n;
}

double square_sum(const double* values, int64_t n, double center) {
  return reduce_mapped<SumOf, F64>(values, n, [=](F64 v) { return (v - center) * (v - center); });
}

#define EXECUTORCH_BY_TYPE(loop__, ...)                                          \
  {loop__<__VA_ARGS__, F32>, loop__<__VA_ARGS__, F64>, loop__<__VA_ARGS__, I32>, \
   loop__<__VA_ARGS__, I64>}

}  // namespace

const BlockReductions block_reductions_table = {
    {EXECUTORCH_BY_TYPE(reduce_block, SumOf), EXECUTORCH_BY_TYPE(reduce_block, ProductOf),
     EXECUTORCH_BY_TYPE(reduce_block, MaximumOf), EXECUTORCH_BY_TYPE(reduce_block, MinimumOf)},
    {EXECUTORCH_BY_TYPE(track, true), EXECUTORCH_BY_TYPE(track, false)},
    {find<F32>, find<F64>, find<I32>, find<I64>},
    square_sum,
};

}  // namespace EXECUTORCH_ISA_NAMESPACE
