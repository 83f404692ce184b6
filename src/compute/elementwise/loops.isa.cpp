#include "compute/elementwise/functors.h"
#include "compute/elementwise/operation.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

// Kept out of the loops, which keep their positions in registers so.

/// Fills a vector in memory with the value.
template <class V>
[[gnu::noinline]] void spread(const Element<V>* value, Element<V>* buffer) {
  store<V>(buffer, broadcast<V>(*value));
}

/// Moves less than a vector to where a whole vector can be read.
template <class V>
[[gnu::noinline]] void pad(const Element<V>* from, int64_t count, Element<V>* buffer) {
  store<V>(buffer, broadcast<V>(from[0]));
  __builtin_memcpy(buffer, from, static_cast<size_t>(count) * sizeof(Element<V>));
}

template <class V>
[[gnu::noinline]] void store_part(Element<V>* to, const Element<V>* vector, int64_t count) {
  __builtin_memcpy(to, vector, static_cast<size_t>(count) * sizeof(Element<V>));
}

/// Applies the operation to the next vector of each operand.
template <class Op, class V, int N>
inline V apply_next(const Element<V>* (&from)[N], const int64_t (&steps)[N]) {
  // Positions and vectors stay in registers.
  V v[N];
#pragma GCC unroll 4
  for (int k = 0; k < N; ++k) {
    v[k] = load<V>(from[k]);
    from[k] += steps[k];
  }
  if constexpr (N == 1) {
    return Op::apply(v[0]);
  } else if constexpr (N == 2) {
    return Op::apply(v[0], v[1]);
  } else if constexpr (N == 3) {
    return Op::apply(v[0], v[1], v[2]);
  } else {
    return Op::apply(v[0], v[1], v[2], v[3]);
  }
}

// A single value is spread over a vector of its own and stays in place. The arithmetic stands in
// one place, also for the tail: it is the bulk of the code.
template <class Op, class V, int N>
void loop(void* out, const void* const* operands, uint32_t scalars, int64_t n) {
  using T = Element<V>;
  constexpr int64_t lanes = kLanes<V>;
  const T* from[N];
  int64_t steps[N];
  T buffers[N][lanes];
#pragma GCC unroll 4
  for (int k = 0; k < N; ++k) {
    from[k] = static_cast<const T*>(operands[k]);
    steps[k] = lanes;
    if (scalars >> k & 1) {
      spread<V>(from[k], buffers[k]);
      from[k] = buffers[k];
      steps[k] = 0;
    }
  }
  T* to = static_cast<T*>(out);
  T last[lanes];
  T* tail = nullptr;
  for (; n > 0; n -= lanes) {
    if (n < lanes) {
#pragma GCC unroll 4
      for (int k = 0; k < N; ++k) {
        if (steps[k] == 0) continue;
        pad<V>(from[k], n, buffers[k]);
        from[k] = buffers[k];
      }
      tail = to;
      to = last;
      // Knowing that this vector is the last, the compiler would repeat the arithmetic for it.
      asm("" : "+r"(n));
    }
    store<V>(to, apply_next<Op, V>(from, steps));
    to += lanes;
  }
  if (tail != nullptr) store_part<V>(tail, last, n + lanes);
}

// Rows of the table by the letter in EXECUTORCH_ELEMENTWISE_OPERATIONS: f32, f64, i32, i64.
#define EXECUTORCH_LOOPS_A(op__, n__) \
  {loop<op__, F32, n__>, loop<op__, F64, n__>, loop<op__, I32, n__>, loop<op__, I64, n__>},
#define EXECUTORCH_LOOPS_F(op__, n__) \
  {loop<op__, F32, n__>, loop<op__, F64, n__>, nullptr, nullptr},
#define EXECUTORCH_LOOPS_S(op__, n__) {loop<op__, F32, n__>, nullptr, nullptr, nullptr},
#define EXECUTORCH_LOOPS_I(op__, n__) \
  {nullptr, nullptr, loop<op__, I32, n__>, loop<op__, I64, n__>},
#define EXECUTORCH_LOOPS(op__, n__, types__) EXECUTORCH_LOOPS_##types__(op__, n__)

constexpr ElementwiseLoops make_table() {
  ElementwiseLoops loops = {{EXECUTORCH_ELEMENTWISE_OPERATIONS(EXECUTORCH_LOOPS)}, {}};
#define EXECUTORCH_BYTE_LOOP(op__, n__) \
  loops.byte_loop[static_cast<int>(ElementwiseOp::op__)] = loop<op__, I8, n__>;
  EXECUTORCH_BYTE_OPERATIONS(EXECUTORCH_BYTE_LOOP)
  return loops;
}

}  // namespace

constexpr ElementwiseLoops elementwise_loops_table = make_table();

}  // namespace EXECUTORCH_ISA_NAMESPACE
