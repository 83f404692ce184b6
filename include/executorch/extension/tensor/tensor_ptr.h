/**
 * @file
 * Tensors that own what they consist of, for applications: sizes, strides and, where wanted, the
 * elements.
 *
 * The makers check their arguments and abort with a text when these contradict each other (wrong
 * number of elements, impossible strides, a cast that loses the kind of number): such a call is a
 * mistake in the program.
 */
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace extension {

/// A tensor shared by its users. Copying the pointer shares the tensor, not only its elements.
using TensorPtr = std::shared_ptr<executorch::aten::Tensor>;

namespace internal {

/// Number of elements of a shape. Aborts when a size is negative or the product overflows.
EXECUTORCH_API size_t checked_numel(const std::vector<executorch::aten::SizesType>& sizes);

/// `count` elements at `source`, of type `from`, as bytes of a vector with elements of type `to`.
/// Aborts when `from` cannot be cast to `to`.
EXECUTORCH_API std::vector<uint8_t> cast_elements(const void* source,
                                                  executorch::aten::ScalarType from,
                                                  executorch::aten::ScalarType to, size_t count);

}  // namespace internal

/**
 * Makes a tensor over memory of the caller.
 *
 * @param[in] sizes Elements per dimension.
 * @param[in] data The elements, on `device`. Not copied. May be null.
 * @param[in] dim_order Dimensions from the outermost to the innermost in memory; empty: derived
 * from the strides, or contiguous.
 * @param[in] strides Elements between neighbours per dimension; empty: derived from the dim order.
 * They must describe densely packed elements.
 * @param[in] type Type of the elements.
 * @param[in] device Where `data` lies. A label only: nothing is moved.
 * @param[in] dynamism Whether and how the tensor may be resized.
 * @param[in] deleter Called with `data` when the tensor dies; may be empty.
 */
EXECUTORCH_API TensorPtr make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, void* data,
    std::vector<executorch::aten::DimOrderType> dim_order,
    std::vector<executorch::aten::StridesType> strides,
    const executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::Device device = executorch::aten::Device(executorch::aten::DeviceType::CPU),
    const executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND,
    std::function<void(void*)> deleter = nullptr);

/// Makes a contiguous tensor over memory of the caller; parameters as above.
inline TensorPtr make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, void* data,
    const executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::Device device = executorch::aten::Device(executorch::aten::DeviceType::CPU),
    const executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND,
    std::function<void(void*)> deleter = nullptr) {
  return make_tensor_ptr(std::move(sizes), data, {}, {}, type, device, dynamism,
                         std::move(deleter));
}

/**
 * Makes a CPU tensor that owns its elements.
 *
 * @param[in] sizes Elements per dimension; their product must be the size of `data`.
 * @param[in] data The elements, in memory order.
 * @param[in] type Type of the tensor's elements; when it is not T's, the elements are cast.
 * Other parameters as above.
 */
template <typename T = float,
          executorch::aten::ScalarType deduced_type = runtime::CppTypeToScalarType<T>::value>
inline TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes,
                                 std::vector<T> data,
                                 std::vector<executorch::aten::DimOrderType> dim_order = {},
                                 std::vector<executorch::aten::StridesType> strides = {},
                                 executorch::aten::ScalarType type = deduced_type,
                                 executorch::aten::TensorShapeDynamism dynamism =
                                     executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  const size_t numel = internal::checked_numel(sizes);
  ET_CHECK_MSG(data.size() == numel, "make_tensor_ptr: %zu elements given for a shape of %zu",
               data.size(), numel);
  const auto make_owning = [&](auto elements) {
    void* const bytes = elements->data();
    return make_tensor_ptr(std::move(sizes), bytes, std::move(dim_order), std::move(strides), type,
                           executorch::aten::Device(executorch::aten::DeviceType::CPU), dynamism,
                           [elements](void*) {});
  };
  if (type != deduced_type) {
    return make_owning(std::make_shared<std::vector<uint8_t>>(
        internal::cast_elements(data.data(), deduced_type, type, data.size())));
  }
  return make_owning(std::make_shared<std::vector<T>>(std::move(data)));
}

/// Makes a CPU tensor of rank 1 that owns its elements, cast when `type` is not T's.
template <typename T = float,
          executorch::aten::ScalarType deduced_type = runtime::CppTypeToScalarType<T>::value>
inline TensorPtr make_tensor_ptr(std::vector<T> data,
                                 executorch::aten::ScalarType type = deduced_type,
                                 executorch::aten::TensorShapeDynamism dynamism =
                                     executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  std::vector<executorch::aten::SizesType> sizes{
      static_cast<executorch::aten::SizesType>(data.size())};
  return make_tensor_ptr(std::move(sizes), std::move(data), {0}, {1}, type, dynamism);
}

/// Makes a CPU tensor that owns the listed elements, cast when `type` is not T's.
template <typename T = float,
          executorch::aten::ScalarType deduced_type = runtime::CppTypeToScalarType<T>::value>
