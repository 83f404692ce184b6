// Integers that depend on shapes: evaluated while translating, as plans are made per shape.
#include "kernels/planner/translator.h"

namespace executorch {
namespace kernels {
namespace {

// self, dim, out.
bool sym_size(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  int dim;
  if (self == kNoValue || t.sizes(self).rank == 0 || !t.dim(args[1], t.sizes(self).rank, &dim))
    return false;
  return t.write_number(args[args.size() - 1], EValue(t.sizes(self)[dim]));
}

bool sym_numel(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  return self != kNoValue &&
         t.write_number(args[args.size() - 1], EValue(engine::numel(t.sizes(self))));
}

enum class Operator { Add, Sub, Mul, FloorDivide, Modulo, Eq, Gt, Lt, Ge, Le, Max, Min };

bool floor_divide(int64_t a, int64_t b, int64_t* quotient, int64_t* remainder) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return false;
  *quotient = a / b;
  *remainder = a % b;
  if (*remainder != 0 && (*remainder < 0) != (b < 0)) {
    --*quotient;
    *remainder += b;
  }
  return true;
}

// a, b, out: integers only; the operators themselves do the rest.
template <Operator op>
bool binary(Translator& t, Arguments args) {
  Number a, b;
  if (!t.number(args[0], &a) || !t.number(args[1], &b) || a.floating || b.floating || a.boolean ||
      b.boolean) {
    return false;
  }
  const int32_t out = args[args.size() - 1];
  int64_t result = 0, rest = 0;
  switch (op) {
    case Operator::Add:
      if (__builtin_add_overflow(a.integer, b.integer, &result)) return false;
      break;
    case Operator::Sub:
      if (__builtin_sub_overflow(a.integer, b.integer, &result)) return false;
      break;
    case Operator::Mul:
      if (__builtin_mul_overflow(a.integer, b.integer, &result)) return false;
      break;
    case Operator::FloorDivide:
      if (!floor_divide(a.integer, b.integer, &result, &rest)) return false;
      break;
    case Operator::Modulo:
      if (!floor_divide(a.integer, b.integer, &rest, &result)) return false;
      break;
    case Operator::Max:
      result = a.integer > b.integer ? a.integer : b.integer;
      break;
    case Operator::Min:
      result = a.integer < b.integer ? a.integer : b.integer;
      break;
    case Operator::Eq:
      return t.write_number(out, EValue(a.integer == b.integer));
    case Operator::Gt:
      return t.write_number(out, EValue(a.integer > b.integer));
    case Operator::Lt:
      return t.write_number(out, EValue(a.integer < b.integer));
    case Operator::Ge:
      return t.write_number(out, EValue(a.integer >= b.integer));
    case Operator::Le:
      return t.write_number(out, EValue(a.integer <= b.integer));
  }
  return t.write_number(out, EValue(result));
}

const TranslateRow kRows[] = {
    {"aten::sym_size.int", 3, sym_size},
    {"aten::sym_numel", 2, sym_numel},
    {"executorch_prim::add.Scalar", 3, binary<Operator::Add>},
    {"executorch_prim::sub.Scalar", 3, binary<Operator::Sub>},
    {"executorch_prim::mul.Scalar", 3, binary<Operator::Mul>},
    {"executorch_prim::floordiv.Scalar", 3, binary<Operator::FloorDivide>},
    {"executorch_prim::mod.Scalar", 3, binary<Operator::Modulo>},
    {"executorch_prim::sym_max.Scalar", 3, binary<Operator::Max>},
    {"executorch_prim::sym_min.Scalar", 3, binary<Operator::Min>},
    {"executorch_prim::eq.Scalar", 3, binary<Operator::Eq>},
    {"executorch_prim::gt.Scalar", 3, binary<Operator::Gt>},
    {"executorch_prim::lt.Scalar", 3, binary<Operator::Lt>},
    {"executorch_prim::ge.Scalar", 3, binary<Operator::Ge>},
    {"executorch_prim::le.Scalar", 3, binary<Operator::Le>},
};

}  // namespace

Span<const TranslateRow> symbol_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace kernels
}  // namespace executorch
