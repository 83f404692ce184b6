#include "kernels/support/promotion.h"

#include <cmath>
#include <limits>

#include "kernels/support/tensors.h"

namespace executorch {
namespace kernels {
namespace {

enum Category { kBool, kInteger, kFloat, kComplex };

Category category_of(ScalarType type) {
  if (is_complex(type)) return kComplex;
  if (is_floating(type)) return kFloat;
  return is_integral(type, false) ? kInteger : kBool;
}

/// Width in bytes of a signed integer that holds every value of the type.
int signed_width(ScalarType type) {
  switch (type) {
    case ScalarType::Char:
      return 1;
    case ScalarType::Byte:
    case ScalarType::Short:
      return 2;
    case ScalarType::Int:
      return 4;
    default:
      return 8;
  }
}

ScalarType promote_integers(ScalarType a, ScalarType b) {
  if (a == b) return a;
  const int width = signed_width(a) > signed_width(b) ? signed_width(a) : signed_width(b);
  return width == 1   ? ScalarType::Char
         : width == 2 ? ScalarType::Short
         : width == 4 ? ScalarType::Int
                      : ScalarType::Long;
}

ScalarType promote_floats(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (a == ScalarType::Double || b == ScalarType::Double) return ScalarType::Double;
  return ScalarType::Float;
}

ScalarType complex_of(ScalarType type) {
  switch (type) {
    case ScalarType::Half:
      return ScalarType::ComplexHalf;
    case ScalarType::Double:
      return ScalarType::ComplexDouble;
    default:
      return ScalarType::ComplexFloat;
  }
}

bool takes_part(ScalarType type) {
  return is_arithmetic(type) || is_complex(type);
}

}  // namespace

ScalarType promote_types(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (!takes_part(a) || !takes_part(b)) return ScalarType::Undefined;
  const Category x = category_of(a);
  const Category y = category_of(b);
  if (x == kComplex || y == kComplex) {
    const ScalarType x_real = real_of(a);
    const ScalarType y_real = real_of(b);
    if (!is_floating(y_real)) return a;
    if (!is_floating(x_real)) return b;
    return complex_of(promote_floats(x_real, y_real));
  }
  if (x != y) return x > y ? a : b;
  return x == kFloat ? promote_floats(a, b) : promote_integers(a, b);
}

void ResultType::merge(ScalarType& into, ScalarType type) {
  if (!takes_part(type)) known_ = false;
  into = into == kNone ? type : promote_types(into, type);
}

ResultType& ResultType::add(const Tensor& tensor) {
  merge(tensor.dim() > 0 ? dimensioned_ : zero_dim_, tensor.scalar_type());
  return *this;
}

ResultType& ResultType::add(const Scalar& scalar) {
  merge(number_, scalar.isFloatingPoint() ? ScalarType::Float
                 : scalar.isBoolean()     ? ScalarType::Bool
                                          : ScalarType::Long);
  return *this;
}

ScalarType ResultType::get() const {
  if (!known_) return ScalarType::Undefined;
  const auto combine = [](ScalarType heavy, ScalarType light) {
    if (heavy == kNone) return light;
    if (light == kNone) return heavy;
    return category_of(light) > category_of(heavy) ? promote_types(heavy, light) : heavy;
  };
  return combine(dimensioned_, combine(zero_dim_, number_));
}

Error check_can_cast(ScalarType from, const Tensor& out, const char* out_name) {
  ET_REQUIRE(can_cast(from, out.scalar_type()), InvalidArgument,
             "a result of type %s cannot be written to argument '%s' of type %s", dtype_name(from),
             out_name, dtype_name(out.scalar_type()));
  return Error::Ok;
}

Error check_arithmetic(const Tensor& tensor, const char* name) {
  ET_REQUIRE(is_arithmetic(tensor.scalar_type()), InvalidArgument,
             "argument '%s': dtype %s is not supported", name, dtype_name(tensor.scalar_type()));
  return Error::Ok;
}

Error check_floating(const Tensor& tensor, const char* name) {
  ET_REQUIRE(is_floating(tensor.scalar_type()), InvalidArgument,
             "argument '%s': expected a floating point dtype, found %s", name,
             dtype_name(tensor.scalar_type()));
  return Error::Ok;
}

double to_double(const Scalar& scalar) {
  if (scalar.isFloatingPoint()) return scalar.to<double>();
  return scalar.isBoolean() ? (scalar.to<bool>() ? 1.0 : 0.0)
                            : static_cast<double>(scalar.to<int64_t>());
}

int64_t to_int64(const Scalar& scalar) {
  if (scalar.isBoolean()) return scalar.to<bool>() ? 1 : 0;
  if (!scalar.isFloatingPoint()) return scalar.to<int64_t>();
  const double value = scalar.to<double>();
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
  if (value < -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

namespace {

struct Range {
  double low;
  double high;
};

Range range_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte:
      return {0, 255};
    case ScalarType::Char:
      return {-128, 127};
    case ScalarType::Short:
      return {-32768, 32767};
    case ScalarType::Int:
      return {-2147483648.0, 2147483647.0};
    case ScalarType::Half:
      return {-65504, 65504};
    case ScalarType::BFloat16:
      return {-3.3895313892515355e38, 3.3895313892515355e38};
    case ScalarType::Float:
      return {-3.4028234663852886e38, 3.4028234663852886e38};
    default:
      return {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  }
}

}  // namespace

Error check_fits(const Scalar& scalar, ScalarType dtype, const char* name) {
  if (dtype == ScalarType::Bool || dtype == ScalarType::Double || is_complex(dtype))
    return Error::Ok;
  const double value = to_double(scalar);
  if (is_floating(dtype) && !std::isfinite(value)) return Error::Ok;
  Range range = range_of(dtype);
  // Unsigned types take negative numbers modulo their range, as in eager.
  if (dtype == ScalarType::Byte) range.low = -255;
  bool fits = value >= range.low && value <= range.high;
  if (dtype == ScalarType::Long) {
    fits = !scalar.isFloatingPoint() ||
           (value >= -9223372036854775808.0 && value < 9223372036854775808.0);
  }
  ET_REQUIRE(fits, InvalidArgument, "argument '%s': %g is out of range for %s", name, value,
             dtype_name(dtype));
  return Error::Ok;
}

}  // namespace kernels
}  // namespace executorch
