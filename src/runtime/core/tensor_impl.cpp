#include <executorch/runtime/core/portable_type/tensor_impl.h>

#include <cstring>
#include <limits>

#include <c10/util/safe_numerics.h>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>

namespace executorch {
namespace runtime {
namespace etensor {

Result<ssize_t> safe_numel(const TensorImpl::SizesType* sizes, ssize_t dim) {
  ET_REQUIRE(dim == 0 || sizes != nullptr, InvalidArgument,
             "a tensor of %zd dimensions has no sizes", dim);
  ssize_t numel = 1;
  for (ssize_t i = 0; i < dim; ++i) {
    ET_REQUIRE(sizes[i] >= 0, InvalidArgument, "the size of dimension %zd is negative: %d", i,
               static_cast<int>(sizes[i]));
    ET_REQUIRE(!c10::mul_overflows(numel, static_cast<ssize_t>(sizes[i]), &numel), InvalidArgument,
               "the number of elements overflows at dimension %zd", i);
  }
  return numel;
}

ssize_t compute_numel(const TensorImpl::SizesType* sizes, ssize_t dim) {
  const Result<ssize_t> numel = safe_numel(sizes, dim);
  ET_CHECK_MSG(numel.ok(), "The sizes are not those of a tensor: %s.", last_error_message());
  return numel.get();
}

TensorImpl::TensorImpl(ScalarType type, ssize_t dim, SizesType* sizes, void* data,
                       DimOrderType* dim_order, StridesType* strides, TensorShapeDynamism dynamism,
                       DeviceType device_type, DeviceIndex device_index)
    : sizes_(sizes),
      dim_order_(dim_order),
      strides_(strides),
      data_(data),
      numel_(compute_numel(sizes, dim)),
      numel_bound_(static_cast<size_t>(numel_)),
      dim_(static_cast<int32_t>(dim)),
      type_(type),
      shape_dynamism_(dynamism),
      device_(device_type, device_index) {
  ET_CHECK_MSG(isValid(type_), "%d is no element type.", static_cast<int>(type_));
  ET_CHECK_MSG(dim >= 0 && dim <= std::numeric_limits<int32_t>::max(),
               "A tensor cannot have %zd dimensions.", dim);
}

size_t TensorImpl::nbytes() const {
  return static_cast<size_t>(numel_) * elementSize(type_);
}

ssize_t TensorImpl::element_size() const {
  return static_cast<ssize_t>(elementSize(type_));
}

namespace {

/// Refuses a dimension whose stride StridesType cannot hold.
Error check_strides(const TensorImpl::SizesType* sizes, const TensorImpl::DimOrderType* dim_order,
                    size_t dims) {
  uint64_t stride = 1;
  for (size_t i = dims; i-- > 0;) {
    ET_REQUIRE(stride <= static_cast<uint64_t>(std::numeric_limits<TensorImpl::StridesType>::max()),
               NotSupported, "the stride of dimension %d would overflow",
               static_cast<int>(dim_order[i]));
    const auto size = sizes[dim_order[i]];
    stride *= size == 0 ? 1 : static_cast<uint64_t>(size);
  }
  return Error::Ok;
}

Error check_size_bounds(ArrayRef<TensorImpl::SizesType> sizes,
                        const TensorImpl::SizesType* bounds) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    ET_REQUIRE(sizes[i] <= bounds[i], NotSupported,
               "size %d of dimension %zu exceeds its upper bound %d", static_cast<int>(sizes[i]), i,
               static_cast<int>(bounds[i]));
  }
  return Error::Ok;
}

}  // namespace

Error TensorImpl::internal_resize_contiguous(ArrayRef<SizesType> new_sizes) {
  const size_t dims = static_cast<size_t>(dim_);
  ET_REQUIRE(new_sizes.size() == dims, NotSupported,
             "a tensor of %zu dimensions cannot get %zu: the rank is fixed", dims,
             new_sizes.size());
  if (dims == 0 || std::memcmp(sizes_, new_sizes.data(), dims * sizeof(SizesType)) == 0) {
    return Error::Ok;
  }
  ET_REQUIRE(shape_dynamism_ != TensorShapeDynamism::STATIC, NotSupported,
             "a tensor of the fixed shape %s cannot be resized to %s",
             tensor_shape_to_c_string({sizes_, dims}).data(),
             tensor_shape_to_c_string({new_sizes.data(), dims}).data());
  if (size_bounds_ != nullptr) {
    ET_TRY(check_size_bounds(new_sizes, size_bounds_));
  }
  const Result<ssize_t> numel = safe_numel(new_sizes.data(), dim_);
  if (!numel.ok()) {
    return numel.error();
  }
  ET_REQUIRE(static_cast<size_t>(numel.get()) <= numel_bound_, NotSupported,
             "the shape %s has %zd elements, the tensor has room for %zu",
             tensor_shape_to_c_string({new_sizes.data(), dims}).data(), numel.get(), numel_bound_);
  if (strides_ != nullptr && dim_order_ != nullptr) {
    ET_TRY(check_strides(new_sizes.data(), dim_order_, dims));
    ET_TRY(dim_order_to_stride(new_sizes.data(), dim_order_, dims, strides_));
  }
  numel_ = numel.get();
  std::memcpy(sizes_, new_sizes.data(), dims * sizeof(SizesType));
  return Error::Ok;
}

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
