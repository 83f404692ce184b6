// Nodes that move elements: transposes are a new order of the dims, the others find the dim they
// work on through it.
#include <algorithm>
#include <cinttypes>

#include "backends/xnnpack/translate/graph_builder.h"
#include "engine/steps/step.h"

namespace executorch::backends::xnnpack {
namespace {

using engine::numel;

Error check_rank(int found, int expected) {
  ET_REQUIRE(found == expected, InvalidProgram, "its input has %d dimensions, %d are expected",
             found, expected);
  return Error::Ok;
}

Error transpose(GraphBuilder& b, const Node& node) {
  const Shown& input = b.shown(node.inputs[0]);
  const Dims& permutation = node.as<DimList>().dims;
  ET_TRY(check_rank(b.sizes(input).rank, permutation.rank));
  Shown result = input;
  for (int d = 0; d < permutation.rank; ++d)
    result.order.dims[d] = input.order.dims[permutation[d]];
  return b.write_moved(node, result);
}

Error reshape(GraphBuilder& b, const Node& node) {
  const int64_t count = numel(b.sizes(node.inputs[0]));
  Dims sizes = node.as<DimList>().dims;
  int inferred = -1;
  int64_t others = 1;
  for (int d = 0; d < sizes.rank; ++d) {
    if (sizes[d] == 0) {
      inferred = d;
    } else {
      ET_REQUIRE(!__builtin_mul_overflow(others, sizes[d], &others), InvalidProgram,
                 "its sizes are too large");
    }
  }
  if (inferred >= 0) sizes[inferred] = count / others;
  const int64_t rest = inferred >= 0 ? sizes[inferred] : 1;
  ET_REQUIRE(others * rest == count, InvalidProgram, "%" PRId64 " elements do not have sizes of %s",
             count, engine::to_text(sizes).c_str());
  return b.write_moved(node, {b.reshape(b.plain(node.inputs[0]), sizes)});
}

Error slice(GraphBuilder& b, const Node& node) {
  const SliceShape& shape = node.as<SliceShape>();
  Shown result = b.shown(node.inputs[0]);
  const Dims sizes = b.sizes(result);
  const Dims& bounds = b.value(node.inputs[0]).dims;
  ET_TRY(check_rank(sizes.rank, shape.sizes.rank));
  for (int d = 0; d < sizes.rank; ++d) {
    const int64_t start = shape.offsets[d];
    int64_t size = shape.sizes[d];
    // A dim that is taken whole stays so when it is shorter than its bound.
    if (start == 0 && bounds.rank == sizes.rank && size == bounds[d]) size = sizes[d];
    ET_REQUIRE(start <= sizes[d] && size <= sizes[d] - start, InvalidProgram,
               "%" PRId64 " elements from %" PRId64 " on leave dimension %d of %s", size, start, d,
               engine::to_text(sizes).c_str());
    if (size == sizes[d]) continue;
    const int dim = result.order[d];
    Dims held = b.graph().value(result.value).sizes;
    held[dim] = size;
    ET_TRY(b.add(engine::Slice{dim, size == 0 ? 0 : start, 1}, {result.value}, b.dtype(result),
                 held, &result.value));
  }
  return b.write_moved(node, result);
}

// The value that stands for a number in the elements of the node's input.
double padding_number(GraphBuilder& b, const Node& node, float number) {
  const auto* scale = b.value(node.inputs[0]).quantized_as<PerTensor>();
  if (scale == nullptr) return static_cast<double>(number);
  const float quantized = __builtin_nearbyintf(number / scale->scale);
  const bool is_signed = b.value(node.inputs[0]).datatype == Datatype::qint8;
  const float low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
  const float shifted = quantized + static_cast<float>(scale->zero_point);
  return static_cast<double>(std::clamp(shifted, low, high));
}

// Joined from constant borders and the input, one dim after the other.
Error pad(GraphBuilder& b, const Node& node) {
  const PadShape& shape = node.as<PadShape>();
  Shown result = b.shown(node.inputs[0]);
  const DType dtype = b.dtype(result);
  const int rank = b.sizes(result).rank;
  ET_TRY(check_rank(rank, shape.before.rank));
  const ValueId filler = b.graph().add_scalar(dtype, padding_number(b, node, shape.value));
  for (int d = 0; d < rank; ++d) {
    if (shape.before[d] == 0 && shape.after[d] == 0) continue;
    const int dim = result.order[d];
    Dims sizes = b.graph().value(result.value).sizes;
    std::vector<ValueId> parts;
    const auto add_border = [&](int64_t length) {
      if (length == 0) return Error::Ok;
      Dims border = sizes;
      border[dim] = length;
      parts.emplace_back();
      return b.add(engine::Expand{}, {filler}, dtype, border, &parts.back());
    };
    ET_TRY(add_border(shape.before[d]));
    parts.push_back(result.value);
    ET_TRY(add_border(shape.after[d]));
    sizes[dim] += shape.before[d] + shape.after[d];
    ET_TRY(b.add(engine::Concat{dim}, std::move(parts), dtype, sizes, &result.value));
  }
  return b.write_moved(node, result);
}

Error concatenate(GraphBuilder& b, const Node& node) {
  const Shown& first = b.shown(node.inputs[0]);
  const int64_t axis = node.as<Axis>().dim;
  const int rank = b.sizes(first).rank;
  ET_REQUIRE(axis < rank, InvalidProgram, "it joins along dimension %" PRId64 " of %d", axis, rank);
  const int dim = first.order[static_cast<int>(axis)];
  const DType dtype = b.dtype(first);
  Dims sizes = b.graph().value(first.value).sizes;
  sizes[dim] = 0;
  std::vector<ValueId> parts;
  for (const ValueIndex input : node.inputs) {
    const Shown& part = b.shown(input);
    ET_TRY(check_rank(b.sizes(part).rank, rank));
    ET_REQUIRE(b.dtype(part) == dtype, NotSupported, "it joins elements of types %s and %s",
               engine::dtype_text(dtype), engine::dtype_text(b.dtype(part)));
    parts.push_back(b.arranged(part, first.order));
    const Dims own = b.graph().value(parts.back()).sizes;
    for (int d = 0; d < rank; ++d) {
      ET_REQUIRE(d == dim || own[d] == sizes[d], InvalidProgram, "it joins %s and %s",
                 engine::to_text(sizes).c_str(), engine::to_text(own).c_str());
    }
    sizes[dim] += own[dim];
  }
  Shown result{kNoValue, first.order};
  ET_TRY(b.add(engine::Concat{dim}, std::move(parts), dtype, sizes, &result.value));
  return b.write_moved(node, result);
}

const TranslateRow kRows[] = {
    {NodeKind::StaticTranspose, transpose}, {NodeKind::StaticReshape, reshape},
    {NodeKind::StaticSlice, slice},         {NodeKind::StaticConstantPad, pad},
    {NodeKind::Concatenate2, concatenate},  {NodeKind::Concatenate3, concatenate},
    {NodeKind::Concatenate4, concatenate},  {NodeKind::Concatenate5, concatenate},
};

}  // namespace

runtime::Span<const TranslateRow> view_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace executorch::backends::xnnpack
