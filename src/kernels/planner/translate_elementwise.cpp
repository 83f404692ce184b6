// Elementwise operators, by table: the arithmetic is compute's, here are types and arguments only.
#include <limits>

#include "kernels/planner/translator.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

using engine::ElementwiseOp;

// ---- Types, as torch.result_type.

class CommonType {
 public:
  void add(const Translator& t, ValueId value) {
    merge(t.sizes(value).rank > 0 ? dimensioned_ : single_,
          static_cast<ScalarType>(t.dtype(value)));
  }
  void add(const Number& number) {
    merge(number_, number.floating  ? ScalarType::Float
                   : number.boolean ? ScalarType::Bool
                                    : ScalarType::Long);
  }
  DType get() const {
    ScalarType type = dimensioned_;
    for (const ScalarType lighter : {single_, number_}) {
      if (lighter == ScalarType::Undefined) continue;
      if (type == ScalarType::Undefined) {
        type = lighter;
      } else if (category(lighter) > category(type)) {
        type = lighter == number_ && is_floating(lighter) ? ScalarType::Float : lighter;
      }
    }
    return static_cast<DType>(type);
  }

 private:
  static int category(ScalarType type) {
    return is_floating(type) ? 2 : type == ScalarType::Bool ? 0 : 1;
  }
  static void merge(ScalarType& into, ScalarType type) {
    into = into == ScalarType::Undefined ? type : promote_types(into, type);
  }
  ScalarType dimensioned_ = ScalarType::Undefined;
  ScalarType single_ = ScalarType::Undefined;
  ScalarType number_ = ScalarType::Undefined;
};

bool computable(DType type) {
  return !compute::is_complex(type) && compute::element_size(type) != 0 &&
         (type == DType::boolean || compute::storage_type(compute::compute_type(type)) == type);
}

DType floating(DType type) {
  return compute::is_floating(type) ? type : DType::f32;
}

ValueId scalar(Translator& t, const Number& number, DType type) {
  return number.floating ? t.graph().add_scalar(type, number.real)
                         : t.graph().add_scalar(type, number.integer);
}

bool finish(Translator& t, int32_t out, ElementwiseOp op, DType common,
            std::vector<ValueId> operands) {
  DType result;
  if (!computable(common) || !t.output_type(out, &result) || !computable(result)) return false;
  for (const ValueId operand : operands) {
    if (operand == kNoValue || compute::is_complex(t.dtype(operand))) return false;
  }
  if (compute::block_loop(op, compute::compute_type(common)) == nullptr) return false;
  if (compute::is_floating(common) && !compute::is_floating(result) && result != DType::boolean)
    return false;
  return t.write(out, t.elementwise(op, common, std::move(operands), result));
}

// ---- Families

template <ElementwiseOp op>
bool unary_same(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  if (self == kNoValue || t.dtype(self) == DType::boolean) return false;
  return finish(t, args[1], op, t.dtype(self), {self});
}

template <ElementwiseOp op>
bool unary_float(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  if (self == kNoValue) return false;
  return finish(t, args[1], op, floating(t.dtype(self)), {self});
}

bool logical_not(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  if (self == kNoValue) return false;
  return finish(t, args[1], ElementwiseOp::LogicalNot, t.dtype(self), {self});
}

// self, other (tensor or number), out.
enum class Rule { Common, Float, Compare, NoBool };

bool binary(Translator& t, Arguments args, ElementwiseOp op, Rule rule, int32_t out) {
  const ValueId self = t.read(args[0]);
  if (self == kNoValue) return false;
  CommonType common;
  common.add(t, self);
  Number number;
  ValueId other = kNoValue;
  if (t.is_tensor(args[1])) {
    other = t.read(args[1]);
    if (other == kNoValue) return false;
    common.add(t, other);
  } else {
    if (!t.number(args[1], &number)) return false;
    common.add(number);
  }
  DType type = common.get();
  if (rule == Rule::Float) type = floating(type);
  if (rule == Rule::NoBool && type == DType::boolean) return false;
  if (!computable(type)) return false;
  if (other == kNoValue) other = scalar(t, number, type);
  return finish(t, out, op, type, {self, other});
}

template <ElementwiseOp op, Rule rule>
bool binary_plain(Translator& t, Arguments args) {
  return binary(t, args, op, rule, args[2]);
}

