// Rows by index, writes by index, and tensors made of numbers.
#include <cstring>

#include "kernels/planner/translator.h"

namespace executorch {
namespace kernels {
namespace {

bool is_index(const Translator& t, ValueId value) {
  return value != kNoValue && (t.dtype(value) == DType::i64 || t.dtype(value) == DType::i32);
}

bool gather_rows(Translator& t, int32_t out, ValueId table, ValueId indices, bool wrap) {
  const Dims rows = t.sizes(table);
  Dims sizes = t.sizes(indices);
  if (rows.rank < 1 || sizes.rank + rows.rank - 1 > engine::kMaxRank) return false;
  for (int d = 1; d < rows.rank; ++d) sizes.push(rows[d]);
  const DType dtype = t.dtype(table);
  return t.write(out, t.graph().add_node(engine::GatherRows{wrap}, {table, indices}, dtype, sizes));
}

// weight, indices, padding_idx, scale_grad_by_freq, sparse, out.
bool embedding(Translator& t, Arguments args) {
  const ValueId weight = t.read(args[0]), indices = t.read(args[1]);
  if (weight == kNoValue || !is_index(t, indices) || t.sizes(weight).rank != 2) return false;
  return gather_rows(t, args[5], weight, indices, false);
}

// self, [indices], out: one index over the first dim.
bool index(Translator& t, Arguments args) {
  std::vector<int32_t> items;
  const ValueId self = t.read(args[0]);
  if (self == kNoValue || !t.table().list_items(args[1], &items) || items.size() != 1 ||
      items[0] < 0)
    return false;
  const ValueId indices = t.read(items[0]);
  return is_index(t, indices) && gather_rows(t, args[2], self, indices, true);
}

// self, dim, indices, out.
bool index_select(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]), indices = t.read(args[2]);
  int dim;
  if (self == kNoValue || !is_index(t, indices) || t.sizes(indices).rank != 1 ||
      t.sizes(self).rank == 0)
    return false;
  if (!t.dim(args[1], t.sizes(self).rank, &dim) || dim != 0) return false;
  return gather_rows(t, args[3], self, indices, false);
}

// self, indices (all none but one), values, accumulate, out.
bool index_put(Translator& t, Arguments args) {
  std::vector<int32_t> items;
  const ValueId self = t.read(args[0]), values = t.read(args[2]);
  bool accumulate;
  if (self == kNoValue || values == kNoValue || t.dtype(self) != t.dtype(values)) return false;
  if (!t.boolean(args[3], &accumulate) || accumulate || !t.table().list_items(args[1], &items))
    return false;
  int dim = -1;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i] < 0) continue;
    if (dim >= 0) return false;
    dim = static_cast<int>(i);
  }
  const Dims sizes = t.sizes(self);
  if (dim < 0 || items.size() > static_cast<size_t>(sizes.rank)) return false;
  const ValueId indices = t.read(items[static_cast<size_t>(dim)]);
  if (!is_index(t, indices) || t.sizes(indices).rank != 1) return false;
  Dims written = sizes, strides;
  written[dim] = t.sizes(indices)[0];
  if (!engine::broadcast_strides(t.sizes(values), t.sizes(values), written, &strides)) return false;
  const DType dtype = t.dtype(self);
  const ValueId whole = t.expand(values, written);
  return t.write(args[4],
                 t.graph().add_node(engine::IndexPut{dim}, {self, indices, whole}, dtype, sizes));
}

ValueId constant(Translator& t, const Number& number, DType dtype) {
  return number.floating ? t.graph().add_scalar(dtype, number.real)
                         : t.graph().add_scalar(dtype, number.integer);
}

bool plain(DType dtype) {
  return compute::element_size(dtype) != 0 && !compute::is_complex(dtype);
}

bool filled(Translator& t, int32_t out, const Number& number, const Dims& sizes) {
  DType dtype;
  if (!t.output_type(out, &dtype) || !plain(dtype)) return false;
  return t.write(out, t.expand(constant(t, number, dtype), sizes));
}

// sizes, number, out.
bool full(Translator& t, Arguments args) {
  std::vector<int64_t> values;
  Number number;
  if (!t.integers(args[0], &values) || !t.number(args[1], &number)) return false;
  if (values.size() > static_cast<size_t>(engine::kMaxRank)) return false;
  Dims sizes;
  for (const int64_t value : values) {
    if (value < 0) return false;
    sizes.push(value);
  }
  return filled(t, args[2], number, sizes);
}

// self, number, memory format, out.
bool full_like(Translator& t, Arguments args) {
  Number number;
  const ValueId self = t.read(args[0]);
  if (self == kNoValue || !t.number(args[1], &number)) return false;
  const Dims sizes = t.sizes(self);
  return filled(t, args[3], number, sizes);
}

// number, out.
bool scalar_tensor(Translator& t, Arguments args) {
  Number number;
  return t.number(args[0], &number) && filled(t, args[1], number, {});
}

// start, end, step, out: integers.
bool arange(Translator& t, Arguments args) {
  int64_t start, end, step;
  DType dtype;
  const auto room = static_cast<int64_t>(t.table().info(args[3]).max_nbytes / sizeof(int64_t));
  if (!t.integer(args[0], &start) || !t.integer(args[1], &end) || !t.integer(args[2], &step))
    return false;
  if (!t.output_type(args[3], &dtype) || dtype != DType::i64 || step <= 0 || end < start)
    return false;
  int64_t span;
  if (__builtin_sub_overflow(end, start, &span) || span / step > room) return false;
  const int64_t count = span == 0 ? 0 : (span - 1) / step + 1;
  if (count > room) return false;
  auto* data = static_cast<int64_t*>(
      t.graph().owned->allocate(static_cast<size_t>(count) * sizeof(int64_t)));
  if (data == nullptr) return false;
  for (int64_t i = 0; i < count; ++i) data[i] = start + i * step;
  Dims sizes;
  sizes.push(count);
  return t.write(args[3],
                 t.graph().add_constant(dtype, sizes, engine::contiguous_strides(sizes), data));
}

const TranslateRow kRows[] = {
    {"aten::embedding.out", 6, embedding},
    {"aten::index.Tensor_out", 3, index},
    {"aten::index_select.out", 4, index_select},
    {"aten::index_put.out", 5, index_put},
    {"aten::full.out", 3, full},
    {"aten::full_like.out", 4, full_like},
    {"aten::scalar_tensor.out", 2, scalar_tensor},
    {"aten::arange.start_out", 4, arange},
};

}  // namespace

Span<const TranslateRow> index_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace kernels
}  // namespace executorch
