#include <executorch/runtime/core/exec_aten/util/tensor_predicates.h>

#include <cinttypes>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>

namespace executorch {
namespace runtime {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;

// Returns false with a logged text unless the condition holds.
#define ET_EXPECT(cond__, ...)                   \
  do {                                           \
    if (!(cond__)) {                             \
      set_error_message(__VA_ARGS__);            \
      ET_LOG(Error, "%s", last_error_message()); \
      return false;                              \
    }                                            \
  } while (0)

namespace {

bool report(bool holds, ScalarType found, const char* expected) {
  ET_EXPECT(holds, "expected %s, found a tensor of dtype %s", expected, toString(found));
  return true;
}

auto show_shape(const Tensor& t) {
  return tensor_shape_to_c_string({t.sizes().data(), t.sizes().size()});
}

auto show_strides(const Tensor& t) {
  return tensor_shape_to_c_string({t.strides().data(), t.strides().size()});
}

size_t rank_of(const Tensor& t) {
  return static_cast<size_t>(t.dim());
}

}  // namespace

// -- Element types --

bool tensor_can_cast_to(Tensor a, ScalarType dtype) {
  ET_EXPECT(canCast(a.scalar_type(), dtype), "a tensor of dtype %s cannot be stored as %s",
            toString(a.scalar_type()), toString(dtype));
  return true;
}

bool tensor_is_type(Tensor t, ScalarType dtype) {
  return report(t.scalar_type() == dtype, t.scalar_type(), toString(dtype));
}

bool tensor_is_type(Tensor t, ScalarType dtype, ScalarType dtype2) {
  const ScalarType found = t.scalar_type();
  ET_EXPECT(found == dtype || found == dtype2, "expected %s or %s, found a tensor of dtype %s",
            toString(dtype), toString(dtype2), toString(found));
  return true;
}

bool tensor_is_type(Tensor t, ScalarType dtype, ScalarType dtype2, ScalarType dtype3) {
  const ScalarType found = t.scalar_type();
  ET_EXPECT(found == dtype || found == dtype2 || found == dtype3,
            "expected %s, %s or %s, found a tensor of dtype %s", toString(dtype), toString(dtype2),
            toString(dtype3), toString(found));
  return true;
}

bool tensor_is_bool_type(Tensor t) {
  return tensor_is_type(t, ScalarType::Bool);
}

bool tensor_is_integral_type(Tensor t, bool includeBool) {
  return report(isIntegralType(t.scalar_type(), includeBool), t.scalar_type(),
                includeBool ? "integers or Bool" : "integers");
}

bool tensor_is_floating_type(Tensor t) {
  return report(isFloatingType(t.scalar_type()), t.scalar_type(), "floats");
}

bool tensor_is_real_type(Tensor t) {
  return report(isRealType(t.scalar_type()), t.scalar_type(), "integers, Float or Double");
}

bool tensor_is_realh_type(Tensor t) {
  return report(isRealHType(t.scalar_type()), t.scalar_type(), "integers, Half, Float or Double");
}

bool tensor_is_realhbf16_type(Tensor t) {
  return report(isRealHBF16Type(t.scalar_type()), t.scalar_type(), "integers or floats");
}

bool tensor_is_realhb_type(Tensor t) {
  return report(isRealHBType(t.scalar_type()), t.scalar_type(),
                "integers, Bool, Half, Float or Double");
}

bool tensor_is_realhbbf16_type(Tensor t) {
  return report(isRealHBBF16Type(t.scalar_type()), t.scalar_type(), "integers, Bool or floats");
}

bool tensor_is_complex_type(Tensor t) {
  return report(isComplexType(t.scalar_type()), t.scalar_type(), "complex numbers");
}

bool tensor_is_bits_type(Tensor t) {
  return report(isBitsType(t.scalar_type()), t.scalar_type(), "bits");
}

bool tensors_have_same_dtype(Tensor a, Tensor b) {
  ET_EXPECT(a.scalar_type() == b.scalar_type(), "the dtypes differ: %s and %s",
            toString(a.scalar_type()), toString(b.scalar_type()));
  return true;
}

bool tensors_have_same_dtype(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_dtype(a, b) && tensors_have_same_dtype(b, c);
}

// -- Dimensions and sizes --

bool dim_is_valid(int64_t dim, int64_t upper_bound) {
  ET_EXPECT(dim >= -upper_bound && dim < upper_bound,
            "dimension %" PRId64 " is not in the range [%" PRId64 ", %" PRId64 ")", dim,
            -upper_bound, upper_bound);
  return true;
}

bool tensor_has_dim(Tensor t, int64_t d) {
  const int64_t dims = t.dim() == 0 ? 1 : t.dim();
  ET_EXPECT(d >= -dims && d < dims, "a tensor of %zu dimensions has no dimension %" PRId64,
            rank_of(t), d);
  return true;
}

bool tensor_has_non_empty_dim(Tensor t, int64_t d) {
  if (!tensor_has_dim(t, d)) {
    return false;
  }
  if (t.dim() == 0) {
    return true;
  }
  const ssize_t dim = static_cast<ssize_t>(d < 0 ? d + t.dim() : d);
  ET_EXPECT(t.size(dim) != 0, "dimension %zd of the shape %s has no elements", dim,
            show_shape(t).data());
  return true;
}

bool tensor_dim_has_index(Tensor t, int64_t d, int64_t ix) {
  ET_EXPECT(t.dim() != 0, "a tensor without dimensions cannot be indexed");
  if (!tensor_has_dim(t, d)) {
    return false;
  }
  const int64_t size = t.size(static_cast<ssize_t>(d < 0 ? d + t.dim() : d));
  ET_EXPECT(ix >= -size && ix < size,
            "index %" PRId64 " is not in the range [%" PRId64 ", %" PRId64
            ") of dimension %" PRId64,
            ix, -size, size, d);
  return true;
}

bool tensor_is_rank(Tensor t, size_t rank) {
  ET_EXPECT(rank_of(t) == rank, "expected %zu dimensions, found %zu", rank, rank_of(t));
  return true;
}

bool tensor_has_rank_greater_or_equal_to(Tensor t, size_t rank) {
  ET_EXPECT(rank_of(t) >= rank, "expected at least %zu dimensions, found %zu", rank, rank_of(t));
  return true;
}

bool tensor_has_rank_smaller_or_equal_to(Tensor t, size_t rank) {
  ET_EXPECT(rank_of(t) <= rank, "expected at most %zu dimensions, found %zu", rank, rank_of(t));
  return true;
}

bool tensors_have_same_rank(Tensor a, Tensor b) {
  ET_EXPECT(a.dim() == b.dim(), "the numbers of dimensions differ: %zu and %zu", rank_of(a),
            rank_of(b));
  return true;
}

bool tensors_have_same_size_at_dims(Tensor a, size_t dim_a, Tensor b, size_t dim_b) {
  ET_EXPECT(dim_a < rank_of(a), "a tensor of %zu dimensions has no dimension %zu", rank_of(a),
            dim_a);
  ET_EXPECT(dim_b < rank_of(b), "a tensor of %zu dimensions has no dimension %zu", rank_of(b),
            dim_b);
  ET_EXPECT(a.sizes()[dim_a] == b.sizes()[dim_b],
            "dimension %zu of the shape %s does not match dimension %zu of %s", dim_a,
            show_shape(a).data(), dim_b, show_shape(b).data());
  return true;
}

bool tensors_have_same_shape(Tensor a, Tensor b) {
  const bool single = a.numel() == 1 && b.numel() == 1;
  ET_EXPECT(single || a.sizes() == b.sizes(), "the shapes differ: %s and %s", show_shape(a).data(),
            show_shape(b).data());
  return true;
}

bool tensors_have_same_shape(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_shape(a, b) && tensors_have_same_shape(b, c);
}

bool tensors_have_same_shape_and_dtype(Tensor a, Tensor b) {
  return tensors_have_same_shape(a, b) && tensors_have_same_dtype(a, b);
}

bool tensors_have_same_shape_and_dtype(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_shape(a, b, c) && tensors_have_same_dtype(a, b, c);
}

bool tensor_has_expected_size(
    Tensor a, executorch::aten::ArrayRef<executorch::aten::SizesType> expected_sizes) {
  ET_EXPECT(a.sizes() == expected_sizes, "expected the shape %s, found %s",
            tensor_shape_to_c_string({expected_sizes.data(), expected_sizes.size()}).data(),
            show_shape(a).data());
  return true;
}

// -- Order in memory --

bool tensors_have_same_strides(Tensor a, Tensor b) {
  ET_EXPECT(a.strides() == b.strides(), "the strides differ: %s and %s", show_strides(a).data(),
            show_strides(b).data());
  return true;
}

bool tensors_have_same_strides(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_strides(a, b) && tensors_have_same_strides(b, c);
}

bool tensor_is_contiguous(Tensor t) {
  const auto strides = t.strides();
  const auto sizes = t.sizes();
  int64_t expected = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    ET_EXPECT(strides[i] == expected,
              "the shape %s with strides %s is not contiguous at dimension %zu",
              show_shape(t).data(), show_strides(t).data(), i);
    // A dimension without elements has no influence on strides.
    expected *= sizes[i] == 0 ? 1 : sizes[i];
  }
  return true;
}

bool tensor_has_valid_dim_order(Tensor t) {
  ET_EXPECT(validate_dim_order(t.dim_order().data(), t.dim_order().size()),
            "the dim order is not a permutation of the tensor's %zu dimensions", rank_of(t));
  return true;
}

bool tensor_is_default_or_channels_last_dim_order(Tensor t) {
  const auto order = t.dim_order();
  ET_EXPECT(is_contiguous_dim_order(order.data(), order.size()) ||
                is_channels_last_dim_order(order.data(), order.size()),
            "expected a tensor in contiguous or channels-last order");
  return true;
}

bool tensor_is_default_dim_order(Tensor t) {
  ET_EXPECT(is_contiguous_dim_order(t.dim_order().data(), t.dim_order().size()),
            "expected a tensor in contiguous order");
  return true;
}

bool tensor_is_channels_last_dim_order(Tensor t) {
  ET_EXPECT(is_channels_last_dim_order(t.dim_order().data(), t.dim_order().size()),
            "expected a tensor in channels-last order");
  return true;
}

bool tensors_have_same_dim_order(const executorch::aten::ArrayRef<Tensor> tensor_list) {
  if (tensor_list.size() < 2) {
    return true;
  }
  bool all_contiguous = true;
  bool all_channels_last = true;
  bool all_equal = true;
  for (const Tensor& t : tensor_list) {
    const auto order = t.dim_order();
    all_contiguous = all_contiguous && is_contiguous_dim_order(order.data(), order.size());
    all_channels_last = all_channels_last && is_channels_last_dim_order(order.data(), order.size());
    all_equal = all_equal && order == tensor_list[0].dim_order();
  }
  ET_EXPECT(all_contiguous || all_channels_last || all_equal,
            "the dim orders of %zu tensors differ", tensor_list.size());
  return true;
}

}  // namespace runtime
}  // namespace executorch
