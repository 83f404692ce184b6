// Operators that change nothing but shape, order or type.
#include <algorithm>

#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>

#include "kernels/planner/translator.h"

namespace executorch {
namespace kernels {
namespace {

bool to_dims(const std::vector<int64_t>& values, Dims* dims) {
  if (values.size() > static_cast<size_t>(engine::kMaxRank)) return false;
  for (const int64_t value : values) {
    if (value < 0) return false;
    dims->push(value);
  }
  return true;
}

// Replaces a -1 by what the element count leaves.
bool infer(std::vector<int64_t>* sizes, int64_t count) {
  int64_t known = 1, open = -1;
  for (size_t i = 0; i < sizes->size(); ++i) {
    if ((*sizes)[i] == -1) {
      if (open >= 0) return false;
      open = static_cast<int64_t>(i);
    } else if ((*sizes)[i] < 0 || __builtin_mul_overflow(known, (*sizes)[i], &known)) {
      return false;
    }
  }
  if (open < 0) return known == count;
  if (known == 0 || count % known != 0) return false;
  (*sizes)[static_cast<size_t>(open)] = count / known;
  return true;
}

bool reshape_to(Translator& t, int32_t out, ValueId self, std::vector<int64_t> sizes) {
  Dims dims;
  if (self == kNoValue || !infer(&sizes, engine::numel(t.sizes(self))) || !to_dims(sizes, &dims))
    return false;
  return t.write(out, t.reshape(self, dims));
}

bool view(Translator& t, Arguments args) {
  std::vector<int64_t> sizes;
  return t.integers(args[1], &sizes) && reshape_to(t, args[2], t.read(args[0]), sizes);
}

bool is_row_major(const Translator& t, int32_t id) {
  const aten::Tensor& tensor = t.tensor(id);
  return runtime::is_contiguous_dim_order(tensor.dim_order().data(),
                                          static_cast<size_t>(tensor.dim()));
}

// Shares the memory of a tensor where both are row-major, and copies otherwise.
bool et_view(Translator& t, Arguments args) {
  std::vector<int64_t> sizes;
  const ValueId self = t.read(args[0]);
  Dims dims;
  if (self == kNoValue || !t.is_tensor(args[2]) || !t.integers(args[1], &sizes)) return false;
  if (!infer(&sizes, engine::numel(t.sizes(self))) || !to_dims(sizes, &dims)) return false;
  const ValueId shown = t.reshape(self, dims);
  const bool shares_memory = is_row_major(t, args[0]) && is_row_major(t, args[2]);
  return shares_memory ? t.write_view(args[2], shown) : t.write(args[2], shown);
}

// self, out: the same elements under the sizes of out.
bool copy_elements(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  if (self == kNoValue) return false;
  Dims sizes;
  for (const auto size : t.tensor(args[1]).sizes()) sizes.push(size);
  return t.write(args[1], t.reshape(self, sizes));
}

std::vector<int64_t> sizes_of(Translator& t, ValueId value) {
  const Dims& sizes = t.sizes(value);
  return {sizes.values, sizes.values + sizes.rank};
}

bool unsqueeze(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  int dim;
  if (self == kNoValue || t.sizes(self).rank + 1 > engine::kMaxRank ||
      !t.dim(args[1], t.sizes(self).rank + 1, &dim)) {
    return false;
  }
  std::vector<int64_t> sizes = sizes_of(t, self);
  sizes.insert(sizes.begin() + dim, 1);
  return reshape_to(t, args[2], self, sizes);
}

bool squeeze_dims(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  std::vector<int64_t> dims;
  if (self == kNoValue) return false;
  const int64_t rank = t.sizes(self).rank;
  if (t.table().value(args[1]).isInt()) {
    int64_t dim;
    if (!t.integer(args[1], &dim)) return false;
    dims.push_back(dim);
  } else if (!t.integers(args[1], &dims)) {
    return false;
  }
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < rank; ++d) {
    const bool named = std::any_of(dims.begin(), dims.end(),
                                   [&](int64_t dim) { return dim == d || dim + rank == d; });
    if (!named || t.sizes(self)[static_cast<int>(d)] != 1)
      sizes.push_back(t.sizes(self)[static_cast<int>(d)]);
  }
  return reshape_to(t, args[2], self, sizes);
}

bool permute_copy(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  std::vector<int64_t> order;
  if (self == kNoValue || !t.integers(args[1], &order)) return false;
  const int rank = t.sizes(self).rank;
  if (order.size() != static_cast<size_t>(rank)) return false;
  std::vector<int> dims;
  uint32_t seen = 0;
  for (const int64_t d : order) {
    if (d < -rank || d >= rank) return false;
    dims.push_back(static_cast<int>(d < 0 ? d + rank : d));
    seen |= 1u << dims.back();
  }
  if (seen != (1u << rank) - 1) return false;
  return t.write(args[2], t.permute(self, dims));
}

bool swap_dims(Translator& t, int32_t out, ValueId self, int a, int b) {
  std::vector<int> dims;
  for (int d = 0; d < t.sizes(self).rank; ++d) dims.push_back(d == a ? b : d == b ? a : d);
  return t.write(out, t.permute(self, dims));
}

bool transpose_copy(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  int a, b;
  if (self == kNoValue || t.sizes(self).rank == 0) return false;
  if (!t.dim(args[1], t.sizes(self).rank, &a) || !t.dim(args[2], t.sizes(self).rank, &b))
    return false;
  return swap_dims(t, args[3], self, a, b);
}

bool t_copy(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  if (self == kNoValue || t.sizes(self).rank != 2) return false;
  return swap_dims(t, args[1], self, 0, 1);
}

bool expand_copy(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  std::vector<int64_t> sizes;
  if (self == kNoValue || !t.integers(args[1], &sizes)) return false;
  const int shift = static_cast<int>(sizes.size()) - t.sizes(self).rank;
  if (shift < 0) return false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != -1) continue;
    if (static_cast<int>(d) < shift) return false;
    sizes[d] = t.sizes(self)[static_cast<int>(d) - shift];
  }
  Dims dims;
  return to_dims(sizes, &dims) && t.write(args[3], t.expand(self, dims));
}

