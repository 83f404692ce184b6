// Operators that make tensors from numbers.
#include <cmath>

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

Error fill_with(const Tensor& out, const Scalar& value, const char* name) {
  char element[compute::kMaxElementSize];
  ET_TRY(number_element(value, out.scalar_type(), name, element));
  compute::fill(view_of(out), element);
  return Error::Ok;
}

Error resize_to_list(const Tensor& out, IntList size) {
  ET_TRY(check_list_rank(size, "size"));
  const Sizes sizes = to_sizes(size);
  int64_t numel = 0;
  ET_TRY(checked_numel(sizes, "size", &numel));
  return resize_output(out, sizes);
}

/// What the memory holds is undefined, as in eager.
Error empty(Context&, IntList size, std::optional<int64_t>, Tensor& out) {
  return resize_to_list(out, size);
}

/// Strides follow from the output's dim order, which has been planned.
Error empty_strided(Context&, IntList size, IntList stride, Tensor& out) {
  ET_REQUIRE(size.size() == stride.size(), InvalidArgument,
             "arguments 'size' and 'stride' have %zu and %zu entries", size.size(), stride.size());
  return resize_to_list(out, size);
}

Error empty_permuted(Context&, IntList size, IntList physical_layout, Tensor& out) {
  ET_REQUIRE(size.size() == physical_layout.size(), InvalidArgument,
             "arguments 'size' and 'physical_layout' have %zu and %zu entries", size.size(),
             physical_layout.size());
  return resize_to_list(out, size);
}

Error new_empty_strided(Context& context, const Tensor&, IntList size, IntList stride,
                        Tensor& out) {
  return empty_strided(context, size, stride, out);
}

Error full(Context&, IntList size, Scalar fill_value, Tensor& out) {
  ET_TRY(resize_to_list(out, size));
  return fill_with(out, fill_value, "fill_value");
}

Error full_like(Context&, const Tensor& self, Scalar fill_value, std::optional<int64_t>,
                Tensor& out) {
  ET_TRY(resize_output_like(out, self));
  return fill_with(out, fill_value, "fill_value");
}

Error zeros(Context&, IntList size, Tensor& out) {
  ET_TRY(resize_to_list(out, size));
  const char zero[compute::kMaxElementSize] = {};
  ET_REQUIRE(static_cast<size_t>(out.element_size()) <= sizeof(zero), InvalidArgument,
             "argument 'out': dtype %s is not supported", dtype_name(out.scalar_type()));
  compute::fill(view_of(out), zero);
  return Error::Ok;
}

Error ones(Context& context, IntList size, Tensor& out) {
  return full(context, size, Scalar(int64_t{1}), out);
}

Error scalar_tensor(Context&, Scalar s, Tensor& out) {
  ET_TRY(resize_output(out, Sizes{}));
  return fill_with(out, s, "s");
}

Error fill_scalar(Context&, const Tensor& self, Scalar value, Tensor& out) {
  ET_TRY(resize_output_like(out, self));
  return fill_with(out, value, "value");
}

Error fill_tensor(Context&, const Tensor& self, const Tensor& value, Tensor& out) {
  ET_REQUIRE(value.dim() == 0, InvalidArgument, "argument 'value': expected a 0-d tensor, found %s",
             describe(value).text);
  ET_TRY(resize_output_like(out, self));
  ET_TRY(check_no_overlap(out, value, "value"));
  TensorView from = view_of(value);
  const TensorView to = view_of(out);
  ET_REQUIRE(compute::convertible(to.dtype, from.dtype), InvalidArgument,
             "there is no conversion from %s to %s", dtype_name(value.scalar_type()),
             dtype_name(out.scalar_type()));
  while (from.rank < to.rank) {
    from.insert(from.rank, to.sizes[from.rank], 0);
  }
  compute::convert(to, from);
  return Error::Ok;
}

constexpr double kMaxLength = 2147483647.0;

/// The number of steps from start to end; an error for an infinite or backward range.
Error range_length(const Scalar& start, const Scalar& end, const Scalar& step, ScalarType dtype,
                   int64_t* length) {
  const double first = to_double(start);
  const double last = to_double(end);
  const double stride = to_double(step);
  ET_REQUIRE(stride != 0 && !std::isnan(stride), InvalidArgument,
             "argument 'step': must not be zero");
  ET_REQUIRE(std::isfinite(first) && std::isfinite(last), InvalidArgument,
             "the range from %g to %g is not finite", first, last);
  ET_REQUIRE(stride > 0 ? last >= first : last <= first, InvalidArgument,
             "argument 'step': %g leads away from the end, from %g to %g", stride, first, last);
  double count = std::ceil((last - first) / stride);
  int64_t difference = 0;
  if (dtype == ScalarType::Long &&
      !__builtin_sub_overflow(to_int64(end), to_int64(start), &difference)) {
    // int64 bounds are cut to integers first; differences beyond 2^53 stay exact.
    const int64_t whole = to_int64(step);
    ET_REQUIRE(whole != 0, InvalidArgument, "argument 'step': must not be zero");
    if (whole == -1) {
      count = -static_cast<double>(difference);
    } else {
      count = static_cast<double>(difference / whole + (difference % whole != 0 ? 1 : 0));
    }
  }
  ET_REQUIRE(count >= 0 && count <= kMaxLength, InvalidArgument,
             "a range of %g elements is too long", count);
  *length = static_cast<int64_t>(count);
  return Error::Ok;
}

