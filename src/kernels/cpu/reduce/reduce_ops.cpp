// Sums, products, extrema, logical reductions, variance.
#include "kernels/cpu/tables.h"
#include "kernels/support/reduction.h"

namespace executorch {
namespace kernels {
namespace {

using compute::ReduceOp;

// ---- sums and products ----

/// `dtype`, when given, is the output's.
Error check_dtype(std::optional<ScalarType> dtype, const Tensor& out) {
  ET_REQUIRE(!dtype || *dtype == out.scalar_type(), InvalidArgument,
             "argument 'out': expected dtype %s, found %s", dtype_name(*dtype), describe(out).text);
  return Error::Ok;
}

/// What a sum over `self` is computed in when it goes to `out`.
compute::ComputeType accumulator(const Tensor& self, const Tensor& out) {
  const ScalarType to = out.scalar_type();
  if (is_integral(to, true)) return compute::ComputeType::i64;
  const bool wide = to == ScalarType::Double || self.scalar_type() == ScalarType::Double;
  return wide ? compute::ComputeType::f64 : compute::ComputeType::f32;
}

Error accumulate(ReduceOp op, Reduction& reduction, const Tensor& self, double divisor,
                 Tensor& out) {
  ET_TRY(reduction.make_target(out, "out"));
  ET_TRY(check_no_overlap(out, self, "self"));
  compute::ReduceCall call = {op, reduction.source(self), reduction.dims(), accumulator(self, out),
                              reduction.target(0)};
  call.divisor = divisor;
  compute::reduce(call);
  return Error::Ok;
}

/// Sum or Prod: integers and bool give int64.
Error sum_like(ReduceOp op, Reduction& reduction, const Tensor& self,
               std::optional<ScalarType> dtype, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_arithmetic(out, "out"));
  ET_TRY(check_dtype(dtype, out));
  if (!dtype) {
    ET_TRY(check_can_cast(
        is_integral(self.scalar_type(), true) ? ScalarType::Long : self.scalar_type(), out));
  }
  return accumulate(op, reduction, self, 1, out);
}

/// Complex numbers add up by parts: one more dimension of two, which is kept.
Error complex_sum(Reduction& reduction, const Tensor& self, Tensor& out) {
  ET_REQUIRE(out.scalar_type() == self.scalar_type(), InvalidArgument,
             "argument 'out': expected dtype %s, found %s", dtype_name(self.scalar_type()),
             describe(out).text);
  ET_REQUIRE(self.dim() < kMaxRank, InvalidArgument, "argument 'self': more than %d dimensions",
             kMaxRank - 1);
  ET_TRY(reduction.make_target(out, "out"));
  ET_TRY(check_no_overlap(out, self, "self"));
  const compute::ReduceSource whole = reduction.source(self);
  const compute::ReduceTarget target = reduction.target(0);
  int64_t sizes[kMaxRank], strides[kMaxRank], out_strides[kMaxRank];
  for (int d = 0; d < whole.rank; ++d) {
    sizes[d] = whole.sizes[d];
    strides[d] = 2 * whole.strides[d];
    out_strides[d] = 2 * target.strides[d];
  }
  sizes[whole.rank] = 2;
  strides[whole.rank] = out_strides[whole.rank] = 1;
  const compute::DType part = self.scalar_type() == ScalarType::ComplexDouble ? compute::DType::f64
                              : self.scalar_type() == ScalarType::ComplexHalf ? compute::DType::f16
                                                                              : compute::DType::f32;
  compute::reduce({ReduceOp::Sum,
                   {whole.data, part, whole.rank + 1, sizes, strides},
                   reduction.dims() & ((uint32_t{1} << whole.rank) - 1),
                   compute::compute_type(part),
                   {target.data, part, out_strides}});
  return Error::Ok;
}

Error sum(Context&, const Tensor& self, std::optional<IntList> dim, bool keepdim,
          std::optional<ScalarType> dtype, Tensor& out) {
  Reduction reduction;
  ET_TRY(reduction.prepare(self, dim, keepdim));
  if (is_complex(self.scalar_type())) return complex_sum(reduction, self, out);
  return sum_like(ReduceOp::Sum, reduction, self, dtype, out);
}

Error prod(Context&, const Tensor& self, std::optional<ScalarType> dtype, Tensor& out) {
  Reduction reduction;
  reduction.prepare_all(self, false);
  return sum_like(ReduceOp::Prod, reduction, self, dtype, out);
}

Error prod_dim(Context&, const Tensor& self, int64_t dim, bool keepdim,
               std::optional<ScalarType> dtype, Tensor& out) {
  Reduction reduction;
  ET_TRY(reduction.prepare(self, dim, keepdim));
  return sum_like(ReduceOp::Prod, reduction, self, dtype, out);
}

Error mean_dims(Context&, const Tensor& self, std::optional<IntList> dim, bool keepdim,
                std::optional<ScalarType> dtype, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_floating(out, "out"));
  ET_TRY(check_dtype(dtype, out));
  Reduction reduction;
  ET_TRY(reduction.prepare(self, dim, keepdim));
  return accumulate(ReduceOp::Sum, reduction, self, static_cast<double>(reduction.count()), out);
}

Error mean(Context& context, const Tensor& self, std::optional<ScalarType> dtype, Tensor& out) {
  return mean_dims(context, self, std::nullopt, false, dtype, out);
}

// ---- extrema ----

/// The result has the input's dtype, or one that it casts to.
Error check_choice(const Reduction& reduction, const Tensor& self, const Tensor& out,
                   const char* name) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_arithmetic(out, name));
  ET_TRY(check_can_cast(self.scalar_type(), out, name));
  ET_TRY(check_no_overlap(out, self, "self"));
  return reduction.check_not_empty(self);
}

