// Arithmetic, comparison and logic on two operands, and where-like selections.
#include "kernels/cpu/elementwise/elementwise_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

constexpr auto kKeepDigits = Rounding::tensors;

/// The second operand of a row is a tensor or a number; the arithmetic is the same.
using Body = Error(const Input& self, const Input& other, Tensor& out);
template <Body* body>
Error with_tensor(Context&, const Tensor& self, const Tensor& other, Tensor& out) {
  return body({"self", self}, {"other", other}, out);
}
template <Body* body>
Error with_number(Context&, const Tensor& self, Scalar other, Tensor& out) {
  return body({"self", self}, {"other", other}, out);
}

template <Body* body>
Error of_number(Context&, Scalar self, const Tensor& other, Tensor& out) {
  return body({"self", self}, {"other", other}, out);
}

// ---- sums ----

Error check_alpha(const Scalar& alpha, ScalarType common) {
  ET_REQUIRE(!alpha.isBoolean() || common == ScalarType::Bool, InvalidArgument,
             "argument 'alpha': a bool where the result is %s", dtype_name(common));
  ET_REQUIRE(!alpha.isFloatingPoint() || is_floating(common) || is_complex(common), InvalidArgument,
             "argument 'alpha': a float where the result is %s", dtype_name(common));
  return Error::Ok;
}

Error add(const Input& a, const Input& b, const Scalar& alpha, Tensor& out) {
  ScalarType type;
  ET_TRY(result_type({a, b}, &type));
  ET_TRY(check_alpha(alpha, type));
  if (is_one(alpha))
    return run_elementwise(ElementwiseOp::Add, type, type, {a, b}, out, kKeepDigits);
  return run_elementwise(ElementwiseOp::AddScaled, type, type, {a, b, {"alpha", alpha}}, out,
                         kKeepDigits);
}

bool is_bool(const Input& x) {
  return x.tensor() != nullptr ? x.tensor()->scalar_type() == ScalarType::Bool
                               : x.number().isBoolean();
}

/// a - alpha * b
Error subtract(const Input& a, const Input& b, const Scalar& alpha, Tensor& out) {
  ET_REQUIRE(!is_bool(a) && !is_bool(b), InvalidArgument,
             "subtraction is not defined for bool operands");
  ScalarType type;
  ET_TRY(result_type({a, b}, &type));
  ET_TRY(check_alpha(alpha, type));
  if (is_one(alpha))
    return run_elementwise(ElementwiseOp::Sub, type, type, {a, b}, out, kKeepDigits);
  return run_elementwise(ElementwiseOp::AddScaled, type, type, {a, b, {"alpha", negated(alpha)}},
                         out, kKeepDigits);
}

Error add_tensor(Context&, const Tensor& self, const Tensor& other, Scalar alpha, Tensor& out) {
  return add({"self", self}, {"other", other}, alpha, out);
}
Error add_number(Context&, const Tensor& self, Scalar other, Scalar alpha, Tensor& out) {
  return add({"self", self}, {"other", other}, alpha, out);
}
Error sub_tensor(Context&, const Tensor& self, const Tensor& other, Scalar alpha, Tensor& out) {
  return subtract({"self", self}, {"other", other}, alpha, out);
}
Error sub_number(Context&, const Tensor& self, Scalar other, Scalar alpha, Tensor& out) {
  return subtract({"self", self}, {"other", other}, alpha, out);
}
Error rsub_tensor(Context&, const Tensor& self, const Tensor& other, Scalar alpha, Tensor& out) {
  return subtract({"other", other}, {"self", self}, alpha, out);
}
Error rsub_number(Context&, const Tensor& self, Scalar other, Scalar alpha, Tensor& out) {
  return subtract({"other", other}, {"self", self}, alpha, out);
}

// ---- products and quotients ----

Error mul(const Input& a, const Input& b, Tensor& out) {
  ScalarType type;
  ET_TRY(result_type({a, b}, &type));
  return run_elementwise(ElementwiseOp::Mul, type, type, {a, b}, out, kKeepDigits);
}

Error div(const Input& a, const Input& b, Tensor& out) {
  ScalarType type;
  ET_TRY(float_result_type({a, b}, &type));
  return run_elementwise(ElementwiseOp::Div, type, type, {a, b}, out, kKeepDigits);
}

