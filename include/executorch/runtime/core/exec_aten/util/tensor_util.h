/**
 * @file
 * What kernels do with tensors beside computing: check (tensor_predicates.h,
 * tensor_check_macros.h), walk, resize and share memory.
 */
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <c10/util/irange.h>
#include <c10/util/safe_numerics.h>

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_check_macros.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/exec_aten/util/tensor_predicates.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace ET_RUNTIME_NAMESPACE {

// -- Walking --

/// The number of dimensions, 1 for a tensor without any.
inline ssize_t nonzero_dim(const executorch::aten::Tensor& tensor) {
  return tensor.dim() == 0 ? 1 : tensor.dim();
}

/// The size of a dimension, 1 for a tensor without any.
inline ssize_t nonempty_size(const executorch::aten::Tensor& tensor, ssize_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.size(dim);
}

namespace internal {

/// The product of the sizes of the dimensions [begin, end). Aborts when it overflows.
inline size_t product_of_sizes(const executorch::aten::Tensor& tensor, int64_t begin, int64_t end) {
  size_t product = 1;
  for (int64_t dim = begin; dim < end; ++dim) {
    const size_t size = static_cast<size_t>(tensor.size(static_cast<ssize_t>(dim)));
    ET_CHECK_MSG(!c10::mul_overflows(product, size, &product),
                 "The product of the sizes overflows at dimension %zd.", static_cast<ssize_t>(dim));
  }
  return product;
}

}  // namespace internal

/// The product of the sizes before `dim`, which is in [0, tensor.dim()]; aborts otherwise.
inline size_t getLeadingDims(const executorch::aten::Tensor& tensor, int64_t dim) {
  ET_CHECK_MSG(dim >= 0 && dim <= tensor.dim(),
               "Dimension %" PRId64 " is not in the range [0, %zd].", dim,
               static_cast<ssize_t>(tensor.dim()));
  return internal::product_of_sizes(tensor, 0, dim);
}

/// The product of the sizes behind `dim`, which is in [-1, tensor.dim()); aborts otherwise.
inline size_t getTrailingDims(const executorch::aten::Tensor& tensor, int64_t dim) {
  ET_CHECK_MSG(dim >= -1 && dim < tensor.dim(),
               "Dimension %" PRId64 " is not in the range [-1, %zd).", dim,
               static_cast<ssize_t>(tensor.dim()));
  return internal::product_of_sizes(tensor, dim + 1, tensor.dim());
}

/// getTrailingDims() of every dimension of a tensor of at most kTensorDimensionLimit.
inline void memoizeTrailingDims(const executorch::aten::Tensor& tensor,
                                size_t trailing_dims_memo[kTensorDimensionLimit]) {
  size_t product = 1;
  for (ssize_t dim = tensor.dim() - 1; dim >= 0; --dim) {
    trailing_dims_memo[dim] = product;
    product *= static_cast<size_t>(tensor.size(dim));
  }
}

/// The row-major index of the element at `coordinate`, which has tensor.dim() numbers.
/// `trailing_dims_memo` comes from memoizeTrailingDims().
inline size_t coordinateToIndexWithTrailingDimsMemo(
    const executorch::aten::Tensor& tensor, const size_t* const coordinate,
    const size_t trailing_dims_memo[kTensorDimensionLimit]) {
  size_t index = 0;
  for (const auto dim : c10::irange(tensor.dim())) {
    index += coordinate[dim] * trailing_dims_memo[dim];
  }
  return index;
}

/// The row-major index of the element at `coordinate`, which has tensor.dim() numbers.
inline size_t coordinateToIndex(const executorch::aten::Tensor& tensor,
                                const size_t* const coordinate) {
  size_t index = 0;
  for (const auto dim : c10::irange(tensor.dim())) {
    index = index * static_cast<size_t>(tensor.size(dim)) + coordinate[dim];
  }
  return index;
}

/// The reverse: writes tensor.dim() numbers. Aborts when there is no such element.
inline void indexToCoordinate(const executorch::aten::Tensor& tensor, size_t index,
                              size_t* coordinate) {
  ET_CHECK(index < static_cast<size_t>(tensor.numel()));
  for (ssize_t dim = tensor.dim() - 1; dim >= 0; --dim) {
    const size_t size = static_cast<size_t>(tensor.size(dim));
    coordinate[dim] = index % size;
    index /= size;
  }
}

/// The place in memory, in elements, of the element at `coordinate`, by strides.
inline size_t calculate_linear_index(const executorch::aten::SizesType* coordinate,
                                     const executorch::aten::StridesType* strides,
                                     const size_t ndim) {
  size_t index = 0;
  for (const auto dim : c10::irange(ndim)) {
    index += static_cast<size_t>(coordinate[dim]) * static_cast<size_t>(strides[dim]);
  }
  return index;
}

// -- The value of a tensor of one element --

/**
 * Reads the single element of a tensor of integers.
 *
 * @returns Whether the tensor has one element, of Byte, Char, Short, Int or Long, that fits INT_T.
 */
template <typename INT_T, typename std::enable_if<std::is_integral<INT_T>::value &&
                                                      !std::is_same<INT_T, bool>::value,
                                                  bool>::type = true>
bool extract_scalar_tensor(executorch::aten::Tensor tensor, INT_T* out_val) {
  if (tensor.numel() != 1 || tensor.const_data_ptr() == nullptr) {
    return false;
  }
  int64_t value = 0;
  switch (tensor.scalar_type()) {
#define ET_READ_ELEMENT(cpp_type__, name__)         \
  case executorch::aten::ScalarType::name__:        \
    value = tensor.const_data_ptr<cpp_type__>()[0]; \
    break;
    ET_FORALL_INT_TYPES(ET_READ_ELEMENT)
#undef ET_READ_ELEMENT
    default:
      return false;
  }
  if (c10::less_than_lowest<INT_T>(value) || c10::greater_than_max<INT_T>(value)) {
    return false;
  }
  *out_val = static_cast<INT_T>(value);
  return true;
}

/**
 * Reads the single element of a tensor of numbers as a float.
 *
 * @returns Whether the tensor has one element, of an integer or floating type, in the range of
 * FLOAT_T. Infinities and NaN are.
 */
template <typename FLOAT_T,
          typename std::enable_if<is_floating_point<FLOAT_T>::value, bool>::type = true>
bool extract_scalar_tensor(executorch::aten::Tensor tensor, FLOAT_T* out_val) {
  if (tensor.numel() != 1 || tensor.const_data_ptr() == nullptr) {
    return false;
  }
  double value = 0;
  switch (tensor.scalar_type()) {
#define ET_READ_ELEMENT(cpp_type__, name__)                              \
  case executorch::aten::ScalarType::name__:                             \
    value = static_cast<double>(tensor.const_data_ptr<cpp_type__>()[0]); \
    break;
    ET_FORALL_REALHBF16_TYPES(ET_READ_ELEMENT)
#undef ET_READ_ELEMENT
    default:
      return false;
  }
  const double lowest = static_cast<double>(std::numeric_limits<FLOAT_T>::lowest());
  const double highest = static_cast<double>((std::numeric_limits<FLOAT_T>::max)());
  if (std::isfinite(value) && (value < lowest || value > highest)) {
    return false;
  }
  *out_val = static_cast<FLOAT_T>(value);
  return true;
}

/// Reads the single element of a tensor of bools. Returns whether the tensor is one.
template <typename BOOL_T,
          typename std::enable_if<std::is_same<BOOL_T, bool>::value, bool>::type = true>
bool extract_scalar_tensor(executorch::aten::Tensor tensor, BOOL_T* out_val) {
  if (tensor.scalar_type() != executorch::aten::ScalarType::Bool || tensor.numel() != 1 ||
      tensor.const_data_ptr() == nullptr) {
    return false;
  }
  *out_val = static_cast<const uint8_t*>(tensor.const_data_ptr())[0] != 0;
  return true;
}

// -- Memory --

namespace internal {

/// Lets `t_dst` refer to the memory of `t_src`, which must have as many bytes.
/// Error::InvalidArgument otherwise.
ET_NODISCARD EXECUTORCH_API Error share_tensor_data(const executorch::aten::Tensor& t_dst,
                                                    const executorch::aten::Tensor& t_src);

/// Copies the bytes of `t_src`, of which `t_dst` must have as many. Error::InvalidArgument
/// otherwise, and when one of both has no memory.
ET_NODISCARD EXECUTORCH_API Error copy_tensor_data(const executorch::aten::Tensor& t_dst,
                                                   const executorch::aten::Tensor& t_src);

/// Lets the tensor refer to `buffer`. Error::InvalidArgument when it is smaller than the tensor
/// needs.
ET_NODISCARD EXECUTORCH_API Error set_tensor_data(const executorch::aten::Tensor& t, void* buffer,
                                                  size_t buffer_size);

/// Takes the tensor's memory away.
EXECUTORCH_API void reset_data_ptr(const executorch::aten::Tensor& tensor);

/// As resize_tensor().
ET_NODISCARD EXECUTORCH_API Error
resize_tensor_impl(executorch::aten::TensorImpl* impl,
                   executorch::aten::ArrayRef<executorch::aten::SizesType> new_sizes);

/// The error of a rank or a size that no tensor can have; sets the text.
EXECUTORCH_API Error unrepresentable_sizes(size_t rank);

}  // namespace internal

/**
 * Gives a tensor other sizes; the rank stays. Strides follow from the dim order, the data is left
 * as it is. Nothing changes on failure.
 *
 * @retval Error::NotSupported The rank or the sizes of a static tensor would change, or a dimension
 * or the number of elements would exceed its bound; the text names the dimension.
 * @retval Error::InvalidArgument A size is negative or too large for any tensor.
 */
ET_NODISCARD inline Error resize_tensor(
    executorch::aten::Tensor t, executorch::aten::ArrayRef<executorch::aten::SizesType> new_sizes) {
  return internal::resize_tensor_impl(t.unsafeGetTensorImpl(), new_sizes);
}

/// The same for sizes of another integer type.
template <typename T, typename std::enable_if<!std::is_same<executorch::aten::SizesType, T>::value,
                                              int>::type = 0>
ET_NODISCARD inline Error resize_tensor(executorch::aten::Tensor t,
                                        executorch::aten::ArrayRef<T> new_sizes) {
  std::array<executorch::aten::SizesType, kTensorDimensionLimit> sizes{};
  if (new_sizes.size() > sizes.size()) {
    return internal::unrepresentable_sizes(new_sizes.size());
  }
  for (const auto i : c10::irange(new_sizes.size())) {
    if (c10::less_than_lowest<executorch::aten::SizesType>(new_sizes[i]) ||
        c10::greater_than_max<executorch::aten::SizesType>(new_sizes[i])) {
      return internal::unrepresentable_sizes(new_sizes.size());
    }
    sizes[i] = static_cast<executorch::aten::SizesType>(new_sizes[i]);
  }
  return internal::resize_tensor_impl(t.unsafeGetTensorImpl(), {sizes.data(), new_sizes.size()});
}

/// Use resize_tensor(). Aborts when the sizes are refused.
ET_DEPRECATED inline void resize(
    executorch::aten::Tensor t, executorch::aten::ArrayRef<executorch::aten::SizesType> new_sizes) {
  ET_CHECK_MSG(resize_tensor(t, new_sizes) == Error::Ok,
               "The tensor could not be resized: see last_error_message().");
}

/**
 * Copies the tensor's dim order.
 *
 * @param[out] out_dim_order Room for `out_dim_order_size` numbers.
 * @retval Error::InvalidArgument The tensor has another number of dimensions than
 * `out_dim_order_size`.
 */
ET_NODISCARD EXECUTORCH_API Error get_dim_order(const executorch::aten::Tensor& tensor,
                                                executorch::aten::DimOrderType* out_dim_order,
                                                size_t out_dim_order_size);

}  // namespace ET_RUNTIME_NAMESPACE
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::ET_RUNTIME_NAMESPACE::calculate_linear_index;
using ::executorch::ET_RUNTIME_NAMESPACE::coordinateToIndex;
using ::executorch::ET_RUNTIME_NAMESPACE::extract_scalar_tensor;
using ::executorch::ET_RUNTIME_NAMESPACE::get_dim_order;
using ::executorch::ET_RUNTIME_NAMESPACE::getLeadingDims;
using ::executorch::ET_RUNTIME_NAMESPACE::getTrailingDims;
using ::executorch::ET_RUNTIME_NAMESPACE::indexToCoordinate;
using ::executorch::ET_RUNTIME_NAMESPACE::nonempty_size;
using ::executorch::ET_RUNTIME_NAMESPACE::nonzero_dim;
using ::executorch::ET_RUNTIME_NAMESPACE::resize;
using ::executorch::ET_RUNTIME_NAMESPACE::resize_tensor;
using ::executorch::runtime::kTensorDimensionLimit;

namespace internal {
using ::executorch::ET_RUNTIME_NAMESPACE::internal::copy_tensor_data;
using ::executorch::ET_RUNTIME_NAMESPACE::internal::reset_data_ptr;
using ::executorch::ET_RUNTIME_NAMESPACE::internal::resize_tensor_impl;
using ::executorch::ET_RUNTIME_NAMESPACE::internal::set_tensor_data;
using ::executorch::ET_RUNTIME_NAMESPACE::internal::share_tensor_data;
}  // namespace internal

}  // namespace executor
}  // namespace torch
