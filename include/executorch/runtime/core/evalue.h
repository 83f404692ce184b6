/**
 * @file
 * The values that a program computes with.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <executorch/runtime/core/boxed_evalue_list.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/export.h>

namespace executorch {
namespace runtime {
namespace internal {

// What EValue::to<T>() returns: tensors by reference, everything else by value.
template <typename T>
struct evalue_to_const_ref_overload_return {
  using type = T;
};

template <>
struct evalue_to_const_ref_overload_return<executorch::aten::Tensor> {
  using type = const executorch::aten::Tensor&;
};

template <typename T>
struct evalue_to_ref_overload_return {
  using type = T;
};

template <>
struct evalue_to_ref_overload_return<executorch::aten::Tensor> {
  using type = executorch::aten::Tensor&;
};

/// Sets the error text for a value of another kind than the expected one. Returns InvalidType.
EXECUTORCH_API Error evalue_kind_error(const char* expected, Tag found);

}  // namespace internal

/**
 * A value of any kind that a program knows: nothing, a number, a string, a tensor or a list.
 *
 * Strings and lists are referred to, not owned. isX() tells the kind; toX() aborts when it does not
 * match and tryToX() returns Error::InvalidType with a text, or Error::InvalidState for a list or
 * string without content. Use the latter for values that come from outside.
 */
struct EValue {
  union Payload {
    // Everything but the tensor, which has no default.
    union TriviallyCopyablePayload {
      TriviallyCopyablePayload() : as_int(0) {}
      int64_t as_int;
      double as_double;
      bool as_bool;
      executorch::aten::ArrayRef<char>* as_string_ptr;
      executorch::aten::ArrayRef<double>* as_double_list_ptr;
      executorch::aten::ArrayRef<bool>* as_bool_list_ptr;
      BoxedEvalueList<int64_t>* as_int_list_ptr;
      BoxedEvalueList<executorch::aten::Tensor>* as_tensor_list_ptr;
      BoxedEvalueList<std::optional<executorch::aten::Tensor>>* as_list_optional_tensor_ptr;
    } copyable_union;
    executorch::aten::Tensor as_tensor;

    Payload() : copyable_union() {}
  };

  Payload payload;
  Tag tag;

  /// None.
  EValue() : tag(Tag::None) {}

  EValue(const EValue& other) = default;
  EValue& operator=(const EValue& other) & = default;

  /// Leaves None behind.
  EValue(EValue&& other) noexcept : payload(other.payload), tag(other.tag) {
    other.clear_to_none();
  }

  /// Leaves None behind.
  EValue& operator=(EValue&& other) & noexcept {
    if (&other != this) {
      payload = other.payload;
      tag = other.tag;
      other.clear_to_none();
    }
    return *this;
  }

  ~EValue() = default;

  // -- None --

  bool isNone() const { return tag == Tag::None; }

  // -- Int --

  /* implicit */ EValue(int64_t value) : tag(Tag::Int) { payload.copyable_union.as_int = value; }

  bool isInt() const { return tag == Tag::Int; }

  int64_t toInt() const {
    ET_CHECK_MSG(isInt(), "The EValue is not an Int.");
    return payload.copyable_union.as_int;
  }

  Result<int64_t> tryToInt() const {
    if (!isInt()) {
      return internal::evalue_kind_error("Int", tag);
    }
    return payload.copyable_union.as_int;
  }

  // -- Double --

  /* implicit */ EValue(double value) : tag(Tag::Double) {
    payload.copyable_union.as_double = value;
  }

  bool isDouble() const { return tag == Tag::Double; }

  double toDouble() const {
    ET_CHECK_MSG(isDouble(), "The EValue is not a Double.");
    return payload.copyable_union.as_double;
  }

  Result<double> tryToDouble() const {
    if (!isDouble()) {
      return internal::evalue_kind_error("Double", tag);
    }
    return payload.copyable_union.as_double;
  }

  // -- Bool --

  /* implicit */ EValue(bool value) : tag(Tag::Bool) { payload.copyable_union.as_bool = value; }

  bool isBool() const { return tag == Tag::Bool; }

  bool toBool() const {
    ET_CHECK_MSG(isBool(), "The EValue is not a Bool.");
    return payload.copyable_union.as_bool;
  }

