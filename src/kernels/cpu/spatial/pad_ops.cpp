// Padding by a constant, by reflection and by replication.
#include <initializer_list>

#include "kernels/cpu/tables.h"
#include "kernels/support/copying.h"
#include "kernels/support/promotion.h"

namespace executorch {
namespace kernels {
namespace {

/// Far beyond any size, and far from overflow in sums.
constexpr int64_t kMaxPad = int64_t{1} << 40;

struct Pad {
  int64_t before = 0;
  int64_t after = 0;
};

/// Reads the list, which starts with the last dimension, and computes the padded sizes. Negative
/// numbers crop.
Error read_padding(const Tensor& self, IntList pad, Pad* pads, Sizes* sizes) {
  *sizes = sizes_of(self);
  ET_REQUIRE(pad.size() % 2 == 0 && pad.size() <= 2 * static_cast<size_t>(sizes->rank),
             InvalidArgument,
             "argument 'pad': expected two numbers for each of at most %d dimensions, found %zu",
             sizes->rank, pad.size());
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const int d = sizes->rank - 1 - static_cast<int>(i);
    for (int64_t number : {pad[2 * i], pad[2 * i + 1]}) {
      ET_REQUIRE(number > -kMaxPad && number < kMaxPad, InvalidArgument,
                 "argument 'pad': %lld is out of range", static_cast<long long>(number));
    }
    pads[d] = {pad[2 * i], pad[2 * i + 1]};
    const int64_t size = (*sizes)[d] + pads[d].before + pads[d].after;
    ET_REQUIRE(size >= 0, InvalidArgument,
               "argument 'pad': %s crops more than dimension %d of %s has", describe(pad).text, d,
               describe(self).text);
    (*sizes)[d] = size;
  }
  return Error::Ok;
}

/// Crops by negative padding on both sides at once.
void crop(TensorView& view, int d, const Pad& pad) {
  const int64_t start = pad.before < 0 ? -pad.before : 0;
  const int64_t end = pad.after < 0 ? -pad.after : 0;
  view.narrow(d, start, view.sizes[d] - start - end);
}

/// Fills the borders of the dimensions from `d` on and copies the input between them, slab by slab,
/// so that memory is written once.
void pad_by_constant(TensorView to, TensorView from, const Pad* pads, int d, const void* element) {
  if (d == to.rank) return compute::copy(to, from);
  const int64_t before = pads[d].before > 0 ? pads[d].before : 0;
  const int64_t after = pads[d].after > 0 ? pads[d].after : 0;
  crop(from, d, pads[d]);
  if (d > 0 && d + 1 == to.rank && from.numel() > 0 &&
      compute::copy_between_borders(to, from, before, element)) {
    return;
  }
  TensorView low = to;
  TensorView high = to;
  low.narrow(d, 0, before);
  high.narrow(d, to.sizes[d] - after, after);
  compute::fill(low, element);
  compute::fill(high, element);
  to.narrow(d, before, to.sizes[d] - before - after);
  if (!is_outermost(to, d)) return pad_by_constant(to, from, pads, d + 1, element);
  for_slabs(to, d, [&](int64_t first, int64_t count) {
    TensorView part = to;
    TensorView source = from;
    part.narrow(d, first, count);
    source.narrow(d, first, count);
    pad_by_constant(part, source, pads, d + 1, element);
  });
}

Error constant_pad_nd(Context&, const Tensor& self, IntList pad, const Scalar value, Tensor& out) {
  Pad pads[kMaxRank];
  Sizes sizes;
  ET_TRY(read_padding(self, pad, pads, &sizes));
  for (int d = 0; d < sizes.rank; ++d) {
    const int64_t cropped =
        (pads[d].before < 0 ? -pads[d].before : 0) + (pads[d].after < 0 ? -pads[d].after : 0);
    ET_REQUIRE(cropped <= self.sizes()[d], InvalidArgument,
               "argument 'pad': %s crops more than dimension %d of %s has", describe(pad).text, d,
               describe(self).text);
  }
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  char element[compute::kMaxElementSize];
  ET_TRY(number_element(value, out.scalar_type(), "value", element));
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  pad_by_constant(view_of(out), view_of(self), pads, 0, element);
  return Error::Ok;
}

/// A piece of an output dimension and where it comes from.
struct Segment {
  int64_t target;
  int64_t length;
  int64_t source;
  int64_t step;  ///< 1 forwards, -1 mirrored, 0 the same element
};

enum class Border { Reflect, Replicate };

int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}
int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/// Cuts a padded dimension into the part before, the input itself and the part after, any of which
/// may be cropped away. Returns the number of segments.
int cut(Border border, int64_t size, const Pad& pad, Segment* segments) {
  // Positions relative to the input: the result covers [begin, end).
  const int64_t begin = -pad.before;
  const int64_t end = size + pad.after;
  const bool mirrored = border == Border::Reflect;
  int count = 0;
  const auto add = [&](int64_t first, int64_t last, int64_t source, int64_t step) {
    if (last > first) segments[count++] = {first - begin, last - first, source, step};
  };
  add(begin, smaller(0, end), mirrored ? -begin : 0, mirrored ? -1 : 0);
  add(larger(0, begin), smaller(size, end), larger(0, begin), 1);
  const int64_t after = larger(size, begin);
  add(after, end, mirrored ? 2 * (size - 1) - after : size - 1, mirrored ? -1 : 0);
  return count;
}

void copy_segments(TensorView to, TensorView from, Border border, const Sizes& sizes,
                   const Pad* pads, int d) {
  while (d < sizes.rank && pads[d].before == 0 && pads[d].after == 0) ++d;
  if (d == sizes.rank) return compute::copy(to, from);
  Segment segments[3];
  const int count = cut(border, sizes[d], pads[d], segments);
  for (int i = 0; i < count; ++i) {
    const Segment& segment = segments[i];
    TensorView part = to;
    TensorView source = from;
    part.narrow(d, segment.target, segment.length);
    source.advance(segment.source * source.strides[d]);
    source.sizes[d] = segment.length;
    source.strides[d] *= segment.step;
    copy_segments(part, source, border, sizes, pads, d + 1);
  }
}

template <Border border, int padded_dims>
Error pad_border(Context&, const Tensor& self, IntList padding, Tensor& out) {
  ET_TRY(check_rank(self, "self", padded_dims + 1, padded_dims + 2));
  ET_REQUIRE(padding.size() == 2 * padded_dims, InvalidArgument,
             "argument 'padding': expected %d numbers, found %zu", 2 * padded_dims, padding.size());
  Pad pads[kMaxRank];
  Sizes sizes;
  ET_TRY(read_padding(self, padding, pads, &sizes));
  ET_TRY(check_same_dtype(self, "self", out, "out"));
  const Sizes input = sizes_of(self);
  bool some = false;
  for (int d = 0; d < input.rank; ++d) {
    const Pad& pad = pads[d];
    ET_REQUIRE(input[d] > 0 || (d == 0 && input.rank == padded_dims + 2), InvalidArgument,
               "argument 'self': %s has an empty dimension %d", describe(self).text, d);
    if (d < input.rank - padded_dims) continue;
    ET_REQUIRE(border != Border::Reflect || (pad.before < input[d] && pad.after < input[d]),
               InvalidArgument,
               "argument 'padding': %s must be less than the size of dimension %d of %s",
               describe(padding).text, d, describe(self).text);
    some = some || sizes[d] > 0;
  }
  ET_REQUIRE(some, InvalidArgument, "argument 'padding': %s leaves nothing of %s",
             describe(padding).text, describe(self).text);
  ET_TRY(resize_output(out, sizes));
  ET_TRY(check_no_overlap(out, self, "self"));
  if (out.numel() == 0) return Error::Ok;
  copy_segments(view_of(out), view_of(self), border, input, pads, 0);
  return Error::Ok;
}

constexpr OperatorRow kRows[] = {
    row<"aten::constant_pad_nd.out", constant_pad_nd>(
        "(Tensor self, SymInt[] pad, Scalar value=0, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::reflection_pad1d.out", pad_border<Border::Reflect, 1>>(
        "(Tensor self, SymInt[2] padding, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::reflection_pad2d.out", pad_border<Border::Reflect, 2>>(
        "(Tensor self, SymInt[4] padding, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::reflection_pad3d.out", pad_border<Border::Reflect, 3>>(
        "(Tensor self, SymInt[6] padding, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::replication_pad1d.out", pad_border<Border::Replicate, 1>>(
        "(Tensor self, SymInt[2] padding, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::replication_pad2d.out", pad_border<Border::Replicate, 2>>(
        "(Tensor self, SymInt[4] padding, *, Tensor(a!) out) -> Tensor(a!)"),
    row<"aten::replication_pad3d.out", pad_border<Border::Replicate, 3>>(
        "(Tensor self, SymInt[6] padding, *, Tensor(a!) out) -> Tensor(a!)"),
};

}  // namespace

Table pad_rows() {
  return table<kRows>();
}

}  // namespace kernels
}  // namespace executorch
