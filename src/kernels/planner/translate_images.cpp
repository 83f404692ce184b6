// Convolution, normalisation and pooling of images: single precision only, the kernels do the rest.
#include <algorithm>

#include "kernels/planner/translator.h"

namespace executorch {
namespace kernels {
namespace {

using engine::Convolution;
using engine::ElementwiseOp;

bool image(const Translator& t, ValueId value, int rank) {
  return value != kNoValue && t.dtype(value) == DType::f32 && t.sizes(value).rank == rank;
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

constexpr int64_t kHigh = int64_t{1} << 30;

bool sane(const int64_t* values, int64_t low) {
  return values[0] >= low && values[0] <= kHigh && values[1] >= low && values[1] <= kHigh;
}

/// The sizes of a convolution's result; false when it has none.
bool convolved_sizes(const Convolution& op, const Dims& in, const Dims& kernel, Dims* out) {
  const int spatial = in.rank - 2;
  const int64_t in_channels = op.transposed ? kernel[0] : kernel[1] * op.groups;
  if (in[1] != in_channels || kernel[0] % op.groups != 0 || engine::numel(in) == 0 ||
      engine::numel(kernel) == 0) {
    return false;
  }
  *out = in;
  (*out)[1] = op.transposed ? kernel[1] * op.groups : kernel[0];
  for (int d = 0; d < spatial; ++d) {
    const int axis = d + 2 - spatial;
    const int64_t span = op.dilation[axis] * (kernel[2 + d] - 1);
    (*out)[2 + d] = op.transposed ? (in[2 + d] - 1) * op.stride[axis] - 2 * op.padding[axis] +
                                        span + op.output_padding[axis] + 1
                                  : convolved(in[2 + d], kernel[2 + d], op.stride[axis],
                                              op.padding[axis], op.dilation[axis]);
    if ((*out)[2 + d] <= 0) return false;
  }
  return true;
}

/// The arguments from the stride on.
bool read_convolution(Translator& t, Arguments args, int spatial, Convolution* op) {
  std::vector<int64_t> stride, padding, dilation, output_padding;
  if (!t.integers(args[3], &stride) || !t.integers(args[4], &padding) ||
      !t.integers(args[5], &dilation) || !t.boolean(args[6], &op->transposed) ||
      !t.integers(args[7], &output_padding) || !t.integer(args[8], &op->groups)) {
    return false;
  }
  if (!pairs(stride, spatial, 1, op->stride) || !pairs(padding, spatial, 0, op->padding) ||
      !pairs(dilation, spatial, 1, op->dilation)) {
    return false;
  }
  if (!sane(op->stride, 1) || !sane(op->padding, 0) || !sane(op->dilation, 1) || op->groups < 1 ||
      op->groups > kHigh) {
    return false;
  }
  if (!op->transposed) return true;
  if (!pairs(output_padding, spatial, 0, op->output_padding) || !sane(op->output_padding, 0))
    return false;
  for (int d = 0; d < 2; ++d) {
    if (op->output_padding[d] >= std::max(op->stride[d], op->dilation[d])) return false;
  }
  return true;
}

// input, weight, bias or none, stride, padding, dilation, transposed, output padding, groups, out.
bool convolution(Translator& t, Arguments args) {
  const ValueId input = t.read(args[0]), weight = t.read(args[1]);
  if (input == kNoValue || weight == kNoValue) return false;
  const int rank = t.sizes(input).rank;
  if ((rank != 3 && rank != 4) || !image(t, input, rank) || !image(t, weight, rank)) return false;
  if (t.value(weight).source != engine::Source::Constant) return false;
  Convolution op;
  Dims out;
  if (!read_convolution(t, args, rank - 2, &op) ||
      !convolved_sizes(op, t.sizes(input), t.sizes(weight), &out)) {
    return false;
  }
  std::vector<ValueId> inputs{input, weight};
  if (!t.is_none(args[2])) {
    const ValueId bias = t.read(args[2]);
    if (!image(t, bias, 1) || t.sizes(bias)[0] != out[1]) return false;
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
    if (!image(t, value, 1) || t.sizes(value)[0] != in[1] || !t.graph().is_constant(value))
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

/// The sizes of windows over an image; false where the last may reach over its end.
template <class Pool>
bool read_windows(Translator& t, Arguments args, int32_t ceil_mode, const int64_t* dilation,
                  const Dims& in, Pool* op, Dims* out) {
  std::vector<int64_t> kernel, stride, padding;
  bool ceil;
  if (!t.integers(args[1], &kernel) || !t.integers(args[2], &stride) ||
      !t.integers(args[3], &padding) || !t.boolean(ceil_mode, &ceil) || ceil) {
    return false;
  }
  if (stride.empty()) stride = kernel;
  if (!pairs(kernel, 2, 1, op->kernel) || !pairs(stride, 2, 1, op->stride) ||
      !pairs(padding, 2, 0, op->padding) || !sane(op->kernel, 1) || !sane(op->stride, 1) ||
      !sane(op->padding, 0)) {
    return false;
  }
  *out = in;
  for (int d = 0; d < 2; ++d) {
    if (op->padding[d] * 2 > op->kernel[d]) return false;
    (*out)[2 + d] = convolved(in[2 + d], op->kernel[d], op->stride[d], op->padding[d], dilation[d]);
    if ((*out)[2 + d] <= 0) return false;
  }
  return true;
}

// self, kernel, stride, padding, dilation, ceil, out, indices. Indices are left out when nothing
// reads them.
bool max_pool(Translator& t, Arguments args) {
  const ValueId input = t.read(args[0]);
  std::vector<int64_t> dilation;
  engine::MaxPool op;
  Dims out;
  if (!image(t, input, 4) || engine::numel(t.sizes(input)) == 0) return false;
  if (!t.integers(args[4], &dilation) || !pairs(dilation, 2, 1, op.dilation) ||
      !sane(op.dilation, 1) ||
      !read_windows(t, args, args[5], op.dilation, t.sizes(input), &op, &out)) {
    return false;
  }
  return t.write(args[6], t.graph().add_node(op, {input}, DType::f32, out)) &&
         t.write_unknown(args[7]);
}

// self, kernel, stride, padding, ceil, padding counts, divisor or none, out.
bool average_pool(Translator& t, Arguments args) {
  const ValueId input = t.read(args[0]);
  constexpr int64_t kDilation[] = {1, 1};
  engine::AveragePool op;
  Dims out;
  if (!image(t, input, 4) || engine::numel(t.sizes(input)) == 0) return false;
  if (!t.boolean(args[5], &op.divisor.count_include_pad) ||
      !read_windows(t, args, args[4], kDilation, t.sizes(input), &op, &out)) {
    return false;
  }
  if (!t.is_none(args[6]) &&
      (!t.integer(args[6], &op.divisor.override_value) || op.divisor.override_value == 0)) {
    return false;
  }
  return t.write(args[7], t.graph().add_node(op, {input}, DType::f32, out));
}

// self, output size, out: where all windows are of one size and side by side.
bool adaptive_average_pool(Translator& t, Arguments args) {
  const ValueId input = t.read(args[0]);
  std::vector<int64_t> size;
  if (!image(t, input, 4) || engine::numel(t.sizes(input)) == 0 || !t.integers(args[1], &size) ||
      size.size() != 2) {
    return false;
  }
  engine::AveragePool op{};
  Dims out = t.sizes(input);
  for (int d = 0; d < 2; ++d) {
    if (size[static_cast<size_t>(d)] < 1 || out[2 + d] % size[static_cast<size_t>(d)] != 0)
      return false;
    op.kernel[d] = op.stride[d] = out[2 + d] / size[static_cast<size_t>(d)];
    out[2 + d] = size[static_cast<size_t>(d)];
  }
  return t.write(args[2], t.graph().add_node(op, {input}, DType::f32, out));
}

/// One value for each channel of an image, as a factor or addend of it; nothing without one.
bool per_channel(Translator& t, int32_t id, ElementwiseOp op, const Dims& image_sizes,
                 ValueId* result) {
  if (t.is_none(id)) return true;
  const ValueId channels = t.read(id);
  if (!image(t, channels, 1) || t.sizes(channels)[0] != image_sizes[1]) return false;
  Dims sizes;
  for (int d = 0; d < image_sizes.rank; ++d) sizes.push(d == 1 ? image_sizes[1] : 1);
  *result = t.elementwise(op, DType::f32, {*result, t.reshape(channels, sizes)}, DType::f32);
  return true;
}

// input, weight or none, bias or none, N, C, HxW, groups, epsilon, out, mean, reciprocal deviation.
// A group is a row that is normalised.
bool group_norm(Translator& t, Arguments args) {
  const ValueId input = t.read(args[0]);
  int64_t counts[3], groups;
  Number epsilon;
  if (input == kNoValue || t.dtype(input) != DType::f32 || t.sizes(input).rank < 2) return false;
  for (size_t i = 0; i < 3; ++i) {
    if (!t.integer(args[3 + i], &counts[i])) return false;
  }
  if (!t.integer(args[6], &groups) || !t.number(args[7], &epsilon)) return false;
  const Dims sizes = t.sizes(input);
  const int64_t total = engine::numel(sizes);
  if (total == 0 || counts[0] != sizes[0] || counts[1] != sizes[1] ||
      counts[2] != total / (sizes[0] * sizes[1]) || groups < 1 || sizes[1] % groups != 0) {
    return false;
  }
  Dims rows, saved;
  for (const int64_t size : {sizes[0], groups}) {
    rows.push(size);
    saved.push(size);
  }
  rows.push(total / (sizes[0] * groups));
  saved.push(1);
  Graph& graph = t.graph();
  const engine::LayerNorm op{1, epsilon.as_double(), false, false};
  const ValueId normed = graph.add_node(op, {t.reshape(input, rows)}, DType::f32, rows);
  const size_t node = graph.nodes.size() - 1;
  const ValueId mean = graph.add_computed(DType::f32, saved),
                deviation = graph.add_computed(DType::f32, saved);
  graph.nodes[node].outputs = {normed, mean, deviation};
  ValueId result = t.reshape(normed, sizes);
  if (!per_channel(t, args[1], ElementwiseOp::Mul, sizes, &result) ||
      !per_channel(t, args[2], ElementwiseOp::Add, sizes, &result)) {
    return false;
  }
  --saved.rank;
  return t.write(args[8], result) && t.write(args[9], t.reshape(mean, saved)) &&
         t.write(args[10], t.reshape(deviation, saved));
}

const TranslateRow kRows[] = {
    {"aten::convolution.out", 10, convolution},
    {"aten::_native_batch_norm_legit_no_training.out", 10, batch_norm},
    {"aten::native_group_norm.out", 11, group_norm},
    {"aten::max_pool2d_with_indices.out", 8, max_pool},
    {"aten::avg_pool2d.out", 8, average_pool},
    {"aten::adaptive_avg_pool2d.out", 3, adaptive_average_pool},
    {"aten::_adaptive_avg_pool2d.out", 3, adaptive_average_pool},
};

}  // namespace

Span<const TranslateRow> image_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace kernels
}  // namespace executorch
