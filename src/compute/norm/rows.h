/**
 * @file
 * Vectors along rows whose length is no multiple of the lanes, for *.isa.cpp files only.
 */
#pragma once

#include <cstdint>

#include "compute/math/vector.h"

namespace EXECUTORCH_ISA_NAMESPACE {

/// Loads `count` < lanes values, the rest filled with `other`.
template <class V>
inline V load_some(const Element<V>* p, int64_t count, Element<V> other) {
  Element<V> buffer[kLanes<V>];
  store<V>(buffer, broadcast<V>(other));
  __builtin_memcpy(buffer, p, static_cast<size_t>(count) * sizeof(Element<V>));
  return load<V>(buffer);
}
template <class V>
inline void store_some(Element<V>* p, V value, int64_t count) {
  Element<V> buffer[kLanes<V>];
  store<V>(buffer, value);
  __builtin_memcpy(p, buffer, static_cast<size_t>(count) * sizeof(Element<V>));
}

/// A vector at i of a row of n values, the tail filled with `other`.
template <class V>
inline V load_at(const Element<V>* p, int64_t i, int64_t n, Element<V> other) {
  return i + kLanes<V> <= n ? load<V>(p + i) : load_some<V>(p + i, n - i, other);
}

/// Applies f to whole vectors and, padded with `other`, to the tail.
template <class V, class F>
inline void map_row(const Element<V>* in, Element<V>* out, int64_t n, Element<V> other, F f) {
  int64_t i = 0;
  for (; i + kLanes<V> <= n; i += kLanes<V>) store<V>(out + i, f(load<V>(in + i), i));
  if (i < n) store_some<V>(out + i, f(load_some<V>(in + i, n - i, other), i), n - i);
}

/// Adds lanes in halves, a fixed tree.
template <class V>
inline Element<V> add_lanes(V v) {
  Element<V> lanes[kLanes<V>];
  store<V>(lanes, v);
  for (int width = kLanes<V> / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

/// Values that are added up in vector lanes before their sum joins the total, so that long sums
/// lose no digits.
constexpr int64_t kSumBlock = 4096;

}  // namespace EXECUTORCH_ISA_NAMESPACE
