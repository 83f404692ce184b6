// Softmax, norms and reductions.
#include "engine/plan/lowering.h"
#include "engine/steps/row_steps.h"

namespace executorch::engine {
namespace {

// The last `dims` dims of the tensor are adjacent: a row.
bool rows_adjacent(const Dims& sizes, const Dims& strides, int dims) {
  Dims row_sizes, row_strides;
  for (int d = sizes.rank - dims; d < sizes.rank; ++d) {
    row_sizes.push(sizes[d]);
    row_strides.push(strides[d]);
  }
  return is_contiguous(row_sizes, row_strides);
}

Rows rows_of(const Dims& sizes, const Dims& in, const Dims& out, int dims) {
  Rows rows;
  rows.length = 1;
  for (int d = 0; d < sizes.rank; ++d) {
    if (d >= sizes.rank - dims) {
      rows.length *= sizes[d];
    } else {
      rows.sizes.push(sizes[d]);
      rows.in_strides.push(in[d]);
      rows.out_strides.push(out[d]);
    }
  }
  return rows;
}

}  // namespace

Error Lowering::lower(const Node& node, const Softmax& op) {
  const ValueId in = node.inputs[0], out = node.outputs[0];
  const Dims& sizes = graph_.value(out).sizes;
  ET_REQUIRE(sizes.rank == 0 || op.dim == sizes.rank - 1, NotSupported,
             "softmax along dim %d of %d", op.dim, sizes.rank);
  const int dims = sizes.rank == 0 ? 0 : 1;
  const Placement from = rows_adjacent(sizes, place(in).strides, dims) ? place(in) : contiguous(in);
  const Placement to = place_output(out, contiguous_strides(sizes), [&](const Dims& strides) {
    return rows_adjacent(sizes, strides, dims);
  });
  emit(make_softmax_step(rows_of(sizes, from.strides, to.strides, dims), op.zero_masked_rows,
                         byte_place(in, from), byte_place(out, to)),
       {from, to});
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const LayerNorm& op) {
  const ValueId in = node.inputs[0], out = node.outputs[0];
  const Dims& sizes = graph_.value(out).sizes;
  const Placement from =
      rows_adjacent(sizes, place(in).strides, op.dims) ? place(in) : contiguous(in);
  const Placement to = place_output(out, contiguous_strides(sizes), [&](const Dims& strides) {
    return rows_adjacent(sizes, strides, op.dims);
  });
  NormOperands operands{byte_place(in, from), byte_place(out, to), {}, {}, {}, {}};
  std::vector<Placement> touched{from, to};
  const auto add = [&](ValueId value, const Placement& placement) {
    touched.push_back(placement);
    return byte_place(value, placement);
  };
  size_t next = 1;
  if (op.weight) {
    operands.weight = add(node.inputs[next], contiguous(node.inputs[next]));
    ++next;
  }
  if (op.bias) operands.bias = add(node.inputs[next], contiguous(node.inputs[next]));
  const ValueId mean = node.outputs[1], deviation = node.outputs[2];
  if (uses_[static_cast<size_t>(mean)] > 0)
    operands.mean = add(mean, place_output_contiguous(mean));
  if (uses_[static_cast<size_t>(deviation)] > 0) {
    operands.reciprocal_deviation = add(deviation, place_output_contiguous(deviation));
  }
  emit(
      make_layer_norm_step(rows_of(sizes, from.strides, to.strides, op.dims), op.epsilon, operands),
      touched);
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const RmsNorm& op) {
  const ValueId in = node.inputs[0], out = node.outputs[0];
  const Dims& sizes = graph_.value(out).sizes;
  const Placement from = rows_adjacent(sizes, place(in).strides, 1) ? place(in) : contiguous(in);
  const Placement to = place_output(out, contiguous_strides(sizes), [&](const Dims& strides) {
    return rows_adjacent(sizes, strides, 1);
  });
  NormOperands operands{byte_place(in, from), byte_place(out, to), {}, {}, {}, {}};
  std::vector<Placement> touched{from, to};
  if (op.weight) {
    const Placement weight = contiguous(node.inputs[1]);
    operands.weight = byte_place(node.inputs[1], weight);
    touched.push_back(weight);
  }
  emit(make_rms_norm_step(rows_of(sizes, from.strides, to.strides, 1), op.epsilon, operands),
       touched);
  return Error::Ok;
}

Error Lowering::lower(const Node& node, const Reduce& op) {
  const ValueId in = node.inputs[0], out = node.outputs[0];
  const Dims& in_sizes = graph_.value(in).sizes;
  const Dims& out_sizes = graph_.value(out).sizes;
  const Placement from = place(in);
  const Placement to =
      place_output(out, contiguous_strides(out_sizes), [](const Dims&) { return true; });
  // One stride per input dim: kept dims take the output's in order.
  const bool keeps_rank = in_sizes.rank == out_sizes.rank;
  Dims strides;
  int next = 0;
  for (int d = 0; d < in_sizes.rank; ++d) {
    const bool reduced = (op.dims >> d & 1) != 0;
    strides.push(reduced ? 0 : to.strides[keeps_rank ? d : next]);
    next += reduced ? 0 : 1;
  }
  emit(make_reduce_step(op, tensor(in, from), tensor(out, to), strides), {from, to});
  return Error::Ok;
}

}  // namespace executorch::engine