// self, other, alpha, out.
template <bool subtract>
bool add_or_subtract(Translator& t, Arguments args) {
  Number alpha;
  if (!t.number(args[2], &alpha)) return false;
  if (alpha.as_double() == 1.0) {
    return binary(t, args, subtract ? ElementwiseOp::Sub : ElementwiseOp::Add, Rule::NoBool,
                  args[3]);
  }
  const ValueId self = t.read(args[0]);
  const ValueId other = t.is_tensor(args[1]) ? t.read(args[1]) : kNoValue;
  if (self == kNoValue || other == kNoValue) return false;
  CommonType common;
  common.add(t, self);
  common.add(t, other);
  const DType type = common.get();
  if (!computable(type) || type == DType::boolean) return false;
  if (alpha.floating && !compute::is_floating(type)) return false;
  if (subtract) {
    if (!alpha.floating && alpha.integer == std::numeric_limits<int64_t>::min()) return false;
    alpha.real = -alpha.real;
    alpha.integer = -alpha.integer;
  }
  return finish(t, args[3], ElementwiseOp::AddScaled, type, {self, other, scalar(t, alpha, type)});
}

bool power(Translator& t, Arguments args) {
  Number exponent;
  const ValueId self = t.read(args[0]);
  if (self == kNoValue || !t.number(args[1], &exponent) || t.dtype(self) != DType::f32)
    return false;
  if (exponent.as_double() == 2.0)
    return finish(t, args[2], ElementwiseOp::Mul, DType::f32, {self, self});
  if (exponent.as_double() == 0.5)
    return finish(t, args[2], ElementwiseOp::Sqrt, DType::f32, {self});
  return finish(t, args[2], ElementwiseOp::Pow, DType::f32,
                {self, scalar(t, exponent, DType::f32)});
}

bool gelu(Translator& t, Arguments args) {
  const EValue& approximate = t.table().value(args[1]);
  if (!approximate.isString()) return false;
  const auto text = approximate.tryToString();
  const ValueId self = t.read(args[0]);
  if (!text.ok() || self == kNoValue || t.dtype(self) != DType::f32) return false;
  if (text.get() == "none") return finish(t, args[2], ElementwiseOp::Gelu, DType::f32, {self});
  if (text.get() == "tanh") return finish(t, args[2], ElementwiseOp::GeluTanh, DType::f32, {self});
  return false;
}

// self, low, high (numbers or none), out.
bool clamp(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  if (self == kNoValue || t.dtype(self) != DType::f32) return false;
  Number low, high;
  const bool has_low = !t.is_none(args[1]), has_high = !t.is_none(args[2]);
  if ((has_low && !t.number(args[1], &low)) || (has_high && !t.number(args[2], &high)))
    return false;
  if (has_low && has_high) {
    return finish(t, args[3], ElementwiseOp::Clamp, DType::f32,
                  {self, scalar(t, low, DType::f32), scalar(t, high, DType::f32)});
  }
  if (!has_low && !has_high) return false;
  return finish(t, args[3], has_low ? ElementwiseOp::Maximum : ElementwiseOp::Minimum, DType::f32,
                {self, scalar(t, has_low ? low : high, DType::f32)});
}

bool leaky_relu(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  Number slope;
  if (self == kNoValue || t.dtype(self) != DType::f32 || !t.number(args[1], &slope)) return false;
  return finish(t, args[2], ElementwiseOp::LeakyRelu, DType::f32,
                {self, scalar(t, slope, DType::f32)});
}

bool where(Translator& t, Arguments args) {
  const ValueId condition = t.read(args[0]), then = t.read(args[1]), otherwise = t.read(args[2]);
  if (condition == kNoValue || then == kNoValue || otherwise == kNoValue) return false;
  if (t.dtype(condition) != DType::boolean) return false;
  CommonType common;
  common.add(t, then);
  common.add(t, otherwise);
  return finish(t, args[3], ElementwiseOp::Where, common.get(), {condition, then, otherwise});
}

