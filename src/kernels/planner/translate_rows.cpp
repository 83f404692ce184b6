// Softmax, layer norm and reductions. Rows of half types are computed in single precision and
// rounded once.
#include "kernels/planner/translator.h"

namespace executorch {
namespace kernels {
namespace {

using compute::ReduceOp;

bool single_or_half(DType type) {
  return type == DType::f32 || type == DType::f16 || type == DType::bf16;
}

// self, dim, half_to_float, out.
bool softmax(Translator& t, Arguments args) {
  const ValueId given = t.read(args[0]);
  int dim;
  bool half_to_float;
  if (given == kNoValue || !single_or_half(t.dtype(given)) || !t.boolean(args[2], &half_to_float) ||
      half_to_float) {
    return false;
  }
  const DType type = t.dtype(given);
  const ValueId self = t.cast(given, DType::f32);
  const int rank = t.sizes(self).rank;
  if (rank == 0 || !t.dim(args[1], rank, &dim)) return false;
  const Dims sizes = t.sizes(self);
  if (dim == rank - 1) {
    const ValueId result = t.graph().add_node(engine::Softmax{dim}, {self}, DType::f32, sizes);
    return t.write(args[3], t.cast(result, type));
  }
  std::vector<int> order;
  for (int d = 0; d < rank; ++d) order.push_back(d == dim ? rank - 1 : d == rank - 1 ? dim : d);
  const ValueId rows = t.permute(self, order);
  const Dims row_sizes = t.sizes(rows);
  const ValueId result =
      t.graph().add_node(engine::Softmax{rank - 1}, {rows}, DType::f32, row_sizes);
  return t.write(args[3], t.cast(t.permute(result, order), type));
}

// input, normalized_shape, weight, bias, epsilon, out, mean, reciprocal deviation.
bool layer_norm(Translator& t, Arguments args) {
  const ValueId input = t.read(args[0]);
  std::vector<int64_t> shape;
  Number epsilon;
  DType saved_type;
  if (input == kNoValue || !single_or_half(t.dtype(input)) || !t.integers(args[1], &shape) ||
      !t.number(args[4], &epsilon) || !t.output_type(args[6], &saved_type) ||
      !single_or_half(saved_type)) {
    return false;
  }
  const DType type = t.dtype(input);
  const Dims sizes = t.sizes(input);
  const int dims = static_cast<int>(shape.size());
  if (dims == 0 || dims > sizes.rank) return false;
  Dims row;
  for (int d = 0; d < dims; ++d) {
    if (shape[static_cast<size_t>(d)] != sizes[sizes.rank - dims + d]) return false;
    row.push(shape[static_cast<size_t>(d)]);
  }
  engine::LayerNorm op{dims, epsilon.as_double(), false, false};
  std::vector<ValueId> inputs{t.cast(input, DType::f32)};
  for (size_t i = 2; i <= 3; ++i) {
    if (t.is_none(args[i])) continue;
    const ValueId value = t.read(args[i]);
    if (value == kNoValue || !single_or_half(t.dtype(value)) || !(t.sizes(value) == row))
      return false;
    (i == 2 ? op.weight : op.bias) = true;
    inputs.push_back(t.cast(value, DType::f32));
  }
  Dims saved = sizes;
  for (int d = 0; d < dims; ++d) saved[sizes.rank - 1 - d] = 1;
  Graph& graph = t.graph();
  const ValueId out = graph.add_node(op, std::move(inputs), DType::f32, sizes);
  const size_t node = graph.nodes.size() - 1;
  const ValueId mean = graph.add_computed(DType::f32, saved),
                deviation = graph.add_computed(DType::f32, saved);
  graph.nodes[node].outputs = {out, mean, deviation};
  return t.write(args[5], t.cast(out, type)) && t.write(args[6], t.cast(mean, saved_type)) &&
         t.write(args[7], t.cast(deviation, saved_type));
}

// Reduces `dims` (all when empty) of self.
bool reduce(Translator& t, int32_t out, ValueId self, std::vector<int64_t> dims, bool keep,
            ReduceOp op, bool mean) {
  DType result;
  if (self == kNoValue || !t.output_type(out, &result)) return false;
  const Dims& sizes = t.sizes(self);
  uint32_t bits = 0;
  for (const int64_t dim : dims) {
    if (dim < -sizes.rank || dim >= sizes.rank) return false;
    bits |= 1u << (dim < 0 ? dim + sizes.rank : dim);
  }
  if (dims.empty()) bits = (1u << sizes.rank) - 1;
  Dims reduced;
  int64_t count = 1;
  for (int d = 0; d < sizes.rank; ++d) {
    if ((bits >> d & 1) == 0) {
      reduced.push(sizes[d]);
    } else {
      count *= sizes[d];
      if (keep) reduced.push(1);
    }
  }
  if (count == 0 || sizes.rank == 0) return false;
  engine::Reduce node{op, bits, mean ? static_cast<double>(count) : 1.0};
  return t.write(out, t.graph().add_node(node, {self}, result, reduced));
}

// self, dims or none, keepdim, dtype or none, out.
template <bool mean>
bool sum_or_mean(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  std::vector<int64_t> dims;
  bool keep;
  DType result;
  if (self == kNoValue || t.dtype(self) != DType::f32 || !t.output_type(args[4], &result) ||
      result != DType::f32) {
    return false;
  }
  if (!t.is_none(args[1]) && !t.integers(args[1], &dims)) return false;
  return t.boolean(args[2], &keep) && reduce(t, args[4], self, dims, keep, ReduceOp::Sum, mean);
}

// self, dim, keepdim, out.
bool any_along(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  int64_t dim;
  bool keep;
  DType result;
  if (self == kNoValue || t.dtype(self) != DType::boolean || !t.output_type(args[3], &result) ||
      result != DType::boolean) {
    return false;
  }
  return t.integer(args[1], &dim) && t.boolean(args[2], &keep) &&
         reduce(t, args[3], self, {dim}, keep, ReduceOp::Any, false);
}

// self, dims, keepdim, out.
template <ReduceOp op>
bool extreme(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  std::vector<int64_t> dims;
  bool keep;
  if (self == kNoValue || t.dtype(self) != DType::f32 || !t.integers(args[1], &dims)) return false;
  return t.boolean(args[2], &keep) && reduce(t, args[3], self, dims, keep, op, false);
}

const TranslateRow kRows[] = {
    {"aten::_softmax.out", 4, softmax},
    {"aten::native_layer_norm.out", 8, layer_norm},
    {"aten::mean.out", 5, sum_or_mean<true>},
    {"aten::sum.IntList_out", 5, sum_or_mean<false>},
    {"aten::any.out", 4, any_along},
    {"aten::amax.out", 4, extreme<ReduceOp::Max>},
    {"aten::amin.out", 4, extreme<ReduceOp::Min>},
};

}  // namespace

Span<const TranslateRow> row_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace kernels
}  // namespace executorch
