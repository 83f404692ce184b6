#include "kernels/support/tensors.h"

#include <cstdarg>
#include <cstdio>
#include <limits>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace executorch {
namespace kernels {
namespace {

/// Appends formatted text to a description and cuts what does not fit.
class Writer {
 public:
  explicit Writer(Description& description) : text_(description.text) { text_[0] = 0; }

  void append(const char* format, ...) ET_PRINTFLIKE(2, 3) {
    va_list arguments;
    va_start(arguments, format);
    const int written =
        std::vsnprintf(text_ + used_, sizeof(Description::text) - used_, format, arguments);
    va_end(arguments);
    if (written > 0) used_ += static_cast<size_t>(written);
    if (used_ >= sizeof(Description::text)) used_ = sizeof(Description::text) - 1;
  }

  template <class Values>
  void append_list(const Values& values) {
    append("[");
    const char* separator = "";
    for (auto value : values) {
      append("%s%lld", separator, static_cast<long long>(value));
      separator = ", ";
    }
    append("]");
  }

 private:
  char* text_;
  size_t used_ = 0;
};

bool contiguous_order(const Tensor& tensor) {
  const auto order = tensor.dim_order();
  if (order.data() == nullptr) return true;
  for (size_t d = 0; d < order.size(); ++d) {
    if (order[d] != d) return false;
  }
  return true;
}

}  // namespace

Sizes sizes_of(const Tensor& tensor) {
  Sizes sizes;
  for (auto size : tensor.sizes()) {
    if (sizes.rank == kMaxRank) break;
    sizes.push(size);
  }
  return sizes;
}

bool same_sizes(const Tensor& a, const Tensor& b) {
  if (a.dim() != b.dim()) return false;
  for (size_t d = 0; d < a.sizes().size(); ++d) {
    if (a.sizes()[d] != b.sizes()[d]) return false;
  }
  return true;
}

const char* dtype_name(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte:
      return "uint8";
    case ScalarType::Char:
      return "int8";
    case ScalarType::Short:
      return "int16";
    case ScalarType::Int:
      return "int32";
    case ScalarType::Long:
      return "int64";
    case ScalarType::Half:
      return "float16";
    case ScalarType::Float:
      return "float32";
    case ScalarType::Double:
      return "float64";
    case ScalarType::ComplexHalf:
      return "complex32";
    case ScalarType::ComplexFloat:
      return "complex64";
    case ScalarType::ComplexDouble:
      return "complex128";
    case ScalarType::Bool:
      return "bool";
    case ScalarType::BFloat16:
      return "bfloat16";
    default:
      return runtime::toString(dtype);
  }
}

Description describe(const Tensor& tensor) {
  Description description;
  Writer writer(description);
  writer.append("%s ", dtype_name(tensor.scalar_type()));
  writer.append_list(tensor.sizes());
  if (!contiguous_order(tensor)) {
    writer.append(" in dim order ");
    writer.append_list(tensor.dim_order());
  }
  return description;
}

Description describe(const Sizes& sizes) {
  Description description;
  Writer(description).append_list(sizes);
  return description;
}

Description describe(IntList values) {
  Description description;
  Writer(description).append_list(values);
  return description;
}

Error resize_output(const Tensor& out, const Sizes& sizes, const char* name) {
  Tensor::SizesType narrow[kMaxRank];
  bool equal = static_cast<int64_t>(out.dim()) == sizes.rank;
  for (int d = 0; d < sizes.rank; ++d) {
    ET_REQUIRE(sizes[d] >= 0 && sizes[d] <= std::numeric_limits<Tensor::SizesType>::max(),
               InvalidArgument, "%s: size %lld of dimension %d is out of range, wanted shape %s",
               name, static_cast<long long>(sizes[d]), d, describe(sizes).text);
    narrow[d] = static_cast<Tensor::SizesType>(sizes[d]);
    equal = equal && out.sizes()[d] == narrow[d];
  }
  if (equal) return Error::Ok;
  const Error error = runtime::resize_tensor(out, {narrow, static_cast<size_t>(sizes.rank)});
  if (error == Error::Ok) return error;
  runtime::add_error_context("the result has shape %s, argument '%s' is %s and cannot take it",
                             describe(sizes).text, name, describe(out).text);
  return Error::InvalidArgument;
}

