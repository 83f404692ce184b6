// Operators that write the places that indices, masks or a slice name, over a copy of the input or
// in place.
#include "compute/copy/indexed.h"
#include "kernels/cpu/index/scatter.h"
#include "kernels/cpu/layout/parts.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/indexing.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

/// Broadcasts `values` to the shape that indexing gives.
Error broadcast_values(const Tensor& values, const Sizes& sizes, TensorView* view) {
  *view = view_of(values);
  bool fits = view->rank <= sizes.rank;
  while (fits && view->rank < sizes.rank) view->insert(0, 1, 0);
  for (int d = 0; fits && d < sizes.rank; ++d) {
    if (view->sizes[d] == sizes[d]) continue;
    fits = view->sizes[d] == 1;
    view->sizes[d] = sizes[d];
    view->strides[d] = 0;
  }
  ET_REQUIRE(fits, InvalidArgument,
             "argument 'values': %s does not broadcast to the indexed shape %s",
             describe(values).text, describe(sizes).text);
  return Error::Ok;
}

/// Writes or adds `values` to the slices of `target`.
Error put(Context& context, const IndexedSlices& slices, const Tensor& values, bool accumulate,
          const Tensor& target) {
  ET_TRY(check_same_dtype(values, "values", target, "self"));
  ET_TRY(check_no_overlap(target, values, "values"));
  TensorView from;
  ET_TRY(broadcast_values(values, slices.result_sizes(), &from));
  if (from.numel() == 0) return Error::Ok;
  Scratch offsets(context);
  ET_TRY(offsets.allocate(static_cast<size_t>(slices.count()), sizeof(int64_t)));
  slices.result_offsets(from, offsets.as<int64_t>());
  const TensorView to = slices.slice_of_self(view_of(target));
  from = slices.slice_of_result(from);
  if (!accumulate) {
    compute::copy_slices_in_order(to, slices.offsets(), from, offsets.as<int64_t>(),
                                  slices.count());
    return Error::Ok;
  }
  ET_REQUIRE(compute::add_slices_in_order(to, slices.offsets(), from, offsets.as<int64_t>(),
                                          slices.count()),
             InvalidArgument, "argument 'accumulate': dtype %s cannot be added",
             dtype_name(target.scalar_type()));
  return Error::Ok;
}

/// Offsets are those of the target: the input and the output may be laid out differently.
Error index_put(Context& context, const Tensor& self, OptionalTensorList indices,
                const Tensor& values, bool accumulate, Tensor& out) {
  ET_TRY(start_from(self, out));
  for (const std::optional<Tensor>& index : indices) {
    if (index.has_value()) ET_TRY(check_no_overlap(out, *index, "indices"));
  }
  IndexedSlices slices(context);
  ET_TRY(slices.resolve(context, out, indices));
  return put(context, slices, values, accumulate, out);
}

Error index_put_in_place(Context& context, Tensor& self, OptionalTensorList indices,
                         const Tensor& values, bool accumulate) {
  IndexedSlices slices(context);
  ET_TRY(slices.resolve(context, self, indices));
  return put(context, slices, values, accumulate, self);
}

Error scatter_src(Context&, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                  Tensor& out) {
  TensorView from;
  ET_TRY(source_view(self, index, src, out, &from));
  return scatter_into(self, dim, index, from, compute::ScatterMode::Write, out);
}

Error scatter_add(Context&, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                  Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  TensorView from;
  ET_TRY(source_view(self, index, src, out, &from));
  return scatter_into(self, dim, index, from, compute::ScatterMode::Add, out);
}

Error scatter_value(Context&, const Tensor& self, int64_t dim, const Tensor& index, Scalar value,
                    Tensor& out) {
  char element[compute::kMaxElementSize];
  ET_TRY(number_element(value, self.scalar_type(), "value", element));
  const TensorView from = repeated_element(element, self.scalar_type(), view_of(index));
  return scatter_into(self, dim, index, from, compute::ScatterMode::Write, out);
}