const TranslateRow kRows[] = {
    {"aten::abs.out", 2, unary_same<ElementwiseOp::Abs>},
    {"aten::neg.out", 2, unary_same<ElementwiseOp::Neg>},
    {"aten::relu.out", 2, unary_same<ElementwiseOp::Relu>},
    {"aten::reciprocal.out", 2, unary_float<ElementwiseOp::Reciprocal>},
    {"aten::sqrt.out", 2, unary_float<ElementwiseOp::Sqrt>},
    {"aten::rsqrt.out", 2, unary_float<ElementwiseOp::Rsqrt>},
    {"aten::exp.out", 2, unary_float<ElementwiseOp::Exp>},
    {"aten::log.out", 2, unary_float<ElementwiseOp::Log>},
    {"aten::sin.out", 2, unary_float<ElementwiseOp::Sin>},
    {"aten::cos.out", 2, unary_float<ElementwiseOp::Cos>},
    {"aten::tanh.out", 2, unary_float<ElementwiseOp::Tanh>},
    {"aten::erf.out", 2, unary_float<ElementwiseOp::Erf>},
    {"aten::sigmoid.out", 2, unary_float<ElementwiseOp::Sigmoid>},
    {"aten::silu.out", 2, unary_float<ElementwiseOp::Silu>},
    {"aten::logical_not.out", 2, logical_not},
    {"aten::gelu.out", 3, gelu},
    {"aten::leaky_relu.out", 3, leaky_relu},
    {"aten::hardtanh.out", 4, clamp},
    {"aten::clamp.out", 4, clamp},
    {"aten::pow.Tensor_Scalar_out", 3, power},
    {"aten::where.self_out", 4, where},
    {"aten::add.out", 4, add_or_subtract<false>},
    {"aten::add.Scalar_out", 4, add_or_subtract<false>},
    {"aten::sub.out", 4, add_or_subtract<true>},
    {"aten::sub.Scalar_out", 4, add_or_subtract<true>},
    {"aten::mul.out", 3, binary_plain<ElementwiseOp::Mul, Rule::NoBool>},
    {"aten::mul.Scalar_out", 3, binary_plain<ElementwiseOp::Mul, Rule::NoBool>},
    {"aten::div.out", 3, binary_plain<ElementwiseOp::Div, Rule::Float>},
    {"aten::div.Scalar_out", 3, binary_plain<ElementwiseOp::Div, Rule::Float>},
    {"aten::maximum.out", 3, binary_plain<ElementwiseOp::Maximum, Rule::NoBool>},
    {"aten::minimum.out", 3, binary_plain<ElementwiseOp::Minimum, Rule::NoBool>},
    {"aten::pow.Tensor_Tensor_out", 3, binary_plain<ElementwiseOp::Pow, Rule::NoBool>},
    {"aten::eq.Tensor_out", 3, binary_plain<ElementwiseOp::Eq, Rule::Compare>},
    {"aten::eq.Scalar_out", 3, binary_plain<ElementwiseOp::Eq, Rule::Compare>},
    {"aten::ne.Tensor_out", 3, binary_plain<ElementwiseOp::Ne, Rule::Compare>},
    {"aten::ne.Scalar_out", 3, binary_plain<ElementwiseOp::Ne, Rule::Compare>},
    {"aten::lt.Tensor_out", 3, binary_plain<ElementwiseOp::Lt, Rule::Compare>},
    {"aten::lt.Scalar_out", 3, binary_plain<ElementwiseOp::Lt, Rule::Compare>},
    {"aten::le.Tensor_out", 3, binary_plain<ElementwiseOp::Le, Rule::Compare>},
    {"aten::le.Scalar_out", 3, binary_plain<ElementwiseOp::Le, Rule::Compare>},
    {"aten::gt.Tensor_out", 3, binary_plain<ElementwiseOp::Gt, Rule::Compare>},
    {"aten::gt.Scalar_out", 3, binary_plain<ElementwiseOp::Gt, Rule::Compare>},
    {"aten::ge.Tensor_out", 3, binary_plain<ElementwiseOp::Ge, Rule::Compare>},
    {"aten::ge.Scalar_out", 3, binary_plain<ElementwiseOp::Ge, Rule::Compare>},
    {"aten::logical_and.out", 3, binary_plain<ElementwiseOp::LogicalAnd, Rule::Compare>},
    {"aten::logical_or.out", 3, binary_plain<ElementwiseOp::LogicalOr, Rule::Compare>},
    {"aten::bitwise_and.Tensor_out", 3, binary_plain<ElementwiseOp::BitwiseAnd, Rule::Common>},
    {"aten::bitwise_or.Tensor_out", 3, binary_plain<ElementwiseOp::BitwiseOr, Rule::Common>},
};

}  // namespace

Span<const TranslateRow> elementwise_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace kernels
}  // namespace executorch