Error check_indices(const Tensor& indices, const char* name) {
  ET_REQUIRE(indices.scalar_type() == ScalarType::Long, InvalidArgument,
             "argument '%s': expected int64, found %s", name, describe(indices).text);
  return Error::Ok;
}

template <ReduceOp op>
Error choose(Reduction& reduction, const Tensor& self, Tensor& out) {
  ET_TRY(check_choice(reduction, self, out, "out"));
  ET_TRY(reduction.make_target(out, "out"));
  compute::reduce({op, reduction.source(self), reduction.dims(),
                   compute::compute_type(compute_dtype(self.scalar_type())), reduction.target(0)});
  return Error::Ok;
}

template <ReduceOp op>
Error extremum_dims(Context&, const Tensor& self, IntList dim, bool keepdim, Tensor& out) {
  Reduction reduction;
  ET_TRY(reduction.prepare(self, std::optional<IntList>(dim), keepdim));
  return choose<op>(reduction, self, out);
}

template <ReduceOp op>
Error extremum_all(Context&, const Tensor& self, Tensor& out) {
  Reduction reduction;
  reduction.prepare_all(self, false);
  return choose<op>(reduction, self, out);
}

template <ReduceOp op>
Error extremum_with_indices(Context&, const Tensor& self, int64_t dim, bool keepdim, Tensor& values,
                            Tensor& indices) {
  Reduction reduction;
  ET_TRY(reduction.prepare(self, dim, keepdim));
  ET_TRY(check_choice(reduction, self, values, "values"));
  ET_TRY(check_indices(indices, "indices"));
  ET_TRY(reduction.make_target(values, "values"));
  ET_TRY(reduction.make_target(indices, "indices"));
  ET_TRY(check_no_overlap(indices, self, "self"));
  ET_TRY(check_no_overlap(indices, values, "values"));
  compute::reduce({op, reduction.source(self), reduction.dims(),
                   compute::compute_type(compute_dtype(self.scalar_type())), reduction.target(0),
                   reduction.target(1)});
  return Error::Ok;
}

