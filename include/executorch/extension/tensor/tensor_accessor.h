/**
 * @file
 * Indexing into a tensor's elements by position: `accessor[i][j]`.
 */
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <type_traits>

#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace extension {

template <typename T, ssize_t N>
class TensorAccessor;

template <typename T, ssize_t N>
executorch::runtime::Result<TensorAccessor<T, N>> make_tensor_accessor(
    const executorch::aten::Tensor& tensor);

namespace internal {

/// Data, sizes and strides of an accessor of any rank. Points into the tensor; owns nothing.
template <typename T, ssize_t N>
class TensorAccessorBase {
 public:
  /// Number of elements along dimension `i`. Aborts when there is no such dimension.
  executorch::aten::SizesType size(ssize_t i) const {
    check_dim(i);
    return sizes_[i];
  }

  /// Elements between neighbours along dimension `i`. Aborts when there is no such dimension.
  executorch::aten::StridesType stride(ssize_t i) const {
    check_dim(i);
    return strides_[i];
  }

 protected:
  TensorAccessorBase(T* data, const executorch::aten::SizesType* sizes,
                     const executorch::aten::StridesType* strides, ssize_t dim)
      : data_(data), sizes_(sizes), strides_(strides), dim_(dim) {}

  T* data_;
  const executorch::aten::SizesType* sizes_;
  const executorch::aten::StridesType* strides_;
  ssize_t dim_;

 private:
  void check_dim(ssize_t i) const {
    ET_CHECK_MSG(i >= 0 && i < dim_, "tensor accessor: dimension %zd of a tensor with %zd", i,
                 dim_);
  }
};

}  // namespace internal

/**
 * Access to the elements of a tensor of type T and rank N, made by make_tensor_accessor(). Indexing
 * gives an accessor of one rank less, and an element at rank 1. Indices are not checked.
 */
template <typename T, ssize_t N>
class TensorAccessor : public internal::TensorAccessorBase<T, N> {
 public:
  /// The part at position `i` of the first dimension.
  TensorAccessor<T, N - 1> operator[](ssize_t i) { return part(i); }
  const TensorAccessor<T, N - 1> operator[](ssize_t i) const { return part(i); }

 private:
  TensorAccessor(T* data, const executorch::aten::SizesType* sizes,
                 const executorch::aten::StridesType* strides, ssize_t dim)
      : internal::TensorAccessorBase<T, N>(data, sizes, strides, dim) {}

  TensorAccessor<T, N - 1> part(ssize_t i) const {
    return TensorAccessor<T, N - 1>(this->data_ + this->strides_[0] * i, this->sizes_ + 1,
                                    this->strides_ + 1, N - 1);
  }

  template <typename T2, ssize_t N2>
  friend class TensorAccessor;

  template <typename T2, ssize_t N2>
  friend executorch::runtime::Result<TensorAccessor<T2, N2>> make_tensor_accessor(
      const executorch::aten::Tensor& tensor);
};

/// The last rank: indexing gives an element.
template <typename T>
class TensorAccessor<T, 1> : public internal::TensorAccessorBase<T, 1> {
 public:
  /// The element at position `i`.
  T& operator[](ssize_t i) { return this->data_[this->strides_[0] * i]; }
  const T& operator[](ssize_t i) const { return this->data_[this->strides_[0] * i]; }

 private:
  TensorAccessor(T* data, const executorch::aten::SizesType* sizes,
                 const executorch::aten::StridesType* strides, ssize_t dim)
      : internal::TensorAccessorBase<T, 1>(data, sizes, strides, dim) {}

  template <typename T2, ssize_t N2>
  friend class TensorAccessor;

  template <typename T2, ssize_t N2>
  friend executorch::runtime::Result<TensorAccessor<T2, N2>> make_tensor_accessor(
      const executorch::aten::Tensor& tensor);
};

/**
 * Makes an accessor, which the tensor must outlive.
 *
 * @retval Error::InvalidArgument The tensor's rank is not N, or the size of its elements is not
 * that of T.
 * @retval Error::NotSupported The tensor's dim order is not the contiguous one.
 */
template <typename T, ssize_t N>
executorch::runtime::Result<TensorAccessor<T, N>> make_tensor_accessor(
    const executorch::aten::Tensor& tensor) {
  static_assert(N > 0,
                "a scalar needs no accessor: use const_data_ptr<T>() or mutable_data_ptr<T>()");
  ET_REQUIRE(tensor.dim() == N, InvalidArgument,
             "tensor accessor: expected a tensor of rank %zd, found rank %zd", N,
             static_cast<ssize_t>(tensor.dim()));
  ET_REQUIRE(static_cast<size_t>(tensor.element_size()) == sizeof(T), InvalidArgument,
             "tensor accessor: expected elements of %zu bytes, found %zd", sizeof(T),
             static_cast<ssize_t>(tensor.element_size()));
  const auto dim_order = tensor.dim_order();
  for (size_t i = 0; i < dim_order.size(); ++i) {
    ET_REQUIRE(dim_order[i] == i, NotSupported,
               "tensor accessor: dimension %zu is at place %zu of the dim order; only contiguous "
               "tensors are supported",
               static_cast<size_t>(dim_order[i]), i);
  }
  T* data = nullptr;
  if constexpr (std::is_const_v<T>) {
    data = tensor.const_data_ptr<std::remove_const_t<T>>();
  } else {
    data = tensor.mutable_data_ptr<T>();
  }
  return TensorAccessor<T, N>(data, tensor.sizes().data(), tensor.strides().data(), N);
}

}  // namespace extension
}  // namespace executorch
