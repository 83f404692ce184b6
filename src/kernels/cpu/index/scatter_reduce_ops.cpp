// Operators that combine elements with values scattered to them.
#include "kernels/cpu/elementwise/elementwise_call.h"
#include "kernels/cpu/index/scatter.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

using compute::ScatterMode;

/// A reduction by its name.
struct Reducer {
  ScatterMode mode;
  bool mean;  ///< the sum is divided by the number of values
};

Error bad_reduce(std::string_view name, const char* expected) {
  return ET_ERROR(InvalidArgument, "argument 'reduce': expected %s, found \"%.*s\"", expected,
                  static_cast<int>(name.size() < 64 ? name.size() : 64), name.data());
}

Error find_reducer(std::string_view name, bool with_sum, Reducer* reducer) {
  if (name == "prod") {
    *reducer = {ScatterMode::Multiply, false};
  } else if (name == "amax") {
    *reducer = {ScatterMode::Maximum, false};
  } else if (name == "amin") {
    *reducer = {ScatterMode::Minimum, false};
  } else if (name == "mean") {
    *reducer = {ScatterMode::Add, true};
  } else if (name == "sum" && with_sum) {
    *reducer = {ScatterMode::Add, false};
  } else {
    return bad_reduce(name, with_sum ? "\"sum\", \"prod\", \"mean\", \"amax\" or \"amin\""
                                     : "\"prod\", \"mean\", \"amax\" or \"amin\"");
  }
  return Error::Ok;
}

/// The element that a mode combines with any other to the other.
void identity_element(ScatterMode mode, ScalarType dtype, void* element) {
  const compute::DType type = compute_dtype(dtype);
  if (mode == ScatterMode::Add || mode == ScatterMode::Multiply) {
    compute::number_to_element(int64_t{mode == ScatterMode::Add ? 0 : 1}, type, element);
    return;
  }
  const bool lowest = mode == ScatterMode::Maximum;
  if (is_floating(dtype)) {
    const double infinity = __builtin_inf();
    compute::number_to_element(lowest ? -infinity : infinity, type, element);
    return;
  }
  const bool is_unsigned = dtype == ScalarType::Byte || dtype == ScalarType::Bool;
  const int bits = static_cast<int>(compute::element_size(type)) * 8 - (is_unsigned ? 0 : 1);
  const auto highest = static_cast<int64_t>((uint64_t{1} << bits) - 1);
  compute::number_to_element(lowest ? (is_unsigned ? 0 : -highest - 1) : highest, type, element);
}

/// Where values go: one index for each, along dimension `d`.
struct Places {
  TensorView index;
  int d;
};

/// Divides the elements of `out` by the numbers of values that went there.
Error divide_by_counts(Context& context, const Places& places, bool include_self,
                       const Tensor& out) {
  Scratch memory(context);
  ET_TRY(memory.allocate(static_cast<size_t>(out.numel()), sizeof(int64_t)));
  const Sizes sizes = sizes_of(out);
  const TensorView counts = at_least_1d(compute::contiguous_view(
      memory.data(), compute::DType::i64, sizeof(int64_t), sizes.rank, sizes.values));
  int64_t one = 1;
  const int64_t first = include_self ? 1 : 0;
  compute::fill(counts, &first);
  const TensorView ones = repeated_element(&one, ScalarType::Long, places.index);
  ET_TRY(scatter_at(counts, ones, places.index, places.d, ScatterMode::Add));
  run_on_views(ElementwiseOp::Maximum, ScalarType::Long, counts,
               {counts, repeated_element(&one, ScalarType::Long, counts)});
  const TensorView target = at_least_1d(view_of(out));
  const ScalarType type = out.scalar_type();
  run_on_views(is_floating(type) ? ElementwiseOp::Div : ElementwiseOp::DivFloor, type, target,
               {target, counts});
  return Error::Ok;
}

/// Combines the values with what `out` holds.
Error reduce_at(Context& context, const Places& places, const TensorView& values,
                const Reducer& reducer, bool include_self, const Tensor& out) {
  const TensorView to = at_least_1d(view_of(out));
  if (!include_self) {
    char element[compute::kMaxElementSize];
    identity_element(reducer.mode, out.scalar_type(), element);
    const TensorView first = repeated_element(element, out.scalar_type(), places.index);
    ET_TRY(scatter_at(to, first, places.index, places.d, ScatterMode::Write));
  }
  ET_TRY(scatter_at(to, values, places.index, places.d, reducer.mode));
  return reducer.mean ? divide_by_counts(context, places, include_self, out) : Error::Ok;
}

