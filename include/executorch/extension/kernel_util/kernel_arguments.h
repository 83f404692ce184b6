/**
 * @file
 * How a kernel's parameter takes a program's value: which kinds it accepts, and how they become its
 * type.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <executorch/extension/kernel_util/type_list.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/kernel/kernel_signature.h>

namespace executorch {
namespace extension {
namespace kernel_util_internal {

/// The kind that a parameter of type T accepts.
template <class T>
struct argument_kind {
  static constexpr auto value = executorch::runtime::ArgumentKind::Unknown;
};

#define ET_DEFINE_ARGUMENT_KIND(kind__, ...)                                 \
  template <>                                                                \
  struct argument_kind<__VA_ARGS__> {                                        \
    static constexpr auto value = executorch::runtime::ArgumentKind::kind__; \
  };

ET_DEFINE_ARGUMENT_KIND(Tensor, executorch::aten::Tensor)
ET_DEFINE_ARGUMENT_KIND(TensorList, executorch::aten::ArrayRef<executorch::aten::Tensor>)
ET_DEFINE_ARGUMENT_KIND(OptionalTensorList,
                        executorch::aten::ArrayRef<std::optional<executorch::aten::Tensor>>)
ET_DEFINE_ARGUMENT_KIND(Scalar, executorch::aten::Scalar)
ET_DEFINE_ARGUMENT_KIND(Int, int64_t)
ET_DEFINE_ARGUMENT_KIND(Int, executorch::aten::ScalarType)
ET_DEFINE_ARGUMENT_KIND(Int, executorch::aten::MemoryFormat)
ET_DEFINE_ARGUMENT_KIND(Int, executorch::aten::Layout)
ET_DEFINE_ARGUMENT_KIND(Device, executorch::aten::Device)
ET_DEFINE_ARGUMENT_KIND(Double, double)
ET_DEFINE_ARGUMENT_KIND(Bool, bool)
ET_DEFINE_ARGUMENT_KIND(String, std::string_view)
ET_DEFINE_ARGUMENT_KIND(IntList, executorch::aten::ArrayRef<int64_t>)
ET_DEFINE_ARGUMENT_KIND(DoubleList, executorch::aten::ArrayRef<double>)
ET_DEFINE_ARGUMENT_KIND(BoolList, executorch::aten::ArrayRef<bool>)

#undef ET_DEFINE_ARGUMENT_KIND

/// What the signature says of a parameter of type T, without reference and const.
template <class T>
struct kernel_argument {
  static constexpr executorch::runtime::KernelArgument value{argument_kind<T>::value, false};
};
template <class T>
struct kernel_argument<std::optional<T>> {
  static constexpr executorch::runtime::KernelArgument value{argument_kind<T>::value, true};
};

/// The signature of a kernel with the parameters of a typelist, the context not among them.
template <class ArgTypes>
struct kernel_signature;
template <class... ArgTypes>
struct kernel_signature<typelist<ArgTypes...>> {
  // An array has at least one element.
  static constexpr executorch::runtime::KernelArgument arguments[sizeof...(ArgTypes) + 1] = {
      kernel_argument<std::decay_t<ArgTypes>>::value...};
  static constexpr executorch::runtime::KernelSignature value{arguments, sizeof...(ArgTypes)};
};

/// Holds one argument between reading and the call. load() reports what does not fit.
template <class T>
class ArgumentHolder {
 public:
  executorch::runtime::Error load(executorch::runtime::EValue& value) {
    return keep(value.tryTo<T>());
  }
  T get() { return *std::move(value_); }

 private:
  executorch::runtime::Error keep(executorch::runtime::Result<T> value) {
    if (!value.ok()) {
      return value.error();
    }
    value_.emplace(std::move(value.get()));
    return executorch::runtime::Error::Ok;
  }

  std::optional<T> value_;
};

/// An Int is taken where a Double is expected, as eager does.
template <>
class ArgumentHolder<double> {
 public:
  executorch::runtime::Error load(executorch::runtime::EValue& value) {
    if (value.isInt()) {
      value_ = static_cast<double>(value.toInt());
      return executorch::runtime::Error::Ok;
    }
    const executorch::runtime::Result<double> number = value.tryToDouble();
    if (!number.ok()) {
      return number.error();
    }
    value_ = number.get();
    return executorch::runtime::Error::Ok;
  }
  double get() { return value_; }

 private:
  double value_ = 0;
};

/// None is nullopt.
template <class T>
class ArgumentHolder<std::optional<T>> {
 public:
  executorch::runtime::Error load(executorch::runtime::EValue& value) {
    present_ = !value.isNone();
    return present_ ? value_.load(value) : executorch::runtime::Error::Ok;
  }
  std::optional<T> get() { return present_ ? std::optional<T>(value_.get()) : std::nullopt; }

 private:
  bool present_ = false;
  ArgumentHolder<T> value_;
};

/// Tensors by reference: the handle inside the value.
template <class Reference>
class TensorReferenceHolder {
 public:
  executorch::runtime::Error load(executorch::runtime::EValue& value) {
    const executorch::runtime::Result<executorch::aten::Tensor> tensor = value.tryToTensor();
    if (!tensor.ok()) {
      return tensor.error();
    }
    tensor_ = &value.payload.as_tensor;
    return executorch::runtime::Error::Ok;
  }
  Reference get() { return *tensor_; }

 private:
  executorch::aten::Tensor* tensor_ = nullptr;
};

template <>
class ArgumentHolder<executorch::aten::Tensor&>
    : public TensorReferenceHolder<executorch::aten::Tensor&> {};
template <>
class ArgumentHolder<const executorch::aten::Tensor&>
    : public TensorReferenceHolder<const executorch::aten::Tensor&> {};

/// References to anything but tensors are taken by value.
template <class T>
struct decay_if_not_tensor final {
  using type = std::decay_t<T>;
};
template <>
struct decay_if_not_tensor<executorch::aten::Tensor&> final {
  using type = executorch::aten::Tensor&;
};
template <>
struct decay_if_not_tensor<const executorch::aten::Tensor&> final {
  using type = const executorch::aten::Tensor&;
};

/// Whether T is a tensor that the kernel writes.
template <class T>
struct is_nonconst_tensor : std::is_same<T, executorch::aten::Tensor&> {};

/// Number of written tensors at the end of a typelist: the outs.
template <class TypeList>
struct count_nonconst_tensors;
template <>
struct count_nonconst_tensors<typelist<>> {
  static constexpr size_t value = 0;
};
template <class Head, class... Tail>
struct count_nonconst_tensors<typelist<Head, Tail...>> {
  static constexpr size_t kInTail = count_nonconst_tensors<typelist<Tail...>>::value;
  static constexpr bool kExtends = is_nonconst_tensor<Head>::value && kInTail == sizeof...(Tail);
  static constexpr size_t value = kInTail + (kExtends ? 1 : 0);
};

}  // namespace kernel_util_internal
}  // namespace extension
}  // namespace executorch
