// Matrix products, convolutions, pooling, batch norm. Products of half types are computed in single
// precision and rounded once; the kernels do other types.
#include "kernels/planner/translator.h"

namespace executorch {
namespace kernels {
namespace {

bool matrix(const Translator& t, ValueId value, int rank) {
  return value != kNoValue && t.dtype(value) == DType::f32 && t.sizes(value).rank == rank;
}

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

bool pairs(const std::vector<int64_t>& values, int spatial, int64_t missing, int64_t* out) {
  if (values.empty() || (values.size() != 1 && values.size() != static_cast<size_t>(spatial)))
    return false;
  out[0] = spatial == 2 ? values[0] : missing;
  out[1] = values.back();
  return true;
}

int64_t convolved(int64_t in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation) {
  return (in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

bool sane(const int64_t* values, int64_t low) {
  constexpr int64_t kHigh = int64_t{1} << 30;
  return values[0] >= low && values[0] <= kHigh && values[1] >= low && values[1] <= kHigh;
}

// input, weight, bias or none, stride, padding, dilation, transposed, output padding, groups, out.
bool convolution(Translator& t, Arguments args) {
  const ValueId input = t.read(args[0]), weight = t.read(args[1]);
  if (input == kNoValue || weight == kNoValue) return false;
  const int rank = t.sizes(input).rank;
  if ((rank != 3 && rank != 4) || !matrix(t, input, rank) || !matrix(t, weight, rank)) return false;
  if (t.value(weight).source != engine::Source::Constant) return false;
  std::vector<int64_t> stride, padding, dilation;
  bool transposed;
  engine::Convolution op;
  if (!t.integers(args[3], &stride) || !t.integers(args[4], &padding) ||
      !t.integers(args[5], &dilation))
    return false;
  if (!t.boolean(args[6], &transposed) || transposed || !t.integer(args[8], &op.groups))
    return false;
  const int spatial = rank - 2;
  if (!pairs(stride, spatial, 1, op.stride) || !pairs(padding, spatial, 0, op.padding) ||
      !pairs(dilation, spatial, 1, op.dilation) || !sane(op.stride, 1) || !sane(op.padding, 0) ||
      !sane(op.dilation, 1) || op.groups < 1) {
    return false;
  }
  const Dims in = t.sizes(input), kernel = t.sizes(weight);
  if (in[1] != kernel[1] * op.groups || kernel[0] % op.groups != 0 || engine::numel(in) == 0 ||
      engine::numel(kernel) == 0) {
    return false;
  }
  Dims out = in;
  out[1] = kernel[0];
  for (int d = 0; d < spatial; ++d) {
    const int axis = d + 2 - spatial;
    out[2 + d] =
        convolved(in[2 + d], kernel[2 + d], op.stride[axis], op.padding[axis], op.dilation[axis]);
    if (out[2 + d] <= 0) return false;
  }
  std::vector<ValueId> inputs{input, weight};
  if (!t.is_none(args[2])) {
    const ValueId bias = t.read(args[2]);
    if (!matrix(t, bias, 1) || t.sizes(bias)[0] != kernel[0]) return false;
    op.bias = true;
    inputs.push_back(bias);
  }
  return t.write(args[9], t.graph().add_node(op, std::move(inputs), DType::f32, out));
}

// input, weight, bias, mean, variance, momentum, epsilon, out, saved mean, saved deviation.
bool batch_norm(Translator& t, Arguments args) {
  const ValueId input = t.read(args[0]);
  if (input == kNoValue || t.dtype(input) != DType::f32 || t.sizes(input).rank < 2) return false;
  const Dims in = t.sizes(input);
  engine::BatchNorm op{};
  Number epsilon;
  if (!t.number(args[6], &epsilon)) return false;
  op.epsilon = epsilon.as_double();
  std::vector<ValueId> inputs{input};
  for (int i = 1; i <= 4; ++i) {
    if (t.is_none(args[static_cast<size_t>(i)]) && i <= 2) continue;
    const ValueId value = t.read(args[static_cast<size_t>(i)]);
    if (!matrix(t, value, 1) || t.sizes(value)[0] != in[1] || !t.graph().is_constant(value))
      return false;
    if (i == 1) op.weight = true;
    if (i == 2) op.bias = true;
    inputs.push_back(value);
  }
  Dims none;
  none.push(0);
  const ValueId saved =
      t.graph().add_constant(DType::f32, none, engine::contiguous_strides(none), nullptr);
  return t.write(args[7], t.graph().add_node(op, std::move(inputs), DType::f32, in)) &&
         t.write(args[8], saved) && t.write(args[9], saved);
}

// self, kernel, stride, padding, dilation, ceil, out, indices. Indices are left out when nothing
// reads them.
bool max_pool(Translator& t, Arguments args) {
  const ValueId input = t.read(args[0]);
  std::vector<int64_t> kernel, stride, padding, dilation;
  bool ceil;
  if (!matrix(t, input, 4) || engine::numel(t.sizes(input)) == 0) return false;
  if (!t.integers(args[1], &kernel) || !t.integers(args[2], &stride) ||
      !t.integers(args[3], &padding) || !t.integers(args[4], &dilation) ||
      !t.boolean(args[5], &ceil) || ceil) {
    return false;
  }
  if (stride.empty()) stride = kernel;
  engine::MaxPool op;
  if (!pairs(kernel, 2, 1, op.kernel) || !pairs(stride, 2, 1, op.stride) ||
      !pairs(padding, 2, 0, op.padding) || !pairs(dilation, 2, 1, op.dilation) ||
      !sane(op.kernel, 1) || !sane(op.stride, 1) || !sane(op.padding, 0) || !sane(op.dilation, 1)) {
    return false;
  }
  for (int d = 0; d < 2; ++d) {
    if (op.padding[d] * 2 > op.kernel[d]) return false;
  }
  Dims out = t.sizes(input);
  for (int d = 0; d < 2; ++d) {
    out[2 + d] = convolved(out[2 + d], op.kernel[d], op.stride[d], op.padding[d], op.dilation[d]);
    if (out[2 + d] <= 0) return false;
  }
  return t.write(args[6], t.graph().add_node(op, {input}, DType::f32, out)) &&
         t.write_unknown(args[7]);
}

const TranslateRow kRows[] = {
    {"aten::mm.out", 3, mm},
    {"aten::bmm.out", 3, bmm},
    {"aten::addmm.out", 6, addmm},
    {"aten::linear.out", 4, linear},
    {"aten::convolution.out", 10, convolution},
    {"aten::_native_batch_norm_legit_no_training.out", 10, batch_norm},
    {"aten::max_pool2d_with_indices.out", 8, max_pool},
};

}  // namespace

Span<const TranslateRow> product_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace kernels
}  // namespace executorch
