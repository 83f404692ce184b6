/**
 * @file
 * Shorthands for making tensors: over memory of the caller, filled with a value, or random.
 *
 * Where `strides` may be given they must describe densely packed elements; `type` Undefined in the
 * `_like` forms means the type of the other tensor. Filled tensors own their elements. All abort
 * with a text on impossible arguments.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <executorch/extension/tensor/tensor_ptr.h>

namespace executorch {
namespace extension {

/**
 * Collects the properties of a tensor over memory of the caller:
 * `for_blob(data, {2, 3}).type(ScalarType::Int).make_tensor_ptr()`. Made by for_blob().
 */
class TensorPtrMaker final {
 public:
  TensorPtrMaker(const TensorPtrMaker&) = delete;
  TensorPtrMaker& operator=(const TensorPtrMaker&) = delete;
  TensorPtrMaker(TensorPtrMaker&&) = default;
  TensorPtrMaker& operator=(TensorPtrMaker&&) = default;

  /// Type of the elements.
  TensorPtrMaker&& type(executorch::aten::ScalarType type) {
    type_ = type;
    return std::move(*this);
  }

  /// Dimensions from the outermost to the innermost in memory.
  TensorPtrMaker&& dim_order(std::vector<executorch::aten::DimOrderType> dim_order) {
    dim_order_ = std::move(dim_order);
    return std::move(*this);
  }

  /// Elements between neighbours per dimension.
  TensorPtrMaker&& strides(std::vector<executorch::aten::StridesType> strides) {
    strides_ = std::move(strides);
    return std::move(*this);
  }

  /// Whether and how the tensor may be resized.
  TensorPtrMaker&& dynamism(executorch::aten::TensorShapeDynamism dynamism) {
    dynamism_ = dynamism;
    return std::move(*this);
  }

  /// Called with the data pointer when the tensor dies.
  TensorPtrMaker&& deleter(std::function<void(void*)>&& deleter) {
    deleter_ = std::move(deleter);
    return std::move(*this);
  }

  /// Where the data lies. A label only: nothing is moved.
  TensorPtrMaker&& device(executorch::aten::Device device) {
    device_ = device;
    return std::move(*this);
  }

  /// Makes the tensor; the maker is used up.
  TensorPtr make_tensor_ptr() && {
    return ::executorch::extension::make_tensor_ptr(std::move(sizes_), data_, std::move(dim_order_),
                                                    std::move(strides_), type_, device_, dynamism_,
                                                    std::move(deleter_));
  }

  /// Makes the tensor; the maker is used up.
  operator TensorPtr() && { return std::move(*this).make_tensor_ptr(); }

 private:
  friend TensorPtrMaker for_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                                 executorch::aten::ScalarType type);

  TensorPtrMaker(void* data, std::vector<executorch::aten::SizesType> sizes,
                 executorch::aten::ScalarType type)
      : sizes_(std::move(sizes)), data_(data), type_(type) {}

  std::vector<executorch::aten::SizesType> sizes_;
  std::vector<executorch::aten::StridesType> strides_;
  std::vector<executorch::aten::DimOrderType> dim_order_;
  std::function<void(void*)> deleter_ = nullptr;
  void* data_ = nullptr;
  executorch::aten::ScalarType type_ = executorch::aten::ScalarType::Float;
  executorch::aten::TensorShapeDynamism dynamism_ =
      executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND;
  executorch::aten::Device device_ = executorch::aten::Device(executorch::aten::DeviceType::CPU);
};

/// Begins a tensor over memory that must outlive it.
inline TensorPtrMaker for_blob(
    void* data, std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float) {
  return TensorPtrMaker(data, std::move(sizes), type);
}

/// A contiguous tensor over memory that must outlive it.
inline TensorPtr from_blob(
    void* data, std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::Device device = executorch::aten::Device(executorch::aten::DeviceType::CPU),
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type).device(device).dynamism(dynamism).make_tensor_ptr();
}

/// A tensor with given strides over memory that must outlive it.
inline TensorPtr from_blob(
    void* data, std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::Device device = executorch::aten::Device(executorch::aten::DeviceType::CPU),
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .strides(std::move(strides))
      .device(device)
      .dynamism(dynamism)
      .make_tensor_ptr();
}

/// A contiguous tensor over memory that `deleter` releases when the tensor dies.
inline TensorPtr from_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                           executorch::aten::ScalarType type, executorch::aten::Device device,
                           std::function<void(void*)>&& deleter,
                           executorch::aten::TensorShapeDynamism dynamism =
                               executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .device(device)
      .deleter(std::move(deleter))
      .dynamism(dynamism)
      .make_tensor_ptr();
}

/// A tensor with given strides over memory that `deleter` releases when the tensor dies.
inline TensorPtr from_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                           std::vector<executorch::aten::StridesType> strides,
                           executorch::aten::ScalarType type, executorch::aten::Device device,
                           std::function<void(void*)>&& deleter,
                           executorch::aten::TensorShapeDynamism dynamism =
                               executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .strides(std::move(strides))
      .device(device)
      .deleter(std::move(deleter))
      .dynamism(dynamism)
      .make_tensor_ptr();
}

namespace internal {

/// `type`, or that of `other` when it is Undefined.
inline executorch::aten::ScalarType type_or_like(executorch::aten::ScalarType type,
                                                 const TensorPtr& other) {
  return type == executorch::aten::ScalarType::Undefined ? other->scalar_type() : type;
}

inline std::vector<executorch::aten::SizesType> sizes_like(const TensorPtr& other) {
  return {other->sizes().begin(), other->sizes().end()};
}

inline std::vector<executorch::aten::StridesType> strides_like(const TensorPtr& other) {
  return {other->strides().begin(), other->strides().end()};
}

}  // namespace internal