template <ReduceOp op>
Error position(Context&, const Tensor& self, std::optional<int64_t> dim, bool keepdim,
               Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_REQUIRE(self.scalar_type() != ScalarType::Bool, InvalidArgument,
             "argument 'self': not defined for bool tensors");
  ET_TRY(check_indices(out, "out"));
  Reduction reduction;
  if (dim) {
    ET_TRY(reduction.prepare(self, *dim, keepdim));
  } else {
    reduction.prepare_all(self, keepdim);
  }
  ET_TRY(reduction.check_not_empty(self));
  ET_TRY(reduction.make_target(out, "out"));
  ET_TRY(check_no_overlap(out, self, "self"));
  compute::reduce({op,
                   reduction.source(self),
                   reduction.dims(),
                   compute::compute_type(compute_dtype(self.scalar_type())),
                   {},
                   reduction.target(0)});
  return Error::Ok;
}

// ---- any, all ----

template <ReduceOp op>
Error truth(Reduction& reduction, const Tensor& self, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_REQUIRE(out.scalar_type() == ScalarType::Bool || out.scalar_type() == ScalarType::Byte,
             InvalidArgument, "argument 'out': expected bool or uint8, found %s",
             describe(out).text);
  ET_TRY(reduction.make_target(out, "out"));
  ET_TRY(check_no_overlap(out, self, "self"));
  compute::reduce({op, reduction.source(self), reduction.dims(),
                   compute::compute_type(compute_dtype(self.scalar_type())), reduction.target(0)});
  return Error::Ok;
}

template <ReduceOp op>
Error truth_of_all(Context&, const Tensor& self, Tensor& out) {
  Reduction reduction;
  reduction.prepare_all(self, false);
  return truth<op>(reduction, self, out);
}

template <ReduceOp op>
Error truth_in_dim(Context&, const Tensor& self, int64_t dim, bool keepdim, Tensor& out) {
  Reduction reduction;
  ET_TRY(reduction.prepare(self, dim, keepdim));
  return truth<op>(reduction, self, out);
}

/// Here an empty list means no dimension; only None means all.
template <ReduceOp op>
Error truth_in_dims(Context&, const Tensor& self, std::optional<IntList> dim, bool keepdim,
                    Tensor& out) {
  Reduction reduction;
  if (dim) {
    ET_TRY(reduction.prepare_exactly(self, *dim, keepdim));
  } else {
    reduction.prepare_all(self, keepdim);
  }
  return truth<op>(reduction, self, out);
}

// ---- variance ----

Error check_variance(const Tensor& self, const Tensor& out, const char* name) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_floating(out, name));
  return check_no_overlap(out, self, "self");
}

/// The variance or its root.
Error spread(const Tensor& self, std::optional<IntList> dim, double correction, bool keepdim,
             bool root, Tensor& out) {
  ET_TRY(check_variance(self, out, "out"));
  Reduction reduction;
  ET_TRY(reduction.prepare(self, dim, keepdim));
  ET_TRY(reduction.make_target(out, "out"));
  compute::variance(
      {reduction.source(self), reduction.dims(), correction, root, reduction.target(0), {}});
  return Error::Ok;
}

double correction_or_one(const std::optional<Scalar>& correction) {
  return correction ? to_double(*correction) : 1;
}

template <bool root>
Error spread_unbiased(Context&, const Tensor& self, std::optional<IntList> dim, bool unbiased,
                      bool keepdim, Tensor& out) {
  return spread(self, dim, unbiased ? 1 : 0, keepdim, root, out);
}

template <bool root>
Error spread_corrected(Context&, const Tensor& self, std::optional<IntList> dim,
                       std::optional<Scalar> correction, bool keepdim, Tensor& out) {
  return spread(self, dim, correction_or_one(correction), keepdim, root, out);
}