int64_t clip(int64_t position, int64_t size) {
  if (position < 0) position += size;
  return std::clamp<int64_t>(position, 0, size);
}

// self, dim, start, end, step, out.
bool slice_copy(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  int dim;
  if (self == kNoValue || t.sizes(self).rank == 0 || !t.dim(args[1], t.sizes(self).rank, &dim))
    return false;
  const int64_t size = t.sizes(self)[dim];
  int64_t start = 0, end = size, step;
  if (!t.is_none(args[2]) && !t.integer(args[2], &start)) return false;
  if (!t.is_none(args[3]) && !t.integer(args[3], &end)) return false;
  if (!t.integer(args[4], &step) || step <= 0) return false;
  start = clip(start, size);
  end = std::max(start, clip(end, size));
  const int64_t length = end == start ? 0 : (end - start - 1) / step + 1;
  return t.write(args[5], t.slice(self, dim, start, length, step));
}

ValueId select(Translator& t, ValueId self, int dim, int64_t index) {
  std::vector<int64_t> sizes = sizes_of(t, self);
  sizes.erase(sizes.begin() + dim);
  Dims dims;
  to_dims(sizes, &dims);
  return t.reshape(t.slice(self, dim, index, 1, 1), dims);
}

bool select_copy(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  int dim;
  int64_t index;
  if (self == kNoValue || t.sizes(self).rank == 0 || !t.dim(args[1], t.sizes(self).rank, &dim))
    return false;
  if (!t.integer(args[2], &index)) return false;
  const int64_t size = t.sizes(self)[dim];
  if (index < -size || index >= size) return false;
  return t.write(args[3], select(t, self, dim, index < 0 ? index + size : index));
}