  Result<bool> tryToBool() const {
    if (!isBool()) {
      return internal::evalue_kind_error("Bool", tag);
    }
    return payload.copyable_union.as_bool;
  }

  // -- Scalar: an Int, Double or Bool --

  /* implicit */ EValue(executorch::aten::Scalar value) {
    if (value.isBoolean()) {
      *this = EValue(value.to<bool>());
    } else if (value.isFloatingPoint()) {
      *this = EValue(value.to<double>());
    } else {
      *this = EValue(value.to<int64_t>());
    }
  }

  bool isScalar() const { return isInt() || isDouble() || isBool(); }

  executorch::aten::Scalar toScalar() const {
    ET_CHECK_MSG(isScalar(), "The EValue is not a Scalar.");
    return scalar_unchecked();
  }

  Result<executorch::aten::Scalar> tryToScalar() const {
    if (!isScalar()) {
      return internal::evalue_kind_error("Scalar (Int, Double or Bool)", tag);
    }
    return scalar_unchecked();
  }

  // -- Tensor --

  /* implicit */ EValue(executorch::aten::Tensor value) : tag(Tag::Tensor) {
    new (&payload.as_tensor) executorch::aten::Tensor(value);
  }

  /// From a smart pointer to something that becomes an EValue, e.g. a TensorPtr. Aborts when it is
  /// null.
  template <typename T, typename = typename std::enable_if<std::is_convertible<
                            decltype(*std::forward<T>(std::declval<T>())), EValue>::value>::type>
  /* implicit */ EValue(T&& value) : tag(Tag::None) {
    ET_CHECK_MSG(value != nullptr, "The pointer to a value is null.");
    *this = EValue(*std::forward<T>(value));
  }

  /// A plain pointer would become a Bool.
  template <typename T>
  explicit EValue(T* value) = delete;

  bool isTensor() const { return tag == Tag::Tensor; }

  /// Leaves None behind.
  executorch::aten::Tensor toTensor() && {
    ET_CHECK_MSG(isTensor(), "The EValue is not a Tensor.");
    executorch::aten::Tensor tensor = payload.as_tensor;
    clear_to_none();
    return tensor;
  }

  executorch::aten::Tensor& toTensor() & {
    ET_CHECK_MSG(isTensor(), "The EValue is not a Tensor.");
    return payload.as_tensor;
  }

  const executorch::aten::Tensor& toTensor() const& {
    ET_CHECK_MSG(isTensor(), "The EValue is not a Tensor.");
    return payload.as_tensor;
  }

  Result<executorch::aten::Tensor> tryToTensor() const {
    if (!isTensor()) {
      return internal::evalue_kind_error("Tensor", tag);
    }
    return payload.as_tensor;
  }

  // -- String --

  /// Aborts when `value` is null.
  /* implicit */ EValue(executorch::aten::ArrayRef<char>* value) : tag(Tag::String) {
    ET_CHECK_MSG(value != nullptr, "The string of an EValue must not be null.");
    payload.copyable_union.as_string_ptr = value;
  }

  bool isString() const { return tag == Tag::String; }

  std::string_view toString() const {
    ET_CHECK_MSG(isString(), "The EValue is not a String.");
    return checked_get(tryToString());
  }

  Result<std::string_view> tryToString() const {
    if (!isString()) {
      return internal::evalue_kind_error("String", tag);
    }
    const auto* characters = payload.copyable_union.as_string_ptr;
    if (characters == nullptr) {
      return missing_content();
    }
    return std::string_view(characters->data(), characters->size());
  }

  // -- Int list --

  /// Aborts when `value` is null.
  /* implicit */ EValue(BoxedEvalueList<int64_t>* value) : tag(Tag::ListInt) {
    ET_CHECK_MSG(value != nullptr, "The list of an EValue must not be null.");
    payload.copyable_union.as_int_list_ptr = value;
  }

  bool isIntList() const { return tag == Tag::ListInt; }

  executorch::aten::ArrayRef<int64_t> toIntList() const {
    ET_CHECK_MSG(isIntList(), "The EValue is not an Int list.");
    return checked_get(tryToIntList());
  }

  Result<executorch::aten::ArrayRef<int64_t>> tryToIntList() const {
    if (!isIntList()) {
      return internal::evalue_kind_error("Int list", tag);
    }
    return try_get_list(payload.copyable_union.as_int_list_ptr);
  }

