// Nodes that move or select elements: most become strides and offsets, not steps.
#include <algorithm>

#include "engine/plan/lowering.h"
#include "engine/steps/copy_steps.h"

namespace executorch::engine {

// The output shows the input's storage, unless the input was produced where the output is wanted.
Error Lowering::place_view(const Node& node, const Dims& strides, int64_t offset) {
  const Placement& in = place(node.inputs[0]);
  places_[static_cast<size_t>(node.outputs[0])] = {in.storage, in.offset + offset, strides};
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const Permute& op) {
  const Dims& strides = place(node.inputs[0]).strides;
  Dims permuted;
  permuted.rank = strides.rank;
  for (int d = 0; d < strides.rank; ++d) permuted[d] = strides[op.dims[d]];
  return place_view(node, permuted, 0);
}

Error Lowering::lower(const Node& node, const Reshape&) {
  const ValueId in = node.inputs[0];
  const ValueId out = node.outputs[0];
  Dims strides;
  if (reshaped_strides(graph_.value(in).sizes, place(in).strides, graph_.value(out).sizes,
                       &strides)) {
    return place_view(node, strides, 0);
  }
  // The elements must move: into row-major order, in the output's own memory where that is wanted.
  const Placement target = place_output_contiguous(out);
  Placement as_input = target;
  as_input.strides = contiguous_strides(graph_.value(in).sizes);
  emit_copy(in, place(in), as_input);
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const Expand&) {
  const ValueId in = node.inputs[0];
  Dims strides;
  const bool fits = broadcast_strides(graph_.value(in).sizes, place(in).strides,
                                      graph_.value(node.outputs[0]).sizes, &strides);
  ET_REQUIRE(fits, InvalidArgument, "cannot repeat %s to %s",
             to_text(graph_.value(in).sizes).c_str(),
             to_text(graph_.value(node.outputs[0]).sizes).c_str());
  return place_view(node, strides, 0);
}

Error Lowering::lower(const Node& node, const Slice& op) {
  Dims strides = place(node.inputs[0]).strides;
  const int64_t offset = op.start * strides[op.dim];
  strides[op.dim] *= op.step;
  return place_view(node, strides, offset);
}

Error Lowering::lower(const Node& node, const Concat& op) {
  const ValueId out = node.outputs[0];
  const Placement whole = wishes_[static_cast<size_t>(out)];
  places_[static_cast<size_t>(out)] = whole;
  int64_t position = 0;
  for (const ValueId in : node.inputs) {
    Placement part = whole;
    part.offset += position * whole.strides[op.dim];
    position += graph_.value(in).sizes[op.dim];
    const Placement& from = place(in);
    const bool there = from.storage == part.storage && from.offset == part.offset &&
                       same_strides(graph_.value(in).sizes, from.strides, part.strides);
    if (!there) emit_copy(in, from, part);
  }
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const GatherRows& op) {
  const ValueId table = node.inputs[0];
  const ValueId indices = node.inputs[1];
  const ValueId out = node.outputs[0];
  const Value& rows = graph_.value(table);
  Dims row_sizes, row_strides;
  for (int d = 1; d < rows.sizes.rank; ++d) {
    row_sizes.push(rows.sizes[d]);
    row_strides.push(place(table).strides[d]);
  }
  const Placement from = is_contiguous(row_sizes, row_strides) ? place(table) : contiguous(table);
  const Placement index_place = contiguous(indices);
  const Placement to = place_output_contiguous(out);
  GatherRowsShape shape;
  shape.rows = rows.sizes[0];
  shape.row_bytes = numel(row_sizes) * element_bytes(rows.dtype);
  shape.row_stride = from.strides[0] * element_bytes(rows.dtype);
  shape.count = numel(graph_.value(indices).sizes);
  shape.wrap = op.wrap;
  shape.index_dtype = graph_.value(indices).dtype;
  emit(make_gather_rows_step(shape, byte_place(table, from), byte_place(indices, index_place),
                             byte_place(out, to)),
       {from, index_place, to});
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const IndexPut& op) {
  const ValueId target = node.inputs[0];
  const ValueId indices = node.inputs[1];
  const ValueId values = node.inputs[2];
  const ValueId out = node.outputs[0];
  const Placement from = place(target);
  const Storage& source = storages_[static_cast<size_t>(from.storage)];
  const Dims& sizes = graph_.value(out).sizes;
  const Placement to =
      place_output(out, is_dense(sizes, from.strides) ? from.strides : contiguous_strides(sizes),
                   [](const Dims&) { return true; });
  const Storage& destination = storages_[static_cast<size_t>(to.storage)];
  const bool in_place = source.kind == Kind::Slot && destination.kind == Kind::Slot &&
                        source.slot == destination.slot && from.offset == to.offset &&
                        same_strides(graph_.value(out).sizes, from.strides, to.strides);
  if (!in_place) emit_copy(target, from, to);
  const Placement index_place = contiguous(indices);
  emit(make_index_put_step(tensor(out, to), op.dim, tensor(indices, index_place),
                           tensor(values, place(values))),
       {to, index_place, place(values)});
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const Foreign& op) {
  std::vector<Place> operands;
  std::vector<Placement> touched;
  for (const ValueId input : node.inputs) {
    touched.push_back(contiguous(input));
    operands.push_back(byte_place(input, touched.back()));
  }
  for (const ValueId output : node.outputs) {
    touched.push_back(place_output_contiguous(output));
    operands.push_back(byte_place(output, touched.back()));
  }
  emit(make_foreign_step(op.call, std::move(operands)), touched);
  return Error::Ok;
}

}  // namespace executorch::engine
