// Functions of two operands beyond arithmetic, and the parts of floating point numbers.
#include "kernels/cpu/elementwise/elementwise_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

/// Computed in floating point: integers and bool give float.
template <ElementwiseOp op>
Error to_float(const Input& a, const Input& b, Tensor& out) {
  ScalarType type;
  ET_TRY(float_result_type({a, b}, &type));
  return run_elementwise(op, type, type, {a, b}, out);
}
template <ElementwiseOp op>
Error tensor_to_float(Context&, const Tensor& self, const Tensor& other, Tensor& out) {
  return to_float<op>({"self", self}, {"other", other}, out);
}
template <ElementwiseOp op>
Error number_to_float(Context&, const Tensor& self, Scalar other, Tensor& out) {
  return to_float<op>({"self", self}, {"other", other}, out);
}

Error zeta_of_number(Context&, Scalar self, const Tensor& other, Tensor& out) {
  return to_float<ElementwiseOp::Zeta>({"self", self}, {"other", other}, out);
}

constexpr int64_t kMaxDerivative = int64_t{1} << 53;  // doubles hold all orders up to here

Error polygamma(Context&, int64_t n, const Tensor& self, Tensor& out) {
  ET_REQUIRE(n >= 0 && n < kMaxDerivative, InvalidArgument,
             "argument 'n': there is no derivative of order %lld", static_cast<long long>(n));
  ScalarType type;
  ET_TRY(float_result_type({{"self", self}}, &type));
  if (n == 0) return run_elementwise(ElementwiseOp::Digamma, type, type, {{"self", self}}, out);
  return run_elementwise(ElementwiseOp::Polygamma, type, type,
                         {{"n", Scalar(static_cast<double>(n))}, {"self", self}}, out,
                         Rounding::tensors);
}

template <ElementwiseOp op>
Error extremum_of_numbers(Context&, const Tensor& self, const Tensor& other, Tensor& out) {
  ScalarType type;
  ET_TRY(result_type({{"self", self}, {"other", other}}, &type));
  return run_elementwise(op, type, type, {{"self", self}, {"other", other}}, out);
}

Error floating_type(const Tensor& self, const Tensor& other, ScalarType* type) {
  ET_TRY(result_type({{"self", self}, {"other", other}}, type));
  ET_REQUIRE(is_floating(*type), InvalidArgument,
             "expected floating point numbers, found operands of common dtype %s",
             dtype_name(*type));
  return Error::Ok;
}

Error hypot(Context&, const Tensor& self, const Tensor& other, Tensor& out) {
  ScalarType type;
  ET_TRY(floating_type(self, other, &type));
  return run_elementwise(ElementwiseOp::Hypot, type, type, {{"self", self}, {"other", other}}, out);
}

Error nextafter(Context&, const Tensor& self, const Tensor& other, Tensor& out) {
  ScalarType type;
  ET_TRY(floating_type(self, other, &type));
  const ElementwiseOp op = type == ScalarType::BFloat16 ? ElementwiseOp::NextAfterBf16
                           : type == ScalarType::Half   ? ElementwiseOp::NextAfterHalf
                                                        : ElementwiseOp::NextAfter;
  return run_elementwise(op, type, type, {{"self", self}, {"other", other}}, out);
}

template <ElementwiseOp op>
Error of_integers(Context&, const Tensor& self, const Tensor& other, Tensor& out) {
  ScalarType type;
  ET_TRY(result_type({{"self", self}, {"other", other}}, &type));
  ET_REQUIRE(is_integral(type, false), InvalidArgument,
             "expected integers, found operands of common dtype %s", dtype_name(type));
  return run_elementwise(op, type, type, {{"self", self}, {"other", other}}, out);
}

/// The dtype of self * 2.0 ** other, whose second factor is float where `other` has integers.
ScalarType ldexp_type(const Tensor& self, const Tensor& other) {
  const ScalarType a = self.scalar_type(), b = other.scalar_type();
  const ScalarType factor = is_integral(b, true) ? ScalarType::Float : b;
  const bool self_has_dims = self.dim() > 0, other_has_dims = other.dim() > 0;
  if (self_has_dims == other_has_dims) return promote_types(a, factor);
  const ScalarType stronger = self_has_dims ? a : factor;
  return is_floating(stronger) ? stronger : factor;
}

Error ldexp(Context&, const Tensor& self, const Tensor& other, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_arithmetic(other, "other"));
  const ScalarType type = ldexp_type(self, other);
  return run_elementwise(ElementwiseOp::Ldexp, type, type, {{"self", self}, {"other", other}}, out);
}

/// self = mantissa * 2 ** exponent.
Error frexp(Context&, const Tensor& self, Tensor& mantissa, Tensor& exponent) {
  const ScalarType type = self.scalar_type();
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_same_dtype(mantissa, "mantissa", self, "self"));
  ET_REQUIRE(exponent.scalar_type() == ScalarType::Int, InvalidArgument,
             "argument 'exponent': expected int32, found %s", describe(exponent).text);
  ET_TRY(resize_output_like(mantissa, self, "mantissa"));
  ET_TRY(resize_output_like(exponent, self, "exponent"));
  ET_TRY(check_no_overlap(exponent, self, "self"));
  ET_TRY(check_no_overlap(exponent, mantissa, "mantissa"));
  run_on_views(ElementwiseOp::Exponent, type, view_of(exponent), {view_of(self)});
  return run_elementwise(ElementwiseOp::Mantissa, type, type, {{"self", self}}, mantissa);
}

#define BINARY_SCHEMA "(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"

constexpr OperatorRow kRows[] = {
    row<"aten::copysign.out", tensor_to_float<ElementwiseOp::CopySign>>(BINARY_SCHEMA),
    row<"aten::copysign.Scalar_out", number_to_float<ElementwiseOp::CopySign>>(
        "(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::fmax.out", extremum_of_numbers<ElementwiseOp::Fmax>>(BINARY_SCHEMA),
    row<"aten::fmin.out", extremum_of_numbers<ElementwiseOp::Fmin>>(BINARY_SCHEMA),
    row<"aten::hypot.out", hypot>(BINARY_SCHEMA),
    row<"aten::nextafter.out", nextafter>(BINARY_SCHEMA),
    row<"aten::gcd.out", of_integers<ElementwiseOp::Gcd>>(BINARY_SCHEMA),
    row<"aten::lcm.out", of_integers<ElementwiseOp::Lcm>>(BINARY_SCHEMA),
    row<"aten::igamma.out", tensor_to_float<ElementwiseOp::Igamma>>(BINARY_SCHEMA),
    row<"aten::igammac.out", tensor_to_float<ElementwiseOp::Igammac>>(BINARY_SCHEMA),
    row<"aten::special_zeta.out", tensor_to_float<ElementwiseOp::Zeta>>(BINARY_SCHEMA),
    row<"aten::special_zeta.other_scalar_out", number_to_float<ElementwiseOp::Zeta>>(
        "(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::special_zeta.self_scalar_out", zeta_of_number>(
        "(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::polygamma.out", polygamma>("(int n, Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::ldexp.out", ldexp>(BINARY_SCHEMA),
    row<"aten::frexp.Tensor_out", frexp>(
        "(Tensor self, *, Tensor(a!) mantissa, Tensor(b!) exponent) -> (Tensor(a!) mantissa, "
        "Tensor(b!) exponent)"),
};

#undef BINARY_SCHEMA

}  // namespace

Table numeric_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