Error select_scatter(Context&, const Tensor& self, const Tensor& src, int64_t dim, int64_t index,
                     Tensor& out) {
  int d = 0;
  int64_t position = 0;
  ET_TRY(normalize_selection(self, dim, index, &d, &position));
  ET_TRY(start_from(self, out));
  TensorView part = view_of(out);
  part.select(d, position);
  return write_part(self, src, part, out);
}

Error slice_scatter(Context&, const Tensor& self, const Tensor& src, int64_t dim,
                    std::optional<int64_t> start, std::optional<int64_t> end, int64_t step,
                    Tensor& out) {
  Slice slice;
  ET_TRY(normalize_slice(self, dim, start, end, step, &slice));
  ET_TRY(start_from(self, out));
  TensorView part = view_of(out);
  part.narrow(slice.dim, slice.start, slice.length, step);
  return write_part(self, src, part, out);
}

Error diagonal_scatter(Context&, const Tensor& self, const Tensor& src, int64_t offset,
                       int64_t dim1, int64_t dim2, Tensor& out) {
  ET_TRY(start_from(self, out));
  TensorView part;
  ET_TRY(diagonal_view(out, offset, dim1, dim2, &part));
  return write_part(self, src, part, out);
}

/// Whether no two coordinates of the view name one element: sorted by stride, each dimension steps
/// over all smaller ones.
bool is_injective(const TensorView& view) {
  int64_t reach = 0;
  uint32_t seen = 0;
  for (int k = 0; k < view.rank; ++k) {
    int next = -1;
    for (int d = 0; d < view.rank; ++d) {
      if ((seen >> d & 1) == 0 && (next < 0 || view.strides[d] < view.strides[next])) next = d;
    }
    seen |= uint32_t{1} << next;
    if (view.sizes[next] <= 1) continue;
    if (view.strides[next] <= reach) return false;
    reach += (view.sizes[next] - 1) * view.strides[next];
  }
  return true;
}

/// Strides mean the memory of `self`, whose layout the output may not have.
Error as_strided_scatter(Context& context, const Tensor& self, const Tensor& src, IntList size,
                         IntList stride, std::optional<int64_t> storage_offset, Tensor& out) {
  ET_TRY(start_from(self, out));
  Scratch copy(context);
  TensorView whole = view_of(out);
  const bool staged = !same_layout(self, out);
  if (staged) {
    whole = view_of(self);
    ET_TRY(copy.allocate(static_cast<size_t>(self.numel()), whole.element_size));
    whole.data = copy.as<char>();
    compute::copy(whole, view_of(self));
  }
  TensorView part;
  ET_TRY(strided_view(whole, size, stride, storage_offset, &part));
  ET_REQUIRE(is_injective(part), InvalidArgument,
             "sizes %s with strides %s name an element more than once", describe(size).text,
             describe(stride).text);
  ET_TRY(write_part(self, src, part, out));
  if (staged) compute::copy(view_of(out), whole);
  return Error::Ok;
}

/// The offsets in `view` of the elements that `index` counts in row-major order.
Error element_offsets(const TensorView& view, const Tensor& index, int64_t* offsets) {
  const int64_t numel = view.numel();
  const compute::BadIndex bad = compute::add_index_offsets(view_of(index), numel, 1, offsets);
  if (bad.found) return bad_index("index", bad.value, 0, numel);
  if (is_contiguous(view)) return Error::Ok;
  for (int64_t i = 0; i < index.numel(); ++i) {
    int64_t rest = offsets[i];
    offsets[i] = 0;
    for (int d = view.rank - 1; d >= 0; --d) {
      offsets[i] += rest % view.sizes[d] * view.strides[d];
      rest /= view.sizes[d];
    }
  }
  return Error::Ok;
}