Error resize_output_like(const Tensor& out, const Tensor& like, const char* name) {
  return resize_output(out, sizes_of(like), name);
}

TensorView view_of(const Tensor& tensor) {
  TensorView view;
  view.data = static_cast<char*>(tensor.mutable_data_ptr());
  view.dtype = compute_dtype(tensor.scalar_type());
  view.element_size = static_cast<size_t>(tensor.element_size());
  const Sizes sizes = sizes_of(tensor);
  view.rank = sizes.rank;
  const auto order = tensor.dim_order();
  int64_t stride = 1;
  for (int position = sizes.rank - 1; position >= 0; --position) {
    const int d = order.data() != nullptr ? order[position] : position;
    view.sizes[d] = sizes[d];
    view.strides[d] = stride;
    stride *= sizes[d] > 1 ? sizes[d] : 1;
  }
  return view;
}

TensorView at_least_1d(TensorView view) {
  if (view.rank == 0) view.insert(0, 1, 1);
  return view;
}

Error checked_numel(const Sizes& sizes, const char* name, int64_t* numel) {
  constexpr int64_t kLimit = int64_t{1} << 62;
  int64_t product = 1;
  bool empty = false;
  for (int64_t size : sizes) {
    ET_REQUIRE(size >= 0, InvalidArgument, "argument '%s': negative size in shape %s", name,
               describe(sizes).text);
    empty = empty || size == 0;
    if (empty || size == 0) continue;
    ET_REQUIRE(product <= kLimit / size, InvalidArgument,
               "argument '%s': shape %s has too many elements", name, describe(sizes).text);
    product *= size;
  }
  *numel = empty ? 0 : product;
  return Error::Ok;
}

Error normalize_dim(int64_t dim, int64_t rank, const char* name, int* normalized) {
  const int64_t count = rank > 0 ? rank : 1;
  ET_REQUIRE(dim >= -count && dim < count, InvalidArgument,
             "argument '%s': dimension %lld is out of range [%lld, %lld]", name,
             static_cast<long long>(dim), static_cast<long long>(-count),
             static_cast<long long>(count - 1));
  *normalized = static_cast<int>(dim < 0 ? dim + count : dim);
  return Error::Ok;
}

Error normalize_slice(const Tensor& self, int64_t dim, std::optional<int64_t> start,
                      std::optional<int64_t> end, int64_t step, Slice* slice) {
  ET_REQUIRE(self.dim() > 0, InvalidArgument, "argument 'self': a 0-d tensor cannot be sliced");
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &slice->dim));
  ET_REQUIRE(step > 0, InvalidArgument, "argument 'step': expected a positive number, found %lld",
             static_cast<long long>(step));
  const int64_t size = self.sizes()[slice->dim];
  const auto bound = [size](int64_t value, int64_t low) {
    if (value < 0) value += size;
    return value < low ? low : value > size ? size : value;
  };
  slice->start = bound(start.value_or(0), 0);
  const int64_t stop = bound(end.value_or(size), slice->start);
  slice->length = stop == slice->start ? 0 : (stop - slice->start - 1) / step + 1;
  return Error::Ok;
}

Error normalize_selection(const Tensor& self, int64_t dim, int64_t index, int* normalized_dim,
                          int64_t* normalized_index) {
  ET_REQUIRE(self.dim() > 0, InvalidArgument,
             "argument 'self': a 0-d tensor has no dimension to select from");
  ET_TRY(normalize_dim(dim, self.dim(), "dim", normalized_dim));
  const int64_t size = self.sizes()[*normalized_dim];
  ET_REQUIRE(index >= -size && index < size, InvalidArgument,
             "argument 'index': %lld is out of range for dimension %d of size %lld",
             static_cast<long long>(index), *normalized_dim, static_cast<long long>(size));
  *normalized_index = index < 0 ? index + size : index;
  return Error::Ok;
}

