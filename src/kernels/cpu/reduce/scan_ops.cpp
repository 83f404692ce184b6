// Running sums, products and extrema, and the largest or smallest elements of a line.
#include "compute/sort/sort.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/reduction.h"
#include "kernels/support/scratch.h"

namespace executorch {
namespace kernels {
namespace {

using compute::ComputeType;

compute::ReduceSource source_of(const TensorView& view) {
  return {view.data, view.dtype, view.rank, view.sizes, view.strides};
}
compute::ReduceTarget target_of(const TensorView& view) {
  return {view.data, view.dtype, view.strides};
}

/// Where the elements of `out` are accumulated.
ComputeType running_type(const Tensor& out) {
  return is_floating(out.scalar_type()) ? ComputeType::f64 : ComputeType::i64;
}

/// Checks operands and dimension, and gives `out` the sizes of `self`.
Error prepare_scan(const Tensor& self, int64_t dim, const Tensor& out, int* axis) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_arithmetic(out, "out"));
  ET_TRY(normalize_dim(dim, self.dim(), "dim", axis));
  ET_TRY(resize_output_like(out, self));
  return check_no_overlap(out, self, "self");
}

/// Running sums or products: integers and bool give int64.
template <compute::ScanOp op>
Error cumulate(Context&, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype,
               Tensor& out) {
  const ScalarType to = out.scalar_type();
  ET_REQUIRE(!dtype || *dtype == to, InvalidArgument, "argument 'out': expected dtype %s, found %s",
             dtype_name(*dtype), describe(out).text);
  int axis = 0;
  ET_TRY(prepare_scan(self, dim, out, &axis));
  if (!dtype) {
    ET_TRY(check_can_cast(
        is_integral(self.scalar_type(), true) ? ScalarType::Long : self.scalar_type(), out));
  }
  const TensorView from = at_least_1d(view_of(self)), target = at_least_1d(view_of(out));
  compute::scan({op, source_of(from), axis, running_type(out), target_of(target)});
  return Error::Ok;
}

Error logcumsumexp(Context&, const Tensor& self, int64_t dim, Tensor& out) {
  int axis = 0;
  ET_TRY(prepare_scan(self, dim, out, &axis));
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  const TensorView from = at_least_1d(view_of(self)), target = at_least_1d(view_of(out));
  compute::scan(
      {compute::ScanOp::LogSumExp, source_of(from), axis, ComputeType::f64, target_of(target)});
  return Error::Ok;
}

template <bool largest>
Error running_extremum(Context&, const Tensor& self, int64_t dim, Tensor& values, Tensor& indices) {
  int axis = 0;
  ET_TRY(prepare_scan(self, dim, values, &axis));
  ET_TRY(check_same_dtype(values, "values", self, "self"));
  ET_REQUIRE(indices.scalar_type() == ScalarType::Long, InvalidArgument,
             "argument 'indices': expected int64, found %s", describe(indices).text);
  ET_TRY(resize_output_like(indices, self, "indices"));
  ET_TRY(check_no_overlap(indices, self, "self"));
  ET_TRY(check_no_overlap(indices, values, "values"));
  const TensorView from = at_least_1d(view_of(self));
  const TensorView value_view = at_least_1d(view_of(values));
  const TensorView index_view = at_least_1d(view_of(indices));
  compute::scan_extremum({largest, source_of(from), axis, running_type(values),
                          target_of(value_view), target_of(index_view)});
  return Error::Ok;
}

// ---- topk ----

/// Sorted also where the caller would not mind disorder.
Error topk(Context& context, const Tensor& self, int64_t k, int64_t dim, bool largest, bool,
           Tensor& values, Tensor& indices) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_REQUIRE(self.scalar_type() != ScalarType::Bool, InvalidArgument,
             "argument 'self': not defined for bool tensors");
  ET_TRY(check_same_dtype(values, "values", self, "self"));
  ET_REQUIRE(indices.scalar_type() == ScalarType::Long, InvalidArgument,
             "argument 'indices': expected int64, found %s", describe(indices).text);
  int axis = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &axis));
  Sizes sizes = sizes_of(self);
  const int64_t length = sizes.rank == 0 ? 1 : sizes[axis];
  ET_REQUIRE(k >= 0 && k <= length, InvalidArgument, "argument 'k': %lld is not within [0, %lld]",
             static_cast<long long>(k), static_cast<long long>(length));
  if (sizes.rank > 0) sizes[axis] = k;
  ET_TRY(resize_output(values, sizes, "values"));
  ET_TRY(resize_output(indices, sizes, "indices"));
  ET_TRY(check_no_overlap(values, self, "self"));
  ET_TRY(check_no_overlap(indices, self, "self"));
  ET_TRY(check_no_overlap(indices, values, "values"));
  compute::TopCall call = {
      at_least_1d(view_of(self)),   axis, k, largest, at_least_1d(view_of(values)),
      at_least_1d(view_of(indices))};
  call.values.sizes[axis] = call.indices.sizes[axis] = k;
  Scratch scratch(context);
  const size_t bytes = compute::sort_scratch_bytes(call.in, axis);
  ET_TRY(scratch.allocate(bytes, 1));
  compute::top(call, {scratch.data(), bytes});
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::cumsum.out", cumulate<compute::ScanOp::Sum>>(
        "(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::cumprod.out", cumulate<compute::ScanOp::Prod>>(
        "(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::logcumsumexp.out", logcumsumexp>(
        "(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::cummax.out", running_extremum<true>>(
        "(Tensor self, int dim, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, "
        "Tensor(b!) indices)"),
    row<"aten::cummin.out", running_extremum<false>>(
        "(Tensor self, int dim, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, "
        "Tensor(b!) indices)"),
    row<"aten::topk.values", topk>(
        "(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True, *, "
        "Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)"),
};

}  // namespace

Table scan_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
