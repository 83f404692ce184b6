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
  } else if constexpr (static_cast<T>(-1) > 0) {
    return 0;
  } else {
    return static_cast<T>(static_cast<T>(static_cast<T>(1) << (sizeof(T) * 8 - 2)) * -2);
  }
}
template <class V>
constexpr Element<V> highest() {
  if constexpr (kHasInfinity<Element<V>>) {
    return kInfinity<V>;
  } else {
    return static_cast<Element<V>>(~lowest<V>());
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

/// The vector with lane i + width in lane i.
template <int width, class V>
inline V shifted_down(V v) {
  Mask<V> from;
  for (int i = 0; i < kLanes<V>; ++i) from[i] = (i + width) % kLanes<V>;
#if defined(__clang__)
  V result;
  for (int i = 0; i < kLanes<V>; ++i) result[i] = v[from[i]];
  return result;
#else
  return __builtin_shuffle(v, from);
#endif
}

/// Combines the lanes by halves.
template <class Op, class V, int width = kLanes<V> / 2>
inline Element<V> across(V v) {
  if constexpr (width == 0) {
    return v[0];
  } else {
    return across<Op, V, width / 2>(Op::template combine<V>(v, shifted_down<width>(v)));
  }
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
[[gnu::noinline]] void reduce_rows(void* results, const void* first_row, int64_t step, int64_t rows,
                                   int64_t n) {
  const auto* row = static_cast<const Element<V>*>(first_row);
  for (int64_t r = 0; r < rows; ++r, row += step)
    static_cast<Element<V>*>(results)[r] = reduce_mapped<Op, V>(row, n, [](V v) { return v; });
}

template <class Op, class V>
void reduce_block(void* result, const void* values, int64_t n) {
  reduce_rows<Op, V>(result, values, 0, 1, n);
}

template <class Op, class V>
void reduce_byte_rows(int32_t* results, const void* first_row, int64_t step, int64_t rows,
                      int64_t n) {
  const auto* row = static_cast<const Element<V>*>(first_row);
  for (int64_t r = 0; r < rows; ++r, row += step)
    results[r] = reduce_mapped<Op, V>(row, n, [](V v) { return v; });
}

/// `count` vectors of results, side by side in registers.
template <class Op, class V, int count>
inline void reduce_strip(Element<V>* results, const Element<V>* row, int64_t step, int64_t rows,
                         bool more) {
  constexpr int64_t lanes = kLanes<V>;
  V held[count];
  for (int k = 0; k < count; ++k) held[k] = load<V>((more ? results : row) + k * lanes);
  for (int64_t r = more ? 0 : 1; r < rows; ++r) {
    for (int k = 0; k < count; ++k)
      held[k] = Op::template combine<V>(held[k], load<V>(row + r * step + k * lanes));
  }
  for (int k = 0; k < count; ++k) store<V>(results + k * lanes, held[k]);
}

/// Fewer columns than a vector has.
template <class Op, class V>
inline void reduce_edge(Element<V>* results, const Element<V>* row, int64_t step, int64_t rows,
                        int64_t columns, bool more) {
  V held = load_padded<V>(more ? results : row, columns, 0);
  for (int64_t r = more ? 0 : 1; r < rows; ++r)
    held = Op::template combine<V>(held, load_padded<V>(row + r * step, columns, 0));
  __builtin_memcpy(results, &held, static_cast<size_t>(columns) * sizeof(Element<V>));
}

template <class Op, class V>
void reduce_columns(void* out, const void* first_row, int64_t step, int64_t rows, int64_t columns,
                    bool more) {
  constexpr int64_t lanes = kLanes<V>;
  auto* results = static_cast<Element<V>*>(out);
  const auto* row = static_cast<const Element<V>*>(first_row);
  int64_t c = 0;
  for (; c + 4 * lanes <= columns; c += 4 * lanes)
    reduce_strip<Op, V, 4>(results + c, row + c, step, rows, more);
  for (; c + lanes <= columns; c += lanes)
    reduce_strip<Op, V, 1>(results + c, row + c, step, rows, more);
  if (c < columns) reduce_edge<Op, V>(results + c, row + c, step, rows, columns - c, more);
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

/// The first of n values that is wanted, else n: stretches of them are asked without a branch.
template <class T, class Wanted>
inline int64_t find_where(const T* values, int64_t n, Wanted wanted) {
  constexpr int64_t kStretch = 64;
  int64_t i = 0;
  for (; i + kStretch <= n; i += kStretch) {
    T found = 0;
    for (int64_t j = 0; j < kStretch; ++j) found = wanted(values[i + j]) ? T(1) : found;
    if (found != T(0)) break;
  }
  while (i < n && !wanted(values[i])) ++i;
  return i;
}

template <class V>
int64_t find(const void* values, int64_t n, const void* wanted) {
  using T = Element<V>;
  const auto* v = static_cast<const T*>(values);
  const T target = *static_cast<const T*>(wanted);
  if (target != target) return find_where(v, n, [](T value) { return value != value; });
  return find_where(v, n, [target](T value) { return value == target; });
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
    {EXECUTORCH_BY_TYPE(reduce_rows, SumOf), EXECUTORCH_BY_TYPE(reduce_rows, ProductOf),
     EXECUTORCH_BY_TYPE(reduce_rows, MaximumOf), EXECUTORCH_BY_TYPE(reduce_rows, MinimumOf)},
    {{reduce_byte_rows<MaximumOf, U8>, reduce_byte_rows<MinimumOf, U8>},
     {reduce_byte_rows<MaximumOf, I8>, reduce_byte_rows<MinimumOf, I8>}},
    {EXECUTORCH_BY_TYPE(reduce_columns, SumOf), EXECUTORCH_BY_TYPE(reduce_columns, ProductOf),
     EXECUTORCH_BY_TYPE(reduce_columns, MaximumOf), EXECUTORCH_BY_TYPE(reduce_columns, MinimumOf)},
    {EXECUTORCH_BY_TYPE(track, true), EXECUTORCH_BY_TYPE(track, false)},
    {find<F32>, find<F64>, find<I32>, find<I64>},
    square_sum,
};

}  // namespace EXECUTORCH_ISA_NAMESPACE
