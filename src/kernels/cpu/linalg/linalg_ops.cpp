// Factors, inverses, determinants and triangular systems of batches of matrices, computed in
// double.
#include <algorithm>
#include <cstring>

#include "compute/elementwise/operation.h"
#include "compute/linalg/factor.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

Error check_matrices(const Tensor& tensor, const char* name) {
  const ScalarType type = tensor.scalar_type();
  ET_REQUIRE(type == ScalarType::Float || type == ScalarType::Double, InvalidArgument,
             "argument '%s': expected float32 or float64, found %s", name, describe(tensor).text);
  return check_rank(tensor, name, 2, kMaxRank);
}

Error check_square(const Tensor& tensor, const char* name) {
  ET_TRY(check_matrices(tensor, name));
  const Sizes sizes = sizes_of(tensor);
  ET_REQUIRE(sizes[sizes.rank - 1] == sizes[sizes.rank - 2], InvalidArgument,
             "argument '%s': the matrices of %s are not square", name, describe(tensor).text);
  return Error::Ok;
}

/// Row-major matrices in double: a copy that is worked on.
class Matrices {
 public:
  explicit Matrices(Context& context) : memory_(context) {}

  /// Copies what `from` views; its last two dimensions are those of the matrices.
  Error copy(const TensorView& from) {
    shape_ = Sizes{};
    for (int d = 0; d < from.rank; ++d) shape_.push(from.sizes[d]);
    rows = from.sizes[from.rank - 2];
    columns = from.sizes[from.rank - 1];
    count = 1;
    for (int d = 0; d + 2 < from.rank; ++d) count *= from.sizes[d];
    int64_t numel = 0;
    ET_TRY(checked_numel(shape_, "self", &numel));
    ET_TRY(memory_.allocate(static_cast<size_t>(numel), sizeof(double)));
    compute::convert(view(), from);
    return Error::Ok;
  }
  TensorView view() const {
    return compute::contiguous_view(memory_.data(), compute::DType::f64, sizeof(double),
                                    shape_.rank, shape_.values);
  }
  double* operator[](int64_t i) const { return memory_.as<double>() + i * rows * columns; }

  int64_t count = 0;
  int64_t rows = 0;
  int64_t columns = 0;

 private:
  Scratch memory_;
  Sizes shape_;
};

TensorView transposed(TensorView view) {
  std::swap(view.sizes[view.rank - 1], view.sizes[view.rank - 2]);
  std::swap(view.strides[view.rank - 1], view.strides[view.rank - 2]);
  return view;
}

/// The sizes of `tensor` without its last `dropped` dimensions.
Sizes leading_sizes(const Tensor& tensor, int dropped) {
  Sizes sizes = sizes_of(tensor);
  sizes.rank -= dropped;
  return sizes;
}

/// Numbers for each matrix, kept as int64 and written as the int32 of an output.
class Numbers {
 public:
  explicit Numbers(Context& context) : staged_(context) {}
  Error prepare(const Tensor& out, const char* name, const Sizes& sizes) {
    ET_REQUIRE(out.scalar_type() == ScalarType::Int, InvalidArgument,
               "argument '%s': expected int32, found %s", name, describe(out).text);
    ET_TRY(resize_output(out, sizes, name));
    return staged_.prepare(out, ScalarType::Long);
  }
  int64_t* data() const { return staged_.data<int64_t>(); }
  void finish() { staged_.finish(); }

 private:
  ContiguousOutput staged_;
};

Error write_matrices(const Matrices& matrices, const Tensor& self, const Tensor& out,
                     const char* name) {
  ET_TRY(check_same_dtype(out, name, self, "self"));
  ET_TRY(resize_output_like(out, self, name));
  ET_TRY(check_no_overlap(out, self, "self"));
  compute::convert(view_of(out), matrices.view());
  return Error::Ok;
}

Error check_info(bool check_errors, int64_t info, int64_t matrix, const char* what) {
  ET_REQUIRE(!check_errors || info == 0, InvalidArgument, "matrix %lld is not %s: see row %lld",
             static_cast<long long>(matrix), what, static_cast<long long>(info));
  return Error::Ok;
}

Error lu_factor_ex(Context& context, const Tensor& A, bool pivot, bool check_errors, Tensor& LU,
                   Tensor& pivots, Tensor& info) {
  ET_TRY(check_matrices(A, "A"));
  ET_REQUIRE(pivot, NotSupported, "argument 'pivot': factors without pivots are not supported");
  Matrices matrices(context);
  ET_TRY(matrices.copy(view_of(A)));
  const int64_t steps = std::min(matrices.rows, matrices.columns);
  Sizes pivot_sizes = leading_sizes(A, 1);
  pivot_sizes[pivot_sizes.rank - 1] = steps;
  Numbers rows(context), infos(context);
  ET_TRY(rows.prepare(pivots, "pivots", pivot_sizes));
  ET_TRY(infos.prepare(info, "info", leading_sizes(A, 2)));
  for (int64_t i = 0; i < matrices.count; ++i) {
    infos.data()[i] =
        compute::lu_factor(matrices[i], matrices.rows, matrices.columns, rows.data() + i * steps);
    ET_TRY(check_info(check_errors, infos.data()[i], i, "invertible"));
  }
  rows.finish();
  infos.finish();
  return write_matrices(matrices, A, LU, "LU");
}