bool write_parts(Translator& t, ValueId self, int dim, const std::vector<int64_t>& lengths,
                 int32_t outs) {
  std::vector<int32_t> items;
  if (!t.table().list_items(outs, &items) || items.size() != lengths.size()) return false;
  int64_t start = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (lengths[i] < 0 || lengths[i] > t.sizes(self)[dim] - start) return false;
    if (!t.write(items[i], t.slice(self, dim, start, lengths[i], 1))) return false;
    start += lengths[i];
  }
  return start == t.sizes(self)[dim];
}

// self, sizes, dim, outs.
bool split_with_sizes(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  std::vector<int64_t> lengths;
  int dim;
  if (self == kNoValue || t.sizes(self).rank == 0 || !t.integers(args[1], &lengths)) return false;
  return t.dim(args[2], t.sizes(self).rank, &dim) && write_parts(t, self, dim, lengths, args[3]);
}

// self, length, dim, outs.
bool split(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  int64_t length;
  int dim;
  if (self == kNoValue || t.sizes(self).rank == 0 || !t.integer(args[1], &length) || length <= 0)
    return false;
  if (!t.dim(args[2], t.sizes(self).rank, &dim)) return false;
  std::vector<int64_t> lengths;
  for (int64_t rest = t.sizes(self)[dim]; rest > 0; rest -= length)
    lengths.push_back(std::min(rest, length));
  return write_parts(t, self, dim, lengths, args[3]);
}

// self, dim, outs.
bool unbind(Translator& t, Arguments args) {
  const ValueId self = t.read(args[0]);
  int dim;
  std::vector<int32_t> items;
  if (self == kNoValue || t.sizes(self).rank == 0 || !t.dim(args[1], t.sizes(self).rank, &dim))
    return false;
  if (!t.table().list_items(args[2], &items)) return false;
  if (static_cast<int64_t>(items.size()) != t.sizes(self)[dim]) return false;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!t.write(items[i], select(t, self, dim, static_cast<int64_t>(i)))) return false;
  }
  return true;
}

bool join(Translator& t, std::vector<ValueId> parts, int dim, int32_t out) {
  Dims sizes = t.sizes(parts[0]);
  sizes[dim] = 0;
  for (const ValueId part : parts) {
    const Dims& part_sizes = t.sizes(part);
    if (part_sizes.rank != sizes.rank || t.dtype(part) != t.dtype(parts[0])) return false;
    for (int d = 0; d < sizes.rank; ++d) {
      if (d != dim && part_sizes[d] != sizes[d]) return false;
    }
    sizes[dim] += part_sizes[dim];
  }
  if (parts.size() == 1) return t.write(out, parts[0]);
  const DType dtype = t.dtype(parts[0]);
  return t.write(out, t.graph().add_node(engine::Concat{dim}, std::move(parts), dtype, sizes));
}

// tensors, dim, out.
bool cat(Translator& t, Arguments args) {
  std::vector<ValueId> parts;
  int dim;
  if (!t.read_list(args[0], &parts) || parts.empty()) return false;
  // Empty tensors of rank 1 are skipped, as eager does.
  parts.erase(std::remove_if(parts.begin(), parts.end(),
                             [&](ValueId v) { return t.sizes(v).rank == 1 && t.sizes(v)[0] == 0; }),
              parts.end());
  if (parts.empty() || t.sizes(parts[0]).rank == 0 || !t.dim(args[1], t.sizes(parts[0]).rank, &dim))
    return false;
  return join(t, std::move(parts), dim, args[2]);
}

