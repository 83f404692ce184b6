#include "kernels/cpu/layout/parts.h"

#include "kernels/support/copying.h"

namespace executorch {
namespace kernels {

Error strided_view(const TensorView& whole, IntList size, IntList stride,
                   std::optional<int64_t> storage_offset, TensorView* result) {
  ET_TRY(check_list_rank(size, "size"));
  ET_REQUIRE(size.size() == stride.size(), InvalidArgument,
             "arguments 'size' and 'stride' have %zu and %zu entries", size.size(), stride.size());
  int64_t numel = 0;
  ET_TRY(checked_numel(to_sizes(size), "size", &numel));
  TensorView view = whole;
  const int64_t available = whole.numel();
  const int64_t offset = storage_offset.value_or(0);
  ET_REQUIRE(offset >= 0, InvalidArgument, "argument 'storage_offset': %lld is negative",
             static_cast<long long>(offset));
  int64_t last = offset;
  bool inside = true;
  view.rank = static_cast<int>(size.size());
  for (int d = 0; d < view.rank; ++d) {
    ET_REQUIRE(stride[d] >= 0, InvalidArgument, "argument 'stride': negative stride in %s",
               describe(stride).text);
    view.sizes[d] = size[d];
    view.strides[d] = stride[d];
    int64_t reach = 0;
    inside = inside && !__builtin_mul_overflow(size[d] > 0 ? size[d] - 1 : 0, stride[d], &reach) &&
             !__builtin_add_overflow(last, reach, &last);
  }
  ET_REQUIRE(numel == 0 || (inside && last < available), InvalidArgument,
             "sizes %s with strides %s from %lld on pass the %lld elements of the input",
             describe(size).text, describe(stride).text, static_cast<long long>(offset),
             static_cast<long long>(available));
  if (numel > 0) view.advance(offset);
  *result = view;
  return Error::Ok;
}

Error diagonal_view(const Tensor& tensor, int64_t offset, int64_t dim1, int64_t dim2,
                    TensorView* result) {
  int a = 0;
  int b = 0;
  ET_TRY(normalize_dim(dim1, tensor.dim(), "dim1", &a));
  ET_TRY(normalize_dim(dim2, tensor.dim(), "dim2", &b));
  ET_REQUIRE(a != b, InvalidArgument, "arguments 'dim1' and 'dim2' name the same dimension %d", a);
  TensorView view = view_of(tensor);
  const int64_t rows = view.sizes[a];
  const int64_t columns = view.sizes[b];
  int64_t length = 0;
  if (offset >= 0) {
    length = offset < columns ? (rows < columns - offset ? rows : columns - offset) : 0;
  } else {
    length = offset > -rows ? (rows + offset < columns ? rows + offset : columns) : 0;
  }
  if (length > 0) view.advance(offset >= 0 ? offset * view.strides[b] : -offset * view.strides[a]);
  const int64_t stride = view.strides[a] + view.strides[b];
  view.remove(a > b ? a : b);
  view.remove(a > b ? b : a);
  view.insert(view.rank, length, stride);
  *result = view;
  return Error::Ok;
}

}  // namespace kernels
}  // namespace executorch