/// Quotients and remainders that stay integers: never by zero, not of bools.
template <ElementwiseOp op>
Error integer_division(const Input& a, const Input& b, Tensor& out) {
  ScalarType type;
  ET_TRY(result_type({a, b}, &type));
  ET_REQUIRE(type != ScalarType::Bool, InvalidArgument, "not defined for bool operands");
  if (is_integral(type, false)) ET_TRY(check_divisor(b));
  return run_elementwise(op, type, type, {a, b}, out);
}
constexpr auto& floor_divide = integer_division<ElementwiseOp::DivFloor>;
constexpr auto& fmod = integer_division<ElementwiseOp::Fmod>;
constexpr auto& remainder = integer_division<ElementwiseOp::Remainder>;

/// The quotient rounded to its dtype, then towards zero, which half types show.
Error truncated_quotient(const Input& a, const Input& b, Tensor& out) {
  ScalarType type;
  ET_TRY(result_type({a, b}, &type));
  if (!is_floating(type)) return integer_division<ElementwiseOp::DivTrunc>(a, b, out);
  if (type == ScalarType::Float || type == ScalarType::Double)
    return run_elementwise(ElementwiseOp::DivTrunc, type, type, {a, b}, out);
  ET_TRY(run_elementwise(ElementwiseOp::Div, type, type, {a, b}, out));
  return run_elementwise(ElementwiseOp::Trunc, type, type, {{"out", out}}, out);
}

Error div_mode(const Input& a, const Input& b, std::optional<std::string_view> mode, Tensor& out) {
  if (!mode) return div(a, b, out);
  if (*mode == "floor") return floor_divide(a, b, out);
  ET_REQUIRE(*mode == "trunc", InvalidArgument,
             "argument 'rounding_mode': expected \"trunc\" or \"floor\", found \"%.*s\"",
             static_cast<int>(mode->size() < 64 ? mode->size() : 64), mode->data());
  return truncated_quotient(a, b, out);
}
Error div_mode_tensor(Context&, const Tensor& self, const Tensor& other,
                      std::optional<std::string_view> mode, Tensor& out) {
  return div_mode({"self", self}, {"other", other}, mode, out);
}
Error div_mode_number(Context&, const Tensor& self, Scalar other,
                      std::optional<std::string_view> mode, Tensor& out) {
  return div_mode({"self", self}, {"other", other}, mode, out);
}

// ---- powers ----

Error power(const Input& base, const Input& exponent, Tensor& out) {
  ScalarType type;
  ET_TRY(result_type({base, exponent}, &type));
  ET_REQUIRE(type != ScalarType::Bool, InvalidArgument, "not defined for bool operands");
  return run_elementwise(ElementwiseOp::Pow, type, type, {base, exponent}, out, kKeepDigits);
}

Error pow_tensor_tensor(Context&, const Tensor& self, const Tensor& exponent, Tensor& out) {
  return power({"self", self}, {"exponent", exponent}, out);
}
Error pow_number_tensor(Context&, Scalar self, const Tensor& exponent, Tensor& out) {
  return power({"self", self}, {"exponent", exponent}, out);
}

/// The operation that eager computes a power with a number as exponent by, Pow when it has no
/// shorter form.
ElementwiseOp power_operation(double exponent, bool floating) {
  if (exponent == 1) return ElementwiseOp::Copy;
  if (exponent == 2) return ElementwiseOp::Square;
  if (exponent == 3) return ElementwiseOp::Cube;
  if (floating && exponent == 0.5) return ElementwiseOp::Sqrt;
  if (floating && exponent == -0.5) return ElementwiseOp::Rsqrt;
  if (floating && exponent == -1) return ElementwiseOp::Reciprocal;
  return ElementwiseOp::Pow;
}

Error pow_tensor_number(Context&, const Tensor& self, Scalar exponent, Tensor& out) {
  const Input base = {"self", self}, number = {"exponent", exponent};
  ScalarType type;
  ET_TRY(result_type({base, number}, &type));
  ET_REQUIRE(!is_integral(type, true) || to_int64(exponent) >= 0, InvalidArgument,
             "argument 'exponent': integers to a negative integer power");
  const ElementwiseOp op = power_operation(to_double(exponent), is_floating(type));
  if (op == ElementwiseOp::Pow) return power(base, number, out);
  return run_elementwise(op, type, type, {base}, out);
}

