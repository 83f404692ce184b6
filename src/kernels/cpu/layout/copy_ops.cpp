// Copies of whole tensors, with or without conversion, and reshaping ones.
#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

constexpr int64_t kContiguousFormat = 0;
constexpr int64_t kPreserveFormat = 1;
constexpr int64_t kChannelsLastFormat = 2;
constexpr int64_t kChannelsLast3dFormat = 3;

/// The layout of an output is fixed in the program, so a memory format only has to be one that
/// exists.
Error check_memory_format(std::optional<int64_t> format) {
  const int64_t value = format.value_or(kContiguousFormat);
  ET_REQUIRE(value == kContiguousFormat || value == kPreserveFormat ||
                 value == kChannelsLastFormat || value == kChannelsLast3dFormat,
             InvalidArgument, "argument 'memory_format': %lld is unknown",
             static_cast<long long>(value));
  return Error::Ok;
}

Error alias(Context&, const Tensor& self, Tensor& out) {
  return write_view(out, self, view_of(self));
}

Error clone(Context&, const Tensor& self, std::optional<int64_t> memory_format, Tensor& out) {
  ET_TRY(check_memory_format(memory_format));
  return write_view(out, self, view_of(self));
}

Error to_copy(Context&, const Tensor& self, bool, std::optional<int64_t> memory_format,
              Tensor& out) {
  ET_TRY(check_memory_format(memory_format));
  return write_converted(out, self);
}

/// Writes `src`, broadcast to the sizes of `target`, into it.
Error broadcast_into(const Tensor& target, const Tensor& src) {
  const TensorView to = view_of(target);
  TensorView from = view_of(src);
  ET_REQUIRE(compute::convertible(to.dtype, from.dtype), InvalidArgument,
             "argument 'src': no conversion from %s to %s", dtype_name(src.scalar_type()),
             dtype_name(target.scalar_type()));
  bool fits = from.rank <= to.rank;
  while (fits && from.rank < to.rank) from.insert(0, 1, 0);
  for (int d = 0; fits && d < to.rank; ++d) {
    if (from.sizes[d] == to.sizes[d]) continue;
    fits = from.sizes[d] == 1;
    from.sizes[d] = to.sizes[d];
    from.strides[d] = 0;
  }
  ET_REQUIRE(fits, InvalidArgument, "argument 'src': %s does not broadcast to %s",
             describe(src).text, describe(target).text);
  ET_TRY(check_no_partial_overlap(target, src, "src"));
  if (memory_overlaps(target, src)) return Error::Ok;
  compute::convert(to, from);
  return Error::Ok;
}

Error copy_out(Context&, const Tensor& self, const Tensor& src, bool, Tensor& out) {
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_TRY(resize_output_like(out, self));
  return broadcast_into(out, src);
}

Error copy_in_place(Context&, Tensor& self, const Tensor& src, bool) {
  return broadcast_into(self, src);
}

/// Replaces a single -1 in `sizes` by what the number of elements demands.
Error infer_size(const Tensor& self, IntList requested, Sizes* sizes) {
  ET_TRY(check_list_rank(requested, "size"));
  *sizes = to_sizes(requested);
  int inferred = -1;
  Sizes known = *sizes;
  for (int d = 0; d < sizes->rank; ++d) {
    if ((*sizes)[d] != -1) continue;
    ET_REQUIRE(inferred < 0, InvalidArgument, "argument 'size': more than one -1 in %s",
               describe(requested).text);
    inferred = d;
    known[d] = 1;
  }
  int64_t count = 0;
  ET_TRY(checked_numel(known, "size", &count));
  const int64_t numel = self.numel();
  if (inferred >= 0) {
    ET_REQUIRE(count > 0 && numel % count == 0, InvalidArgument,
               "argument 'size': %s does not fit the %lld elements of %s", describe(requested).text,
               static_cast<long long>(numel), describe(self).text);
    (*sizes)[inferred] = numel / count;
    return Error::Ok;
  }
  ET_REQUIRE(count == numel, InvalidArgument,
             "argument 'size': %s does not have the %lld elements of %s", describe(requested).text,
             static_cast<long long>(numel), describe(self).text);
  return Error::Ok;
}

Error view_copy(Context& context, const Tensor& self, IntList size, Tensor& out) {
  Sizes sizes;
  ET_TRY(infer_size(self, size, &sizes));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_TRY(resize_output(out, sizes));
  const TensorView from = view_of(self);
  const bool row_major = is_contiguous(out);
  if (row_major && is_contiguous(self) && out.const_data_ptr() == self.const_data_ptr())
    return Error::Ok;
  ET_TRY(check_no_overlap(out, self, "self"));
  if (row_major) {
    // Row-major memory can be seen in any shape: take the input's.
    compute::copy(compute::contiguous_view(out.mutable_data_ptr(), from.dtype, from.element_size,
                                           from.rank, from.sizes),
                  from);
    return Error::Ok;
  }
  ContiguousInput input(context);
  ET_TRY(input.prepare(self));
  const TensorView to = view_of(out);
  compute::copy(to, compute::contiguous_view(input.view().data, to.dtype, to.element_size, to.rank,
                                             to.sizes));
  return Error::Ok;
}

Error view_as_real_copy(Context&, const Tensor& self, Tensor& out) {
  ET_REQUIRE(is_complex(self.scalar_type()), InvalidArgument,
             "argument 'self': expected a complex dtype, found %s", dtype_name(self.scalar_type()));
  const ScalarType part = self.scalar_type() == ScalarType::ComplexHalf    ? ScalarType::Half
                          : self.scalar_type() == ScalarType::ComplexFloat ? ScalarType::Float
                                                                           : ScalarType::Double;
  ET_REQUIRE(out.scalar_type() == part, InvalidArgument, "argument 'out': expected %s, found %s",
             dtype_name(part), dtype_name(out.scalar_type()));
  TensorView from = view_of(self);
  ET_REQUIRE(from.rank < kMaxRank, InvalidArgument, "argument 'self': too many dimensions");
  from.element_size /= 2;
  for (int d = 0; d < from.rank; ++d) from.strides[d] *= 2;
  from.insert(from.rank, 2, 1);
  Sizes sizes = sizes_of(self);
  sizes.push(2);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  compute::copy(view_of(out), from);
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::alias_copy.out", alias>("(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::detach_copy.out", alias>("(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::lift_fresh_copy.out", alias>("(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::clone.out", clone>(
        "(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::_to_copy.out", to_copy>(
        "(Tensor self, *, bool non_blocking=False, MemoryFormat? memory_format=None, "
        "Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::copy.out", copy_out>(
        "(Tensor self, Tensor src, bool non_blocking=False, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::copy_", copy_in_place>(
        "(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)"),
    row<"aten::view_copy.out", view_copy>(
        "(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::view_as_real_copy.out", view_as_real_copy>(
        "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table copy_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
