// Running sums and the largest or smallest elements of a line.
#include <algorithm>

#include "compute/elementwise/cast.h"
#include "compute/elementwise/layout.h"
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

template <class T>
struct Entry {
  T value;
  int64_t index;
};

/// Larger first, NaN before everything, equal values by position.
template <class T>
bool larger_first(const Entry<T>& a, const Entry<T>& b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan != b_nan) return a_nan;
  if (a.value != b.value && !a_nan) return a.value > b.value;
  return a.index < b.index;
}

template <class T>
bool smaller_first(const Entry<T>& a, const Entry<T>& b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan != b_nan) return b_nan;
  if (a.value != b.value && !a_nan) return a.value < b.value;
  return a.index < b.index;
}

struct TopkCall {
  int64_t length;
  int64_t k;
  bool largest;
  int64_t in_step;
  int64_t value_step;
  int64_t index_step;
};

/// The leading entries of every line along one dimension. Sorted also where the caller would not
/// mind disorder.
template <class T>
Error select_top(Context& context, const TensorView& in, const TensorView& values,
                 const TensorView& indices, const compute::Layout& lines, const TopkCall& call) {
  Scratch scratch(context);
  ET_TRY(
      scratch.allocate(static_cast<size_t>(call.length > 0 ? call.length : 1), sizeof(Entry<T>)));
  auto* entries = scratch.as<Entry<T>>();
  const ComputeType type = std::is_same_v<T, double> ? ComputeType::f64 : ComputeType::i64;
  const auto load = compute::load_loop(in.dtype, type);
  const auto store = compute::store_loop(type, values.dtype);
  const auto element = static_cast<int64_t>(in.element_size);
  const int64_t count = lines.numel();
  compute::LayoutCursor cursor(lines, 0);
  for (int64_t line = 0; line < count; ++line) {
    for (int64_t i = 0; i < call.length; ++i) {
      load(&entries[i].value, in.data + (cursor.offset(0) + i * call.in_step) * element, 1, 1);
      entries[i].index = i;
    }
    std::partial_sort(entries, entries + call.k, entries + call.length,
                      call.largest ? larger_first<T> : smaller_first<T>);
    for (int64_t i = 0; i < call.k; ++i) {
      store(values.data + (cursor.offset(1) + i * call.value_step) * element, 1, &entries[i].value,
            1);
      reinterpret_cast<int64_t*>(indices.data)[cursor.offset(2) + i * call.index_step] =
          entries[i].index;
    }
    cursor.advance(1);
  }
  return Error::Ok;
}

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
  TensorView in = view_of(self), value_view = view_of(values), index_view = view_of(indices);
  if (sizes.rank == 0) {
    for (TensorView* view : {&in, &value_view, &index_view}) view->insert(0, 1, 1);
    value_view.sizes[0] = index_view.sizes[0] = k;
  }
  const TopkCall call = {
      length, k, largest, in.strides[axis], value_view.strides[axis], index_view.strides[axis]};
  if (k == 0) return Error::Ok;
  for (TensorView* view : {&in, &value_view, &index_view}) view->remove(axis);
  const int64_t* strides[] = {in.strides, value_view.strides, index_view.strides};
  const compute::Layout lines = compute::make_layout(in.rank, in.sizes, strides, 3);
  if (is_floating(self.scalar_type()))
    return select_top<double>(context, in, value_view, index_view, lines, call);
  return select_top<int64_t>(context, in, value_view, index_view, lines, call);
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
