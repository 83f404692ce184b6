// Matrix products. Those of half types are computed in single precision and rounded once; the
// kernels do other types.
#include "kernels/planner/translator.h"

namespace executorch {
namespace kernels {
namespace {

bool multiplies(DType type) {
  return type == DType::f32 || type == DType::f16 || type == DType::bf16;
}

/// Operands of one type that products know.
bool factors(const Translator& t, ValueId a, ValueId b, int rank) {
  return a != kNoValue && b != kNoValue && multiplies(t.dtype(a)) && t.dtype(a) == t.dtype(b) &&
         t.sizes(a).rank == rank && t.sizes(b).rank == rank;
}

Dims product_sizes(const Dims& a, const Dims& b) {
  Dims sizes = a;
  sizes[sizes.rank - 1] = b[b.rank - 1];
  return sizes;
}

/// `addend`: bias or residual as `op` says, or none.
ValueId product(Translator& t, const engine::MatMul& op, ValueId a, ValueId b, ValueId addend) {
  const DType type = t.dtype(a);
  const Dims sizes = product_sizes(t.sizes(a), t.sizes(b));
  // Right sides of two dims are converted when they are packed.
  std::vector<ValueId> inputs{t.cast(a, DType::f32),
                              t.sizes(b).rank == 2 ? b : t.cast(b, DType::f32)};
  if (addend != kNoValue) inputs.push_back(t.cast(addend, DType::f32));
  return t.cast(t.graph().add_node(op, std::move(inputs), DType::f32, sizes), type);
}

bool multiply(Translator& t, int32_t out, ValueId a, ValueId b) {
  const Dims& left = t.sizes(a);
  const Dims& right = t.sizes(b);
  if (left[left.rank - 1] != right[right.rank - 2]) return false;
  return t.write(out, product(t, {}, a, b, kNoValue));
}

bool mm(Translator& t, Arguments args) {
  const ValueId a = t.read(args[0]), b = t.read(args[1]);
  return factors(t, a, b, 2) && multiply(t, args[2], a, b);
}

bool bmm(Translator& t, Arguments args) {
  const ValueId a = t.read(args[0]), b = t.read(args[1]);
  return factors(t, a, b, 3) && t.sizes(a)[0] == t.sizes(b)[0] && multiply(t, args[2], a, b);
}

// Adds beta * c to alpha * a b: as a bias per column where it is one, else as a residual of the
// whole shape.
ValueId product_plus(Translator& t, ValueId c, ValueId a, ValueId b, float beta, float alpha) {
  const Dims sizes = product_sizes(t.sizes(a), t.sizes(b));
  engine::MatMul op;
  op.alpha = alpha;
  Dims strides;
  if (!engine::broadcast_strides(t.sizes(c), t.sizes(c), sizes, &strides)) return kNoValue;
  if (beta == 1.0f && t.sizes(c).rank == 1 && t.sizes(c)[0] == sizes.back()) {
    op.bias = true;
    return product(t, op, a, b, c);
  }
  op.residual = true;
  op.beta = beta;
  return product(t, op, a, b, t.expand(c, sizes));
}

// self, a, b, beta, alpha, out.
bool addmm(Translator& t, Arguments args) {
  const ValueId c = t.read(args[0]), a = t.read(args[1]), b = t.read(args[2]);
  Number beta, alpha;
  if (!factors(t, a, b, 2) || c == kNoValue || t.dtype(c) != t.dtype(a)) return false;
  if (!t.number(args[3], &beta) || !t.number(args[4], &alpha)) return false;
  if (t.sizes(a)[1] != t.sizes(b)[0]) return false;
  // A beta of 0 must not read the addend, which may hold NaN.
  if (beta.as_double() == 0.0) return alpha.as_double() == 1.0 && multiply(t, args[5], a, b);
  return t.write(args[5], product_plus(t, c, a, b, static_cast<float>(beta.as_double()),
                                       static_cast<float>(alpha.as_double())));
}

// input, weight [n, k], bias or none, out.
bool linear(Translator& t, Arguments args) {
  const ValueId input = t.read(args[0]), weight = t.read(args[1]);
  if (input == kNoValue || weight == kNoValue || !multiplies(t.dtype(input)) ||
      t.dtype(input) != t.dtype(weight) || t.sizes(input).rank < 1 || t.sizes(weight).rank != 2)
    return false;
  const Dims sizes = t.sizes(input);
  if (sizes.back() != t.sizes(weight)[1]) return false;
  ValueId bias = kNoValue;
  if (!t.is_none(args[2])) {
    bias = t.read(args[2]);
    if (bias == kNoValue || t.dtype(bias) != t.dtype(input) || t.sizes(bias).rank != 1)
      return false;
    if (t.sizes(bias)[0] != t.sizes(weight)[0]) return false;
  }
  Dims rows, out_sizes = sizes;
  int64_t count = 1;
  for (int d = 0; d + 1 < sizes.rank; ++d) count *= sizes[d];
  rows.push(count);
  rows.push(sizes.back());
  out_sizes[out_sizes.rank - 1] = t.sizes(weight)[0];
  engine::MatMul op;
  op.bias = bias != kNoValue;
  const ValueId result = product(t, op, t.reshape(input, rows), t.permute(weight, {1, 0}), bias);
  return t.write(args[3], t.reshape(result, out_sizes));
}

const TranslateRow kRows[] = {
    {"aten::mm.out", 3, mm},
    {"aten::bmm.out", 3, bmm},
    {"aten::addmm.out", 6, addmm},
    {"aten::linear.out", 4, linear},
};

}  // namespace

Span<const TranslateRow> product_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace kernels
}  // namespace executorch