Error inv_ex(Context& context, const Tensor& A, bool check_errors, Tensor& inverse, Tensor& info) {
  ET_TRY(check_square(A, "A"));
  Matrices factors(context), results(context);
  ET_TRY(factors.copy(view_of(A)));
  ET_TRY(results.copy(view_of(A)));
  const int64_t n = factors.rows;
  Numbers infos(context);
  Scratch pivots(context);
  ET_TRY(infos.prepare(info, "info", leading_sizes(A, 2)));
  ET_TRY(pivots.allocate(static_cast<size_t>(n), sizeof(int64_t)));
  for (int64_t i = 0; i < factors.count; ++i) {
    infos.data()[i] = compute::lu_factor(factors[i], n, n, pivots.as<int64_t>());
    ET_TRY(check_info(check_errors, infos.data()[i], i, "invertible"));
    std::memset(results[i], 0, static_cast<size_t>(n * n) * sizeof(double));
    for (int64_t k = 0; k < n; ++k) results[i][k * n + k] = 1;
    compute::lu_solve(factors[i], pivots.as<int64_t>(), n, results[i], n);
  }
  infos.finish();
  return write_matrices(results, A, inverse, "inverse");
}

Error cholesky_ex(Context& context, const Tensor& self, bool upper, bool check_errors, Tensor& L,
                  Tensor& info) {
  ET_TRY(check_square(self, "self"));
  Matrices factors(context);
  // The upper factor is the lower one of the transposed matrix, transposed.
  ET_TRY(factors.copy(upper ? transposed(view_of(self)) : view_of(self)));
  Numbers infos(context);
  ET_TRY(infos.prepare(info, "info", leading_sizes(self, 2)));
  for (int64_t i = 0; i < factors.count; ++i) {
    infos.data()[i] = compute::cholesky_factor(factors[i], factors.rows);
    ET_TRY(check_info(check_errors, infos.data()[i], i, "positive definite"));
  }
  infos.finish();
  ET_TRY(check_same_dtype(L, "L", self, "self"));
  ET_TRY(resize_output_like(L, self, "L"));
  ET_TRY(check_no_overlap(L, self, "self"));
  compute::convert(upper ? transposed(view_of(L)) : view_of(L), factors.view());
  return Error::Ok;
}

/// The logarithm of the determinant's magnitude and its sign, from factors.
struct Determinant {
  double value = 1;
  double sign = 1;
  double log = 0;
};
Determinant determinant(const double* lu, const int64_t* pivots, int64_t n) {
  Determinant result;
  for (int64_t k = 0; k < n; ++k) {
    double magnitude = lu[k * n + k];
    result.value *= pivots[k] == k + 1 ? magnitude : -magnitude;
    result.sign *= magnitude == 0 ? 0 : ((magnitude < 0) != (pivots[k] != k + 1) ? -1 : 1);
    magnitude = magnitude < 0 ? -magnitude : magnitude;
    const void* operands[] = {&magnitude};
    compute::block_loop(compute::ElementwiseOp::Log, compute::ComputeType::f64)(&magnitude,
                                                                                operands, 0, 1);
    result.log += magnitude;
  }
  return result;
}

/// Factors all matrices, writes factors and pivots, and hands determinants to `take`.
template <class Take>
Error for_each_determinant(Context& context, const Tensor& A, const Tensor& LU,
                           const Tensor& pivots, Take take) {
  ET_TRY(check_square(A, "A"));
  Matrices matrices(context);
  Numbers rows(context);
  ET_TRY(matrices.copy(view_of(A)));
  ET_TRY(rows.prepare(pivots, "pivots", leading_sizes(A, 1)));
  const int64_t n = matrices.rows;
  for (int64_t i = 0; i < matrices.count; ++i) {
    int64_t* own = rows.data() + i * n;
    compute::lu_factor(matrices[i], n, n, own);
    take(i, determinant(matrices[i], own, n));
  }
  rows.finish();
  return write_matrices(matrices, A, LU, "LU");
}

/// A result for each matrix, written as double.
Error prepare_result(const Tensor& A, const Tensor& out, const char* name,
                     ContiguousOutput& staged) {
  ET_TRY(check_rank(A, "A", 2, kMaxRank));
  ET_TRY(check_same_dtype(out, name, A, "A"));
  ET_TRY(resize_output(out, leading_sizes(A, 2), name));
  ET_TRY(check_no_overlap(out, A, "A"));
  return staged.prepare(out, ScalarType::Double);
}

Error det(Context& context, const Tensor& A, Tensor& result, Tensor& LU, Tensor& pivots) {
  ContiguousOutput values(context);
  ET_TRY(check_square(A, "A"));
  ET_TRY(prepare_result(A, result, "result", values));
  ET_TRY(for_each_determinant(context, A, LU, pivots, [&](int64_t i, const Determinant& found) {
    values.data<double>()[i] = found.value;
  }));
  values.finish();
  return Error::Ok;
}

