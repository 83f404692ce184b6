// Operators that write the places that indices, masks or a slice name, over a copy of the input or
// in place.
#include "compute/copy/indexed.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/indexing.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

/// Makes `out` a copy of `self`, unless it is the same memory.
Error start_from(const Tensor& self, const Tensor& out) {
  return write_view(out, self, view_of(self));
}

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

/// `from` has the value of each index at the same coordinate.
Error scatter_into(const Tensor& self, int64_t dim, const Tensor& index, const TensorView& from,
                   compute::ScatterMode mode, const Tensor& out) {
  int d = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
  ET_TRY(start_from(self, out));
  ET_TRY(check_no_overlap(out, index, "index"));
  if (index.numel() == 0) return Error::Ok;
  ET_TRY(check_index_type(index, "index"));
  const TensorView to = at_least_1d(view_of(out));
  const TensorView places = at_least_1d(view_of(index));
  bool fits = to.rank == places.rank;
  for (int i = 0; fits && i < to.rank; ++i) fits = i == d || places.sizes[i] <= to.sizes[i];
  ET_REQUIRE(fits, InvalidArgument, "argument 'index': %s does not fit %s in all dimensions but %d",
             describe(index).text, describe(self).text, d);
  const compute::BadIndex bad = compute::scatter(to, from, places, d, mode);
  if (bad.found) return bad_index("index", bad.value, d, to.sizes[d]);
  return Error::Ok;
}

/// Checks that `src` covers the index and views it with the index's sizes.
Error source_view(const Tensor& self, const Tensor& index, const Tensor& src, const Tensor& out,
                  TensorView* view) {
  ET_TRY(check_same_dtype(src, "src", self, "self"));
  ET_TRY(check_no_overlap(out, src, "src"));
  *view = at_least_1d(view_of(src));
  const TensorView places = at_least_1d(view_of(index));
  bool fits = index.numel() == 0 || view->rank == places.rank;
  for (int d = 0; fits && index.numel() > 0 && d < places.rank; ++d) {
    fits = places.sizes[d] <= view->sizes[d];
    view->sizes[d] = places.sizes[d];
  }
  ET_REQUIRE(fits, InvalidArgument, "argument 'index': %s is larger than src, %s",
             describe(index).text, describe(src).text);
  return Error::Ok;
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
  TensorView from = at_least_1d(view_of(index));
  from.data = element;
  from.dtype = compute_dtype(self.scalar_type());
  from.element_size = static_cast<size_t>(self.element_size());
  for (int d = 0; d < from.rank; ++d) from.strides[d] = 0;
  return scatter_into(self, dim, index, from, compute::ScatterMode::Write, out);
}

/// Writes `src` into the part of `out` that `part` views.
Error write_part(const Tensor& self, const Tensor& src, const TensorView& part, const Tensor& out) {
  ET_TRY(check_no_overlap(out, src, "src"));
  const TensorView from = view_of(src);
  bool fits = from.rank == part.rank;
  for (int d = 0; fits && d < part.rank; ++d) fits = from.sizes[d] == part.sizes[d];
  ET_REQUIRE(fits, InvalidArgument,
             "argument 'src': %s does not have the shape of the part of %s that it replaces",
             describe(src).text, describe(self).text);
  ET_REQUIRE(compute::convertible(part.dtype, from.dtype), InvalidArgument,
             "argument 'src': there is no conversion from %s to %s", dtype_name(src.scalar_type()),
             dtype_name(out.scalar_type()));
  compute::convert(part, from);
  return Error::Ok;
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
    row<"aten::masked_scatter.out", masked_scatter>(
        "(Tensor self, Tensor mask, Tensor source, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table scatter_rows() {
  return kRows;
}

}  // namespace kernels
}  // namespace executorch
