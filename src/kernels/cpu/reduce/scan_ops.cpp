// Running sums and the largest or smallest elements of a line.
#include "compute/sort/sort.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/reduction.h"
#include "kernels/support/scratch.h"

namespace executorch {
namespace kernels {
namespace {

using compute::ComputeType;

Error cumsum(Context&, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype,
             Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_arithmetic(out, "out"));
  const ScalarType to = out.scalar_type();
  ET_REQUIRE(!dtype || *dtype == to, InvalidArgument, "argument 'out': expected dtype %s, found %s",
             dtype_name(*dtype), describe(out).text);
  if (!dtype) {
    ET_TRY(check_can_cast(
        is_integral(self.scalar_type(), true) ? ScalarType::Long : self.scalar_type(), out));
  }
  int axis = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &axis));
  ET_TRY(resize_output_like(out, self));
  ET_TRY(check_no_overlap(out, self, "self"));
  TensorView from = view_of(self), target = view_of(out);
  if (self.dim() == 0) {
    from.insert(0, 1, 1);
    target.insert(0, 1, 1);
  }
  compute::cumulative_sum({{from.data, from.dtype, from.rank, from.sizes, from.strides},
                           axis,
                           is_floating(to) ? ComputeType::f64 : ComputeType::i64,
                           {target.data, target.dtype, target.strides}});
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
  compute::TopCall call = {at_least_1d(view_of(self)), axis, k, largest,
                           at_least_1d(view_of(values)), at_least_1d(view_of(indices))};
  call.values.sizes[axis] = call.indices.sizes[axis] = k;
  Scratch scratch(context);
  ET_TRY(scratch.allocate(compute::sort_scratch_bytes(call.in, axis), 1));
  compute::top(call, scratch.data());
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::cumsum.out", cumsum>(
        "(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::topk.values", topk>(
        "(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True, *, "
        "Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)"),
};

}  // namespace

Table scan_rows() {
  return kRows;
}

}  // namespace kernels
}  // namespace executorch