// ---- other functions ----

Error atan2(const Input& a, const Input& b, Tensor& out) {
  ScalarType type;
  ET_TRY(float_result_type({a, b}, &type));
  return run_elementwise(ElementwiseOp::Atan2, type, type, {a, b}, out);
}

template <ElementwiseOp op>
Error extremum(const Input& a, const Input& b, Tensor& out) {
  ScalarType type;
  ET_TRY(result_type({a, b}, &type));
  return run_elementwise(op, type, type, {a, b}, out);
}
constexpr auto& maximum = extremum<ElementwiseOp::Maximum>;
constexpr auto& minimum = extremum<ElementwiseOp::Minimum>;

// ---- comparison and logic ----

/// The dtype that operands are compared in. A number outside an integer dtype equals none of its
/// values, so that the comparison needs a wider one.
Error comparison_type(const Input& a, const Input& b, ScalarType* type) {
  ET_TRY(result_type({a, b}, type));
  if (b.tensor() != nullptr || b.number().isFloatingPoint() || !is_integral(*type, false))
    return Error::Ok;
  if (check_fits(b.number(), *type, b.name()) == Error::Ok) return Error::Ok;
  runtime::clear_error_message();
  *type = ScalarType::Long;
  return Error::Ok;
}

template <ElementwiseOp op>
Error compare(const Input& a, const Input& b, Tensor& out) {
  ScalarType type;
  ET_TRY(comparison_type(a, b, &type));
  return run_elementwise(op, type, ScalarType::Bool, {a, b}, out);
}
constexpr auto& eq = compare<ElementwiseOp::Eq>;
constexpr auto& ne = compare<ElementwiseOp::Ne>;
constexpr auto& lt = compare<ElementwiseOp::Lt>;
constexpr auto& le = compare<ElementwiseOp::Le>;
constexpr auto& gt = compare<ElementwiseOp::Gt>;
constexpr auto& ge = compare<ElementwiseOp::Ge>;
constexpr auto& logical_and = compare<ElementwiseOp::LogicalAnd>;
constexpr auto& logical_or = compare<ElementwiseOp::LogicalOr>;
constexpr auto& logical_xor = compare<ElementwiseOp::LogicalXor>;

Error check_integers(const Input& a, const Input& b, bool with_bool, ScalarType* type) {
  ET_TRY(result_type({a, b}, type));
  ET_REQUIRE(is_integral(*type, with_bool), InvalidArgument,
             "expected integers%s, found operands of common dtype %s", with_bool ? " or bool" : "",
             dtype_name(*type));
  return Error::Ok;
}

template <ElementwiseOp op>
Error bitwise(const Input& a, const Input& b, Tensor& out) {
  ScalarType type;
  ET_TRY(check_integers(a, b, true, &type));
  return run_elementwise(op, type, type, {a, b}, out);
}
constexpr auto& bitwise_and = bitwise<ElementwiseOp::BitwiseAnd>;
constexpr auto& bitwise_or = bitwise<ElementwiseOp::BitwiseOr>;
constexpr auto& bitwise_xor = bitwise<ElementwiseOp::BitwiseXor>;

template <ElementwiseOp op>
Error shift(const Input& a, const Input& b, Tensor& out) {
  ScalarType type;
  ET_TRY(check_integers(a, b, false, &type));
  return run_elementwise(op, type, type, {a, b}, out);
}
constexpr auto& shift_left = shift<ElementwiseOp::ShiftLeft>;
constexpr auto& shift_right = shift<ElementwiseOp::ShiftRight>;

// ---- selection ----

Error check_mask(const Tensor& mask, const char* name) {
  const ScalarType type = mask.scalar_type();
  ET_REQUIRE(type == ScalarType::Bool || type == ScalarType::Byte, InvalidArgument,
             "argument '%s': expected bool or uint8, found %s", name, describe(mask).text);
  return Error::Ok;
}

Error where(Context&, const Tensor& condition, const Tensor& self, const Tensor& other,
            Tensor& out) {
  ET_TRY(check_mask(condition, "condition"));
  ScalarType type;
  ET_TRY(result_type({{"self", self}, {"other", other}}, &type));
  return run_elementwise(ElementwiseOp::Where, type, type,
                         {{"condition", condition}, {"self", self}, {"other", other}}, out);
}

