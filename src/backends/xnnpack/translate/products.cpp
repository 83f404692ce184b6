// Matrix products, attention and softmax, in single precision.
#include <cinttypes>

#include "backends/xnnpack/translate/graph_builder.h"
#include "engine/steps/step.h"

namespace executorch::backends::xnnpack {
namespace {

using engine::numel;
using engine::to_text;

// The value in single precision with its dims in the payload's order.
Error matrix(GraphBuilder& b, ValueIndex id, ValueId* value) {
  Shown floats;
  ET_TRY(b.floats(id, &floats));
  *value = b.cast(b.plain(floats), DType::f32);
  return Error::Ok;
}

Dims with_last(Dims sizes, int64_t last) {
  sizes[sizes.rank - 1] = last;
  return sizes;
}

// input [.., K], filter [N, K] or [K, N], bias [N] or none.
Error fully_connected(GraphBuilder& b, const Node& node) {
  if (is_quantized_product(b, node)) return quantized_linear(b, node);
  ValueId input, filter;
  ET_TRY(matrix(b, node.inputs[0], &input));
  ET_TRY(matrix(b, node.inputs[1], &filter));
  const Dims sizes = b.graph().value(input).sizes;
  ET_REQUIRE(sizes.rank >= 1 && b.graph().value(filter).sizes.rank == 2, InvalidProgram,
             "no product of %s and a filter of %s", to_text(sizes).c_str(),
             to_text(b.graph().value(filter).sizes).c_str());
  if ((node.flags & kTransposeWeights) == 0) filter = b.permute(filter, {1, 0});
  const Dims weight = b.graph().value(filter).sizes;
  ET_REQUIRE(sizes.back() == weight[0] && weight[0] > 0, InvalidProgram,
             "no product of %s and a filter of %s", to_text(sizes).c_str(),
             to_text(weight).c_str());
  engine::MatMul product;
  Dims rows;
  rows.push(numel(sizes) / sizes.back());
  rows.push(sizes.back());
  std::vector<ValueId> inputs{b.reshape(input, rows), filter};
  if (node.inputs[2] != kNone) {
    ValueId bias;
    ET_TRY(matrix(b, node.inputs[2], &bias));
    ET_REQUIRE(numel(b.graph().value(bias).sizes) == weight[1], InvalidProgram,
               "its bias has sizes of %s, %" PRId64 " numbers are expected",
               to_text(b.graph().value(bias).sizes).c_str(), weight[1]);
    Dims columns;
    columns.push(weight[1]);
    inputs.push_back(b.reshape(bias, columns));
    product.bias = true;
  }
  Shown result;
  ET_TRY(b.add(product, std::move(inputs), DType::f32, with_last(rows, weight[1]), &result.value));
  result.value = b.reshape(result.value, with_last(sizes, weight[1]));
  return b.write(node, result);
}

// Repeats the leading dims of both operands of a product to those of the other.
Error multiply(GraphBuilder& b, ValueId left, ValueId right, ValueId* result) {
  const Dims a = b.graph().value(left).sizes, c = b.graph().value(right).sizes;
  const auto refuse = [&] {
    return ET_ERROR(InvalidProgram, "no product of %s and %s", to_text(a).c_str(),
                    to_text(c).c_str());
  };
  if (a.rank < 2 || c.rank < 2 || a.back() != c[c.rank - 2]) return refuse();
  Dims a_batch = a, c_batch = c, batch;
  a_batch.rank -= 2;
  c_batch.rank -= 2;
  if (!engine::broadcast_sizes(a_batch, c_batch, &batch)) return refuse();
  const auto repeated = [&](ValueId value, const Dims& own) {
    Dims sizes = batch;
    sizes.push(own[own.rank - 2]);
    sizes.push(own.back());
    return sizes == own ? value : b.graph().add_node(engine::Expand{}, {value}, DType::f32, sizes);
  };
  Dims sizes = batch;
  sizes.push(a[a.rank - 2]);
  sizes.push(c.back());
  if (a.back() == 0 && numel(sizes) > 0) return refuse();
  return b.add(engine::MatMul{}, {repeated(left, a), repeated(right, c)}, DType::f32, sizes,
               result);
}

ValueId swap_last(GraphBuilder& b, ValueId value) {
  Dims sizes = b.graph().value(value).sizes;
  engine::Permute permute{};
  const int rank = sizes.rank;
  for (int d = 0; d < rank; ++d) permute.dims[d] = static_cast<int8_t>(d);
  std::swap(permute.dims[rank - 1], permute.dims[rank - 2]);
  std::swap(sizes[rank - 1], sizes[rank - 2]);
  return b.graph().add_node(permute, {value}, DType::f32, sizes);
}

Error at_least_matrix(GraphBuilder& b, ValueId value) {
  const int rank = b.graph().value(value).sizes.rank;
  ET_REQUIRE(rank >= 2, InvalidProgram, "an operand has %d dimensions, at least 2 are expected",
             rank);
  return Error::Ok;
}

Error batch_matrix_multiply(GraphBuilder& b, const Node& node) {
  ValueId left, right;
  ET_TRY(matrix(b, node.inputs[0], &left));
  ET_TRY(matrix(b, node.inputs[1], &right));
  ET_TRY(at_least_matrix(b, right));
  if ((node.flags & kTransposeWeights) != 0) right = swap_last(b, right);
  Shown result;
  ET_TRY(multiply(b, left, right, &result.value));
  return b.write(node, result);
}

Error softmax_of(GraphBuilder& b, ValueId value, ValueId* result) {
  const Dims sizes = b.graph().value(value).sizes;
  ET_REQUIRE(sizes.rank >= 1, InvalidProgram, "its input is a single number");
  return b.add(engine::Softmax{sizes.rank - 1}, {value}, DType::f32, sizes, result);
}

Error softmax(GraphBuilder& b, const Node& node) {
  ValueId input;
  Shown result;
  ET_TRY(matrix(b, node.inputs[0], &input));
  ET_TRY(softmax_of(b, input, &result.value));
  return b.write(node, result);
}

// query [.., M, D], key [.., L, D], value [.., L, E], scale per D, mask [.., M, L]:
// softmax(scale * query key^T + mask) value.
Error attention(GraphBuilder& b, const Node& node) {
  ValueId operands[5];
  for (size_t i = 0; i < 5; ++i) ET_TRY(matrix(b, node.inputs[i], &operands[i]));
  Shown query, scores;
  ET_TRY(b.elementwise(ElementwiseOp::Mul, {Shown{operands[0]}, Shown{operands[3]}}, &query));
  ET_TRY(at_least_matrix(b, operands[1]));
  ET_TRY(multiply(b, query.value, swap_last(b, operands[1]), &scores.value));
  ET_TRY(b.elementwise(ElementwiseOp::Add, {scores, Shown{operands[4]}}, &scores));
  ValueId weights;
  Shown result;
  ET_TRY(softmax_of(b, scores.value, &weights));
  ET_TRY(multiply(b, weights, operands[2], &result.value));
  return b.write(node, result);
}

const TranslateRow kRows[] = {
    {NodeKind::FullyConnected, fully_connected},
    {NodeKind::BatchMatrixMultiply, batch_matrix_multiply},
    {NodeKind::Softmax, softmax},
    {NodeKind::ScaledDotProductAttention, attention},
};

}  // namespace

runtime::Span<const TranslateRow> product_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace executorch::backends::xnnpack
