#include "kernels/support/copying.h"

#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

Sizes view_sizes(const TensorView& view) {
  Sizes sizes;
  for (int d = 0; d < view.rank; ++d) sizes.push(view.sizes[d]);
  return sizes;
}

/// The views address the same bytes in the same order.
bool same_place(const TensorView& a, const TensorView& b) {
  if (a.data != b.data || a.rank != b.rank) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.sizes[d] > 1 && a.strides[d] != b.strides[d]) return false;
  }
  return true;
}

TensorView contiguous_over(void* data, const Tensor& tensor) {
  const Sizes sizes = sizes_of(tensor);
  return compute::contiguous_view(data, compute_dtype(tensor.scalar_type()),
                                  static_cast<size_t>(tensor.element_size()), sizes.rank, sizes.values);
}

}  // namespace

Error write_view(const Tensor& out, const Tensor& self, const TensorView& from) {
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_REQUIRE(from.rank <= kMaxRank, InvalidArgument, "the result would have %d dimensions, at most %d are supported",
             from.rank, kMaxRank);
  ET_TRY(resize_output(out, view_sizes(from)));
  const TensorView to = view_of(out);
  if (memory_overlaps(out, self) && same_place(to, from)) return Error::Ok;
  ET_TRY(check_no_overlap(out, self, "self"));
  compute::copy(to, from);
  return Error::Ok;
}

Error write_converted(const Tensor& out, const Tensor& self) {
  const TensorView from = view_of(self);
  ET_TRY(resize_output_like(out, self));
  const TensorView to = view_of(out);
  ET_REQUIRE(compute::convertible(to.dtype, from.dtype), InvalidArgument, "there is no conversion from %s to %s",
             dtype_name(self.scalar_type()), dtype_name(out.scalar_type()));
  if (self.scalar_type() == out.scalar_type() && same_place(to, from)) return Error::Ok;
  ET_TRY(check_no_overlap(out, self, "self"));
  compute::convert(to, from);
  return Error::Ok;
}

Error check_list_rank(IntList sizes, const char* name) {
  ET_REQUIRE(sizes.size() <= static_cast<size_t>(kMaxRank), InvalidArgument,
             "argument '%s': %zu dimensions, at most %d are supported", name, sizes.size(), kMaxRank);
  return Error::Ok;
}

Sizes to_sizes(IntList values) {
  Sizes sizes;
  for (int64_t value : values) sizes.push(value);
  return sizes;
}

Error number_element(const Scalar& value, ScalarType dtype, const char* name, void* element) {
  ET_TRY(check_fits(value, dtype, name));
  const compute::DType type = compute_dtype(dtype);
  const bool known = value.isFloatingPoint() ? compute::number_to_element(to_double(value), type, element)
                                             : compute::number_to_element(to_int64(value), type, element);
  ET_REQUIRE(known, InvalidArgument, "argument '%s': a number cannot be converted to %s", name, dtype_name(dtype));
  return Error::Ok;
}

Error ContiguousInput::prepare(const Tensor& tensor) {
  if (is_contiguous(tensor)) {
    view_ = contiguous_over(tensor.mutable_data_ptr(), tensor);
    return Error::Ok;
  }
  ET_TRY(scratch_.allocate(static_cast<size_t>(tensor.numel()), static_cast<size_t>(tensor.element_size())));
  view_ = contiguous_over(scratch_.data(), tensor);
  compute::copy(view_, view_of(tensor));
  return Error::Ok;
}

Error ContiguousOutput::prepare(const Tensor& tensor) {
  target_ = view_of(tensor);
  staged_ = !is_contiguous(tensor);
  if (!staged_) {
    view_ = contiguous_over(tensor.mutable_data_ptr(), tensor);
    return Error::Ok;
  }
  ET_TRY(scratch_.allocate(static_cast<size_t>(tensor.numel()), static_cast<size_t>(tensor.element_size())));
  view_ = contiguous_over(scratch_.data(), tensor);
  return Error::Ok;
}

void ContiguousOutput::finish() {
  if (staged_) compute::copy(target_, view_);
}

}  // namespace kernels
}  // namespace executorch
