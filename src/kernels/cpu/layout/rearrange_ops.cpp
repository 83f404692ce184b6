// Operators that repeat, reverse, rotate or regroup elements.
#include <utility>

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"

namespace executorch {
namespace kernels {
namespace {

/// Checks dtypes, resizes the output and refuses shared memory: what comes before copying pieces.
Error prepare_output(const Tensor& self, const Tensor& out, const Sizes& sizes) {
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  ET_TRY(resize_output(out, sizes));
  return check_no_overlap(out, self, "self");
}

Error repeat(Context&, const Tensor& self, IntList repeats, Tensor& out) {
  ET_TRY(check_list_rank(repeats, "repeats"));
  TensorView from = view_of(self);
  const int rank = static_cast<int>(repeats.size());
  ET_REQUIRE(rank >= from.rank, InvalidArgument,
             "argument 'repeats': %s has fewer entries than %s has dimensions",
             describe(repeats).text, describe(self).text);
  while (from.rank < rank) from.insert(0, 1, 0);
  Sizes sizes;
  for (int d = 0; d < rank; ++d) {
    int64_t size = 0;
    ET_REQUIRE(repeats[d] >= 0 && !__builtin_mul_overflow(repeats[d], from.sizes[d], &size),
               InvalidArgument, "argument 'repeats': %lld is out of range",
               static_cast<long long>(repeats[d]));
    sizes.push(size);
  }
  ET_TRY(prepare_output(self, out, sizes));
  // Each dimension becomes [repeats, size]; the input has stride 0 in the first.
  TensorView to = view_of(out);
  for (int d = rank - 1; d >= 0; --d) {
    to.split(d, from.sizes[d]);
    to.sizes[d] = repeats[d];
    from.insert(d, repeats[d], 0);
  }
  compute::copy(to, from);
  return Error::Ok;
}

Error flip(Context&, const Tensor& self, IntList dims, Tensor& out) {
  TensorView view = view_of(self);
  uint32_t flipped = 0;
  for (int64_t dim : dims) {
    int d = 0;
    ET_TRY(normalize_dim(dim, self.dim(), "dims", &d));
    ET_REQUIRE((flipped >> d & 1) == 0, InvalidArgument,
               "argument 'dims': dimension %d is named twice", d);
    flipped |= 1u << d;
    if (view.rank > 0) view.flip(d);
  }
  ET_TRY(prepare_output(self, out, sizes_of(self)));
  compute::copy(view_of(out), view);
  return Error::Ok;
}

int64_t wrapped(int64_t shift, int64_t size) {
  const int64_t remainder = size > 0 ? shift % size : 0;
  return remainder < 0 ? remainder + size : remainder;
}

/// Copies with the dimensions from `d` on rotated by `shifts`: two pieces for each dimension that
/// moves.
void copy_rolled(const TensorView& to, const TensorView& from, const int64_t* shifts, int d) {
  while (d < to.rank && shifts[d] == 0) ++d;
  if (d == to.rank) return compute::copy(to, from);
  const int64_t size = to.sizes[d];
  const int64_t lengths[] = {size - shifts[d], shifts[d]};
  const int64_t sources[] = {0, size - shifts[d]};
  const int64_t targets[] = {shifts[d], 0};
  for (int piece = 0; piece < 2; ++piece) {
    TensorView part = to;
    TensorView source = from;
    part.narrow(d, targets[piece], lengths[piece]);
    source.narrow(d, sources[piece], lengths[piece]);
    copy_rolled(part, source, shifts, d + 1);
  }
}

/// Without dims, the elements are rotated in row-major order.
Error roll_flat(Context& context, const Tensor& self, int64_t shift, Tensor& out) {
  ContiguousInput input(context);
  ContiguousOutput output(context);
  ET_TRY(input.prepare(self));
  ET_TRY(output.prepare(out));
  const int64_t numel = self.numel();
  const int64_t shifts[] = {wrapped(shift, numel)};
  const TensorView& from = input.view();
  const TensorView& to = output.view();
  copy_rolled(compute::contiguous_view(to.data, to.dtype, to.element_size, 1, &numel),
              compute::contiguous_view(from.data, from.dtype, from.element_size, 1, &numel), shifts,
              0);
  output.finish();
  return Error::Ok;
}

Error roll(Context& context, const Tensor& self, IntList shifts, IntList dims, Tensor& out) {
  ET_REQUIRE(shifts.size() > 0, InvalidArgument, "argument 'shifts': expected at least one number");
  ET_REQUIRE(dims.size() == shifts.size() || (dims.size() == 0 && shifts.size() == 1),
             InvalidArgument, "arguments 'shifts' and 'dims' have %zu and %zu entries",
             shifts.size(), dims.size());
  ET_TRY(prepare_output(self, out, sizes_of(self)));
  if (dims.size() == 0) return roll_flat(context, self, shifts[0], out);
  const TensorView from = view_of(self);
  int64_t total[compute::kMaxViewRank] = {};
  for (size_t i = 0; i < dims.size(); ++i) {
    int d = 0;
    ET_TRY(normalize_dim(dims[i], self.dim(), "dims", &d));
    if (from.rank > 0)
      total[d] = wrapped(total[d] + wrapped(shifts[i], from.sizes[d]), from.sizes[d]);
  }
  copy_rolled(view_of(out), from, total, 0);
  return Error::Ok;
}

Error tril(Context&, const Tensor& self, int64_t diagonal, Tensor& out) {
  ET_REQUIRE(self.dim() >= 2, InvalidArgument,
             "argument 'self': expected at least 2 dimensions, found %s", describe(self).text);
  ET_TRY(prepare_output(self, out, sizes_of(self)));
  const TensorView from = view_of(self);
  const TensorView to = view_of(out);
  const char zero[compute::kMaxElementSize] = {};
  const int row_dim = from.rank - 2;
  const int column_dim = from.rank - 1;
  const int64_t columns = from.sizes[column_dim];
  for (int64_t row = 0; row < from.sizes[row_dim]; ++row) {
    int64_t kept = 0;
    if (__builtin_add_overflow(row + 1, diagonal, &kept) || kept > columns) kept = columns;
    if (kept < 0) kept = 0;
    TensorView source = from;
    TensorView low = to;
    TensorView high = to;
    source.narrow(row_dim, row, 1);
    source.narrow(column_dim, 0, kept);
    low.narrow(row_dim, row, 1);
    low.narrow(column_dim, 0, kept);
    high.narrow(row_dim, row, 1);
    high.narrow(column_dim, kept, columns - kept);
    compute::copy(low, source);
    compute::fill(high, zero);
  }
  return Error::Ok;
}

/// Views [..., C, H*r, W*r] as [..., C, r, r, H, W].
TensorView split_pixels(TensorView view, int64_t factor) {
  view.split(view.rank - 1, factor);
  view.split(view.rank - 3, factor);
  // Now [..., C, H, r, W, r].
  const int c = view.rank - 5;
  TensorView result = view;
  const int order[] = {c, c + 2, c + 4, c + 1, c + 3};
  for (int i = 0; i < 5; ++i) {
    result.sizes[c + i] = view.sizes[order[i]];
    result.strides[c + i] = view.strides[order[i]];
  }
  return result;
}

/// Views [..., C*r*r, H, W] as [..., C, r, r, H, W].
TensorView split_channels(TensorView view, int64_t factor) {
  view.split(view.rank - 3, factor);
  view.split(view.rank - 4, factor);
  return view;
}

constexpr int64_t kMaxPixelFactor = 1 << 15;

Error check_factor(const Tensor& self, int64_t factor, const char* name) {
  ET_REQUIRE(self.dim() >= 3, InvalidArgument,
             "argument 'self': expected at least 3 dimensions, found %s", describe(self).text);
  ET_REQUIRE(factor > 0 && factor < kMaxPixelFactor, InvalidArgument,
             "argument '%s': %lld is out of range", name, static_cast<long long>(factor));
  return Error::Ok;
}

Error pixel_shuffle(Context&, const Tensor& self, int64_t factor, Tensor& out) {
  ET_TRY(check_factor(self, factor, "upscale_factor"));
  Sizes sizes = sizes_of(self);
  const int c = sizes.rank - 3;
  ET_REQUIRE(
      sizes[c] % (factor * factor) == 0, InvalidArgument,
      "argument 'self': %lld channels are not divisible by the square of upscale_factor %lld",
      static_cast<long long>(sizes[c]), static_cast<long long>(factor));
  sizes[c] /= factor * factor;
  sizes[c + 1] *= factor;
  sizes[c + 2] *= factor;
  ET_TRY(prepare_output(self, out, sizes));
  compute::copy(split_pixels(view_of(out), factor), split_channels(view_of(self), factor));
  return Error::Ok;
}

Error pixel_unshuffle(Context&, const Tensor& self, int64_t factor, Tensor& out) {
  ET_TRY(check_factor(self, factor, "downscale_factor"));
  Sizes sizes = sizes_of(self);
  const int c = sizes.rank - 3;
  ET_REQUIRE(sizes[c + 1] % factor == 0 && sizes[c + 2] % factor == 0, InvalidArgument,
             "argument 'self': height and width of %s are not divisible by downscale_factor %lld",
             describe(self).text, static_cast<long long>(factor));
  sizes[c] *= factor * factor;
  sizes[c + 1] /= factor;
  sizes[c + 2] /= factor;
  ET_TRY(prepare_output(self, out, sizes));
  compute::copy(split_channels(view_of(out), factor), split_pixels(view_of(self), factor));
  return Error::Ok;
}

/// Channels [groups, each] become [each, groups].
Error channel_shuffle(Context&, const Tensor& self, int64_t groups, Tensor& out) {
  ET_TRY(check_rank(self, "self", 3, kMaxRank));
  const int64_t channels = self.sizes()[1];
  ET_REQUIRE(groups > 0 && channels % groups == 0, InvalidArgument,
             "argument 'groups': %lld does not divide the %lld channels of self",
             static_cast<long long>(groups), static_cast<long long>(channels));
  ET_TRY(prepare_output(self, out, sizes_of(self)));
  TensorView from = view_of(self);
  TensorView to = view_of(out);
  from.split(1, channels / groups);
  to.split(1, groups);
  std::swap(from.sizes[1], from.sizes[2]);
  std::swap(from.strides[1], from.strides[2]);
  compute::copy(to, from);
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::repeat.out", repeat>(
        "(Tensor self, SymInt[] repeats, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::flip.out", flip>("(Tensor self, int[] dims, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::roll.out", roll>(
        "(Tensor self, SymInt[1] shifts, int[1] dims=[], *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::tril.out", tril>(
        "(Tensor self, SymInt diagonal=0, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::pixel_shuffle.out", pixel_shuffle>(
        "(Tensor self, int upscale_factor, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::pixel_unshuffle.out", pixel_unshuffle>(
        "(Tensor self, int downscale_factor, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::channel_shuffle.out", channel_shuffle>(
        "(Tensor self, SymInt groups, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table rearrange_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
