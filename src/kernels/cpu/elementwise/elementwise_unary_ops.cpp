// Elementwise operators with one tensor operand.
#include "kernels/cpu/elementwise/elementwise_call.h"
#include "kernels/cpu/tables.h"

namespace executorch {
namespace kernels {
namespace {

/// Computed in floating point: integers and bool give float.
template <ElementwiseOp op>
Error to_float(Context&, const Tensor& self, Tensor& out) {
  ScalarType type;
  ET_TRY(float_result_type({{"self", self}}, &type));
  return run_elementwise(op, type, type, {{"self", self}}, out);
}

Error check_not_bool(const Tensor& self) {
  ET_TRY(check_arithmetic(self, "self"));
  ET_REQUIRE(self.scalar_type() != ScalarType::Bool, InvalidArgument,
             "argument 'self': not defined for bool tensors");
  return Error::Ok;
}

/// Keeps the dtype.
template <ElementwiseOp op>
Error same_type(Context&, const Tensor& self, Tensor& out) {
  ET_TRY(check_not_bool(self));
  return run_elementwise(op, self.scalar_type(), self.scalar_type(), {{"self", self}}, out);
}

/// Rounding operators: integers are copied.
template <ElementwiseOp op>
Error rounding(Context& context, const Tensor& self, Tensor& out) {
  if (is_integral(self.scalar_type(), false))
    return same_type<ElementwiseOp::Copy>(context, self, out);
  return same_type<op>(context, self, out);
}

constexpr int64_t kMaxDecimals = 308;

/// Each step rounds to the dtype, as eager's do.
Error round_decimals(Context&, const Tensor& self, int64_t decimals, Tensor& out) {
  const ScalarType type = self.scalar_type();
  ET_TRY(check_floating(self, "self"));
  ET_REQUIRE(decimals >= -kMaxDecimals && decimals <= kMaxDecimals, InvalidArgument,
             "argument 'decimals': %lld is out of range", static_cast<long long>(decimals));
  double power = 1;
  for (int64_t i = decimals < 0 ? -decimals : decimals; i > 0; --i) power *= 10;
  const Input scale = {"decimals", Scalar(power)};
  const auto there = decimals < 0 ? ElementwiseOp::Div : ElementwiseOp::Mul;
  const auto back = decimals < 0 ? ElementwiseOp::Mul : ElementwiseOp::Div;
  ET_TRY(run_elementwise(there, type, type, {{"self", self}, scale}, out));
  ET_TRY(run_elementwise(ElementwiseOp::Round, type, type, {{"out", out}}, out));
  return run_elementwise(back, type, type, {{"out", out}, scale}, out);
}

Error neg(Context& context, const Tensor& self, Tensor& out) {
  if (!is_complex(self.scalar_type())) return same_type<ElementwiseOp::Neg>(context, self, out);
  return run_elementwise(ElementwiseOp::Neg, self.scalar_type(), self.scalar_type(),
                         {{"self", self}}, out);
}

Error sign(Context&, const Tensor& self, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  return run_elementwise(ElementwiseOp::Sign, self.scalar_type(), self.scalar_type(),
                         {{"self", self}}, out);
}

template <ElementwiseOp op>
Error float_predicate(Context&, const Tensor& self, Tensor& out) {
  ScalarType type;
  ET_TRY(float_result_type({{"self", self}}, &type));
  return run_elementwise(op, type, ScalarType::Bool, {{"self", self}}, out);
}

Error signbit(Context&, const Tensor& self, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  return run_elementwise(ElementwiseOp::SignBit, self.scalar_type(), ScalarType::Bool,
                         {{"self", self}}, out);
}

Error logical_not(Context&, const Tensor& self, Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  return run_elementwise(ElementwiseOp::LogicalNot, self.scalar_type(), ScalarType::Bool,
                         {{"self", self}}, out);
}

Error bitwise_not(Context&, const Tensor& self, Tensor& out) {
  const ScalarType type = self.scalar_type();
  ET_REQUIRE(is_integral(type, true), InvalidArgument,
             "argument 'self': expected integers or bool, found %s", describe(self).text);
  const ElementwiseOp op =
      type == ScalarType::Bool ? ElementwiseOp::LogicalNot : ElementwiseOp::BitwiseNot;
  return run_elementwise(op, type, type, {{"self", self}}, out);
}

Error hardtanh(Context&, const Tensor& self, Scalar min_val, Scalar max_val, Tensor& out) {
  ET_TRY(check_not_bool(self));
  const ScalarType type = self.scalar_type();
  ET_REQUIRE(type != ScalarType::Byte || (to_double(min_val) >= 0 && to_double(max_val) >= 0),
             InvalidArgument, "argument 'min_val': negative limits with an unsigned tensor");
  ET_TRY(check_fits(min_val, type, "min_val"));
  ET_TRY(check_fits(max_val, type, "max_val"));
  return run_elementwise(ElementwiseOp::Clamp, type, type,
                         {{"self", self}, {"min_val", min_val}, {"max_val", max_val}}, out);
}

Error clamp_inputs(const Tensor& self, const std::optional<Input>& min,
                   const std::optional<Input>& max, Tensor& out) {
  ET_REQUIRE(min || max, InvalidArgument, "arguments 'min' and 'max': at least one must be given");
  ScalarType type;
  const Input x = {"self", self};
  if (min && max) {
    ET_TRY(result_type({x, *min, *max}, &type));
    return run_elementwise(ElementwiseOp::Clamp, type, type, {x, *min, *max}, out);
  }
  const Input& bound = min ? *min : *max;
  ET_TRY(result_type({x, bound}, &type));
  return run_elementwise(min ? ElementwiseOp::Maximum : ElementwiseOp::Minimum, type, type,
                         {x, bound}, out);
}

Error clamp(Context&, const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max,
            Tensor& out) {
  ET_TRY(check_arithmetic(self, "self"));
  std::optional<Input> low, high;
  if (min) low.emplace("min", *min);
  if (max) high.emplace("max", *max);
  for (const auto* bound : {&low, &high}) {
    const ScalarType type = self.scalar_type();
    // An integer bound must fit the integers that it is compared with; anything else promotes.
    if (*bound && is_integral(type, false) && !(*bound)->number().isFloatingPoint()) {
      ET_TRY(check_fits((*bound)->number(), type, (*bound)->name()));
    }
  }
  return clamp_inputs(self, low, high, out);
}

Error clamp_tensor(Context&, const Tensor& self, std::optional<Tensor> min,
                   std::optional<Tensor> max, Tensor& out) {
  std::optional<Input> low, high;
  if (min) low.emplace("min", *min);
  if (max) high.emplace("max", *max);
  return clamp_inputs(self, low, high, out);
}

Error leaky_relu(Context&, const Tensor& self, Scalar negative_slope, Tensor& out) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  return run_elementwise(ElementwiseOp::LeakyRelu, self.scalar_type(), self.scalar_type(),
                         {{"self", self}, {"negative_slope", negative_slope}}, out,
                         Rounding::tensors);
}

Error elu(Context&, const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale,
          Tensor& out) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  return run_elementwise(
      ElementwiseOp::Elu, self.scalar_type(), self.scalar_type(),
      {{"self", self}, {"alpha", alpha}, {"scale", scale}, {"input_scale", input_scale}}, out,
      Rounding::tensors);
}

Error gelu(Context&, const Tensor& self, std::string_view approximate, Tensor& out) {
  ET_TRY(check_floating(self, "self"));
  ET_TRY(check_same_dtype(out, "out", self, "self"));
  const bool tanh = approximate == "tanh";
  ET_REQUIRE(tanh || approximate == "none", InvalidArgument,
             "argument 'approximate': expected \"none\" or \"tanh\", found \"%.*s\"",
             static_cast<int>(approximate.size() < 64 ? approximate.size() : 64),
             approximate.data());
  return run_elementwise(tanh ? ElementwiseOp::GeluTanh : ElementwiseOp::Gelu, self.scalar_type(),
                         self.scalar_type(), {{"self", self}}, out);
}

Error logit(Context&, const Tensor& self, std::optional<double> eps, Tensor& out) {
  ScalarType type;
  ET_TRY(float_result_type({{"self", self}}, &type));
  if (!eps || *eps < 0)
    return run_elementwise(ElementwiseOp::Logit, type, type, {{"self", self}}, out);
  return run_elementwise(ElementwiseOp::LogitClamp, type, type,
                         {{"self", self}, {"eps", Scalar(*eps)}, {"eps", Scalar(1.0 - *eps)}}, out,
                         Rounding::tensors);
}

#define UNARY_SCHEMA "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"
#define UNARY_SCHEMA_OF_X "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"

constexpr OperatorRow kRows[] = {
    row<"aten::acos.out", to_float<ElementwiseOp::Acos>>(UNARY_SCHEMA),
    row<"aten::acosh.out", to_float<ElementwiseOp::Acosh>>(UNARY_SCHEMA),
    row<"aten::asin.out", to_float<ElementwiseOp::Asin>>(UNARY_SCHEMA),
    row<"aten::asinh.out", to_float<ElementwiseOp::Asinh>>(UNARY_SCHEMA),
    row<"aten::atan.out", to_float<ElementwiseOp::Atan>>(UNARY_SCHEMA),
    row<"aten::atanh.out", to_float<ElementwiseOp::Atanh>>(UNARY_SCHEMA),
    row<"aten::cos.out", to_float<ElementwiseOp::Cos>>(UNARY_SCHEMA),
    row<"aten::cosh.out", to_float<ElementwiseOp::Cosh>>(UNARY_SCHEMA),
    row<"aten::digamma.out", to_float<ElementwiseOp::Digamma>>(UNARY_SCHEMA),
    row<"aten::erf.out", to_float<ElementwiseOp::Erf>>(UNARY_SCHEMA),
    row<"aten::erfc.out", to_float<ElementwiseOp::Erfc>>(UNARY_SCHEMA),
    row<"aten::erfinv.out", to_float<ElementwiseOp::Erfinv>>(UNARY_SCHEMA),
    row<"aten::exp.out", to_float<ElementwiseOp::Exp>>(UNARY_SCHEMA),
    row<"aten::exp2.out", to_float<ElementwiseOp::Exp2>>(UNARY_SCHEMA),
    row<"aten::expm1.out", to_float<ElementwiseOp::Expm1>>(UNARY_SCHEMA),
    row<"aten::i0.out", to_float<ElementwiseOp::I0>>(UNARY_SCHEMA),
    row<"aten::lgamma.out", to_float<ElementwiseOp::Lgamma>>(UNARY_SCHEMA),
    row<"aten::log.out", to_float<ElementwiseOp::Log>>(UNARY_SCHEMA),
    row<"aten::log10.out", to_float<ElementwiseOp::Log10>>(UNARY_SCHEMA),
    row<"aten::log1p.out", to_float<ElementwiseOp::Log1p>>(UNARY_SCHEMA),
    row<"aten::log2.out", to_float<ElementwiseOp::Log2>>(UNARY_SCHEMA),
    row<"aten::reciprocal.out", to_float<ElementwiseOp::Reciprocal>>(UNARY_SCHEMA),
    row<"aten::rsqrt.out", to_float<ElementwiseOp::Rsqrt>>(UNARY_SCHEMA),
    row<"aten::sigmoid.out", to_float<ElementwiseOp::Sigmoid>>(UNARY_SCHEMA),
    row<"aten::sin.out", to_float<ElementwiseOp::Sin>>(UNARY_SCHEMA),
    row<"aten::sinh.out", to_float<ElementwiseOp::Sinh>>(UNARY_SCHEMA),
    row<"aten::special_airy_ai.out", to_float<ElementwiseOp::AiryAi>>(UNARY_SCHEMA_OF_X),
    row<"aten::special_bessel_j0.out", to_float<ElementwiseOp::BesselJ0>>(UNARY_SCHEMA),
    row<"aten::special_bessel_j1.out", to_float<ElementwiseOp::BesselJ1>>(UNARY_SCHEMA),
    row<"aten::special_bessel_y0.out", to_float<ElementwiseOp::BesselY0>>(UNARY_SCHEMA),
    row<"aten::special_bessel_y1.out", to_float<ElementwiseOp::BesselY1>>(UNARY_SCHEMA),
    row<"aten::special_erfcx.out", to_float<ElementwiseOp::Erfcx>>(UNARY_SCHEMA),
    row<"aten::special_i0e.out", to_float<ElementwiseOp::I0e>>(UNARY_SCHEMA),
    row<"aten::special_i1.out", to_float<ElementwiseOp::I1>>(UNARY_SCHEMA),
    row<"aten::special_i1e.out", to_float<ElementwiseOp::I1e>>(UNARY_SCHEMA),
    row<"aten::special_modified_bessel_i0.out", to_float<ElementwiseOp::I0>>(UNARY_SCHEMA),
    row<"aten::special_modified_bessel_i1.out", to_float<ElementwiseOp::I1>>(UNARY_SCHEMA),
    row<"aten::special_modified_bessel_k0.out", to_float<ElementwiseOp::BesselK0>>(UNARY_SCHEMA),
    row<"aten::special_modified_bessel_k1.out", to_float<ElementwiseOp::BesselK1>>(UNARY_SCHEMA),
    row<"aten::special_ndtri.out", to_float<ElementwiseOp::Ndtri>>(UNARY_SCHEMA),
    row<"aten::special_scaled_modified_bessel_k0.out", to_float<ElementwiseOp::BesselK0e>>(
        UNARY_SCHEMA_OF_X),
    row<"aten::special_scaled_modified_bessel_k1.out", to_float<ElementwiseOp::BesselK1e>>(
        UNARY_SCHEMA_OF_X),
    row<"aten::special_spherical_bessel_j0.out", to_float<ElementwiseOp::SphericalBesselJ0>>(
        UNARY_SCHEMA_OF_X),
    row<"aten::sqrt.out", to_float<ElementwiseOp::Sqrt>>(UNARY_SCHEMA),
    row<"aten::tan.out", to_float<ElementwiseOp::Tan>>(UNARY_SCHEMA),
    row<"aten::tanh.out", to_float<ElementwiseOp::Tanh>>(UNARY_SCHEMA),
    row<"aten::neg.out", neg>(UNARY_SCHEMA),
    row<"aten::sign.out", sign>(UNARY_SCHEMA),
    row<"aten::ceil.out", rounding<ElementwiseOp::Ceil>>(UNARY_SCHEMA),
    row<"aten::floor.out", rounding<ElementwiseOp::Floor>>(UNARY_SCHEMA),
    row<"aten::trunc.out", rounding<ElementwiseOp::Trunc>>(UNARY_SCHEMA),
    row<"aten::round.out", rounding<ElementwiseOp::Round>>(UNARY_SCHEMA),
    row<"aten::round.decimals_out", round_decimals>(
        "(Tensor self, *, int decimals, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::relu.out", same_type<ElementwiseOp::Relu>>(UNARY_SCHEMA),
    row<"aten::isinf.out", float_predicate<ElementwiseOp::IsInf>>(UNARY_SCHEMA),
    row<"aten::isnan.out", float_predicate<ElementwiseOp::IsNan>>(UNARY_SCHEMA),
    row<"aten::signbit.out", signbit>(UNARY_SCHEMA),
    row<"aten::logical_not.out", logical_not>(UNARY_SCHEMA),
    row<"aten::bitwise_not.out", bitwise_not>(UNARY_SCHEMA),
    row<"aten::hardtanh.out", hardtanh>(
        "(Tensor self, Scalar min_val=-1, Scalar max_val=1, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::clamp.out", clamp>(
        "(Tensor self, Scalar? min=None, Scalar? max=None, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::clamp.Tensor_out", clamp_tensor>(
        "(Tensor self, Tensor? min=None, Tensor? max=None, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::leaky_relu.out", leaky_relu>(
        "(Tensor self, Scalar negative_slope=0.01, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::elu.out", elu>("(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1, "
                              "*, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::gelu.out", gelu>(
        "(Tensor self, *, str approximate=\"none\", Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::logit.out", logit>(
        "(Tensor self, float? eps=None, *, Tensor(a!) out) -> Tensor(a!)"),
};

#undef UNARY_SCHEMA
#undef UNARY_SCHEMA_OF_X

}  // namespace

Table elementwise_unary_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