Error scatter_reduce(Context& context, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor& src, std::string_view reduce, bool include_self, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  Reducer reducer;
  ET_TRY(find_reducer(reduce, true, &reducer));
  Places places;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &places.d));
  TensorView values;
  ET_TRY(source_view(self, index, src, out, &values));
  ET_TRY(start_from(self, out));
  ET_TRY(check_no_overlap(out, index, "index"));
  ET_TRY(check_places(self, index, places.d));
  if (index.numel() == 0) return Error::Ok;
  places.index = at_least_1d(view_of(index));
  return reduce_at(context, places, values, reducer, include_self, out);
}

/// Whole slices along one dimension, one for each element of `index`.
Error index_reduce(Context& context, const Tensor& self, int64_t dim, const Tensor& index,
                   const Tensor& source, std::string_view reduce, bool include_self, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  Reducer reducer;
  ET_TRY(find_reducer(reduce, false, &reducer));
  Places places;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &places.d));
  ET_TRY(check_rank(index, "index", 0, 1));
  ET_TRY(check_index_type(index, "index"));
  ET_TRY(check_same_dtype(source, "source", self, "self"));
  const TensorView values = at_least_1d(view_of(source)), whole = at_least_1d(view_of(self));
  bool fits = values.rank == whole.rank && self.dim() == source.dim();
  for (int d = 0; fits && d < values.rank; ++d)
    fits = values.sizes[d] == (d == places.d ? index.numel() : whole.sizes[d]);
  ET_REQUIRE(fits, InvalidArgument,
             "argument 'source': %s does not have one slice of %s for each of the %lld indices",
             describe(source).text, describe(self).text, static_cast<long long>(index.numel()));
  ET_TRY(start_from(self, out));
  ET_TRY(check_no_overlap(out, index, "index"));
  ET_TRY(check_no_overlap(out, source, "source"));
  if (values.numel() == 0) return Error::Ok;
  const TensorView line = at_least_1d(view_of(index));
  places.index = repeated_element(line.data, index.scalar_type(), values);
  places.index.strides[places.d] = line.strides[0];
  return reduce_at(context, places, values, reducer, include_self, out);
}

Error find_arithmetic_mode(std::string_view name, ScatterMode* mode) {
  if (name == "add") {
    *mode = ScatterMode::Add;
  } else if (name == "multiply") {
    *mode = ScatterMode::Multiply;
  } else {
    return bad_reduce(name, "\"add\" or \"multiply\"");
  }
  return Error::Ok;
}

Error scatter_src_reduce(Context&, const Tensor& self, int64_t dim, const Tensor& index,
                         const Tensor& src, std::string_view reduce, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ScatterMode mode;
  ET_TRY(find_arithmetic_mode(reduce, &mode));
  TensorView from;
  ET_TRY(source_view(self, index, src, out, &from));
  return scatter_into(self, dim, index, from, mode, out);
}

Error scatter_value_reduce(Context&, const Tensor& self, int64_t dim, const Tensor& index,
                           Scalar value, std::string_view reduce, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ScatterMode mode;
  ET_TRY(find_arithmetic_mode(reduce, &mode));
  char element[compute::kMaxElementSize];
  ET_TRY(number_element(value, self.scalar_type(), "value", element));
  const TensorView from = repeated_element(element, self.scalar_type(), view_of(index));
  return scatter_into(self, dim, index, from, mode, out);
}

constexpr OperatorRow kRows[] = {
    row<"aten::scatter_reduce.two_out", scatter_reduce>(
        "(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True, "
        "Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::index_reduce.out", index_reduce>(
        "(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool "
        "include_self=True, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::scatter.reduce_out", scatter_src_reduce>(
        "(Tensor self, int dim, Tensor index, Tensor src, *, str reduce, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"aten::scatter.value_reduce_out", scatter_value_reduce>(
        "(Tensor self, int dim, Tensor index, Scalar value, *, str reduce, Tensor(a!) out) -> "
        "Tensor(a!)"),
};

}  // namespace

Table scatter_reduce_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
