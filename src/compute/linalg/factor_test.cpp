#include "compute/linalg/factor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace executorch::compute {
namespace {

std::vector<double> random_matrix(int64_t rows, int64_t columns) {
  std::mt19937 random(static_cast<unsigned>(rows * 100 + columns));
  std::normal_distribution<double> normal;
  std::vector<double> a(static_cast<size_t>(rows * columns));
  for (double& x : a) x = normal(random);
  return a;
}

/// A B for square matrices.
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, size_t n) {
  std::vector<double> c(n * n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      for (size_t k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return c;
}

TEST(LuFactor, SolvesWhatItFactors) {
  for (const int64_t n : {1, 2, 7, 40}) {
    const std::vector<double> a = random_matrix(n, n), x = random_matrix(n + 1, n);
    const std::vector<double> right(x.begin(), x.begin() + n * n);
    std::vector<double> factors = a, b = product(a, right, static_cast<size_t>(n));
    std::vector<int64_t> pivots(static_cast<size_t>(n));
    EXPECT_EQ(lu_factor(factors.data(), n, n, pivots.data()), 0);
    lu_solve(factors.data(), pivots.data(), n, b.data(), n);
    for (size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(b[i], right[i], 1e-10);
  }
}

TEST(LuFactor, NamesTheFirstZeroPivot) {
  std::vector<double> a = {1, 2, 2, 4};
  int64_t pivots[2];
  EXPECT_EQ(lu_factor(a.data(), 2, 2, pivots), 2);
  EXPECT_EQ(pivots[0], 2);
}

TEST(SolveTriangle, ReadsOnlyItsTriangle) {
  const double nan = std::nan("");
  const double t[] = {nan, 2, nan, nan};
  double upper[] = {7, 3};
  solve_triangle(t, {true, true}, 2, upper, 1);
  EXPECT_EQ(upper[1], 3);
  EXPECT_EQ(upper[0], 1);
}

TEST(CholeskyFactor, MultipliesBackAndRefuses) {
  const size_t n = 6;
  const std::vector<double> r = random_matrix(6, 6);
  std::vector<double> transposed(n * n);
  for (size_t i = 0; i < n * n; ++i) transposed[i] = r[i % n * n + i / n];
  const std::vector<double> a = product(r, transposed, n);
  std::vector<double> l = a;
  EXPECT_EQ(cholesky_factor(l.data(), 6), 0);
  for (size_t i = 0; i < n * n; ++i) transposed[i] = l[i % n * n + i / n];
  const std::vector<double> back = product(l, transposed, n);
  for (size_t i = 0; i < n * n; ++i) EXPECT_NEAR(back[i], a[i], 1e-12);
  std::vector<double> bad = {1, 0, 2, 1};
  EXPECT_EQ(cholesky_factor(bad.data(), 2), 2);
}

}  // namespace
}  // namespace executorch::compute
