/**
 * @file
 * What a Tensor refers to: shape, type and data.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_shape_dynamism.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {
namespace internal {
class TensorResizerFriend;
}  // namespace internal
}  // namespace runtime
}  // namespace executorch

namespace executorch {
namespace runtime {
namespace etensor {

/**
 * Metadata and data pointer of a tensor. Owns neither data nor the arrays of sizes, dimension order
 * and strides: whoever creates it keeps them alive, and resizing writes into them. Several Tensor
 * handles may share one. Not thread-safe while it is resized or its data pointer is set.
 */
class TensorImpl {
 public:
  /// Elements of one dimension.
  using SizesType = int32_t;
  /// Number of a dimension.
  using DimOrderType = uint8_t;
  /// Distance between neighbours of a dimension, in elements.
  using StridesType = int32_t;

  TensorImpl() = delete;

  /**
   * @param[in] type Element type. Aborts when it is none.
   * @param[in] dim Number of dimensions. Aborts when negative.
   * @param[in] sizes `dim` sizes, the largest that a dynamic tensor may reach in total. Aborts when
   * one is negative or the number of elements overflows: check sizes that come from outside with
   * safe_numel().
   * @param[in] data The elements; may be null and be set later.
   * @param[in] dim_order `dim` dimension numbers, outermost first; may be null.
   * @param[in] strides `dim` strides; may be null.
   * @param[in] dynamism Whether the tensor may be resized.
   * @param[in] device_type Where the data lies.
   */
  EXECUTORCH_API TensorImpl(ScalarType type, ssize_t dim, SizesType* sizes, void* data = nullptr,
                            DimOrderType* dim_order = nullptr, StridesType* strides = nullptr,
                            TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC,
                            DeviceType device_type = DeviceType::CPU, DeviceIndex device_index = 0);

  /// Bytes of all elements in the present shape.
  EXECUTORCH_API size_t nbytes() const;

  /// Size of one dimension. Aborts when there is none such; negative numbers are not accepted.
  ssize_t size(ssize_t dim) const {
    ET_CHECK_MSG(dim < dim_ && dim >= 0, "Dimension %zd is out of range: the tensor has %zd.", dim,
                 static_cast<ssize_t>(dim_));
    return sizes_[dim];
  }

  ssize_t dim() const { return dim_; }
  ssize_t numel() const { return numel_; }
  ScalarType scalar_type() const { return type_; }
  inline ScalarType dtype() const { return scalar_type(); }

  /// Bytes of one element.
  EXECUTORCH_API ssize_t element_size() const;

  const ArrayRef<SizesType> sizes() const {
    return ArrayRef<SizesType>{sizes_, static_cast<size_t>(dim_)};
  }
  const ArrayRef<DimOrderType> dim_order() const {
    return ArrayRef<DimOrderType>{dim_order_, static_cast<size_t>(dim_)};
  }
  const ArrayRef<StridesType> strides() const {
    return ArrayRef<StridesType>{strides_, static_cast<size_t>(dim_)};
  }

  TensorShapeDynamism shape_dynamism() const { return shape_dynamism_; }
  Device device() const { return device_; }
  DeviceType device_type() const { return device_.type(); }
  DeviceIndex device_index() const { return device_.index(); }

  template <typename T>
  inline const T* data() const {
    return static_cast<const T*>(data());
  }
  const void* data() const { return data_; }

  template <typename T>
  inline T* mutable_data() const {
    return static_cast<T*>(mutable_data());
  }
  void* mutable_data() const { return data_; }

  /// Lets the tensor refer to other memory, of at least nbytes() bytes.
  void set_data(void* ptr) { data_ = ptr; }

  /**
   * Limits each dimension of a dynamic tensor, beside the limit of the number of elements that the
   * constructor took from the initial sizes. For the loader of a program: the sizes as serialized
   * are such bounds.
   *
   * @param[in] bounds dim() sizes, or null for none. Must live as long as the tensor.
   */
  void set_size_bounds(const SizesType* bounds) { size_bounds_ = bounds; }

  /// The limits of the dimensions, or null.
  const SizesType* size_bounds() const { return size_bounds_; }

  /// Use resize_tensor() from tensor_util.h. Aborts when the sizes are refused.
  ET_DEPRECATED
  void set_sizes_contiguous(ArrayRef<SizesType> new_sizes) {
    ET_CHECK_MSG(internal_resize_contiguous(new_sizes) == Error::Ok,
                 "The tensor could not be resized: see last_error_message().");
  }

 private:
  // Reaches internal_resize_contiguous() for resize_tensor().
  friend class ::executorch::runtime::internal::TensorResizerFriend;

  /**
   * Gives the tensor new sizes and the strides of its dimension order. Nothing changes on failure.
   *
   * @retval Error::NotSupported The rank or the sizes of a static tensor would change, a dimension
   * or the number of elements exceeds its bound.
   * @retval Error::InvalidArgument A size is negative.
   */
  ET_NODISCARD EXECUTORCH_API Error internal_resize_contiguous(ArrayRef<SizesType> new_sizes);

  SizesType* sizes_;
  DimOrderType* dim_order_;
  StridesType* strides_;
  void* data_;
  const SizesType* size_bounds_ = nullptr;
  ssize_t numel_;
  // Elements that the memory behind data_ was planned for.
  size_t numel_bound_;
  // 32 bits suffice, and keep the object, which programs allocate per tensor, at 64 bytes.
  const int32_t dim_;
  const ScalarType type_;
  const TensorShapeDynamism shape_dynamism_;
  Device device_;
};

/// The product of `dim` sizes. Aborts when one is negative or the product overflows.
EXECUTORCH_API ssize_t
compute_numel(const ::executorch::runtime::etensor::TensorImpl::SizesType* sizes, ssize_t dim);

/**
 * The product of `dim` sizes that come from outside.
 *
 * @retval Error::InvalidArgument `sizes` is null though `dim` is not 0, a size is negative, or the
 * product overflows.
 */
EXECUTORCH_API ::executorch::runtime::Result<ssize_t> safe_numel(
    const ::executorch::runtime::etensor::TensorImpl::SizesType* sizes, ssize_t dim);

// printf() conversions of what Tensor's members return.
#define ET_PRI_TENSOR_SIZE "zd"
#define ET_PRI_TENSOR_DIM "zd"
#define ET_PRI_TENSOR_NUMEL "zd"
#define ET_PRI_SIZES_AND_STRIDES "d"

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::compute_numel;
using ::executorch::runtime::etensor::safe_numel;
using ::executorch::runtime::etensor::TensorImpl;
}  // namespace executor
}  // namespace torch
