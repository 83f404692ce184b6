#include "compute/elementwise/functors.h"
#include "compute/elementwise/operation.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

/// Operands of a block, walked by whole vectors. A single value is spread over a vector of its own
/// and stays in place.
template <class V, int N>
class Cursor {
 public:
  Cursor(const void* const* operands, uint32_t scalars) {
    for (int k = 0; k < N; ++k) {
      position_[k] = static_cast<const T*>(operands[k]);
      step_[k] = kLanes<V>;
      if (scalars >> k & 1) {
        store<V>(buffer_[k], broadcast<V>(*position_[k]));
        position_[k] = buffer_[k];
        step_[k] = 0;
      }
    }
  }

  V next(int k) {
    const V v = load<V>(position_[k]);
    position_[k] += step_[k];
    return v;
  }

  // Moves what is left, less than a vector, to where a whole vector can be read.
  void pad(int64_t count) {
    for (int k = 0; k < N; ++k) {
      if (step_[k] == 0) continue;
      store<V>(buffer_[k], broadcast<V>(position_[k][0]));
      __builtin_memcpy(buffer_[k], position_[k], static_cast<size_t>(count) * sizeof(T));
      position_[k] = buffer_[k];
    }
  }

 private:
  using T = Element<V>;
  const T* position_[N];
  int64_t step_[N];
  T buffer_[N][kLanes<V>];
};

template <class Op, int N, class Get>
inline auto apply(Get get) {
  if constexpr (N == 1) {
    return Op::apply(get(0));
  } else if constexpr (N == 2) {
    return Op::apply(get(0), get(1));
  } else if constexpr (N == 3) {
    return Op::apply(get(0), get(1), get(2));
  } else {
    return Op::apply(get(0), get(1), get(2), get(3));
  }
}

// The arithmetic stands in one place, also for the tail: it is the bulk of the code.
template <class Op, class V, int N>
void loop(void* out, const void* const* operands, uint32_t scalars, int64_t n) {
  using T = Element<V>;
  constexpr int64_t lanes = kLanes<V>;
  T* to = static_cast<T*>(out);
  T last[lanes];
  T* tail = nullptr;
  Cursor<V, N> cursor(operands, scalars);
  while (n > 0) {
    if (n < lanes) {
      cursor.pad(n);
      tail = to;
      to = last;
    }
    store<V>(to,
             apply<Op, N>([&](int k) __attribute__((always_inline)) { return cursor.next(k); }));
    to += lanes;
    n -= lanes;
  }
  if (tail != nullptr) __builtin_memcpy(tail, last, static_cast<size_t>(n + lanes) * sizeof(T));
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

}  // namespace

const ElementwiseLoops elementwise_loops_table = {
    {EXECUTORCH_ELEMENTWISE_OPERATIONS(EXECUTORCH_LOOPS)}};

}  // namespace EXECUTORCH_ISA_NAMESPACE
