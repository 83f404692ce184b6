/**
 * @file
 * Element types: traits (scalar_type_traits.h), lists (scalar_type_lists.h), dispatch
 * (scalar_type_switch.h), and here casts and type promotion.
 */
#pragma once

#include <cstdint>
#include <type_traits>

#include <executorch/runtime/core/exec_aten/util/scalar_type_lists.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_switch.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_traits.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

// -- Casts --

/// Whether a result may be stored as another type: not complex as real, not floating as integral,
/// nothing but Bool as Bool.
inline constexpr bool canCast(const ::executorch::aten::ScalarType from,
                              const ::executorch::aten::ScalarType to) {
  return !(isComplexType(from) && !isComplexType(to)) &&
         !(isFloatingType(from) && isIntegralType(to, /*includeBool=*/false)) &&
         !(from != ::executorch::aten::ScalarType::Bool &&
           to == ::executorch::aten::ScalarType::Bool);
}

template <typename T1, typename T2>
struct can_cast : std::integral_constant<bool, canCast(CppTypeToScalarType<T1>::value,
                                                       CppTypeToScalarType<T2>::value)> {};

/// Converts a value as PyTorch does: a float becomes an integer by way of int64_t.
template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_floating_point<From>::value && std::is_integral<To>::value) {
    return static_cast<To>(static_cast<int64_t>(value));
  } else {
    return static_cast<To>(value);
  }
}

// -- Promotion --

namespace internal {

inline constexpr auto u1 = ::executorch::aten::ScalarType::Byte;
inline constexpr auto i1 = ::executorch::aten::ScalarType::Char;
inline constexpr auto i2 = ::executorch::aten::ScalarType::Short;
inline constexpr auto i4 = ::executorch::aten::ScalarType::Int;
inline constexpr auto i8 = ::executorch::aten::ScalarType::Long;
inline constexpr auto f2 = ::executorch::aten::ScalarType::Half;
inline constexpr auto f4 = ::executorch::aten::ScalarType::Float;
inline constexpr auto f8 = ::executorch::aten::ScalarType::Double;
inline constexpr auto c2 = ::executorch::aten::ScalarType::ComplexHalf;
inline constexpr auto c4 = ::executorch::aten::ScalarType::ComplexFloat;
inline constexpr auto c8 = ::executorch::aten::ScalarType::ComplexDouble;
inline constexpr auto b1 = ::executorch::aten::ScalarType::Bool;
inline constexpr auto bf = ::executorch::aten::ScalarType::BFloat16;

using U1 = ScalarTypeToCppType<u1>::type;
using I1 = ScalarTypeToCppType<i1>::type;
using I2 = ScalarTypeToCppType<i2>::type;
using I4 = ScalarTypeToCppType<i4>::type;
using I8 = ScalarTypeToCppType<i8>::type;
using F2 = ScalarTypeToCppType<f2>::type;
using F4 = ScalarTypeToCppType<f4>::type;
using F8 = ScalarTypeToCppType<f8>::type;
using C2 = ScalarTypeToCppType<c2>::type;
using C4 = ScalarTypeToCppType<c4>::type;
using C8 = ScalarTypeToCppType<c8>::type;
using B1 = ScalarTypeToCppType<b1>::type;
using BF = ScalarTypeToCppType<bf>::type;

/// Order of width: every value of a lower rank is one of a higher.
constexpr int integer_rank(::executorch::aten::ScalarType type) {
  return type == b1 ? 0 : type == u1 || type == i1 ? 1 : type == i2 ? 2 : type == i4 ? 3 : 4;
}

/// Promotion within the integers and Bool.
constexpr ::executorch::aten::ScalarType promote_integers(::executorch::aten::ScalarType a,
                                                          ::executorch::aten::ScalarType b) {
  if (integer_rank(a) == integer_rank(b)) {
    return a == b ? a : i2;
  }
  return integer_rank(a) > integer_rank(b) ? a : b;
}

/// Promotion within the floats; Half and BFloat16 have only Float in common.
constexpr ::executorch::aten::ScalarType promote_floats(::executorch::aten::ScalarType a,
                                                        ::executorch::aten::ScalarType b) {
  if (a == b) {
    return a;
  }
  return a == f8 || b == f8 ? f8 : f4;
}

/// Promotion between types that promotion knows: complex over float over integer, and within the
/// category the wider; an operand of a lower category does not widen.
constexpr ::executorch::aten::ScalarType promote_known(::executorch::aten::ScalarType a,
                                                       ::executorch::aten::ScalarType b) {
  const bool any_complex = isComplexType(a) || isComplexType(b);
  const auto part_a = toRealValueType(a);
  const auto part_b = toRealValueType(b);
  const bool float_a = isFloatingType(part_a);
  const bool float_b = isFloatingType(part_b);
  const auto part = float_a && float_b ? promote_floats(part_a, part_b)
                    : float_a          ? part_a
                    : float_b          ? part_b
                                       : promote_integers(part_a, part_b);
  return any_complex ? toComplexType(part) : part;
}

constexpr bool is_promotable(::executorch::aten::ScalarType type) {
  return isRealHBBF16Type(type) || isComplexType(type);
}

}  // namespace internal