bool stack(Translator& t, Arguments args) {
  std::vector<ValueId> parts;
  int dim;
  if (!t.read_list(args[0], &parts) || parts.empty()) return false;
  const Dims sizes = t.sizes(parts[0]);
  if (sizes.rank + 1 > engine::kMaxRank || !t.dim(args[1], sizes.rank + 1, &dim)) return false;
  Dims unsqueezed;
  for (int d = 0; d <= sizes.rank; ++d) unsqueezed.push(d == dim ? 1 : sizes[d < dim ? d : d - 1]);
  for (ValueId& part : parts) {
    if (!(t.sizes(part) == sizes)) return false;
    part = t.reshape(part, unsqueezed);
  }
  return join(t, std::move(parts), dim, args[2]);
}

// Same elements in the output's own type and layout: the first argument goes to the last but one or
// the last.
bool convert_to(Translator& t, int32_t self, int32_t out) {
  const ValueId value = t.read(self);
  DType to;
  if (value == kNoValue || !t.output_type(out, &to)) return false;
  const DType from = t.dtype(value);
  const auto plain = [](DType type) {
    return type == DType::boolean ||
           (!compute::is_complex(type) && compute::element_size(type) != 0);
  };
  if (from != to && (!plain(from) || !plain(to))) return false;
  return t.write(out, t.cast(value, to));
}

bool clone(Translator& t, Arguments args) {
  return convert_to(t, args[0], args[2]);
}  // self, format, out
bool alias(Translator& t, Arguments args) {
  return convert_to(t, args[0], args[1]);
}  // self, out
bool dim_order_copy(Translator& t, Arguments args) {
  return convert_to(t, args[0], args[3]);
}  // self, blocking, order, out
bool to_copy(Translator& t, Arguments args) {
  return convert_to(t, args[0], args[3]);
}  // self, blocking, format, out

// self, source, non_blocking: self takes the source's elements.
bool copy_in_place(Translator& t, Arguments args) {
  const ValueId source = t.read(args[1]);
  const ValueId self = t.read(args[0]);
  DType to;
  if (source == kNoValue || self == kNoValue || !t.output_type(args[0], &to)) return false;
  const Dims sizes = t.sizes(self);
  return t.write(args[0], t.expand(t.cast(source, to), sizes));
}

const TranslateRow kRows[] = {
    {"aten::view_copy.out", 3, view},
    {"aten::_unsafe_view.out", 3, view},
    {"executorch_prim::et_view.default", 3, et_view},
    {"executorch_prim::copy_elements.out", 3, copy_elements},
    {"aten::unsqueeze_copy.out", 3, unsqueeze},
    {"aten::squeeze_copy.dims_out", 3, squeeze_dims},
    {"aten::squeeze_copy.dim_out", 3, squeeze_dims},
    {"aten::permute_copy.out", 3, permute_copy},
    {"aten::transpose_copy.int_out", 4, transpose_copy},
    {"aten::t_copy.out", 2, t_copy},
    {"aten::expand_copy.out", 4, expand_copy},
    {"aten::slice_copy.Tensor_out", 6, slice_copy},
    {"aten::select_copy.int_out", 4, select_copy},
    {"aten::split_with_sizes_copy.out", 4, split_with_sizes},
    {"aten::split_copy.Tensor_out", 4, split},
    {"aten::unbind_copy.int_out", 3, unbind},
    {"aten::cat.out", 3, cat},
    {"aten::stack.out", 3, stack},
    {"aten::clone.out", 3, clone},
    {"aten::alias_copy.out", 2, alias},
    {"aten::detach_copy.out", 2, alias},
    {"aten::_to_copy.out", 4, to_copy},
    {"dim_order_ops::_to_dim_order_copy.out", 4, dim_order_copy},
    {"dim_order_ops::_clone_dim_order.out", 4, dim_order_copy},
    {"aten::copy_", 3, copy_in_place},
};

}  // namespace

Span<const TranslateRow> view_translations() {
  return {kRows, sizeof(kRows) / sizeof(kRows[0])};
}

}  // namespace kernels
}  // namespace executorch
