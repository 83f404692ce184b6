/**
 * @file
 * A handle to a tensor.
 */
#pragma once

#include <executorch/runtime/core/portable_type/tensor_impl.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {
namespace etensor {

/**
 * Refers to a TensorImpl without owning it; copying copies the reference. A const Tensor may refer
 * to data that is written. Pass it by reference or value alike.
 */
class Tensor {
 public:
  using SizesType = TensorImpl::SizesType;
  using DimOrderType = TensorImpl::DimOrderType;
  using StridesType = TensorImpl::StridesType;

  Tensor() = delete;

  /// `impl` must outlive the handle and not be null.
  explicit constexpr Tensor(TensorImpl* impl) : impl_(impl) {}

  /// What the handle refers to; for the runtime's own use.
  TensorImpl* unsafeGetTensorImpl() const { return impl_; }

  /// Bytes of all elements in the present shape.
  size_t nbytes() const { return impl_->nbytes(); }
  /// Size of one dimension. Aborts when there is none such; negative numbers are not accepted.
  ssize_t size(ssize_t dim) const { return impl_->size(dim); }
  /// Number of dimensions.
  ssize_t dim() const { return impl_->dim(); }
  /// Number of elements.
  ssize_t numel() const { return impl_->numel(); }
  ScalarType scalar_type() const { return impl_->scalar_type(); }
  inline ScalarType dtype() const { return scalar_type(); }
  /// Bytes of one element.
  ssize_t element_size() const { return impl_->element_size(); }
  const ArrayRef<SizesType> sizes() const { return impl_->sizes(); }
  /// Dimension numbers, outermost in memory first.
  const ArrayRef<DimOrderType> dim_order() const { return impl_->dim_order(); }
  /// Distance between neighbours of each dimension, in elements.
  const ArrayRef<StridesType> strides() const { return impl_->strides(); }
  TensorShapeDynamism shape_dynamism() const { return impl_->shape_dynamism(); }
  Device device() const { return impl_->device(); }
  DeviceType device_type() const { return impl_->device_type(); }
  DeviceIndex device_index() const { return impl_->device_index(); }

  /// The elements; T is not checked against the element type. Null when the tensor has no memory.
  template <typename T>
  inline const T* const_data_ptr() const {
    return impl_->data<T>();
  }
  inline const void* const_data_ptr() const { return impl_->data(); }

  template <typename T>
  inline T* mutable_data_ptr() const {
    return impl_->mutable_data<T>();
  }
  inline void* mutable_data_ptr() const { return impl_->mutable_data(); }

  /// Use const_data_ptr() or mutable_data_ptr().
  template <typename T>
  ET_DEPRECATED inline T* data_ptr() const {
    return impl_->mutable_data<T>();
  }
  /// Use const_data_ptr() or mutable_data_ptr().
  ET_DEPRECATED inline void* data_ptr() const { return impl_->mutable_data(); }

  /// Use set_tensor_data() from tensor_util.h, which checks the size.
  ET_DEPRECATED void set_data(void* ptr) const { impl_->set_data(ptr); }

 private:
  TensorImpl* impl_ = nullptr;
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::Tensor;
}  // namespace executor
}  // namespace torch
