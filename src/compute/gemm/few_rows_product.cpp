#include "compute/gemm/few_rows_product.h"

#include <algorithm>

#include "compute/gemm/few_rows.h"
#include "compute/gemm/kernels.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

// Sums of a block of columns wait here, in the first cache, until the epilogue has seen them.
constexpr int64_t kSums = 4096;
constexpr int64_t kColumnUnit = 64;
// Numbers of B that are worth a task of their own.
constexpr int64_t kTaskNumbers = 64 * 1024;

bool has_consecutive_rows(const FewRowsProduct& p) {
  return p.b_column_stride == 1;
}

const float* shifted(const float* pointer, int64_t offset) {
  return pointer == nullptr ? nullptr : pointer + offset;
}

void sum_columns(const FewRowsProduct& p, int64_t first, int64_t columns, float* sums) {
  const FewRowsTypeLoops loops = few_rows_loops(p.b_type);
  const auto size = static_cast<int64_t>(element_size(p.b_type));
  const char* b = static_cast<const char*>(p.b) + first * p.b_column_stride * size;
  const Epilogue& e = p.epilogue;
  if (!has_consecutive_rows(p)) {
    loops.dot({p.a, p.a_row_stride, p.m, p.k, b, p.b_column_stride, columns, sums, columns});
    return;
  }
  const bool starts = starts_from_bias(e) && e.bias != nullptr;
  for (int64_t row = 0; starts && row < p.m; ++row)
    std::copy_n(e.bias + first, columns, sums + row * columns);
  loops.sum({p.a, p.a_row_stride, p.m, columns, b, p.b_row_stride, p.k, sums, columns, starts});
}

void multiply_columns(const FewRowsProduct& p, int64_t first, int64_t columns) {
  alignas(64) float sums[kSums];
  const Epilogue& e = p.epilogue;
  sum_columns(p, first, columns, sums);
  const bool biased = has_consecutive_rows(p) && starts_from_bias(e);
  const float* bias = biased ? nullptr : shifted(e.bias, first);
  for (int64_t row = 0; row < p.m; ++row) {
    float* line = sums + row * columns;
    gemm_kernels().finish_row(line, columns, e, bias,
                              shifted(e.residual, row * e.residual_stride + first));
    if (e.map.apply != nullptr) e.map.apply(e.map.context, line, columns);
    std::copy_n(line, columns, p.c + row * p.c_row_stride + first);
  }
}

}  // namespace

bool few_rows_product_supported(const FewRowsProduct& product) noexcept {
  if (product.m > kMostFewRows || product.k <= 0) return false;
  const FewRowsTypeLoops loops = few_rows_loops(product.b_type);
  return has_consecutive_rows(product) ? loops.sum != nullptr
                                       : product.b_row_stride == 1 && loops.dot != nullptr;
}

void few_rows_product(const FewRowsProduct& product) noexcept {
  if (product.m <= 0 || product.n <= 0) return;
  const int64_t block = kSums / product.m / kColumnUnit * kColumnUnit;
  const int64_t worth = kTaskNumbers / product.k / kColumnUnit * kColumnUnit;
  const int64_t grain = std::max(worth, kColumnUnit);
  threadpool::parallel_for(0, product.n, grain, [&](int64_t first, int64_t last) {
    for (int64_t column = first; column < last; column += block)
      multiply_columns(product, column, std::min(block, last - column));
  });
}

}  // namespace executorch::compute