  // -- Bool list --

  /// Aborts when `value` is null.
  /* implicit */ EValue(executorch::aten::ArrayRef<bool>* value) : tag(Tag::ListBool) {
    ET_CHECK_MSG(value != nullptr, "The list of an EValue must not be null.");
    payload.copyable_union.as_bool_list_ptr = value;
  }

  bool isBoolList() const { return tag == Tag::ListBool; }

  executorch::aten::ArrayRef<bool> toBoolList() const {
    ET_CHECK_MSG(isBoolList(), "The EValue is not a Bool list.");
    return checked_get(tryToBoolList());
  }

  Result<executorch::aten::ArrayRef<bool>> tryToBoolList() const {
    if (!isBoolList()) {
      return internal::evalue_kind_error("Bool list", tag);
    }
    if (payload.copyable_union.as_bool_list_ptr == nullptr) {
      return missing_content();
    }
    return *payload.copyable_union.as_bool_list_ptr;
  }

  // -- Double list --

  /// Aborts when `value` is null.
  /* implicit */ EValue(executorch::aten::ArrayRef<double>* value) : tag(Tag::ListDouble) {
    ET_CHECK_MSG(value != nullptr, "The list of an EValue must not be null.");
    payload.copyable_union.as_double_list_ptr = value;
  }

  bool isDoubleList() const { return tag == Tag::ListDouble; }

  executorch::aten::ArrayRef<double> toDoubleList() const {
    ET_CHECK_MSG(isDoubleList(), "The EValue is not a Double list.");
    return checked_get(tryToDoubleList());
  }

  Result<executorch::aten::ArrayRef<double>> tryToDoubleList() const {
    if (!isDoubleList()) {
      return internal::evalue_kind_error("Double list", tag);
    }
    if (payload.copyable_union.as_double_list_ptr == nullptr) {
      return missing_content();
    }
    return *payload.copyable_union.as_double_list_ptr;
  }

  // -- Tensor list --

  /// Aborts when `value` is null.
  /* implicit */ EValue(BoxedEvalueList<executorch::aten::Tensor>* value) : tag(Tag::ListTensor) {
    ET_CHECK_MSG(value != nullptr, "The list of an EValue must not be null.");
    payload.copyable_union.as_tensor_list_ptr = value;
  }

  bool isTensorList() const { return tag == Tag::ListTensor; }

  executorch::aten::ArrayRef<executorch::aten::Tensor> toTensorList() const {
    ET_CHECK_MSG(isTensorList(), "The EValue is not a Tensor list.");
    return checked_get(tryToTensorList());
  }

  Result<executorch::aten::ArrayRef<executorch::aten::Tensor>> tryToTensorList() const {
    if (!isTensorList()) {
      return internal::evalue_kind_error("Tensor list", tag);
    }
    return try_get_list(payload.copyable_union.as_tensor_list_ptr);
  }

  // -- List of optional tensors --

  /// Aborts when `value` is null.
  /* implicit */ EValue(BoxedEvalueList<std::optional<executorch::aten::Tensor>>* value)
      : tag(Tag::ListOptionalTensor) {
    ET_CHECK_MSG(value != nullptr, "The list of an EValue must not be null.");
    payload.copyable_union.as_list_optional_tensor_ptr = value;
  }

  bool isListOptionalTensor() const { return tag == Tag::ListOptionalTensor; }

  executorch::aten::ArrayRef<std::optional<executorch::aten::Tensor>> toListOptionalTensor() const {
    ET_CHECK_MSG(isListOptionalTensor(), "The EValue is not a list of optional tensors.");
    return checked_get(tryToListOptionalTensor());
  }

  Result<executorch::aten::ArrayRef<std::optional<executorch::aten::Tensor>>>
  tryToListOptionalTensor() const {
    if (!isListOptionalTensor()) {
      return internal::evalue_kind_error("list of optional tensors", tag);
    }
    return try_get_list(payload.copyable_union.as_list_optional_tensor_ptr);
  }

  // -- Enumerations, which programs store as Int. Whether the number is an enumerator is not
  // checked. --