/// Writes or adds the elements of `source` to those that `index` counts.
Error put_elements(Context& context, const Tensor& self, const Tensor& index, const Tensor& source,
                   bool accumulate, Tensor& out) {
  ET_TRY(check_index_type(index, "index"));
  ET_TRY(check_same_dtype(source, "source", self, "self"));
  const int64_t count = index.numel();
  ET_REQUIRE(source.numel() == count, InvalidArgument,
             "argument 'source': %s does not have the %lld elements of the index",
             describe(source).text, static_cast<long long>(count));
  ET_TRY(start_from(self, out));
  ET_TRY(check_no_overlap(out, index, "index"));
  ET_TRY(check_no_overlap(out, source, "source"));
  ContiguousInput values(context);
  ET_TRY(values.prepare(source));
  Scratch offsets(context);
  ET_TRY(offsets.allocate(static_cast<size_t>(count), 2 * sizeof(int64_t)));
  int64_t* to_offsets = offsets.as<int64_t>();
  int64_t* from_offsets = to_offsets + count;
  for (int64_t i = 0; i < count; ++i) {
    to_offsets[i] = 0;
    from_offsets[i] = i;
  }
  TensorView to = view_of(out), from = values.view();
  ET_TRY(element_offsets(to, index, to_offsets));
  to.rank = from.rank = 0;
  if (!accumulate) {
    compute::copy_slices_in_order(to, to_offsets, from, from_offsets, count);
    return Error::Ok;
  }
  ET_REQUIRE(compute::add_slices_in_order(to, to_offsets, from, from_offsets, count),
             InvalidArgument, "argument 'accumulate': dtype %s cannot be added",
             dtype_name(out.scalar_type()));
  return Error::Ok;
}

Error masked_scatter(Context& context, const Tensor& self, const Tensor& mask, const Tensor& source,
                     Tensor& out) {
  ET_REQUIRE(is_mask(mask), InvalidArgument, "argument 'mask': expected bool, found %s",
             dtype_name(mask.scalar_type()));
  ET_TRY(check_same_dtype(source, "source", self, "self"));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  TensorView from;
  TensorView places;
  ET_TRY(broadcast_views(self, "self", mask, "mask", &from, &places));
  Sizes sizes;
  for (int d = 0; d < from.rank; ++d) sizes.push(from.sizes[d]);
  ET_TRY(write_view(out, self, from));
  ET_TRY(check_no_overlap(out, mask, "mask"));
  ET_TRY(check_no_overlap(out, source, "source"));
  const int64_t count = compute::count_nonzero(places);
  ET_REQUIRE(source.numel() >= count, InvalidArgument,
             "argument 'source': %s has fewer than the %lld elements needed", describe(source).text,
             static_cast<long long>(count));
  ContiguousInput values(context);
  ET_TRY(values.prepare(source));
  compute::scatter_masked(view_of(out), places, values.view().data);
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::index_put.out", index_put>(
        "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, *, "
        "Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::index_put_", index_put_in_place>(
        "(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)"),
    row<"aten::scatter.src_out", scatter_src>(
        "(Tensor self, int dim, Tensor index, Tensor src, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::scatter.value_out", scatter_value>(
        "(Tensor self, int dim, Tensor index, Scalar value, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::scatter_add.out", scatter_add>(
        "(Tensor self, int dim, Tensor index, Tensor src, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::select_scatter.out", select_scatter>(
        "(Tensor self, Tensor src, int dim, SymInt index, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::slice_scatter.out", slice_scatter>(
        "(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1, "
        "*, Tensor(a!) out) "
        "-> Tensor(a!)"),
    row<"aten::diagonal_scatter.out", diagonal_scatter>(
        "(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1, *, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"aten::as_strided_scatter.out", as_strided_scatter>(
        "(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None, *, "
        "Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::put.out", put_elements>(
        "(Tensor self, Tensor index, Tensor source, bool accumulate=False, *, Tensor(a!) out) -> "
        "Tensor(a!)"),
    row<"aten::masked_scatter.out", masked_scatter>(
        "(Tensor self, Tensor mask, Tensor source, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table scatter_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
