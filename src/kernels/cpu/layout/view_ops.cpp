// Operators whose result is a view of the input, copied.
#include <limits>

#include "kernels/cpu/layout/parts.h"
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"

namespace executorch {
namespace kernels {
namespace {

Error permute_copy(Context&, const Tensor& self, IntList dims, Tensor& out) {
  const TensorView from = view_of(self);
  ET_REQUIRE(dims.size() == static_cast<size_t>(from.rank), InvalidArgument,
             "argument 'dims': %s has %zu entries for a tensor of rank %d", describe(dims).text,
             dims.size(), from.rank);
  TensorView permuted = from;
  uint32_t seen = 0;
  for (int d = 0; d < from.rank; ++d) {
    int source = 0;
    ET_TRY(normalize_dim(dims[d], from.rank, "dims", &source));
    ET_REQUIRE((seen >> source & 1) == 0, InvalidArgument,
               "argument 'dims': %s names dimension %d twice", describe(dims).text, source);
    seen |= 1u << source;
    permuted.sizes[d] = from.sizes[source];
    permuted.strides[d] = from.strides[source];
  }
  return write_view(out, self, permuted);
}

void swap_dims(TensorView& view, int a, int b) {
  std::swap(view.sizes[a], view.sizes[b]);
  std::swap(view.strides[a], view.strides[b]);
}

Error transpose_copy(Context&, const Tensor& self, int64_t dim0, int64_t dim1, Tensor& out) {
  int a = 0;
  int b = 0;
  ET_TRY(normalize_dim(dim0, self.dim(), "dim0", &a));
  ET_TRY(normalize_dim(dim1, self.dim(), "dim1", &b));
  TensorView view = view_of(self);
  if (view.rank > 0) swap_dims(view, a, b);
  return write_view(out, self, view);
}

Error t_copy(Context&, const Tensor& self, Tensor& out) {
  ET_TRY(check_rank(self, "self", 0, 2));
  TensorView view = view_of(self);
  if (view.rank == 2) swap_dims(view, 0, 1);
  return write_view(out, self, view);
}

Error expand_copy(Context&, const Tensor& self, IntList size, bool, Tensor& out) {
  ET_TRY(check_list_rank(size, "size"));
  TensorView view = view_of(self);
  const int rank = static_cast<int>(size.size());
  ET_REQUIRE(rank >= view.rank, InvalidArgument, "argument 'size': %s has fewer dimensions than %s",
             describe(size).text, describe(self).text);
  const int added = rank - view.rank;
  while (view.rank < rank) view.insert(0, 1, 0);
  for (int d = 0; d < rank; ++d) {
    const int64_t wanted = size[d];
    if (wanted == -1 && d >= added) continue;
    if (wanted == view.sizes[d] && d >= added) continue;
    ET_REQUIRE(wanted >= 0 && view.sizes[d] == 1, InvalidArgument,
               "argument 'size': %s cannot be expanded to %s in dimension %d", describe(self).text,
               describe(size).text, d);
    view.sizes[d] = wanted;
    view.strides[d] = 0;
  }
  return write_view(out, self, view);
}

Error squeeze_marked(const Tensor& self, uint32_t marked, Tensor& out) {
  TensorView view = view_of(self);
  for (int d = view.rank - 1; d >= 0; --d) {
    if ((marked >> d & 1) != 0 && view.sizes[d] == 1) view.remove(d);
  }
  return write_view(out, self, view);
}

Error squeeze_copy_dims(Context&, const Tensor& self, IntList dims, Tensor& out) {
  uint32_t marked = 0;
  for (int64_t dim : dims) {
    int d = 0;
    ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
    ET_REQUIRE((marked >> d & 1) == 0, InvalidArgument,
               "argument 'dim': dimension %d is named twice", d);
    marked |= 1u << d;
  }
  return squeeze_marked(self, marked, out);
}

Error squeeze_copy_dim(Context& context, const Tensor& self, int64_t dim, Tensor& out) {
  return squeeze_copy_dims(context, self, {&dim, 1}, out);
}

Error unsqueeze_copy(Context&, const Tensor& self, int64_t dim, Tensor& out) {
  int d = 0;
  ET_TRY(normalize_dim(dim, self.dim() + 1, "dim", &d));
  TensorView view = view_of(self);
  view.insert(d, 1, 0);
  return write_view(out, self, view);
}

Error slice_copy(Context&, const Tensor& self, int64_t dim, std::optional<int64_t> start,
                 std::optional<int64_t> end, int64_t step, Tensor& out) {
  Slice slice;
  ET_TRY(normalize_slice(self, dim, start, end, step, &slice));
  TensorView view = view_of(self);
  view.narrow(slice.dim, slice.start, slice.length, step);
  return write_view(out, self, view);
}

Error select_copy(Context&, const Tensor& self, int64_t dim, int64_t index, Tensor& out) {
  int d = 0;
  int64_t position = 0;
  ET_TRY(normalize_selection(self, dim, index, &d, &position));
  TensorView view = view_of(self);
  view.select(d, position);
  return write_view(out, self, view);
}

Error narrow_copy(Context&, const Tensor& self, int64_t dim, int64_t start, int64_t length,
                  Tensor& out) {
  ET_REQUIRE(self.dim() > 0, InvalidArgument, "argument 'self': a 0-d tensor cannot be narrowed");
  int d = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
  TensorView view = view_of(self);
  const int64_t size = view.sizes[d];
  ET_REQUIRE(start >= -size && start <= size, InvalidArgument,
             "argument 'start': %lld is out of range for size %lld", static_cast<long long>(start),
             static_cast<long long>(size));
  if (start < 0) start += size;
  ET_REQUIRE(length >= 0 && length <= size - start, InvalidArgument,
             "argument 'length': %lld from %lld on passes size %lld",
             static_cast<long long>(length), static_cast<long long>(start),
             static_cast<long long>(size));
  view.narrow(d, start, length);
  return write_view(out, self, view);
}

Error as_strided_copy(Context&, const Tensor& self, IntList size, IntList stride,
                      std::optional<int64_t> storage_offset, Tensor& out) {
  TensorView view;
  ET_TRY(strided_view(view_of(self), size, stride, storage_offset, &view));
  return write_view(out, self, view);
}

Error diagonal_copy(Context&, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2,
                    Tensor& out) {
  TensorView view;
  ET_TRY(diagonal_view(self, offset, dim1, dim2, &view));
  return write_view(out, self, view);
}

Error unfold_copy(Context&, const Tensor& self, int64_t dimension, int64_t size, int64_t step,
                  Tensor& out) {
  int d = 0;
  ET_TRY(normalize_dim(dimension, self.dim(), "dimension", &d));
  TensorView view = view_of(self);
  const int64_t available = view.rank == 0 ? 1 : view.sizes[d];
  ET_REQUIRE(size >= 0 && size <= available, InvalidArgument,
             "argument 'size': %lld is out of range [0, %lld]", static_cast<long long>(size),
             static_cast<long long>(available));
  ET_REQUIRE(step > 0, InvalidArgument, "argument 'step': expected a positive number, found %lld",
             static_cast<long long>(step));
  const int64_t stride = view.rank == 0 ? 1 : view.strides[d];
  if (view.rank > 0) {
    view.sizes[d] = (available - size) / step + 1;
    view.strides[d] = view.sizes[d] > 1 ? stride * step : 0;
  }
  view.insert(view.rank, size, stride);
  return write_view(out, self, view);
}

constexpr OperatorRow kRows[] = {
    row<"aten::permute_copy.out", permute_copy>(
        "(Tensor self, int[] dims, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::transpose_copy.int_out", transpose_copy>(
        "(Tensor self, int dim0, int dim1, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::t_copy.out", t_copy>("(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::expand_copy.out", expand_copy>(
        "(Tensor self, SymInt[] size, *, bool implicit=False, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::squeeze_copy.dim_out", squeeze_copy_dim>(
        "(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::squeeze_copy.dims_out", squeeze_copy_dims>(
        "(Tensor self, int[] dim, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::unsqueeze_copy.out", unsqueeze_copy>(
        "(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::slice_copy.Tensor_out", slice_copy>(
        "(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, "
        "SymInt step=1, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::select_copy.int_out", select_copy>(
        "(Tensor self, int dim, SymInt index, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::narrow_copy.out", narrow_copy>(
        "(Tensor self, int dim, SymInt start, SymInt length, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::as_strided_copy.out", as_strided_copy>(
        "(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None, *, Tensor(a!) "
        "out) -> Tensor(a!)"),
    row<"aten::diagonal_copy.out", diagonal_copy>(
        "(Tensor self, int offset=0, int dim1=0, int dim2=1, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::unfold_copy.out", unfold_copy>(
        "(Tensor self, int dimension, int size, int step, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table view_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
