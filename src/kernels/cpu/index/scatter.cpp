#include "kernels/cpu/index/scatter.h"

namespace executorch {
namespace kernels {

Error start_from(const Tensor& self, const Tensor& out) {
  return write_view(out, self, view_of(self));
}

TensorView repeated_element(void* element, ScalarType dtype, const TensorView& like) {
  TensorView view = at_least_1d(like);
  view.data = static_cast<char*>(element);
  view.dtype = compute_dtype(dtype);
  view.element_size = compute::element_size(view.dtype);
  for (int d = 0; d < view.rank; ++d) view.strides[d] = 0;
  return view;
}

Error check_places(const Tensor& self, const Tensor& index, int d) {
  if (index.numel() == 0) return Error::Ok;
  ET_TRY(check_index_type(index, "index"));
  const TensorView to = at_least_1d(view_of(self));
  const TensorView places = at_least_1d(view_of(index));
  bool fits = to.rank == places.rank;
  for (int i = 0; fits && i < to.rank; ++i) fits = i == d || places.sizes[i] <= to.sizes[i];
  ET_REQUIRE(fits, InvalidArgument, "argument 'index': %s does not fit %s in all dimensions but %d",
             describe(index).text, describe(self).text, d);
  return Error::Ok;
}

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

Error scatter_at(const TensorView& to, const TensorView& from, const TensorView& places, int d,
                 compute::ScatterMode mode) {
  const compute::BadIndex bad = compute::scatter(to, from, places, d, mode);
  if (bad.found) return bad_index("index", bad.value, d, to.sizes[d]);
  return Error::Ok;
}

Error scatter_into(const Tensor& self, int64_t dim, const Tensor& index, const TensorView& from,
                   compute::ScatterMode mode, const Tensor& out) {
  int d = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &d));
  ET_TRY(start_from(self, out));
  ET_TRY(check_no_overlap(out, index, "index"));
  ET_TRY(check_places(self, index, d));
  if (index.numel() == 0) return Error::Ok;
  return scatter_at(at_least_1d(view_of(out)), from, at_least_1d(view_of(index)), d, mode);
}

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

}  // namespace kernels
}  // namespace executorch
