#include "compute/norm/norm_backward.h"
#include "compute/norm/rows.h"

namespace EXECUTORCH_ISA_NAMESPACE {
namespace {

template <class V>
void sums(const Element<V>* grad, const Element<V>* in, int64_t n, Element<V> mean, Element<V>* sum,
          Element<V>* product) {
  Element<V> total_sum = 0, total_product = 0;
  for (int64_t start = 0; start < n; start += kSumBlock) {
    const int64_t end = n - start < kSumBlock ? n : start + kSumBlock;
    V part_sum{}, part_product{};
    for (int64_t i = start; i < end; i += kLanes<V>) {
      const V g = load_at<V>(grad, i, end, 0);
      part_sum += g;
      part_product += g * (load_at<V>(in, i, end, mean) - mean);
    }
    total_sum += add_lanes<V>(part_sum);
    total_product += add_lanes<V>(part_product);
  }
  *sum = total_sum;
  *product = total_product;
}

template <class V>
void combine(const Element<V>* grad, const Element<V>* in, int64_t n, Element<V> grad_scale,
             Element<V> mean, Element<V> in_scale, Element<V> offset, Element<V>* out) {
  map_row<V>(grad, out, n, 0, [=](V g, int64_t i) {
    return g * grad_scale + (load_at<V>(in, i, n, 0) - mean) * in_scale + offset;
  });
}

template <class V>
void multiply(const Element<V>* a, const Element<V>* b, int64_t n, Element<V>* out) {
  map_row<V>(a, out, n, 0, [=](V x, int64_t i) { return x * load_at<V>(b, i, n, 0); });
}

template <class T>
void add_columns(const T* grad, const T* in, int64_t n, T mean, T rstd, double* __restrict products,
                 double* __restrict sums) {
  for (int64_t i = 0; i < n; ++i) {
    products[i] += static_cast<double>(grad[i] * ((in[i] - mean) * rstd));
    sums[i] += static_cast<double>(grad[i]);
  }
}

template <class V>
constexpr NormGradientLoops<Element<V>> loops_of() {
  return {sums<V>, combine<V>, multiply<V>, add_columns<Element<V>>};
}

}  // namespace

extern constexpr NormGradientTables norm_gradient_loops_table = {loops_of<F32>(), loops_of<F64>()};

}  // namespace EXECUTORCH_ISA_NAMESPACE
