// Matrix products and attention.
#include "compute/elementwise/cast.h"
#include "engine/plan/lowering.h"
#include "engine/steps/elementwise_step.h"
#include "engine/steps/product_steps.h"

namespace executorch::engine {
namespace {

/// Packs a dense matrix, of f32 or a half type.
class MatrixPacker final : public WeightPacker {
 public:
  MatrixPacker(compute::Isa isa, const Value& matrix, const void* data, const Dims& strides)
      : isa_(isa), matrix_(matrix), data_(data), strides_(strides) {}

  bool pack(float* packed) const override {
    const int64_t k = matrix_.sizes[0], n = matrix_.sizes[1];
    MemoryBlock converted;
    const float* data = static_cast<const float*>(data_);
    if (matrix_.dtype != DType::f32) {
      converted = MemoryBlock::allocate_large(static_cast<size_t>(k * n) * sizeof(float));
      data = reinterpret_cast<const float*>(converted.data());
      if (data == nullptr) return false;
      const auto load = compute::load_loop(matrix_.dtype, compute::ComputeType::f32);
      load(converted.data(), data_, 1, k * n);
    }
    compute::gemm_pack(isa_, {data, strides_[0], strides_[1]}, k, n, packed);
    return true;
  }

 private:
  compute::Isa isa_;
  const Value& matrix_;
  const void* data_;
  const Dims& strides_;
};

bool unit_rows(const Dims& sizes, const Dims& strides) {
  return sizes.back() == 1 || strides.back() == 1;
}

Dims leading(const Dims& dims, int drop) {
  Dims result = dims;
  result.rank -= drop;
  return result;
}

// Merges neighbouring batch dims that every operand walks in one stride.
void merge_batches(Dims* sizes, std::initializer_list<Dims*> strides) {
  for (int d = sizes->rank - 2; d >= 0; --d) {
    bool merge = true;
    for (const Dims* s : strides) {
      merge =
          merge && (s->rank == 0 || (*s)[d] == (*s)[d + 1] * (*sizes)[d + 1] || (*sizes)[d] == 1);
    }
    if (!merge) continue;
    (*sizes)[d] *= (*sizes)[d + 1];
    for (Dims* s : strides) {
      if (s->rank > 0) (*s)[d] = (*s)[d + 1];
    }
    const auto remove = [&](Dims* dims) {
      for (int i = d + 1; i + 1 < dims->rank; ++i) (*dims)[i] = (*dims)[i + 1];
      if (dims->rank > 0) --dims->rank;
    };
    remove(sizes);
    for (Dims* s : strides) remove(s);
  }
}

}  // namespace

// The weight [k, n] of a product, packed and shared; without data when that is over the limit.
Error Lowering::pack_matrix(ValueId value, compute::PackedMatrix* packed) {
  const Value& v = graph_.value(value);
  const Placement& placement = place(value);
  const Dims& strides = placement.strides;
  const int64_t k = v.sizes[0], n = v.sizes[1];
  const compute::Isa isa = compute::active_isa();
  const size_t bytes = compute::gemm_packed_bytes(isa, k, n);
  if (!is_dense(v.sizes, strides) || bytes == SIZE_MAX) return Error::Ok;
  if (packed_bytes_ > options_.memory_limit || bytes > options_.memory_limit - packed_bytes_)
    return Error::Ok;
  const char* const data =
      static_cast<const char*>(storages_[static_cast<size_t>(placement.storage)].fixed) +
      byte_place(value, placement).offset;
  const WeightSpec spec{
      data,
      static_cast<size_t>(k * n * element_bytes(v.dtype)),
      nullptr,
      0,
      {'g', static_cast<int64_t>(isa), k, n, strides[0], strides[1], static_cast<int64_t>(v.dtype)},
      bytes};
  const float* panels;
  ET_TRY(pack_weight(spec, MatrixPacker(isa, v, data, strides), &panels));
  *packed = {panels, k, n, isa};
  return Error::Ok;
}

// The value where it lies, or converted at each run.
Placement Lowering::in_single_precision(ValueId value) {
  const Value& v = graph_.value(value);
  if (v.dtype == DType::f32) return place(value);
  const Placement to{new_storage(numel(v.sizes) * element_bytes(DType::f32)), 0,
                     contiguous_strides(v.sizes)};
  const ElementwiseOperands operands{
      v.sizes, {tensor(value, place(value))}, {{{to.storage, 0}, DType::f32, v.sizes, to.strides}}};
  emit(make_elementwise_step({ElementwiseOp::Copy, v.dtype, 0}, operands), {place(value), to});
  return to;
}

Error Lowering::lower(const Node& node, const MatMul& op) {
  const ValueId a = node.inputs[0], b = node.inputs[1], c = node.outputs[0];
  const ValueId bias = op.bias ? node.inputs[2] : kNoValue;
  const ValueId residual = op.residual ? node.inputs[2 + (op.bias ? 1 : 0)] : kNoValue;
  const Dims& c_sizes = graph_.value(c).sizes;
  if (numel(c_sizes) == 0) {
    place_output_contiguous(c);
    return Error::Ok;
  }
  const int rank = c_sizes.rank;
  ProductShape shape;
  shape.m = c_sizes[rank - 2];
  shape.n = c_sizes[rank - 1];
  shape.k = graph_.value(a).sizes.back();
  shape.alpha = op.alpha;
  shape.beta = op.beta;
  shape.epilogue = op.epilogue;

  ProductOperands operands;
  if (packs_ && rank == 2 && graph_.is_constant(b)) ET_TRY(pack_matrix(b, &operands.packed));
  const bool packed = operands.packed.data != nullptr;
  const Placement a_place = place(a);
  const Placement b_place = packed ? place(b) : in_single_precision(b);
  const Placement c_place = place_output(c, contiguous_strides(c_sizes), [&](const Dims& strides) {
    return unit_rows(c_sizes, strides);
  });
  std::vector<Placement> touched{a_place, c_place};
  operands.a = byte_place(a, a_place);
  if (!packed) {
    touched.push_back(b_place);
    operands.b = {b_place.storage, b_place.offset * element_bytes(DType::f32)};
  }
  operands.c = byte_place(c, c_place);
  shape.a_row = a_place.strides[rank - 2];
  shape.a_column = a_place.strides[rank - 1];
  shape.b_row = b_place.strides[rank - 2];
  shape.b_column = b_place.strides[rank - 1];
  shape.c_row = c_place.strides[rank - 2];
  shape.batches = leading(c_sizes, 2);
  shape.a_batch = leading(a_place.strides, 2);
  shape.b_batch = leading(b_place.strides, 2);
  shape.c_batch = leading(c_place.strides, 2);
  if (bias != kNoValue) {
    const Placement bias_place = contiguous(bias);
    operands.bias = byte_place(bias, bias_place);
    touched.push_back(bias_place);
  }
  if (residual != kNoValue) {
    Placement residual_place = place(residual);
    if (!unit_rows(c_sizes, residual_place.strides)) residual_place = contiguous(residual);
    operands.residual = byte_place(residual, residual_place);
    shape.residual_row = residual_place.strides[rank - 2];
    shape.residual_batch = leading(residual_place.strides, 2);
    touched.push_back(residual_place);
  }
  merge_batches(&shape.batches,
                {&shape.a_batch, &shape.b_batch, &shape.c_batch, &shape.residual_batch});
  emit(make_product_step(shape, operands), touched);
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const Attention& op) {
  const ValueId query = node.inputs[0], key = node.inputs[1], value = node.inputs[2],
                out = node.outputs[0];
  const Dims& sizes = graph_.value(out).sizes;
  const int rank = sizes.rank;
  const Placement q = place(query), k = place(key), v = place(value);
  const Placement o = place_output(out, contiguous_strides(sizes),
                                   [&](const Dims& strides) { return unit_rows(sizes, strides); });
  AttentionShape shape;
  shape.rows = sizes[rank - 2];
  shape.width = sizes[rank - 1];
  shape.depth = graph_.value(query).sizes[rank - 1];
  shape.length = graph_.value(key).sizes[rank - 1];
  shape.query_row = q.strides[rank - 2];
  shape.query_column = q.strides[rank - 1];
  shape.key_row = k.strides[rank - 2];
  shape.key_column = k.strides[rank - 1];
  shape.value_row = v.strides[rank - 2];
  shape.value_column = v.strides[rank - 1];
  shape.out_row = o.strides[rank - 2];
  shape.heads = leading(sizes, 2);
  shape.query_head = leading(q.strides, 2);
  shape.key_head = leading(k.strides, 2);
  shape.value_head = leading(v.strides, 2);
  shape.out_head = leading(o.strides, 2);
  shape.scale = op.scale;
  shape.zero_masked_rows = op.zero_masked_rows;
  AttentionOperands operands{
      byte_place(query, q), byte_place(key, k), byte_place(value, v), byte_place(out, o), {}};
  std::vector<Placement> touched{q, k, v, o};
  if (op.mask) {
    const ValueId mask = node.inputs[3];
    Dims target = sizes;
    target[rank - 1] = shape.length;
    Placement m = place(mask);
    if (!unit_rows(graph_.value(mask).sizes, m.strides)) m = contiguous(mask);
    Dims strides;
    const bool fits = broadcast_strides(graph_.value(mask).sizes, m.strides, target, &strides) &&
                      (strides[rank - 1] == 1 || shape.length == 1);
    ET_REQUIRE(fits, InvalidArgument, "a mask of %s does not cover scores of %s",
               to_text(graph_.value(mask).sizes).c_str(), to_text(target).c_str());
    shape.mask_row = strides[rank - 2];
    shape.mask_head = leading(strides, 2);
    operands.mask = byte_place(mask, m);
    touched.push_back(m);
  }
  emit(make_attention_step(shape, operands), touched);
  return Error::Ok;
}

}  // namespace executorch::engine