Error broadcast_views(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name,
                      TensorView* a_view, TensorView* b_view) {
  *a_view = view_of(a);
  *b_view = view_of(b);
  while (a_view->rank < b_view->rank) a_view->insert(0, 1, 0);
  while (b_view->rank < a_view->rank) b_view->insert(0, 1, 0);
  for (int d = 0; d < a_view->rank; ++d) {
    if (a_view->sizes[d] == b_view->sizes[d]) continue;
    TensorView* narrow = a_view->sizes[d] == 1 ? a_view : b_view;
    TensorView* wide = narrow == a_view ? b_view : a_view;
    ET_REQUIRE(narrow->sizes[d] == 1, InvalidArgument,
               "arguments '%s' and '%s': %s and %s do not broadcast", a_name, b_name,
               describe(a).text, describe(b).text);
    narrow->sizes[d] = wide->sizes[d];
    narrow->strides[d] = 0;
  }
  return Error::Ok;
}

bool is_contiguous(const Tensor& tensor) {
  if (contiguous_order(tensor)) return true;
  const TensorView view = view_of(tensor);
  int64_t expected = 1;
  for (int d = view.rank - 1; d >= 0; --d) {
    if (view.sizes[d] == 1) continue;
    if (view.strides[d] != expected) return false;
    expected *= view.sizes[d];
  }
  return true;
}

bool same_layout(const Tensor& a, const Tensor& b) {
  if (!same_sizes(a, b)) return false;
  const TensorView x = view_of(a);
  const TensorView y = view_of(b);
  for (int d = 0; d < x.rank; ++d) {
    if (x.sizes[d] > 1 && x.strides[d] != y.strides[d]) return false;
  }
  return true;
}

bool memory_overlaps(const Tensor& a, const Tensor& b) {
  const size_t a_bytes = a.nbytes();
  const size_t b_bytes = b.nbytes();
  if (a_bytes == 0 || b_bytes == 0) return false;
  const auto a_begin = reinterpret_cast<uintptr_t>(a.const_data_ptr());
  const auto b_begin = reinterpret_cast<uintptr_t>(b.const_data_ptr());
  return a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes;
}

Error check_no_partial_overlap(const Tensor& out, const Tensor& input, const char* name) {
  if (!memory_overlaps(out, input)) return Error::Ok;
  const bool same = out.const_data_ptr() == input.const_data_ptr() &&
                    out.scalar_type() == input.scalar_type() && same_layout(out, input);
  ET_REQUIRE(same, InvalidArgument, "the output partly overlaps the memory of argument '%s' (%s)",
             name, describe(input).text);
  return Error::Ok;
}

Error check_no_overlap(const Tensor& out, const Tensor& input, const char* name) {
  ET_REQUIRE(!memory_overlaps(out, input), InvalidArgument,
             "the output overlaps the memory of argument '%s' (%s)", name, describe(input).text);
  return Error::Ok;
}

Error check_same_dtype(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name) {
  ET_REQUIRE(a.scalar_type() == b.scalar_type(), InvalidArgument,
             "arguments '%s' and '%s' must have the same dtype, found %s and %s", a_name, b_name,
             dtype_name(a.scalar_type()), dtype_name(b.scalar_type()));
  return Error::Ok;
}

Error check_rank(const Tensor& tensor, const char* name, int64_t low, int64_t high) {
  const int64_t rank = tensor.dim();
  if (rank >= low && rank <= high) return Error::Ok;
  if (low == high) {
    return ET_ERROR(InvalidArgument, "argument '%s': expected %lld dimensions, found %s", name,
                    static_cast<long long>(low), describe(tensor).text);
  }
  return ET_ERROR(InvalidArgument, "argument '%s': expected %lld to %lld dimensions, found %s",
                  name, static_cast<long long>(low), static_cast<long long>(high),
                  describe(tensor).text);
}

}  // namespace kernels
}  // namespace executorch