template <bool root>
Error spread_and_mean(Context&, const Tensor& self, std::optional<IntList> dim,
                      std::optional<Scalar> correction, bool keepdim, Tensor& out0, Tensor& out1) {
  ET_TRY(check_variance(self, out0, "out0"));
  ET_TRY(check_variance(self, out1, "out1"));
  Reduction reduction;
  ET_TRY(reduction.prepare(self, dim, keepdim));
  ET_TRY(reduction.make_target(out0, "out0"));
  ET_TRY(reduction.make_target(out1, "out1"));
  ET_TRY(check_no_overlap(out1, out0, "out0"));
  compute::variance({reduction.source(self), reduction.dims(), correction_or_one(correction), root,
                     reduction.target(0), reduction.target(1)});
  return Error::Ok;
}

#define ALL_SCHEMA "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"
#define DIM_SCHEMA "(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)"
#define DIMS_SCHEMA \
  "(Tensor self, int[]? dim=None, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)"
#define UNBIASED_SCHEMA                                                                       \
  "(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False, *, Tensor(a!) out) -> " \
  "Tensor(a!)"
#define CORRECTION_SCHEMA                                                            \
  "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False, " \
  "Tensor(a!) out) -> Tensor(a!)"
#define TWO_CORRECTION_SCHEMA                                                        \
  "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False, " \
  "Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))"

constexpr OperatorRow kRows[] = {
    row<"aten::sum.IntList_out", sum>(
        "(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, "
        "Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::mean.out", mean_dims>(
        "(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, "
        "Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::mean.dtype_out", mean>(
        "(Tensor self, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::prod.out", prod>(
        "(Tensor self, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::prod.int_out", prod_dim>("(Tensor self, int dim, bool keepdim=False, *, ScalarType? "
                                        "dtype=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::amax.out", extremum_dims<ReduceOp::Max>>(
        "(Tensor self, int[1] dim=[], bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::amin.out", extremum_dims<ReduceOp::Min>>(
        "(Tensor self, int[1] dim=[], bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::max.unary_out", extremum_all<ReduceOp::Max>>(
        "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::min.unary_out", extremum_all<ReduceOp::Min>>(
        "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::max.dim_max", extremum_with_indices<ReduceOp::Max>>(
        "(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values) -> "
        "(Tensor(a!) values, "
        "Tensor(b!) indices)"),
    row<"aten::min.dim_min", extremum_with_indices<ReduceOp::Min>>(
        "(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) min, Tensor(b!) min_indices) -> "
        "(Tensor(a!) values, "
        "Tensor(b!) indices)"),
    row<"aten::argmax.out", position<ReduceOp::Max>>(
        "(Tensor self, int? dim=None, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::argmin.out", position<ReduceOp::Min>>(
        "(Tensor self, int? dim=None, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::any.all_out", truth_of_all<ReduceOp::Any>>(ALL_SCHEMA),
    row<"aten::any.out", truth_in_dim<ReduceOp::Any>>(DIM_SCHEMA),
    row<"aten::any.dims_out", truth_in_dims<ReduceOp::Any>>(DIMS_SCHEMA),
    row<"aten::all.all_out", truth_of_all<ReduceOp::All>>(ALL_SCHEMA),
    row<"aten::all.out", truth_in_dim<ReduceOp::All>>(DIM_SCHEMA),
    row<"aten::all.dims_out", truth_in_dims<ReduceOp::All>>(DIMS_SCHEMA),
    row<"aten::var.out", spread_unbiased<false>>(UNBIASED_SCHEMA),
    row<"aten::var.correction_out", spread_corrected<false>>(CORRECTION_SCHEMA),
    row<"aten::var_mean.correction_out", spread_and_mean<false>>(TWO_CORRECTION_SCHEMA),
    row<"aten::std.out", spread_unbiased<true>>(UNBIASED_SCHEMA),
    row<"aten::std.correction_out", spread_corrected<true>>(CORRECTION_SCHEMA),
    row<"aten::std_mean.correction_out", spread_and_mean<true>>(TWO_CORRECTION_SCHEMA),
};

#undef ALL_SCHEMA
#undef DIM_SCHEMA
#undef DIMS_SCHEMA
#undef UNBIASED_SCHEMA
#undef CORRECTION_SCHEMA
#undef TWO_CORRECTION_SCHEMA

}  // namespace

Table reduce_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
