#include "compute/gemm/few_rows_product.h"

#include <algorithm>

#include "compute/gemm/few_rows.h"
#include "compute/gemm/kernels.h"
#include "compute/gemm/stretch.h"

namespace executorch::compute {
namespace {

bool has_consecutive_rows(const FewRowsProduct& p) {
  return p.b_column_stride == 1;
}

}  // namespace

bool few_rows_product_supported(const FewRowsProduct& product) noexcept {
  if (product.m > kMostFewRows || product.k <= 0) return false;
  const FewRowsTypeLoops loops = few_rows_loops(product.b_type);
  return has_consecutive_rows(product) ? loops.sum != nullptr
                                       : product.b_row_stride == 1 && loops.dot != nullptr;
}

void few_rows_product(const FewRowsProduct& p) noexcept {
  if (p.m <= 0 || p.n <= 0) return;
  const FewRowsTypeLoops loops = few_rows_loops(p.b_type);
  const int64_t step = p.b_column_stride * static_cast<int64_t>(element_size(p.b_type));
  const Epilogue& e = p.epilogue;
  const bool biased = has_consecutive_rows(p) && starts_from_bias(e) && e.bias != nullptr;
  const auto sum = [&](int64_t first, int64_t columns, float* sums, int64_t stride) {
    const char* b = static_cast<const char*>(p.b) + first * step;
    if (!has_consecutive_rows(p)) {
      loops.dot({p.a, p.a_row_stride, p.m, p.k, b, p.b_column_stride, columns, sums, stride});
      return;
    }
    for (int64_t row = 0; biased && row < p.m; ++row)
      std::copy_n(e.bias + first, columns, sums + row * stride);
    loops.sum({p.a, p.a_row_stride, p.m, columns, b, p.b_row_stride, p.k, sums, stride, biased});
  };
  run_column_blocks({p.m, p.n, p.k}, e, p.c, p.c_row_stride, biased, sum);
}

}  // namespace executorch::compute