Error masked_fill(Context&, const Tensor& self, const Tensor& mask, Scalar value, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_mask(mask, "mask"));
  const ScalarType type = self.scalar_type();
  ET_TRY(check_fits(value, type, "value"));
  return run_elementwise(ElementwiseOp::Where, type, type,
                         {{"mask", mask}, {"value", value}, {"self", self}}, out);
}

Error masked_fill_tensor(Context&, const Tensor& self, const Tensor& mask, const Tensor& value,
                         Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_TRY(check_mask(mask, "mask"));
  ET_REQUIRE(value.dim() == 0, InvalidArgument, "argument 'value': expected a 0-d tensor, found %s",
             describe(value).text);
  ET_TRY(check_arithmetic(value, "value"));
  ET_TRY(check_can_cast(value.scalar_type(), self, "self"));
  return run_elementwise(ElementwiseOp::Where, self.scalar_type(), self.scalar_type(),
                         {{"mask", mask}, {"value", value}, {"self", self}}, out);
}

/// The first half of a dimension times the sigmoid of the second half.
Error glu(Context&, const Tensor& self, int64_t dim, Tensor& out) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  int axis = 0;
  ET_TRY(normalize_dim(dim, self.dim(), "dim", &axis));
  Sizes sizes = sizes_of(self);
  ET_REQUIRE(sizes.rank > 0 && sizes[axis] % 2 == 0, InvalidArgument,
             "argument 'self': dimension %d of %s cannot be halved", axis, describe(self).text);
  sizes[axis] /= 2;
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  TensorView first = view_of(self), second = first;
  first.narrow(axis, 0, sizes[axis]);
  second.narrow(axis, sizes[axis], sizes[axis]);
  run_on_views(ElementwiseOp::Glu, self.scalar_type(), view_of(out), {first, second});
  return Error::Ok;
}

#define TENSOR_SCHEMA "(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"
#define NUMBER_SCHEMA "(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"
#define OF_NUMBER_SCHEMA "(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"