  executorch::aten::ScalarType toScalarType() const {
    return enumerator<executorch::aten::ScalarType>("The EValue is not a ScalarType.");
  }
  Result<executorch::aten::ScalarType> tryToScalarType() const {
    return try_enumerator<executorch::aten::ScalarType>("ScalarType (Int)");
  }

  executorch::aten::MemoryFormat toMemoryFormat() const {
    return enumerator<executorch::aten::MemoryFormat>("The EValue is not a MemoryFormat.");
  }
  Result<executorch::aten::MemoryFormat> tryToMemoryFormat() const {
    return try_enumerator<executorch::aten::MemoryFormat>("MemoryFormat (Int)");
  }

  executorch::aten::Layout toLayout() const {
    return enumerator<executorch::aten::Layout>("The EValue is not a Layout.");
  }
  Result<executorch::aten::Layout> tryToLayout() const {
    return try_enumerator<executorch::aten::Layout>("Layout (Int)");
  }

  /// The current device of the kind that the number names.
  executorch::aten::Device toDevice() const {
    return executorch::aten::Device(
        enumerator<executorch::aten::DeviceType>("The EValue is not a Device."), -1);
  }
  Result<executorch::aten::Device> tryToDevice() const {
    Result<executorch::aten::DeviceType> type =
        try_enumerator<executorch::aten::DeviceType>("Device (Int)");
    if (!type.ok()) {
      return type.error();
    }
    return executorch::aten::Device(*type, -1);
  }

  // -- By type --

  /// The value as one of the types that the toX() return. Aborts when the kind does not match.
  template <typename T>
  T to() &&;
  template <typename T>
  typename internal::evalue_to_const_ref_overload_return<T>::type to() const&;
  template <typename T>
  typename internal::evalue_to_ref_overload_return<T>::type to() &;

  /// The value as one of the types that the tryToX() return.
  template <typename T>
  Result<T> tryTo() const;

  /// None becomes nullopt. Aborts when the value is neither None nor a T.
  template <typename T>
  inline std::optional<T> toOptional() const {
    if (isNone()) {
      return std::nullopt;
    }
    return this->to<T>();
  }

  /// None becomes nullopt; an error when the value is neither None nor a T.
  template <typename T>
  inline Result<std::optional<T>> tryToOptional() const {
    if (isNone()) {
      return std::optional<T>(std::nullopt);
    }
    Result<T> value = tryTo<T>();
    if (!value.ok()) {
      return value.error();
    }
    return std::optional<T>(std::move(value.get()));
  }

 private:
  void clear_to_none() noexcept {
    payload.copyable_union.as_int = 0;
    tag = Tag::None;
  }

  executorch::aten::Scalar scalar_unchecked() const {
    switch (tag) {
      case Tag::Double:
        return payload.copyable_union.as_double;
      case Tag::Bool:
        return payload.copyable_union.as_bool;
      default:
        return payload.copyable_union.as_int;
    }
  }

  static Error missing_content() {
    return internal::evalue_list_error(0, "the list or string has no content", Error::InvalidState);
  }

  template <typename T>
  static Result<executorch::aten::ArrayRef<T>> try_get_list(const BoxedEvalueList<T>* list) {
    if (list == nullptr) {
      return missing_content();
    }
    return list->tryGet();
  }

  template <typename T>
  static T checked_get(const Result<T>& result) {
    ET_CHECK_MSG(result.ok(), "The content of the EValue is missing or of another kind.");
    return result.get();
  }

  template <typename T>
  T enumerator(const char* message) const {
    ET_CHECK_MSG(isInt(), "%s", message);
    return static_cast<T>(payload.copyable_union.as_int);
  }

  template <typename T>
  Result<T> try_enumerator(const char* expected) const {
    if (!isInt()) {
      return internal::evalue_kind_error(expected, tag);
    }
    return static_cast<T>(payload.copyable_union.as_int);
  }
};

static_assert(std::is_trivially_destructible<EValue>::value, "Values are dropped without a call.");

// Both families for one type.
#define ET_DEFINE_EVALUE_TO(type__, to__, try_to__)                                                \
  template <>                                                                                      \
  inline type__ EValue::to<type__>() && {                                                          \
    return std::move(*this).to__();                                                                \
  }                                                                                                \
  template <>                                                                                      \
  inline internal::evalue_to_const_ref_overload_return<type__>::type EValue::to<type__>() const& { \
    return this->to__();                                                                           \
  }                                                                                                \
  template <>                                                                                      \
  inline internal::evalue_to_ref_overload_return<type__>::type EValue::to<type__>() & {            \
    return this->to__();                                                                           \
  }                                                                                                \
  template <>                                                                                      \
  inline Result<type__> EValue::tryTo<type__>() const {                                            \
    return this->try_to__();                                                                       \
  }

