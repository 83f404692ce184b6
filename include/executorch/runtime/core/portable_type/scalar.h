/**
 * @file
 * A number of any kind, as operators take it.
 */
#pragma once

#include <cstdint>
#include <type_traits>

#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/half.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {
namespace etensor {

/// Holds an int64_t, a double or a bool. Ask for the kind first: to<T>() aborts when it does not
/// match.
class Scalar {
 public:
  /// The integer 0.
  Scalar() : Scalar(int64_t{0}) {}

  template <typename T, typename std::enable_if<std::is_integral<T>::value, bool>::type = true>
  /* implicit */ Scalar(T value) : tag_(Tag::Int) {
    value_.as_int = static_cast<int64_t>(value);
  }

  /* implicit */ Scalar(bool value) : tag_(Tag::Bool) { value_.as_bool = value; }
  /* implicit */ Scalar(double value) : tag_(Tag::Double) { value_.as_double = value; }
  /* implicit */ Scalar(BFloat16 value) : Scalar(static_cast<double>(static_cast<float>(value))) {}
  /* implicit */ Scalar(Half value) : Scalar(static_cast<double>(static_cast<float>(value))) {}

  /**
   * The value as int64_t, double or bool. An integer can be had from an integer or a bool, the
   * others from their own kind only; aborts otherwise.
   */
  template <typename T>
  T to() const;

  /// Whether it holds an integer, or a bool if `include_bool`.
  bool isIntegral(bool include_bool) const {
    return tag_ == Tag::Int || (include_bool && isBoolean());
  }
  bool isFloatingPoint() const { return tag_ == Tag::Double; }
  bool isBoolean() const { return tag_ == Tag::Bool; }

 private:
  Tag tag_;
  union Value {
    Value() : as_int(0) {}
    double as_double;
    int64_t as_int;
    bool as_bool;
  } value_;
};

template <>
inline int64_t Scalar::to<int64_t>() const {
  ET_CHECK_MSG(isIntegral(/*include_bool=*/true),
               "The Scalar holds a Double, expected an Int or Bool.");
  return isBoolean() ? static_cast<int64_t>(value_.as_bool) : value_.as_int;
}

template <>
inline double Scalar::to<double>() const {
  ET_CHECK_MSG(isFloatingPoint(), "The Scalar holds an Int or Bool, expected a Double.");
  return value_.as_double;
}

template <>
inline bool Scalar::to<bool>() const {
  ET_CHECK_MSG(isBoolean(), "The Scalar holds an Int or Double, expected a Bool.");
  return value_.as_bool;
}

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::Scalar;
}  // namespace executor
}  // namespace torch