/**
 * The type in which an operation on both is done, as PyTorch has it. Aborts when the types differ
 * and one of them is quantized, of bits, an 8-bit float or UInt16 to UInt64, or Undefined: ask
 * can_promote() first.
 *
 * @param[in] half_to_float Gives Float where the result would be Half or BFloat16.
 */
inline constexpr ::executorch::aten::ScalarType promoteTypes(::executorch::aten::ScalarType a,
                                                             ::executorch::aten::ScalarType b,
                                                             bool half_to_float = false) {
  const bool promotable = internal::is_promotable(a) && internal::is_promotable(b);
  if (!promotable && a == b && isValid(a)) {
    return a;
  }
  ET_CHECK_MSG(promotable, "The dtypes %s and %s have no common type.", toString(a), toString(b));
  const ::executorch::aten::ScalarType common = internal::promote_known(a, b);
  const bool reduced = common == ::executorch::aten::ScalarType::Half ||
                       common == ::executorch::aten::ScalarType::BFloat16;
  return half_to_float && reduced ? ::executorch::aten::ScalarType::Float : common;
}

/// Whether promoteTypes() has an answer.
inline constexpr bool can_promote(::executorch::aten::ScalarType a,
                                  ::executorch::aten::ScalarType b) {
  return a == b || (internal::is_promotable(a) && internal::is_promotable(b));
}

/// `type` is the C++ type of promoteTypes().
template <typename T1, typename T2, bool half_to_float = false>
struct promote_types {
  static_assert(can_promote(CppTypeToScalarType<T1>::value, CppTypeToScalarType<T2>::value),
                "These types have no common type.");
  using type = typename ScalarTypeToCppType<promoteTypes(
      CppTypeToScalarType<T1>::value, CppTypeToScalarType<T2>::value, half_to_float)>::type;
};

}  // namespace runtime
}  // namespace executorch

namespace executorch {
namespace aten {
using ::executorch::runtime::elementSize;
}  // namespace aten
}  // namespace executorch

namespace torch {
namespace executor {

using ::executorch::runtime::can_cast;
using ::executorch::runtime::canCast;
using ::executorch::runtime::convert;
using ::executorch::runtime::CppTypeToScalarType;
using ::executorch::runtime::elementSize;
using ::executorch::runtime::is_barebones_unsigned_type;
using ::executorch::runtime::is_bits_type;
using ::executorch::runtime::is_complex_type;
using ::executorch::runtime::is_float8_type;
using ::executorch::runtime::is_floating_point;
using ::executorch::runtime::is_integral_type;
using ::executorch::runtime::is_qint_type;
using ::executorch::runtime::is_reduced_floating_point;
using ::executorch::runtime::isBitsType;
using ::executorch::runtime::isComplexType;
using ::executorch::runtime::isFloatingType;
using ::executorch::runtime::isIntegralType;
using ::executorch::runtime::isQIntType;
using ::executorch::runtime::isRealHBType;
using ::executorch::runtime::isRealHType;
using ::executorch::runtime::isRealType;
using ::executorch::runtime::isValid;
using ::executorch::runtime::promote_types;
using ::executorch::runtime::promoteTypes;
using ::executorch::runtime::ScalarTypeToCppType;
using ::executorch::runtime::toString;

namespace internal {
using ::executorch::runtime::internal::B1;
using ::executorch::runtime::internal::C2;
using ::executorch::runtime::internal::C4;
using ::executorch::runtime::internal::C8;
using ::executorch::runtime::internal::F2;
using ::executorch::runtime::internal::F4;
using ::executorch::runtime::internal::F8;
using ::executorch::runtime::internal::I1;
using ::executorch::runtime::internal::I2;
using ::executorch::runtime::internal::I4;
using ::executorch::runtime::internal::I8;
using ::executorch::runtime::internal::U1;
}  // namespace internal

}  // namespace executor
}  // namespace torch