constexpr OperatorRow kRows[] = {
    row<"aten::add.out", add_tensor>(
        "(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::add.Scalar_out", add_number>(
        "(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::sub.out", sub_tensor>(
        "(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::sub.Scalar_out", sub_number>(
        "(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::rsub.Tensor_out", rsub_tensor>(
        "(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::rsub.Scalar_out", rsub_number>(
        "(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::mul.out", with_tensor<mul>>(TENSOR_SCHEMA),
    row<"aten::mul.Scalar_out", with_number<mul>>(NUMBER_SCHEMA),
    row<"aten::div.out", with_tensor<div>>(TENSOR_SCHEMA),
    row<"aten::div.Scalar_out", with_number<div>>(NUMBER_SCHEMA),
    row<"aten::div.out_mode", div_mode_tensor>(
        "(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::div.Scalar_mode_out", div_mode_number>(
        "(Tensor self, Scalar other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::floor_divide.out", with_tensor<floor_divide>>(TENSOR_SCHEMA),
    row<"aten::floor_divide.Scalar_out", with_number<floor_divide>>(NUMBER_SCHEMA),
    row<"aten::fmod.Tensor_out", with_tensor<fmod>>(TENSOR_SCHEMA),
    row<"aten::fmod.Scalar_out", with_number<fmod>>(NUMBER_SCHEMA),
    row<"aten::remainder.Tensor_out", with_tensor<remainder>>(TENSOR_SCHEMA),
    row<"aten::remainder.Scalar_out", with_number<remainder>>(NUMBER_SCHEMA),
    row<"aten::remainder.Scalar_Tensor_out", of_number<remainder>>(OF_NUMBER_SCHEMA),
    row<"aten::pow.Tensor_Tensor_out", pow_tensor_tensor>(
        "(Tensor self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::pow.Tensor_Scalar_out", pow_tensor_number>(
        "(Tensor self, Scalar exponent, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::pow.Scalar_out", pow_number_tensor>(
        "(Scalar self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::atan2.out", with_tensor<atan2>>(TENSOR_SCHEMA),
    row<"aten::maximum.out", with_tensor<maximum>>(TENSOR_SCHEMA),
    row<"aten::minimum.out", with_tensor<minimum>>(TENSOR_SCHEMA),
    row<"aten::eq.Tensor_out", with_tensor<eq>>(TENSOR_SCHEMA),
    row<"aten::eq.Scalar_out", with_number<eq>>(NUMBER_SCHEMA),
    row<"aten::ne.Tensor_out", with_tensor<ne>>(TENSOR_SCHEMA),
    row<"aten::ne.Scalar_out", with_number<ne>>(NUMBER_SCHEMA),
    row<"aten::lt.Tensor_out", with_tensor<lt>>(TENSOR_SCHEMA),
    row<"aten::lt.Scalar_out", with_number<lt>>(NUMBER_SCHEMA),
    row<"aten::le.Tensor_out", with_tensor<le>>(TENSOR_SCHEMA),
    row<"aten::le.Scalar_out", with_number<le>>(NUMBER_SCHEMA),
    row<"aten::gt.Tensor_out", with_tensor<gt>>(TENSOR_SCHEMA),
    row<"aten::gt.Scalar_out", with_number<gt>>(NUMBER_SCHEMA),
    row<"aten::ge.Tensor_out", with_tensor<ge>>(TENSOR_SCHEMA),
    row<"aten::ge.Scalar_out", with_number<ge>>(NUMBER_SCHEMA),
    row<"aten::logical_and.out", with_tensor<logical_and>>(TENSOR_SCHEMA),
    row<"aten::logical_or.out", with_tensor<logical_or>>(TENSOR_SCHEMA),
    row<"aten::logical_xor.out", with_tensor<logical_xor>>(TENSOR_SCHEMA),
    row<"aten::bitwise_and.Tensor_out", with_tensor<bitwise_and>>(TENSOR_SCHEMA),
    row<"aten::bitwise_and.Scalar_out", with_number<bitwise_and>>(NUMBER_SCHEMA),
    row<"aten::bitwise_and.Scalar_Tensor_out", of_number<bitwise_and>>(OF_NUMBER_SCHEMA),
    row<"aten::bitwise_or.Tensor_out", with_tensor<bitwise_or>>(TENSOR_SCHEMA),
    row<"aten::bitwise_or.Scalar_out", with_number<bitwise_or>>(NUMBER_SCHEMA),
    row<"aten::bitwise_or.Scalar_Tensor_out", of_number<bitwise_or>>(OF_NUMBER_SCHEMA),
    row<"aten::bitwise_xor.Tensor_out", with_tensor<bitwise_xor>>(TENSOR_SCHEMA),
    row<"aten::bitwise_xor.Scalar_out", with_number<bitwise_xor>>(NUMBER_SCHEMA),
    row<"aten::bitwise_xor.Scalar_Tensor_out", of_number<bitwise_xor>>(OF_NUMBER_SCHEMA),
    row<"aten::bitwise_left_shift.Tensor_out", with_tensor<shift_left>>(TENSOR_SCHEMA),
    row<"aten::bitwise_left_shift.Tensor_Scalar_out", with_number<shift_left>>(NUMBER_SCHEMA),
    row<"aten::bitwise_left_shift.Scalar_Tensor_out", of_number<shift_left>>(OF_NUMBER_SCHEMA),
    row<"aten::bitwise_right_shift.Tensor_out", with_tensor<shift_right>>(TENSOR_SCHEMA),
    row<"aten::bitwise_right_shift.Tensor_Scalar_out", with_number<shift_right>>(NUMBER_SCHEMA),
    row<"aten::bitwise_right_shift.Scalar_Tensor_out", of_number<shift_right>>(OF_NUMBER_SCHEMA),
    row<"aten::where.self_out", where>(
        "(Tensor condition, Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::glu.out", glu>("(Tensor self, int dim=-1, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::masked_fill.Scalar_out", masked_fill>(
        "(Tensor self, Tensor mask, Scalar value, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::masked_fill.Tensor_out", masked_fill_tensor>(
        "(Tensor self, Tensor mask, Tensor value, *, Tensor(a!) out) -> Tensor(a!)"),
};

#undef TENSOR_SCHEMA
#undef NUMBER_SCHEMA
#undef OF_NUMBER_SCHEMA

}  // namespace

Table elementwise_binary_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
