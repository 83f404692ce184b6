// Conversions, arithmetic and linear layers of quantised values.
#include <algorithm>

#include "engine/plan/column_tables.h"
#include "engine/plan/constants.h"
#include "engine/plan/lowering.h"
#include "engine/steps/quantized_steps.h"

namespace executorch::engine {
namespace {

// Elements of the inner dim are adjacent, or all the same.
bool inner_is_plain(const compute::Layout& layout) {
  for (int t = 0; t < layout.tensors; ++t) {
    const int64_t stride = layout.inner_stride(t);
    if (layout.row() > 1 && stride != 1 && (t == 0 || stride != 0)) return false;
  }
  return true;
}

// Those of the innermost dim that has several.
bool has_adjacent_elements(const Dims& sizes, const Dims& strides) {
  int64_t smallest = INT64_MAX;
  for (int d = 0; d < sizes.rank; ++d) {
    if (sizes[d] != 1) smallest = std::min(smallest, strides[d]);
  }
  return smallest == 1 || smallest == INT64_MAX;
}

class HalfBytePacker final : public WeightPacker {
 public:
  HalfBytePacker(const compute::QuantizedMatrix& matrix, const compute::HalfByteWeights& weights)
      : matrix_(matrix), weights_(weights) {}
  bool pack(float* packed) const override {
    compute::pack_halves(matrix_, weights_, packed);
    return true;
  }

 private:
  const compute::QuantizedMatrix& matrix_;
  const compute::HalfByteWeights& weights_;
};

class BytePacker final : public WeightPacker {
 public:
  BytePacker(const compute::QuantizedMatrix& matrix, const compute::ByteWeights& weights)
      : matrix_(matrix), weights_(weights) {}
  bool pack(float* packed) const override {
    compute::pack_bytes(matrix_, weights_, packed);
    return true;
  }

