#include "compute/linalg/factor.h"

#include <algorithm>

#include "compute/elementwise/operation.h"

namespace executorch::compute {
namespace {

/// row -= factor * other, for n numbers.
void subtract_row(double* row, const double* other, double factor, int64_t n) {
  const double negative = -factor;
  const void* operands[] = {row, other, &negative};
  block_loop(ElementwiseOp::AddScaled, ComputeType::f64)(row, operands, 4, n);
}

void exchange_rows(double* a, int64_t columns, int64_t i, int64_t j) {
  if (i != j) std::swap_ranges(a + i * columns, a + (i + 1) * columns, a + j * columns);
}

double magnitude(double x) {
  return x < 0 ? -x : x;
}

/// The row with the largest number in a column, from `first` on; NaN is the largest.
int64_t largest_row(const double* a, int64_t rows, int64_t columns, int64_t column, int64_t first) {
  int64_t best = first;
  for (int64_t i = first + 1; i < rows; ++i) {
    if (magnitude(a[i * columns + column]) > magnitude(a[best * columns + column])) best = i;
  }
  return best;
}

double square_root(double x) {
  const void* operands[] = {&x};
  block_loop(ElementwiseOp::Sqrt, ComputeType::f64)(&x, operands, 0, 1);
  return x;
}

}  // namespace

int64_t lu_factor(double* a, int64_t rows, int64_t columns, int64_t* pivots) {
  int64_t singular = 0;
  for (int64_t k = 0; k < std::min(rows, columns); ++k) {
    const int64_t chosen = largest_row(a, rows, columns, k, k);
    pivots[k] = chosen + 1;
    exchange_rows(a, columns, k, chosen);
    const double pivot = a[k * columns + k];
    if (pivot == 0) {
      if (singular == 0) singular = k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < rows; ++i) {
      double* row = a + i * columns;
      row[k] /= pivot;
      subtract_row(row + k + 1, a + k * columns + k + 1, row[k], columns - k - 1);
    }
  }
  return singular;
}

void lu_solve(const double* lu, const int64_t* pivots, int64_t n, double* b, int64_t columns) {
  for (int64_t i = 0; i < n; ++i) exchange_rows(b, columns, i, pivots[i] - 1);
  solve_triangle(lu, {false, true}, n, b, columns);
  solve_triangle(lu, {true, false}, n, b, columns);
}

void solve_triangle(const double* t, const Triangle& triangle, int64_t n, double* b,
                    int64_t columns) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = triangle.upper ? n - 1 - step : step;
    double* row = b + i * columns;
    const int64_t first = triangle.upper ? i + 1 : 0, end = triangle.upper ? n : i;
    for (int64_t k = first; k < end; ++k) subtract_row(row, b + k * columns, t[i * n + k], columns);
    if (triangle.unit) continue;
    for (int64_t c = 0; c < columns; ++c) row[c] /= t[i * n + i];
  }
}

int64_t cholesky_factor(double* a, int64_t n) {
  int64_t failed = 0;
  for (int64_t j = 0; j < n; ++j) {
    double* row = a + j * n;
    double diagonal = row[j];
    for (int64_t k = 0; k < j; ++k) diagonal -= row[k] * row[k];
    if (failed == 0 && !(diagonal > 0)) failed = j + 1;
    row[j] = square_root(diagonal);
    for (int64_t i = j + 1; i < n; ++i) {
      double* below = a + i * n;
      double sum = below[j];
      for (int64_t k = 0; k < j; ++k) sum -= below[k] * row[k];
      below[j] = sum / row[j];
      row[i] = 0;
    }
  }
  return failed;
}

}  // namespace executorch::compute
