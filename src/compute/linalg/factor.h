/**
 * @file
 * Factors of small dense matrices and solutions of linear systems, in double precision: matrices
 * are row-major and dense. Nothing here allocates.
 */
#pragma once

#include <cstdint>

#include "compute/cpu/cpu.h"

namespace executorch::compute {

/**
 * P A = L U with rows exchanged for the largest pivot, in place of the `rows` x `columns` matrix: L
 * below the diagonal, without its ones, U above. pivots[i], one of min(rows, columns), is the row
 * that row i was exchanged with, counted from one. Returns 0, or the place, counted from one, of
 * the first pivot that is zero.
 */
EXECUTORCH_COMPUTE_API int64_t lu_factor(double* a, int64_t rows, int64_t columns, int64_t* pivots);

/// Solves A X = B in place of the n x columns matrix B, with factors of lu_factor().
EXECUTORCH_COMPUTE_API void lu_solve(const double* lu, const int64_t* pivots, int64_t n, double* b,
                                     int64_t columns);

struct Triangle {
  bool upper;
  bool unit;  ///< the diagonal counts as ones
};
/// Solves T X = B in place of the n x columns matrix B, for a triangle of the n x n matrix `t`.
EXECUTORCH_COMPUTE_API void solve_triangle(const double* t, const Triangle& triangle, int64_t n,
                                           double* b, int64_t columns);

/// L with A = L L^T in place of the lower triangle of the n x n matrix; what is above becomes zero.
/// Returns 0, or the order of the first leading minor that is not positive.
EXECUTORCH_COMPUTE_API int64_t cholesky_factor(double* a, int64_t n);

}  // namespace executorch::compute