#define ET_DEFINE_EVALUE_TO_OPTIONAL(type__) \
  ET_DEFINE_EVALUE_TO(std::optional<type__>, toOptional<type__>, tryToOptional<type__>)

ET_DEFINE_EVALUE_TO(int64_t, toInt, tryToInt)
ET_DEFINE_EVALUE_TO(double, toDouble, tryToDouble)
ET_DEFINE_EVALUE_TO(bool, toBool, tryToBool)
ET_DEFINE_EVALUE_TO(executorch::aten::Scalar, toScalar, tryToScalar)
ET_DEFINE_EVALUE_TO(executorch::aten::Tensor, toTensor, tryToTensor)
ET_DEFINE_EVALUE_TO(std::string_view, toString, tryToString)
ET_DEFINE_EVALUE_TO(executorch::aten::ScalarType, toScalarType, tryToScalarType)
ET_DEFINE_EVALUE_TO(executorch::aten::MemoryFormat, toMemoryFormat, tryToMemoryFormat)
ET_DEFINE_EVALUE_TO(executorch::aten::Layout, toLayout, tryToLayout)
ET_DEFINE_EVALUE_TO(executorch::aten::Device, toDevice, tryToDevice)
ET_DEFINE_EVALUE_TO(executorch::aten::ArrayRef<int64_t>, toIntList, tryToIntList)
ET_DEFINE_EVALUE_TO(executorch::aten::ArrayRef<double>, toDoubleList, tryToDoubleList)
ET_DEFINE_EVALUE_TO(executorch::aten::ArrayRef<bool>, toBoolList, tryToBoolList)
ET_DEFINE_EVALUE_TO(executorch::aten::ArrayRef<executorch::aten::Tensor>, toTensorList,
                    tryToTensorList)
ET_DEFINE_EVALUE_TO(executorch::aten::ArrayRef<std::optional<executorch::aten::Tensor>>,
                    toListOptionalTensor, tryToListOptionalTensor)

ET_DEFINE_EVALUE_TO_OPTIONAL(executorch::aten::Tensor)
ET_DEFINE_EVALUE_TO_OPTIONAL(executorch::aten::ArrayRef<int64_t>)
ET_DEFINE_EVALUE_TO_OPTIONAL(executorch::aten::ArrayRef<double>)
ET_DEFINE_EVALUE_TO_OPTIONAL(executorch::aten::ArrayRef<bool>)
ET_DEFINE_EVALUE_TO_OPTIONAL(executorch::aten::ArrayRef<executorch::aten::Tensor>)

#undef ET_DEFINE_EVALUE_TO_OPTIONAL
#undef ET_DEFINE_EVALUE_TO

template <typename T>
Result<executorch::aten::ArrayRef<T>> BoxedEvalueList<T>::tryGet() const {
  constexpr bool none_allowed = std::is_same<T, std::optional<executorch::aten::Tensor>>::value;
  for (size_t i = 0; i < size_; ++i) {
    const EValue* element = wrapped_vals_[i];
    if (element == nullptr) {
      if constexpr (none_allowed) {
        new (&unwrapped_vals_[i]) T(std::nullopt);
        continue;
      }
      return internal::evalue_list_error(i, "it is missing", Error::InvalidState);
    }
    Result<T> value = element->template tryTo<T>();
    if (!value.ok()) {
      return internal::evalue_list_error(i, nullptr, value.error());
    }
    new (&unwrapped_vals_[i]) T(std::move(value.get()));
  }
  return executorch::aten::ArrayRef<T>{unwrapped_vals_, size_};
}

template <typename T>
executorch::aten::ArrayRef<T> BoxedEvalueList<T>::get() const {
  Result<executorch::aten::ArrayRef<T>> elements = tryGet();
  ET_CHECK_MSG(elements.ok(), "An element of a list is missing or of another kind.");
  return *elements;
}

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::EValue;
}  // namespace executor
}  // namespace torch
