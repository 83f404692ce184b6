/**
 * @file
 * What is known of element types: their C++ types, names, sizes and groups.
 */
#pragma once

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <executorch/runtime/core/exec_aten/util/scalar_type_lists.h>
#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/portable_type/string_view.h>
#include <executorch/runtime/platform/assert.h>

#ifdef USE_ATEN_LIB
#error \
    "USE_ATEN_LIB selects PyTorch's tensor types, which this runtime does not support: undefine it."
#endif

namespace executorch {
namespace aten {
using ::executorch::runtime::etensor::BFloat16;
using ::executorch::runtime::etensor::Half;
using ::executorch::runtime::etensor::qint32;
using ::executorch::runtime::etensor::qint8;
using ::executorch::runtime::etensor::quint2x4;
using ::executorch::runtime::etensor::quint4x2;
using ::executorch::runtime::etensor::quint8;
using ::executorch::runtime::etensor::ScalarType;
using string_view = std::string_view;
template <typename T>
using complex = ::executorch::runtime::etensor::complex<T>;
}  // namespace aten
}  // namespace executorch

namespace exec_aten = ::executorch::aten;

namespace executorch {
namespace runtime {

// -- C++ types --

/// Whether T is a float of the language or one of the 16-bit floats.
template <typename T>
struct is_floating_point
    : std::integral_constant<bool, std::is_floating_point<T>::value ||
                                       std::is_same_v<T, ::executorch::aten::Half> ||
                                       std::is_same_v<T, ::executorch::aten::BFloat16>> {};

/// Whether T is one of the 16-bit floats.
template <typename T>
struct is_reduced_floating_point
    : std::integral_constant<bool, std::is_same_v<T, ::executorch::aten::Half> ||
                                       std::is_same_v<T, ::executorch::aten::BFloat16>> {};

template <typename T>
constexpr bool is_reduced_floating_point_v = is_reduced_floating_point<T>::value;

/// `type` is the C++ type of an element type.
template <::executorch::aten::ScalarType N>
struct ScalarTypeToCppType;

/// `value` is the element type of a C++ type.
template <typename T>
struct CppTypeToScalarType;

#define ET_DEFINE_TYPE_TRAITS(cpp_type__, name__)                      \
  template <>                                                          \
  struct ScalarTypeToCppType<::executorch::aten::ScalarType::name__> { \
    using type = cpp_type__;                                           \
  };                                                                   \
  template <>                                                          \
  struct CppTypeToScalarType<cpp_type__>                               \
      : std::integral_constant<::executorch::aten::ScalarType,         \
                               ::executorch::aten::ScalarType::name__> {};

ET_FORALL_SCALAR_TYPES(ET_DEFINE_TYPE_TRAITS)

#undef ET_DEFINE_TYPE_TRAITS

// -- Names and sizes --

/// Whether the number is an element type, Undefined not included.
inline bool isValid(::executorch::aten::ScalarType type) {
  return static_cast<int8_t>(type) >= 0 &&
         static_cast<int8_t>(type) < static_cast<int8_t>(::executorch::aten::ScalarType::Undefined);
}

/// The enumerator's name, "UNKNOWN_SCALAR" for a number that has none. Never null.
inline const char* toString(::executorch::aten::ScalarType type) {
  switch (type) {
#define ET_TYPE_NAME(cpp_type__, name__)       \
  case ::executorch::aten::ScalarType::name__: \
    return #name__;
    ET_FORALL_SCALAR_TYPES(ET_TYPE_NAME)
#undef ET_TYPE_NAME
    case ::executorch::aten::ScalarType::Undefined:
      return "Undefined";
    default:
      return "UNKNOWN_SCALAR";
  }
}

/// Bytes of an element. Aborts when isValid() is false.
inline size_t elementSize(::executorch::aten::ScalarType type) {
  switch (type) {
#define ET_TYPE_SIZE(cpp_type__, name__)       \
  case ::executorch::aten::ScalarType::name__: \
    return sizeof(cpp_type__);
    ET_FORALL_SCALAR_TYPES(ET_TYPE_SIZE)
#undef ET_TYPE_SIZE
    default:
      ET_CHECK_MSG(false, "%d is no ScalarType.", static_cast<int>(type));
  }
}

// -- Groups --

namespace internal {

/// Sets of element types, a bit each.
constexpr uint64_t scalar_type_bit(::executorch::aten::ScalarType type) {
  return uint64_t{1} << (static_cast<unsigned>(type) & 63u);
}

constexpr bool is_in(uint64_t set, ::executorch::aten::ScalarType type) {
  return static_cast<int8_t>(type) >= 0 && static_cast<int8_t>(type) < 64 &&
         (set & scalar_type_bit(type)) != 0;
}

constexpr uint64_t operator|(::executorch::aten::ScalarType a, ::executorch::aten::ScalarType b) {
  return scalar_type_bit(a) | scalar_type_bit(b);
}

constexpr uint64_t operator|(uint64_t set, ::executorch::aten::ScalarType type) {
  return set | scalar_type_bit(type);
}

struct TypeSets {
  using T = ::executorch::aten::ScalarType;
  static constexpr uint64_t kIntegral = T::Byte | T::Char | T::Short | T::Int | T::Long;
  static constexpr uint64_t kFloating = T::Float | T::Double | T::Half | T::BFloat16;
  static constexpr uint64_t kReal = kIntegral | T::Float | T::Double;
  static constexpr uint64_t kComplex = T::ComplexHalf | T::ComplexFloat | T::ComplexDouble;
  static constexpr uint64_t kBits = T::Bits1x8 | T::Bits2x4 | T::Bits4x2 | T::Bits8 | T::Bits16;
  static constexpr uint64_t kQInt = T::QInt8 | T::QUInt8 | T::QInt32 | T::QUInt4x2 | T::QUInt2x4;
  static constexpr uint64_t kFloat8 =
      T::Float8_e5m2 | T::Float8_e4m3fn | T::Float8_e5m2fnuz | T::Float8_e4m3fnuz;
  static constexpr uint64_t kUnsigned = T::UInt16 | T::UInt32 | T::UInt64;
};

}  // namespace internal

/// Byte, Char, Short, Int, Long, and Bool if asked for; not UInt16 to UInt64.
inline constexpr bool isIntegralType(::executorch::aten::ScalarType type, bool includeBool) {
  return internal::is_in(internal::TypeSets::kIntegral, type) ||
         (includeBool && type == ::executorch::aten::ScalarType::Bool);
}

inline constexpr bool isFloatingType(::executorch::aten::ScalarType type) {
  return internal::is_in(internal::TypeSets::kFloating, type);
}

inline constexpr bool isRealType(::executorch::aten::ScalarType type) {
  return internal::is_in(internal::TypeSets::kReal, type);
}

inline constexpr bool isRealHType(::executorch::aten::ScalarType type) {
  return isRealType(type) || type == ::executorch::aten::ScalarType::Half;
}

inline constexpr bool isRealHBType(::executorch::aten::ScalarType type) {
  return isRealHType(type) || type == ::executorch::aten::ScalarType::Bool;
}

inline constexpr bool isRealHBF16Type(::executorch::aten::ScalarType type) {
  return isRealHType(type) || type == ::executorch::aten::ScalarType::BFloat16;
}

inline constexpr bool isRealHBBF16Type(::executorch::aten::ScalarType type) {
  return isRealHBType(type) || type == ::executorch::aten::ScalarType::BFloat16;
}

inline constexpr bool isComplexType(::executorch::aten::ScalarType type) {
  return internal::is_in(internal::TypeSets::kComplex, type);
}

inline constexpr bool isBitsType(::executorch::aten::ScalarType type) {
  return internal::is_in(internal::TypeSets::kBits, type);
}

inline constexpr bool isQIntType(::executorch::aten::ScalarType type) {
  return internal::is_in(internal::TypeSets::kQInt, type);
}

inline constexpr bool isFloat8Type(::executorch::aten::ScalarType type) {
  return internal::is_in(internal::TypeSets::kFloat8, type);
}

/// UInt16, UInt32 and UInt64, which few operators take.
inline constexpr bool isBarebonesUnsignedType(::executorch::aten::ScalarType type) {
  return internal::is_in(internal::TypeSets::kUnsigned, type);
}

template <typename T, bool includeBool>
struct is_integral_type
    : std::integral_constant<bool, isIntegralType(CppTypeToScalarType<T>::value, includeBool)> {};
template <typename T>
struct is_complex_type
    : std::integral_constant<bool, isComplexType(CppTypeToScalarType<T>::value)> {};
template <typename T>
struct is_bits_type : std::integral_constant<bool, isBitsType(CppTypeToScalarType<T>::value)> {};
template <typename T>
struct is_qint_type : std::integral_constant<bool, isQIntType(CppTypeToScalarType<T>::value)> {};
template <typename T>
struct is_float8_type : std::integral_constant<bool, isFloat8Type(CppTypeToScalarType<T>::value)> {
};
template <typename T>
struct is_barebones_unsigned_type
    : std::integral_constant<bool, isBarebonesUnsignedType(CppTypeToScalarType<T>::value)> {};

/// Whether values below zero exist. Aborts for quantized types and for those that operators do not
/// compute with.
inline bool isSignedType(::executorch::aten::ScalarType type) {
  switch (type) {
#define ET_TYPE_IS_SIGNED(cpp_type__, name__)  \
  case ::executorch::aten::ScalarType::name__: \
    return std::numeric_limits<cpp_type__>::is_signed;
    ET_FORALL_REAL_TYPES_AND3(Half, Bool, BFloat16, ET_TYPE_IS_SIGNED)
#undef ET_TYPE_IS_SIGNED
    default:
      ET_CHECK_MSG(isComplexType(type), "isSignedType() does not support the dtype %s.",
                   toString(type));
      return true;
  }
}

// -- Related types --

/// The quantized type that is stored as `type`; `type` itself when there is none.
inline ::executorch::aten::ScalarType toQIntType(::executorch::aten::ScalarType type) {
  switch (type) {
    case ::executorch::aten::ScalarType::Byte:
      return ::executorch::aten::ScalarType::QUInt8;
    case ::executorch::aten::ScalarType::Char:
      return ::executorch::aten::ScalarType::QInt8;
    case ::executorch::aten::ScalarType::Int:
      return ::executorch::aten::ScalarType::QInt32;
    default:
      return type;
  }
}

/// The type that stores a quantized one; any other itself.
inline ::executorch::aten::ScalarType toUnderlying(::executorch::aten::ScalarType type) {
  switch (type) {
    case ::executorch::aten::ScalarType::QUInt8:
    case ::executorch::aten::ScalarType::QUInt4x2:
    case ::executorch::aten::ScalarType::QUInt2x4:
      return ::executorch::aten::ScalarType::Byte;
    case ::executorch::aten::ScalarType::QInt8:
      return ::executorch::aten::ScalarType::Char;
    case ::executorch::aten::ScalarType::QInt32:
      return ::executorch::aten::ScalarType::Int;
    default:
      return type;
  }
}

inline bool isUnderlying(::executorch::aten::ScalarType type,
                         ::executorch::aten::ScalarType qtype) {
  return type == toUnderlying(qtype);
}

/// The type of a complex type's parts; any other itself.
inline constexpr ::executorch::aten::ScalarType toRealValueType(
    ::executorch::aten::ScalarType type) {
  switch (type) {
    case ::executorch::aten::ScalarType::ComplexHalf:
      return ::executorch::aten::ScalarType::Half;
    case ::executorch::aten::ScalarType::ComplexFloat:
      return ::executorch::aten::ScalarType::Float;
    case ::executorch::aten::ScalarType::ComplexDouble:
      return ::executorch::aten::ScalarType::Double;
    default:
      return type;
  }
}

/// The complex type with such parts. Aborts when there is none.
inline constexpr ::executorch::aten::ScalarType toComplexType(::executorch::aten::ScalarType type) {
  switch (type) {
    case ::executorch::aten::ScalarType::Half:
      return ::executorch::aten::ScalarType::ComplexHalf;
    case ::executorch::aten::ScalarType::BFloat16:
    case ::executorch::aten::ScalarType::Float:
      return ::executorch::aten::ScalarType::ComplexFloat;
    case ::executorch::aten::ScalarType::Double:
      return ::executorch::aten::ScalarType::ComplexDouble;
    default:
      ET_CHECK_MSG(isComplexType(type), "There is no complex type for the dtype %s.",
                   toString(type));
      return type;
  }
}

}  // namespace runtime
}  // namespace executorch