 private:
  const compute::QuantizedMatrix& matrix_;
  const compute::ByteWeights& weights_;
};

}  // namespace

// One loop over the operands, laid out as the first that has the result's sizes.
Error Lowering::lower_quantized_map(const Node& node, compute::QuantizedOp op,
                                    const compute::QuantizedLoopParams& params) {
  const ValueId out = node.outputs[0];
  const Dims& sizes = graph_.value(out).sizes;
  const int operands =
      op == compute::QuantizedOp::Lookup ? 1 : static_cast<int>(node.inputs.size());
  QuantizedMap map{op, params, {}, {}, {}, {}};
  std::vector<Placement> touched;
  Dims strides[3];
  Dims preferred = contiguous_strides(sizes);
  for (int i = operands; i-- > 0;) {
    const ValueId in = node.inputs[static_cast<size_t>(i)];
    if (graph_.value(in).sizes == sizes) preferred = dense_strides_like(sizes, place(in).strides);
  }
  // In the operand's order, with gaps where it is part of something larger.
  const Placement to = place_output(out, preferred, [&](const Dims& wished) {
    return has_adjacent_elements(sizes, wished) &&
           same_strides(sizes, dense_strides_like(sizes, wished), preferred);
  });
  strides[0] = to.strides;
  map.out = byte_place(out, to);
  map.element_bytes[0] = element_bytes(graph_.value(out).dtype);
  touched.push_back(to);
  const auto lay_out = [&](int i, const Placement& placement) {
    const ValueId in = node.inputs[static_cast<size_t>(i)];
    map.operands[i] = byte_place(in, placement);
    map.element_bytes[i + 1] = element_bytes(graph_.value(in).dtype);
    return broadcast_strides(graph_.value(in).sizes, placement.strides, sizes, &strides[i + 1]);
  };
  const auto layout = [&] {
    const int64_t* lists[] = {strides[0].values, strides[1].values, strides[2].values};
    return compute::make_layout(sizes.rank, sizes.values, lists, operands + 1);
  };
  for (int i = 0; i < operands; ++i) {
    const ValueId in = node.inputs[static_cast<size_t>(i)];
    ET_REQUIRE(lay_out(i, place(in)), InvalidArgument, "cannot repeat %s to %s",
               to_text(graph_.value(in).sizes).c_str(), to_text(sizes).c_str());
  }
  map.layout = layout();
  for (int i = 0; i < operands; ++i) {
    const ValueId in = node.inputs[static_cast<size_t>(i)];
    Placement from = place(in);
    // Rare layouts are copied, so that loops meet adjacent elements only.
    if (!inner_is_plain(map.layout)) {
      const Dims& in_sizes = graph_.value(in).sizes;
      from = in_sizes == sizes ? with_strides(in, to.strides) : contiguous(in);
      lay_out(i, from);
    }
    touched.push_back(from);
  }
  map.layout = layout();
  ET_REQUIRE(inner_is_plain(map.layout), NotSupported, "quantised arithmetic on %s repeated to %s",
             to_text(graph_.value(node.inputs[0]).sizes).c_str(), to_text(sizes).c_str());
  emit(make_quantized_map_step(map), touched);
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const Quantize& op) {
  ET_TRY(check_quantized(op.to));
  return lower_quantized_map(node, compute::QuantizedOp::Quantize, {{}, {}, op.to});
}

Error Lowering::lower(const Node& node, const Dequantize& op) {
  ET_TRY(check_quantized(op.from));
  return lower_quantized_map(node, compute::QuantizedOp::Dequantize, {op.from, {}, {}});
}

Error Lowering::lower(const Node& node, const Requantize& op) {
  ET_TRY(check_quantized(op.from));
  ET_TRY(check_quantized(op.to));
  return lower_quantized_map(node, compute::QuantizedOp::Requantize, {op.from, {}, op.to});
}

Error Lowering::lower(const Node& node, const Lookup&) {
  const Value& table = graph_.value(node.inputs[1]);
  ET_REQUIRE(table.source == Source::Constant && table.data != nullptr &&
                 table.dtype == DType::i8 && numel(table.sizes) == compute::kLookupBytes &&
                 is_contiguous(table.sizes, table.strides),
             InvalidArgument, "a table of %s, %d constant bytes are expected",
             to_text(table.sizes).c_str(), static_cast<int>(compute::kLookupBytes));
  compute::QuantizedLoopParams params({}, {}, {});
  params.table = static_cast<const int8_t*>(table.data);
  return lower_quantized_map(node, compute::QuantizedOp::Lookup, params);
}

Error Lowering::lower(const Node& node, const QuantizedElementwise& op) {
  ET_TRY(check_quantized(op.a));
  ET_TRY(check_quantized(op.b));
  ET_TRY(check_quantized(op.to));
  compute::QuantizedOp loop;
  switch (op.op) {
    case ElementwiseOp::Add:
      loop = compute::QuantizedOp::Add;
      break;
    case ElementwiseOp::Sub:
      loop = compute::QuantizedOp::Sub;
      break;
    case ElementwiseOp::Mul:
      loop = compute::QuantizedOp::Mul;
      break;
    default:
      return ET_ERROR(NotSupported, "quantised %s", compute::operation_name(op.op));
  }
  return lower_quantized_map(node, loop, {op.a, op.b, op.to});
}

Error Lowering::lower(const Node& node, const QuantizeRows& op) {
  const ValueId x = node.inputs[0], q = node.outputs[0], params = node.outputs[1];
  const Dims& sizes = graph_.value(x).sizes;
  int64_t length = 1;
  for (int d = sizes.rank - op.dims; d < sizes.rank; ++d) length *= sizes[d];
  // Within a row elements may lie in any order, rows must follow each other.
  Placement from = place(x);
  bool rows_follow = is_dense(sizes, from.strides);
  int64_t stride = length;
  for (int d = sizes.rank - op.dims; d-- > 0; stride *= sizes[d]) {
    rows_follow = rows_follow && (sizes[d] == 1 || from.strides[d] == stride);
  }
  if (!rows_follow) from = contiguous(x);
  const Dims dense = dense_strides_like(sizes, from.strides);
  const Placement to = place_output(
      q, dense, [&](const Dims& wished) { return same_strides(sizes, wished, dense); });
  const Placement ranges = place_output_contiguous(params);
  const int64_t rows = length == 0 ? 0 : numel(sizes) / length;
  emit(make_quantize_rows_step(rows, length, byte_place(x, from), byte_place(q, to),
                               byte_place(params, ranges)),
       {from, to, ranges});
  return Error::Ok;
}

// Packs the weight [O, K] of a linear layer.
Error Lowering::pack_linear(const Node& node, const QuantizedLinear& op,
                            compute::QuantizedMatrix* matrix) {
  const size_t first = op.product.dynamic ? 2 : 1;
  const Value& weight = graph_.value(node.inputs[first]);
  const Value& scales = graph_.value(node.inputs[first + 1]);
  const int64_t columns = weight.sizes.back();
  const size_t source_bytes = static_cast<size_t>(numel(weight.sizes));
  const size_t bytes = compute::quantized_packed_bytes(*matrix);
  ET_REQUIRE(bytes != SIZE_MAX, InvalidArgument, "a weight of %s is too large",
             to_text(weight.sizes).c_str());
  ET_REQUIRE(is_dense(weight.sizes, weight.strides), NotSupported, "a quantised weight with gaps");
  WeightSpec spec{weight.data, source_bytes, nullptr, 0, {}, bytes, nullptr, 0};
  const int64_t layout[] = {'q',
                            static_cast<int64_t>(matrix->isa),
                            static_cast<int64_t>(matrix->bits),
                            matrix->k,
                            matrix->n,
                            matrix->group,
                            weight.strides[0],
                            weight.strides[1]};
  std::copy(std::begin(layout), std::end(layout), spec.layout);
  ET_TRY(check_budget(bytes, "weights"));
  const float* packed;
  if (matrix->bits == compute::WeightBits::Int8) {
    const compute::ByteWeights source{static_cast<const int8_t*>(weight.data),
                                      weight.strides[0],
                                      {1, 1, matrix->k},
                                      {0, 0, weight.strides[1]}};
    ET_TRY(pack_weight(spec, BytePacker(*matrix, source), &packed));
  } else {
    ET_REQUIRE(is_contiguous(weight.sizes, weight.strides), NotSupported,
               "half bytes that do not lie in rows");
    compute::HalfByteWeights source{static_cast<const uint8_t*>(weight.data), columns, nullptr, 0};
    if (scales.dtype == DType::bf16) {
      ET_REQUIRE(scales.source == Source::Constant && scales.data != nullptr &&
                     is_contiguous(scales.sizes, scales.strides) && scales.sizes.rank == 2 &&
                     scales.sizes[0] == matrix->n && scales.sizes[1] == matrix->k / matrix->group,
                 InvalidArgument, "scales of %s for %lld rows of groups of %lld in %lld",
                 to_text(scales.sizes).c_str(), static_cast<long long>(matrix->n),
                 static_cast<long long>(matrix->group), static_cast<long long>(matrix->k));
      source.scales = static_cast<const uint16_t*>(scales.data);
      source.scales_stride = scales.sizes.back();
      spec.extra = scales.data;
      spec.extra_bytes = static_cast<size_t>(numel(scales.sizes)) * sizeof(uint16_t);
    }
    ET_TRY(pack_weight(spec, HalfBytePacker(*matrix, source), &packed));
  }
  matrix->data = packed;
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const QuantizedLinear& op) {
  const QuantizedProduct& product = op.product;
  const size_t first = product.dynamic ? 2 : 1;
  const ValueId x = node.inputs[0], out = node.outputs[0];
  const Value& weight = graph_.value(node.inputs[first]);
  const Value& result = graph_.value(out);
  ET_TRY(check_quantized(product, result.dtype));
  ET_REQUIRE(weight.source == Source::Constant && weight.data != nullptr, NotSupported,
             "a quantised product whose weight is computed");
  QuantizedLinearShape shape;
  compute::QuantizedMatrix& matrix = shape.weights;
  matrix.isa = compute::active_isa();
  matrix.bits = product.bits;
  matrix.k = graph_.value(x).sizes.back();
  matrix.n = weight.sizes[0];
  matrix.group = op.group == 0 ? matrix.k : op.group;
  const bool half = matrix.bits == compute::WeightBits::Int4;
  ET_REQUIRE(matrix.k > 0 && weight.sizes[1] == (half ? (matrix.k + 1) / 2 : matrix.k),
             InvalidArgument, "rows of %lld values by a weight of %s",
             static_cast<long long>(matrix.k), to_text(weight.sizes).c_str());
  ET_REQUIRE(matrix.k % matrix.group == 0 && (matrix.group == matrix.k || matrix.group % 8 == 0),
             NotSupported, "groups of %lld in rows of %lld", static_cast<long long>(matrix.group),
             static_cast<long long>(matrix.k));
  ET_REQUIRE(!half || matrix.group <= compute::kMostHalfByteGroup, NotSupported,
             "groups of %lld half bytes, at most %lld are supported",
             static_cast<long long>(matrix.group),
             static_cast<long long>(compute::kMostHalfByteGroup));
  ET_REQUIRE(!half || product.dynamic, NotSupported,
             "a static product with a weight of half bytes");
  if (numel(result.sizes) == 0) {
    place_output_contiguous(out);
    return Error::Ok;
  }
  ET_TRY(pack_linear(node, op, &matrix));
  const Value* bias = product.bias ? &graph_.value(node.inputs[first + 2]) : nullptr;
  const ColumnSource columns{product, graph_.value(node.inputs[first + 1]), bias, result.dtype};
  shape.output = output_of(columns);
  const ColumnPlaces places = columns_of(matrix, 1);
  ET_TRY(fill_tables(columns, places, &shape.tables));
  shape.output.weight_sums = shape.tables.sums;
  shape.output.scaled_weight_sums = half ? compute::scaled_weight_sums(matrix) : nullptr;

  shape.rows = numel(result.sizes) / matrix.n;
  shape.x_row_stride = matrix.k;
  const Placement from = contiguous(x);
  const Placement to = place_output_contiguous(out);
  std::vector<Placement> touched{from, to};
  QuantizedProductOperands operands{byte_place(x, from), byte_place(out, to), {}};
  if (product.dynamic) {
    const Placement ranges = contiguous(node.inputs[1]);
    operands.row_params = byte_place(node.inputs[1], ranges);
    touched.push_back(ranges);
  }
  emit(make_quantized_linear_step(std::move(shape), operands), touched);
  return Error::Ok;
}

}  // namespace executorch::engine
