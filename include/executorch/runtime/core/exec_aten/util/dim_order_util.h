/**
 * @file
 * Dimension orders and strides. A dimension order lists a tensor's dimensions from the outermost in
 * memory to the innermost: {0, 1, 2, 3} is contiguous, {0, 2, 3, 1} is channels-last.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <c10/util/irange.h>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Whether `dim_order` is a permutation of [0, dims) and `dims` at most kTensorDimensionLimit.
template <typename DimOrderType>
inline bool validate_dim_order(const DimOrderType* dim_order, const size_t dims) {
  static_assert(kTensorDimensionLimit <= 32, "One bit per dimension.");
  if (dims > kTensorDimensionLimit) {
    return false;
  }
  uint32_t seen = 0;
  for (const auto i : c10::irange(dims)) {
    const size_t dim = static_cast<size_t>(dim_order[i]);
    if (dim >= dims) {
      return false;
    }
    seen |= uint32_t{1} << dim;
  }
  return seen == (uint32_t{1} << dims) - 1;
}

/// Whether the order is {0, 1, ..., dims - 1}.
template <typename DimOrderType>
inline bool is_contiguous_dim_order(const DimOrderType* dim_order, const size_t dims) {
  for (const auto i : c10::irange(dims)) {
    if (static_cast<size_t>(dim_order[i]) != i) {
      return false;
    }
  }
  return true;
}

/// Whether the order is {0, 2, 3, 1} or {0, 2, 3, 4, 1}.
template <typename DimOrderType>
bool is_channels_last_dim_order(const DimOrderType* dim_order, const size_t dims) {
  if (dims != 4 && dims != 5) {
    return false;
  }
  if (dim_order[0] != 0 || dim_order[dims - 1] != 1) {
    return false;
  }
  for (size_t i = 1; i + 1 < dims; ++i) {
    if (static_cast<size_t>(dim_order[i]) != i + 1) {
      return false;
    }
  }
  return true;
}

/**
 * Computes the strides of a dense tensor. A dimension without elements counts as if it had one.
 * Arithmetic wraps on overflow.
 *
 * @param[in] sizes `dims` sizes.
 * @param[in] dim_order A permutation of [0, dims); not checked.
 * @param[out] strides Room for `dims` strides, in elements.
 */
template <typename SizesType, typename DimOrderType, typename StridesType>
inline void dim_order_to_stride_nocheck(const SizesType* sizes, const DimOrderType* dim_order,
                                        const size_t dims, StridesType* strides) {
  uint64_t stride = 1;
  for (size_t i = dims; i-- > 0;) {
    const auto dim = dim_order[i];
    strides[dim] = static_cast<StridesType>(stride);
    if (sizes[dim] != 0) {
      stride *= static_cast<uint64_t>(sizes[dim]);
    }
  }
}

/// As dim_order_to_stride_nocheck(). Error::InvalidArgument when the order is no permutation.
template <typename SizesType, typename DimOrderType, typename StridesType>
ET_NODISCARD inline Error dim_order_to_stride(const SizesType* sizes, const DimOrderType* dim_order,
                                              const size_t dims, StridesType* strides) {
  ET_CHECK_OR_RETURN_ERROR(validate_dim_order(dim_order, dims), InvalidArgument,
                           "The dim order is not a permutation of the numbers below %zu.", dims);
  dim_order_to_stride_nocheck(sizes, dim_order, dims, strides);
  return Error::Ok;
}

/**
 * Computes the dimension order of strides: from the largest to the smallest. Dimensions of equal
 * stride keep their order.
 *
 * @param[out] dim_order Room for `dims` numbers.
 * @retval Error::MemoryAllocationFailed `dim_order` is null.
 * @retval Error::NotSupported More than kTensorDimensionLimit dimensions.
 */
template <typename DimOrderType, typename StridesType>
ET_NODISCARD inline Error stride_to_dim_order(const StridesType* strides, const size_t dims,
                                              DimOrderType* dim_order) {
  ET_CHECK_OR_RETURN_ERROR(dim_order != nullptr, MemoryAllocationFailed,
                           "There is no room for the dim order.");
  ET_CHECK_OR_RETURN_ERROR(dims <= kTensorDimensionLimit, NotSupported,
                           "A tensor has %zu dimensions, at most %zu are supported.", dims,
                           kTensorDimensionLimit);
  for (size_t i = 0; i < dims; ++i) {
    size_t place = i;
    for (; place > 0 && strides[dim_order[place - 1]] < strides[i]; --place) {
      dim_order[place] = dim_order[place - 1];
    }
    dim_order[place] = static_cast<DimOrderType>(i);
  }
  return Error::Ok;
}

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::dim_order_to_stride;
using ::executorch::runtime::dim_order_to_stride_nocheck;
using ::executorch::runtime::is_channels_last_dim_order;
using ::executorch::runtime::is_contiguous_dim_order;
using ::executorch::runtime::stride_to_dim_order;
}  // namespace executor
}  // namespace torch
