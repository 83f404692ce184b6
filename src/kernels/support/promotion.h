/**
 * @file
 * PyTorch's type promotion.
 */
#pragma once

#include "kernels/support/kernel.h"

namespace executorch {
namespace kernels {

constexpr bool is_integral(ScalarType t, bool include_bool) {
  return t == ScalarType::Byte || t == ScalarType::Char || t == ScalarType::Short ||
         t == ScalarType::Int || t == ScalarType::Long || (include_bool && t == ScalarType::Bool);
}
constexpr bool is_floating(ScalarType t) {
  return t == ScalarType::Half || t == ScalarType::BFloat16 || t == ScalarType::Float ||
         t == ScalarType::Double;
}
constexpr bool is_complex(ScalarType t) {
  return t == ScalarType::ComplexHalf || t == ScalarType::ComplexFloat ||
         t == ScalarType::ComplexDouble;
}
/// The ten types that arithmetic knows: bool, the integers of torch's default set, half, bfloat16,
/// float, double.
constexpr bool is_arithmetic(ScalarType t) {
  return is_integral(t, true) || is_floating(t);
}

/// The dtype of the parts of complex numbers; a real dtype itself.
constexpr ScalarType real_of(ScalarType type) {
  switch (type) {
    case ScalarType::ComplexHalf:
      return ScalarType::Half;
    case ScalarType::ComplexFloat:
      return ScalarType::Float;
    case ScalarType::ComplexDouble:
      return ScalarType::Double;
    default:
      return type;
  }
}

/// torch.promote_types over the arithmetic and complex dtypes; Undefined when one is of another
/// kind.
ScalarType promote_types(ScalarType a, ScalarType b);

/// torch.can_cast: a result of type `from` may be written to an output of type `to`.
constexpr bool can_cast(ScalarType from, ScalarType to) {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating(from) && is_integral(to, true)) return false;
  return from == ScalarType::Bool || to != ScalarType::Bool;
}

/// Collects the operands of a call and yields torch.result_type: tensors with dimensions weigh more
/// than 0-d tensors, these more than numbers; a lighter operand counts only if its category (bool,
/// int, float, complex) is higher.
class ResultType {
 public:
  ResultType& add(const Tensor& tensor);
  ResultType& add(const Scalar& scalar);
  /// Undefined when an operand's dtype does not take part in promotion.
  ScalarType get() const;

 private:
  static constexpr ScalarType kNone = ScalarType::Undefined;
  void merge(ScalarType& into, ScalarType type);

  ScalarType dimensioned_ = kNone;
  ScalarType zero_dim_ = kNone;
  ScalarType number_ = kNone;
  bool known_ = true;
};

/// InvalidArgument naming both unless a result of type `from` may be written to `out`.
Error check_can_cast(ScalarType from, const Tensor& out, const char* out_name = "out");

/// InvalidArgument naming the argument unless its dtype is arithmetic.
Error check_arithmetic(const Tensor& tensor, const char* name);
/// InvalidArgument naming the argument unless its dtype is floating.
Error check_floating(const Tensor& tensor, const char* name);

/// The number as double or as int64, whatever its kind; a float is cut and saturated.
double to_double(const Scalar& scalar);
int64_t to_int64(const Scalar& scalar);

/// InvalidArgument unless `scalar` is representable in `dtype` (overflow; fractions are cut as
/// eager cuts them).
Error check_fits(const Scalar& scalar, ScalarType dtype, const char* name);

}  // namespace kernels
}  // namespace executorch