/// A tensor whose elements are not set to anything in particular.
EXECUTORCH_API TensorPtr
empty_strided(std::vector<executorch::aten::SizesType> sizes,
              std::vector<executorch::aten::StridesType> strides,
              executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
              executorch::aten::TensorShapeDynamism dynamism =
                  executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// empty_strided() with the sizes and strides of another tensor.
inline TensorPtr empty_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return empty_strided(internal::sizes_like(other), internal::strides_like(other),
                       internal::type_or_like(type, other), dynamism);
}

/// A contiguous tensor whose elements are not set to anything in particular.
inline TensorPtr empty(std::vector<executorch::aten::SizesType> sizes,
                       executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                       executorch::aten::TensorShapeDynamism dynamism =
                           executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return empty_strided(std::move(sizes), {}, type, dynamism);
}

/// A tensor with every element set to `fill_value`, cast to `type`.
EXECUTORCH_API TensorPtr full_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides, executorch::aten::Scalar fill_value,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// full_strided() with the sizes and strides of another tensor.
inline TensorPtr full_like(
    const TensorPtr& other, executorch::aten::Scalar fill_value,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_strided(internal::sizes_like(other), internal::strides_like(other), fill_value,
                      internal::type_or_like(type, other), dynamism);
}

/// A contiguous tensor with every element set to `fill_value`, cast to `type`.
inline TensorPtr full(std::vector<executorch::aten::SizesType> sizes,
                      executorch::aten::Scalar fill_value,
                      executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                      executorch::aten::TensorShapeDynamism dynamism =
                          executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_strided(std::move(sizes), {}, fill_value, type, dynamism);
}

/// A tensor of rank 0.
inline TensorPtr scalar_tensor(
    executorch::aten::Scalar value,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float) {
  return full({}, value, type);
}

/// Ones, with the sizes and strides of another tensor.
inline TensorPtr ones_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_like(other, 1, type, dynamism);
}

/// A contiguous tensor of ones.
inline TensorPtr ones(std::vector<executorch::aten::SizesType> sizes,
                      executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                      executorch::aten::TensorShapeDynamism dynamism =
                          executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full(std::move(sizes), 1, type, dynamism);
}

/// Zeros, with the sizes and strides of another tensor.
inline TensorPtr zeros_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_like(other, 0, type, dynamism);
}

/// A contiguous tensor of zeros.
inline TensorPtr zeros(std::vector<executorch::aten::SizesType> sizes,
                       executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                       executorch::aten::TensorShapeDynamism dynamism =
                           executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full(std::move(sizes), 0, type, dynamism);
}

/// A tensor of random numbers, evenly spread over [0, 1), from a generator seeded by the system.
EXECUTORCH_API TensorPtr
rand_strided(std::vector<executorch::aten::SizesType> sizes,
             std::vector<executorch::aten::StridesType> strides,
             executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
             executorch::aten::TensorShapeDynamism dynamism =
                 executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// rand_strided() with the sizes and strides of another tensor.
inline TensorPtr rand_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return rand_strided(internal::sizes_like(other), internal::strides_like(other),
                      internal::type_or_like(type, other), dynamism);
}

/// A contiguous tensor of random numbers, evenly spread over [0, 1).
inline TensorPtr rand(std::vector<executorch::aten::SizesType> sizes,
                      executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                      executorch::aten::TensorShapeDynamism dynamism =
                          executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return rand_strided(std::move(sizes), {}, type, dynamism);
}

/// A tensor of random numbers, normally distributed with mean 0 and deviation 1.
EXECUTORCH_API TensorPtr
randn_strided(std::vector<executorch::aten::SizesType> sizes,
              std::vector<executorch::aten::StridesType> strides,
              executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
              executorch::aten::TensorShapeDynamism dynamism =
                  executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// randn_strided() with the sizes and strides of another tensor.
inline TensorPtr randn_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return randn_strided(internal::sizes_like(other), internal::strides_like(other),
                       internal::type_or_like(type, other), dynamism);
}

/// A contiguous tensor of random numbers, normally distributed with mean 0 and deviation 1.
inline TensorPtr randn(std::vector<executorch::aten::SizesType> sizes,
                       executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                       executorch::aten::TensorShapeDynamism dynamism =
                           executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return randn_strided(std::move(sizes), {}, type, dynamism);
}

/// A tensor of random whole numbers, evenly spread over [low, high); `low` must be less than
/// `high`.
EXECUTORCH_API TensorPtr
randint_strided(int64_t low, int64_t high, std::vector<executorch::aten::SizesType> sizes,
                std::vector<executorch::aten::StridesType> strides,
                executorch::aten::ScalarType type = executorch::aten::ScalarType::Int,
                executorch::aten::TensorShapeDynamism dynamism =
                    executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// randint_strided() with the sizes and strides of another tensor.
inline TensorPtr randint_like(
    const TensorPtr& other, int64_t low, int64_t high,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return randint_strided(low, high, internal::sizes_like(other), internal::strides_like(other),
                         internal::type_or_like(type, other), dynamism);
}

/// A contiguous tensor of random whole numbers, evenly spread over [low, high).
inline TensorPtr randint(int64_t low, int64_t high, std::vector<executorch::aten::SizesType> sizes,
                         executorch::aten::ScalarType type = executorch::aten::ScalarType::Int,
                         executorch::aten::TensorShapeDynamism dynamism =
                             executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return randint_strided(low, high, std::move(sizes), {}, type, dynamism);
}

}  // namespace extension
}  // namespace executorch