Error slogdet(Context& context, const Tensor& A, Tensor& sign, Tensor& logabsdet, Tensor& LU,
              Tensor& pivots) {
  ContiguousOutput signs(context), logarithms(context);
  ET_TRY(check_square(A, "A"));
  ET_TRY(prepare_result(A, sign, "sign", signs));
  ET_TRY(prepare_result(A, logabsdet, "logabsdet", logarithms));
  ET_TRY(for_each_determinant(context, A, LU, pivots, [&](int64_t i, const Determinant& found) {
    signs.data<double>()[i] = found.sign;
    logarithms.data<double>()[i] = found.log;
  }));
  signs.finish();
  logarithms.finish();
  return Error::Ok;
}

/// Views a batch of matrices with the batch dimensions of `batch`.
TensorView with_batch(TensorView view, const Sizes& batch) {
  while (view.rank < batch.rank + 2) view.insert(0, 1, 0);
  for (int d = 0; d < batch.rank; ++d) {
    if (view.sizes[d] != batch[d]) view.strides[d] = 0;
    view.sizes[d] = batch[d];
  }
  return view;
}

/// The shape that the batches of both broadcast to.
Error broadcast_batches(const Tensor& self, const Tensor& other, Sizes* batch) {
  const Sizes a = leading_sizes(self, 2), b = leading_sizes(other, 2);
  for (int d = std::max(a.rank, b.rank); d > 0; --d) {
    const int64_t m = d > a.rank ? 1 : a[a.rank - d], n = d > b.rank ? 1 : b[b.rank - d];
    ET_REQUIRE(m == n || m == 1 || n == 1, InvalidArgument,
               "the batches of %s and %s do not broadcast", describe(self).text,
               describe(other).text);
    batch->push(m == 1 ? n : m);
  }
  return Error::Ok;
}

/// X with A X = B, or X A = B where A stands on the right.
Error solve_triangular(Context& context, const Tensor& self, const Tensor& B, bool upper, bool left,
                       bool unitriangular, Tensor& out) {
  ET_TRY(check_square(self, "self"));
  ET_TRY(check_matrices(B, "B"));
  ET_TRY(check_same_dtype(B, "B", self, "self"));
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  const Sizes sizes = sizes_of(B);
  const int64_t n = self.sizes()[static_cast<size_t>(self.dim() - 1)];
  ET_REQUIRE(sizes[sizes.rank - (left ? 2 : 1)] == n, InvalidArgument,
             "arguments 'self' and 'B': %s and %s do not make a system", describe(self).text,
             describe(B).text);
  Sizes shape;
  ET_TRY(broadcast_batches(self, B, &shape));
  // A on the right is the transposed system.
  const TensorView a = with_batch(view_of(self), shape), b = with_batch(view_of(B), shape);
  Matrices factors(context), results(context);
  ET_TRY(factors.copy(left ? a : transposed(a)));
  ET_TRY(results.copy(left ? b : transposed(b)));
  for (int64_t i = 0; i < factors.count; ++i)
    compute::solve_triangle(factors[i], {upper == left, unitriangular}, n, results[i],
                            results.columns);
  shape.push(sizes[sizes.rank - 2]);
  shape.push(sizes[sizes.rank - 1]);
  ET_TRY(resize_output(out, shape));
  compute::convert(left ? view_of(out) : transposed(view_of(out)), results.view());
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::linalg_lu_factor_ex.out", lu_factor_ex>(
        "(Tensor A, *, bool pivot=True, bool check_errors=False, Tensor(a!) LU, Tensor(b!) pivots, "
        "Tensor(c!) info) -> (Tensor(a!) LU, Tensor(b!) pivots, Tensor(c!) info)"),
    row<"aten::linalg_inv_ex.inverse", inv_ex>(
        "(Tensor A, *, bool check_errors=False, Tensor(a!) inverse, Tensor(b!) info) -> "
        "(Tensor(a!) inverse, Tensor(b!) info)"),
    row<"aten::linalg_cholesky_ex.L", cholesky_ex>(
        "(Tensor self, *, bool upper=False, bool check_errors=False, Tensor(a!) L, Tensor(b!) "
        "info) -> (Tensor(a!) L, Tensor(b!) info)"),
    row<"aten::_linalg_det.result", det>(
        "(Tensor A, *, Tensor(a!) result, Tensor(b!) LU, Tensor(c!) pivots) -> (Tensor(a!) result, "
        "Tensor(b!) LU, Tensor(c!) pivots)"),
    row<"aten::_linalg_slogdet.sign", slogdet>(
        "(Tensor A, *, Tensor(a!) sign, Tensor(b!) logabsdet, Tensor(c!) LU, Tensor(d!) pivots) -> "
        "(Tensor(a!) sign, Tensor(b!) logabsdet, Tensor(c!) LU, Tensor(d!) pivots)"),
    row<"aten::linalg_solve_triangular.out", solve_triangular>(
        "(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False, "
        "Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table linalg_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
