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

TensorView contiguous_over(void* data, const Tensor& tensor, ScalarType dtype) {
  const Sizes sizes = sizes_of(tensor);
  const size_t element = dtype == tensor.scalar_type()
                             ? static_cast<size_t>(tensor.element_size())
                             : compute::element_size(compute_dtype(dtype));
  return compute::contiguous_view(data, compute_dtype(dtype), element, sizes.rank, sizes.values);
}

}  // namespace

bool is_outermost(const TensorView& view, int d) {
  for (int later = d + 1; later < view.rank; ++later) {
    if (view.sizes[later] > 1 && view.strides[later] > view.strides[d]) return false;
  }
  return true;
}

Error write_view(const Tensor& out, const Tensor& self, const TensorView& from) {
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_REQUIRE(from.rank <= kMaxRank, InvalidArgument,
             "the result would have %d dimensions, at most %d are supported", from.rank, kMaxRank);
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
  ET_REQUIRE(compute::convertible(to.dtype, from.dtype), InvalidArgument,
             "there is no conversion from %s to %s", dtype_name(self.scalar_type()),
             dtype_name(out.scalar_type()));
  if (self.scalar_type() == out.scalar_type() && same_place(to, from)) return Error::Ok;
  ET_TRY(check_no_overlap(out, self, "self"));
  compute::convert(to, from);
  return Error::Ok;
}

Error check_list_rank(IntList sizes, const char* name) {
  ET_REQUIRE(sizes.size() <= static_cast<size_t>(kMaxRank), InvalidArgument,
             "argument '%s': %zu dimensions, at most %d are supported", name, sizes.size(),
             kMaxRank);
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
  const bool known = value.isFloatingPoint()
                         ? compute::number_to_element(to_double(value), type, element)
                         : compute::number_to_element(to_int64(value), type, element);
  ET_REQUIRE(known, InvalidArgument, "argument '%s': a number cannot be converted to %s", name,
             dtype_name(dtype));
  return Error::Ok;
}

namespace {

/// Memory for all elements of a tensor as `dtype`.
Error allocate_elements(Scratch& scratch, const Tensor& tensor, ScalarType dtype) {
  const size_t element = dtype == tensor.scalar_type()
                             ? static_cast<size_t>(tensor.element_size())
                             : compute::element_size(compute_dtype(dtype));
  return scratch.allocate(static_cast<size_t>(tensor.numel()), element);
}

}  // namespace

Error ContiguousInput::prepare(const Tensor& tensor, ScalarType dtype) {
  if (dtype == tensor.scalar_type() && is_contiguous(tensor)) {
    view_ = contiguous_over(tensor.mutable_data_ptr(), tensor, dtype);
    return Error::Ok;
  }
  ET_TRY(allocate_elements(scratch_, tensor, dtype));
  view_ = contiguous_over(scratch_.data(), tensor, dtype);
  compute::convert(view_, view_of(tensor));
  return Error::Ok;
}

Error ContiguousOutput::prepare(const Tensor& tensor, ScalarType dtype) {
  target_ = view_of(tensor);
  staged_ = dtype != tensor.scalar_type() || !is_contiguous(tensor);
  if (staged_) ET_TRY(allocate_elements(scratch_, tensor, dtype));
  view_ = contiguous_over(staged_ ? scratch_.data() : tensor.mutable_data_ptr(), tensor, dtype);
  return Error::Ok;
}

void ContiguousOutput::finish() {
  if (staged_) compute::convert(target_, view_);
}

compute::DenseAxis dense_axis(const TensorView& view, int d) {
  const int64_t numel = view.numel();
  if (view.rank == 0) return {1, 1, 1};
  const int64_t count = view.sizes[d];
  if (numel == 0) return {0, count, 1};
  const int64_t inner = view.strides[d];
  return {numel / (count * inner), count, inner};
}

Error InputLike::prepare(const Tensor& tensor, const Tensor& like) {
  data_ = tensor.const_data_ptr();
  if (same_layout(tensor, like)) return Error::Ok;
  ET_TRY(allocate_elements(scratch_, tensor, tensor.scalar_type()));
  TensorView copy = view_of(like);
  copy.data = scratch_.as<char>();
  copy.dtype = compute_dtype(tensor.scalar_type());
  copy.element_size = static_cast<size_t>(tensor.element_size());
  compute::copy(copy, view_of(tensor));
  data_ = scratch_.data();
  return Error::Ok;
}

Error DenseMap::prepare(const Tensor& self, const Tensor& out) {
  const ScalarType dtype = accumulation_type(out.scalar_type());
  target_ = view_of(out);
  staged_ = out.scalar_type() != dtype;
  if (staged_) ET_TRY(allocate_elements(scratch_, out, dtype));
  staged_view_ = target_;
  staged_view_.data = staged_ ? scratch_.as<char>() : target_.data;
  staged_view_.dtype = compute_dtype(dtype);
  staged_view_.element_size = compute::element_size(staged_view_.dtype);
  out_ = staged_view_.data;
  in_ = static_cast<const char*>(self.const_data_ptr());
  ET_TRY(check_no_partial_overlap(out, self, "self"));
  if (self.scalar_type() == dtype && same_layout(self, out)) return Error::Ok;
  compute::convert(staged_view_, view_of(self));
  in_ = out_;
  return Error::Ok;
}

void DenseMap::finish() {
  if (staged_) compute::convert(target_, staged_view_);
}

}  // namespace kernels
}  // namespace executorch