Error arange_start(Context& context, Scalar start, Scalar end, Scalar step, Tensor& out) {
  ET_TRY(check_arithmetic(out, "out"));
  ET_REQUIRE(out.scalar_type() != ScalarType::Bool, InvalidArgument,
             "argument 'out': dtype bool is not supported");
  int64_t length = 0;
  ET_TRY(range_length(start, end, step, out.scalar_type(), &length));
  Sizes sizes;
  sizes.push(length);
  ET_TRY(resize_output(out, sizes));
  const bool integral = is_integral(out.scalar_type(), false);
  const compute::DType wide = integral ? compute::DType::i64 : compute::DType::f64;
  Scratch scratch(context);
  TensorView values = compute::contiguous_view(out.mutable_data_ptr(), wide, 8, 1, sizes.values);
  const bool direct = compute_dtype(out.scalar_type()) == wide;
  if (!direct) {
    ET_TRY(scratch.allocate(static_cast<size_t>(length), 8));
    values.data = scratch.as<char>();
  }
  if (integral) {
    const auto first = static_cast<uint64_t>(to_int64(start));
    const auto stride = static_cast<uint64_t>(to_int64(step));
    auto* numbers = reinterpret_cast<uint64_t*>(values.data);
    for (int64_t i = 0; i < length; ++i) numbers[i] = first + stride * static_cast<uint64_t>(i);
  } else {
    const double first = to_double(start);
    const double stride = to_double(step);
    auto* numbers = reinterpret_cast<double*>(values.data);
    for (int64_t i = 0; i < length; ++i) numbers[i] = first + stride * static_cast<double>(i);
  }
  if (!direct) compute::convert(view_of(out), values);
  return Error::Ok;
}

Error arange(Context& context, Scalar end, Tensor& out) {
  return arange_start(context, Scalar(int64_t{0}), end, Scalar(int64_t{1}), out);
}

/// Columns of a row of a matrix that lie in a triangle.
struct Columns {
  int64_t first;
  int64_t end;
};
Columns triangle_columns(bool lower, int64_t row, int64_t columns, int64_t offset) {
  // Saturates: an offset may be far outside of the matrix.
  int64_t diagonal = 0;
  if (__builtin_add_overflow(row, offset, &diagonal)) diagonal = offset > 0 ? columns : -1;
  if (diagonal > columns) diagonal = columns;
  if (diagonal < -1) diagonal = -1;
  if (!lower) return {diagonal < 0 ? 0 : diagonal, columns};
  return {0, diagonal + 1 < columns ? diagonal + 1 : columns};
}

/// The rows of a triangle that have elements: [first, end).
struct Rows {
  int64_t first;
  int64_t end;
};
Rows triangle_rows(bool lower, int64_t rows, int64_t columns, int64_t offset) {
  if (columns == 0) return {0, 0};
  if (lower) return {offset >= 0 ? 0 : (offset < -rows ? rows : -offset), rows};
  int64_t end = 0;
  if (__builtin_sub_overflow(columns, offset, &end)) end = rows;
  return {0, end < 0 ? 0 : (end > rows ? rows : end)};
}

/// The coordinates of a triangle's elements: rows in the first line, columns in the second.
template <bool lower>
Error triangle_indices(Context& context, int64_t row, int64_t col, int64_t offset, Tensor& out) {
  ET_TRY(check_arithmetic(out, "out"));
  ET_TRY(check_can_cast(ScalarType::Long, out));
  ET_REQUIRE(row >= 0 && col >= 0 && row <= kMaxLength && col <= kMaxLength, InvalidArgument,
             "a matrix of %lld by %lld elements is not possible", static_cast<long long>(row),
             static_cast<long long>(col));
  const Rows rows = triangle_rows(lower, row, col, offset);
  int64_t count = 0;
  for (int64_t r = rows.first; r < rows.end && count <= kMaxLength; ++r) {
    const Columns columns = triangle_columns(lower, r, col, offset);
    count += columns.end - columns.first;
  }
  ET_REQUIRE(count <= kMaxLength, InvalidArgument,
             "the triangle of a matrix of %lld by %lld elements has more of them than a dimension",
             static_cast<long long>(row), static_cast<long long>(col));
  Sizes sizes;
  sizes.push(2);
  sizes.push(count);
  ET_TRY(resize_output(out, sizes));
  ContiguousOutput indices(context);
  ET_TRY(indices.prepare(out, ScalarType::Long));
  auto* row_of = indices.data<int64_t>();
  auto* column_of = row_of + count;
  for (int64_t r = rows.first; r < rows.end; ++r) {
    const Columns columns = triangle_columns(lower, r, col, offset);
    for (int64_t c = columns.first; c < columns.end; ++c) {
      *row_of++ = r;
      *column_of++ = c;
    }
  }
  indices.finish();
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::empty.out", empty>(
        "(SymInt[] size, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::empty_strided.out", empty_strided>(
        "(SymInt[] size, SymInt[] stride, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::empty_permuted.out", empty_permuted>(
        "(SymInt[] size, int[] physical_layout, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::new_empty_strided.out", new_empty_strided>(
        "(Tensor self, SymInt[] size, SymInt[] stride, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::full.out", full>(
        "(SymInt[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::full_like.out", full_like>("(Tensor self, Scalar fill_value, *, MemoryFormat? "
                                          "memory_format=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::zeros.out", zeros>("(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::ones.out", ones>("(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::arange.out", arange>("(Scalar end, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::arange.start_out", arange_start>(
        "(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::tril_indices.out", triangle_indices<true>>(
        "(int row, int col, int offset=0, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::triu_indices.out", triangle_indices<false>>(
        "(int row, int col, int offset=0, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::scalar_tensor.out", scalar_tensor>("(Scalar s, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::fill.Scalar_out", fill_scalar>(
        "(Tensor self, Scalar value, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::fill.Tensor_out", fill_tensor>(
        "(Tensor self, Tensor value, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table creation_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