inline TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes,
                                 std::initializer_list<T> list,
                                 std::vector<executorch::aten::DimOrderType> dim_order = {},
                                 std::vector<executorch::aten::StridesType> strides = {},
                                 executorch::aten::ScalarType type = deduced_type,
                                 executorch::aten::TensorShapeDynamism dynamism =
                                     executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr(std::move(sizes), std::vector<T>(list), std::move(dim_order),
                         std::move(strides), type, dynamism);
}

/// Makes a CPU tensor of rank 1 that owns the listed elements, cast when `type` is not T's.
template <typename T = float,
          executorch::aten::ScalarType deduced_type = runtime::CppTypeToScalarType<T>::value>
inline TensorPtr make_tensor_ptr(std::initializer_list<T> list,
                                 executorch::aten::ScalarType type = deduced_type,
                                 executorch::aten::TensorShapeDynamism dynamism =
                                     executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr(std::vector<T>(list), type, dynamism);
}

/// Makes a CPU tensor of rank 0 that holds one number.
template <typename T>
inline TensorPtr make_tensor_ptr(T value) {
  return make_tensor_ptr(std::vector<executorch::aten::SizesType>{}, std::vector<T>{value});
}

/**
 * Makes a CPU tensor that owns the bytes of its elements.
 *
 * @param[in] data The elements' bytes, at least as many as the shape takes.
 * Other parameters as above.
 */
EXECUTORCH_API TensorPtr
make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes, std::vector<uint8_t> data,
                std::vector<executorch::aten::DimOrderType> dim_order,
                std::vector<executorch::aten::StridesType> strides,
                executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                executorch::aten::TensorShapeDynamism dynamism =
                    executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// Makes a contiguous CPU tensor that owns the bytes of its elements; parameters as above.
inline TensorPtr make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, std::vector<uint8_t> data,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr(std::move(sizes), std::move(data), {}, {}, type, dynamism);
}

/**
 * Makes a tensor that shares the elements of another, which must outlive it, under another shape or
 * order where one is given. Type, device and dynamism are those of `tensor`.
 *
 * @param[in] sizes Empty: those of `tensor`. May take fewer elements than `tensor` has, not more.
 * @param[in] dim_order Empty: that of `tensor` when the rank is the same and no strides are given,
 * else derived.
 * @param[in] strides Empty: derived.
 * @param[in] deleter Called with the data pointer when the new tensor dies; may be empty.
 */
EXECUTORCH_API TensorPtr make_tensor_ptr(const executorch::aten::Tensor& tensor,
                                         std::vector<executorch::aten::SizesType> sizes = {},
                                         std::vector<executorch::aten::DimOrderType> dim_order = {},
                                         std::vector<executorch::aten::StridesType> strides = {},
                                         std::function<void(void*)> deleter = nullptr);

/// As above, and keeps the other tensor alive.
inline TensorPtr make_tensor_ptr(const TensorPtr& tensor_ptr,
                                 std::vector<executorch::aten::SizesType> sizes = {},
                                 std::vector<executorch::aten::DimOrderType> dim_order = {},
                                 std::vector<executorch::aten::StridesType> strides = {}) {
  return make_tensor_ptr(*tensor_ptr, std::move(sizes), std::move(dim_order), std::move(strides),
                         [tensor_ptr](void*) {});
}

/**
 * Copies a CPU tensor with its elements, cast to `type`. The copy keeps sizes, dim order and
 * dynamism, and owns its elements; a tensor without data gives one without data.
 */
EXECUTORCH_API TensorPtr clone_tensor_ptr(const executorch::aten::Tensor& tensor,
                                          executorch::aten::ScalarType type);

/// Copies a CPU tensor with its elements.
inline TensorPtr clone_tensor_ptr(const executorch::aten::Tensor& tensor) {
  return clone_tensor_ptr(tensor, tensor.scalar_type());
}

/// Copies a CPU tensor with its elements, cast to `type`.
inline TensorPtr clone_tensor_ptr(const TensorPtr& tensor, executorch::aten::ScalarType type) {
  return clone_tensor_ptr(*tensor, type);
}

/// Copies a CPU tensor with its elements.
inline TensorPtr clone_tensor_ptr(const TensorPtr& tensor) {
  return clone_tensor_ptr(*tensor, tensor->scalar_type());
}

/**
 * Changes the sizes of a tensor within what its dynamism allows. The elements stay where they are.
 * @retval Error::NotSupported, Error::InvalidArgument The tensor cannot take that shape.
 */
ET_NODISCARD EXECUTORCH_API runtime::Error resize_tensor_ptr(
    TensorPtr& tensor, const std::vector<executorch::aten::SizesType>& sizes);

/**
 * Copies a tensor's elements to another device, in one direction between CPU and accelerator.
 * Memory on the device comes from the DeviceAllocator registered for it, belongs to the result and
 * dies with it. Aborts when there is no such allocator, when both sides are of one kind, or when
 * copying fails.
 */
EXECUTORCH_API TensorPtr clone_tensor_ptr_to(const TensorPtr& tensor,
                                             executorch::aten::Device target);

}  // namespace extension
}  // namespace executorch
