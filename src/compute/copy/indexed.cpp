#include "compute/copy/indexed.h"

#include <algorithm>
#include <cstring>

#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/half.h>

#include "compute/copy/copy.h"
#include "compute/copy/odometer.h"
#include "compute/elementwise/cast.h"
#include "compute/elementwise/elementwise.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// Bytes that are worth a thread of their own.
constexpr int64_t kGrainBytes = 128 * 1024;
/// Elements that are looked at before the coordinates of those found are written.
constexpr int64_t kFindBlock = 256;

TensorView moved(TensorView view, int64_t elements) {
  view.advance(elements);
  return view;
}

/// Fetches the start of what is read soon; the processor finds the rest.
void prefetch(const char* from, size_t bytes) {
  constexpr size_t line = 64, lines = 4;
  for (size_t b = 0; b < bytes && b < lines * line; b += line) __builtin_prefetch(from + b);
}

/// Copies single elements of a fixed size; other sizes go through memcpy with a variable length.
template <size_t size>
struct CopyElement {
  void operator()(char* to, const char* from, size_t) const { std::memcpy(to, from, size); }
};
template <>
struct CopyElement<0> {
  void operator()(char* to, const char* from, size_t size) const { std::memcpy(to, from, size); }
};

template <class F>
auto with_element_copy(size_t size, F&& f) {
  switch (size) {
    case 1:
      return f(CopyElement<1>{});
    case 2:
      return f(CopyElement<2>{});
    case 4:
      return f(CopyElement<4>{});
    case 8:
      return f(CopyElement<8>{});
    default:
      return f(CopyElement<0>{});
  }
}

/// The slices are elements.
void copy_elements(const TensorView& to, const int64_t* to_offsets, const TensorView& from,
                   const int64_t* from_offsets, int64_t first, int64_t last) {
  const auto unit = static_cast<int64_t>(to.element_size);
  with_element_copy(to.element_size, [&](auto copy_element) {
    for (int64_t i = first; i < last; ++i) {
      copy_element(to.data + to_offsets[i] * unit, from.data + from_offsets[i] * unit,
                   to.element_size);
    }
  });
}

/// The slices are runs of adjacent bytes on both sides.
void copy_run_slices(const TensorView& to, const int64_t* to_offsets, const TensorView& from,
                     const int64_t* from_offsets, int64_t first, int64_t last) {
  const auto unit = static_cast<int64_t>(to.element_size);
  const auto bytes = static_cast<size_t>(to.numel() * unit);
  for (int64_t i = first; i < last; ++i) {
    // The next slices lie anywhere.
    constexpr int64_t ahead = 4;
    if (i + ahead < last) prefetch(from.data + from_offsets[i + ahead] * unit, bytes);
    std::memcpy(to.data + to_offsets[i] * unit, from.data + from_offsets[i] * unit, bytes);
  }
}

void copy_slice_range(const TensorView& to, const int64_t* to_offsets, const TensorView& from,
                      const int64_t* from_offsets, int64_t first, int64_t last) {
  if (is_contiguous(to) && is_contiguous(from)) {
    return copy_run_slices(to, to_offsets, from, from_offsets, first, last);
  }
  for (int64_t i = first; i < last; ++i)
    copy(moved(to, to_offsets[i]), moved(from, from_offsets[i]));
}

/// Outer dimensions of strided slices move outwards, so that each pass copies runs.
bool peel(const TensorView& to, const TensorView& from, TensorView* inner_to,
          TensorView* inner_from, int* outer_rank) {
  int outer = 0;
  *inner_to = to;
  *inner_from = from;
  while (inner_to->rank > 0 && !(is_contiguous(*inner_to) && is_contiguous(*inner_from))) {
    inner_to->remove(0);
    inner_from->remove(0);
    ++outer;
  }
  *outer_rank = outer;
  return outer > 0;
}

/// The operation of a mode; truth values are sums where one is true, products where all are.
ElementwiseOp combining_op(ScatterMode mode, DType type) {
  const bool truth = type == DType::boolean;
  switch (mode) {
    case ScatterMode::Multiply:
      return truth ? ElementwiseOp::LogicalAnd : ElementwiseOp::Mul;
    case ScatterMode::Maximum:
      return ElementwiseOp::Maximum;
    case ScatterMode::Minimum:
      return ElementwiseOp::Minimum;
    default:
      return truth ? ElementwiseOp::LogicalOr : ElementwiseOp::Add;
  }
}

}  // namespace

void copy_slices(const TensorView& to, const int64_t* to_offsets, const TensorView& from,
                 const int64_t* from_offsets, int64_t count) {
  const int64_t bytes = to.numel() * static_cast<int64_t>(to.element_size);
  if (bytes == 0 || count == 0) return;
  TensorView inner_to;
  TensorView inner_from;
  int outer_rank = 0;
  const int64_t grain = kGrainBytes / bytes > 0 ? kGrainBytes / bytes : 1;
  if (!peel(to, from, &inner_to, &inner_from, &outer_rank)) {
    threadpool::parallel_for(0, count, grain, [&](int64_t first, int64_t last) {
      copy_run_slices(to, to_offsets, from, from_offsets, first, last);
    });
    return;
  }
  TensorView outer_to = to;
  TensorView outer_from = from;
  outer_to.rank = outer_from.rank = outer_rank;
  // One more dimension of size 1 makes each outer coordinate a line.
  outer_to.insert(outer_rank, 1, 0);
  outer_from.insert(outer_rank, 1, 0);
  const Lines lines = lines_of(outer_to);
  threadpool::parallel_for(0, count, grain, [&](int64_t first, int64_t last) {
    const auto copy_part = inner_to.numel() == 1 ? copy_elements : copy_run_slices;
    Odometer<2> odometer(outer_to, outer_from);
    for (int64_t i = 0; i < lines.count; ++i, odometer.next()) {
      copy_part(moved(inner_to, odometer.offset(0)), to_offsets,
                moved(inner_from, odometer.offset(1)), from_offsets, first, last);
    }
  });
}

void copy_slices_in_order(const TensorView& to, const int64_t* to_offsets, const TensorView& from,
                          const int64_t* from_offsets, int64_t count) {
  if (to.numel() == 0) return;
  copy_slice_range(to, to_offsets, from, from_offsets, 0, count);
}

bool add_slices_in_order(const TensorView& to, const int64_t* to_offsets, const TensorView& from,
                         const int64_t* from_offsets, int64_t count) {
  const ElementwiseOp add = combining_op(ScatterMode::Add, to.dtype);
  if (!elementwise_supported(add, to.dtype)) return false;
  ElementwiseCall call = {};
  call.op = add;
  call.common = to.dtype;
  call.rank = to.rank;
  call.out.dtype = call.in[0].dtype = call.in[1].dtype = to.dtype;
  for (int d = 0; d < to.rank; ++d) {
    call.sizes[d] = to.sizes[d];
    call.out.strides[d] = call.in[0].strides[d] = to.strides[d];
    call.in[1].strides[d] = from.strides[d];
  }
  for (int64_t i = 0; i < count; ++i) {
    call.out.data = moved(to, to_offsets[i]).data;
    call.in[0].data = call.out.data;
    call.in[1].data = moved(from, from_offsets[i]).data;
    elementwise(call);
  }
  return true;
}

namespace {

int64_t index_at(const TensorView& index, int64_t offset) {
  if (index.dtype == DType::i64) {
    int64_t value;
    std::memcpy(&value, index.data + offset * 8, sizeof(value));
    return value;
  }
  int32_t value;
  std::memcpy(&value, index.data + offset * 4, sizeof(value));
  return value;
}

/// Visits all coordinates of `index` with the offsets of the other two views there; the views'
/// stride in `dim` is taken out of `indexed` and applied to the index instead. `visit(plain offset,
/// indexed offset)`.
template <class Visit>
BadIndex visit_indexed(const TensorView& plain, const TensorView& indexed, const TensorView& index,
                       int dim, Visit&& visit) {
  TensorView base = indexed;
  const int64_t limit = index.rank > 0 ? indexed.sizes[dim] : 1;
  const int64_t step = index.rank > 0 ? indexed.strides[dim] : 0;
  if (index.rank > 0) base.strides[dim] = 0;
  const Lines lines = lines_of(index);
  Odometer<3> odometer(index, plain, base);
  for (int64_t line = 0; line < lines.count; ++line, odometer.next()) {
    for (int64_t i = 0; i < lines.length; ++i) {
      const int64_t value = index_at(index, odometer.offset(0) + i * odometer.line_stride(0));
      if (value < 0 || value >= limit) return {value, true};
      visit(odometer.offset(1) + i * odometer.line_stride(1),
            odometer.offset(2) + i * odometer.line_stride(2) + value * step);
    }
  }
  return {};
}

/// to[t] += from[f], computed as Sum; integers wrap.
template <class T, class Sum>
struct AddStored {
  const TensorView& to;
  const TensorView& from;

  void operator()(int64_t t, int64_t f) const {
    T* const sum = reinterpret_cast<T*>(to.data) + t;
    *sum = static_cast<T>(static_cast<Sum>(*sum) +
                          static_cast<Sum>(reinterpret_cast<const T*>(from.data)[f]));
  }
};

/// Combines to[t] with from[f], one element through the loops of the element type.
struct CombineElement {
  const TensorView& to;
  const TensorView& from;
  LoadLoop load;
  StoreLoop store;
  BlockLoop combine;

  void operator()(int64_t t, int64_t f) const {
    alignas(16) char a[16];
    alignas(16) char b[16];
    const auto unit = static_cast<int64_t>(to.element_size);
    load(a, to.data + t * unit, 0, 1);
    load(b, from.data + f * unit, 0, 1);
    const void* operands[] = {a, b};
    combine(a, operands, 0, 1);
    store(to.data + t * unit, 0, a, 1);
  }
};

}  // namespace

BadIndex gather(const TensorView& to, const TensorView& from, const TensorView& index, int dim) {
  const auto unit = static_cast<int64_t>(to.element_size);
  return with_element_copy(to.element_size, [&](auto copy_element) {
    return visit_indexed(to, from, index, dim, [&](int64_t plain, int64_t indexed) {
      copy_element(to.data + plain * unit, from.data + indexed * unit, to.element_size);
    });
  });
}

namespace {

CombineElement combine_element(const TensorView& to, const TensorView& from, ScatterMode mode) {
  const ComputeType type = compute_type(to.dtype);
  return {to, from, load_loop(to.dtype, type), store_loop(type, to.dtype),
          block_loop(combining_op(mode, to.dtype), type)};
}

BadIndex scatter_add(const TensorView& to, const TensorView& from, const TensorView& index,
                     int dim) {
  const auto visit = [&](auto add) {
    return visit_indexed(from, to, index, dim,
                         [&](int64_t plain, int64_t indexed) { add(indexed, plain); });
  };
  switch (to.dtype) {
    case DType::f32:
      return visit(AddStored<float, float>{to, from});
    case DType::f64:
      return visit(AddStored<double, double>{to, from});
    case DType::i32:
      return visit(AddStored<int32_t, uint32_t>{to, from});
    case DType::i64:
      return visit(AddStored<int64_t, uint64_t>{to, from});
    case DType::f16:
      return visit(AddStored<runtime::etensor::Half, float>{to, from});
    case DType::bf16:
      return visit(AddStored<runtime::etensor::BFloat16, float>{to, from});
    default:
      return visit(combine_element(to, from, ScatterMode::Add));
  }
}

}  // namespace

BadIndex scatter(const TensorView& to, const TensorView& from, const TensorView& index, int dim,
                 ScatterMode mode) {
  const auto unit = static_cast<int64_t>(to.element_size);
  if (mode == ScatterMode::Add) return scatter_add(to, from, index, dim);
  if (mode != ScatterMode::Write) {
    const CombineElement combine = combine_element(to, from, mode);
    return visit_indexed(from, to, index, dim,
                         [&](int64_t plain, int64_t indexed) { combine(indexed, plain); });
  }
  return with_element_copy(to.element_size, [&](auto copy_element) {
    return visit_indexed(from, to, index, dim, [&](int64_t plain, int64_t indexed) {
      copy_element(to.data + indexed * unit, from.data + plain * unit, to.element_size);
    });
  });
}

BadIndex add_index_offsets(const TensorView& index, int64_t limit, int64_t step, int64_t* offsets,
                           bool wrap) {
  const Lines lines = lines_of(index);
  Odometer<1> odometer(index);
  for (int64_t line = 0; line < lines.count; ++line, odometer.next()) {
    for (int64_t i = 0; i < lines.length; ++i) {
      const int64_t value = index_at(index, odometer.offset(0) + i * odometer.line_stride(0));
      if (value < (wrap ? -limit : 0) || value >= limit) return {value, true};
      *offsets++ += (value < 0 ? value + limit : value) * step;
    }
  }
  return {};
}

BadIndex copy_rows(char* to, const char* table, int64_t rows, int64_t bytes,
                   const TensorView& index) {
  const int64_t count = index.numel();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t value = index_at(index, i);
    if (value < 0 || value >= rows) return {value, true};
  }
  if (bytes == 0) return {};
  const int64_t grain = kGrainBytes / bytes > 0 ? kGrainBytes / bytes : 1;
  threadpool::parallel_for(0, count, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      std::memcpy(to + i * bytes, table + index_at(index, i) * bytes, static_cast<size_t>(bytes));
  });
  return {};
}

namespace {

/// Whether an element is not zero: of floating types the sign bit does not count.
template <class Bits, bool floating>
struct NonZero {
  bool operator()(const char* element) const {
    Bits bits;
    std::memcpy(&bits, element, sizeof(bits));
    return static_cast<Bits>(floating ? bits << 1 : bits) != 0;
  }
};

template <class F>
auto with_nonzero(const TensorView& view, F&& f) {
  const bool floating = is_floating(view.dtype);
  switch (view.element_size) {
    case 2:
      return floating ? f(NonZero<uint16_t, true>{}) : f(NonZero<uint16_t, false>{});
    case 4:
      return floating ? f(NonZero<uint32_t, true>{}) : f(NonZero<uint32_t, false>{});
    case 8:
      return floating ? f(NonZero<uint64_t, true>{}) : f(NonZero<uint64_t, false>{});
    default:
      return f(NonZero<uint8_t, false>{});
  }
}

}  // namespace

int64_t count_nonzero(const TensorView& view) {
  const auto unit = static_cast<int64_t>(view.element_size);
  return with_nonzero(view, [&](auto nonzero) {
    const Lines lines = lines_of(view);
    Odometer<1> odometer(view);
    int64_t count = 0;
    for (int64_t line = 0; line < lines.count; ++line, odometer.next()) {
      const char* element = view.data + odometer.offset(0) * unit;
      for (int64_t i = 0; i < lines.length; ++i)
        count += nonzero(element + i * odometer.line_stride(0) * unit);
    }
    return count;
  });
}

void find_nonzero(const TensorView& view, int64_t* out, int64_t item_stride, int64_t dim_stride) {
  const auto unit = static_cast<int64_t>(view.element_size);
  const int outer = view.rank > 0 ? view.rank - 1 : 0;
  with_nonzero(view, [&](auto nonzero) {
    const Lines lines = lines_of(view);
    Odometer<1> odometer(view);
    for (int64_t line = 0; line < lines.count; ++line, odometer.next()) {
      const char* element = view.data + odometer.offset(0) * unit;
      const int64_t step = odometer.line_stride(0) * unit;
      for (int64_t first = 0; first < lines.length; first += kFindBlock) {
        const int64_t end = std::min(first + kFindBlock, lines.length);
        // Without a branch on the elements, which nobody could predict.
        int64_t places[kFindBlock];
        int64_t found = 0;
        for (int64_t i = first; i < end; ++i) {
          places[found] = i;
          found += nonzero(element + i * step) ? 1 : 0;
        }
        for (int d = 0; d < outer; ++d) {
          const int64_t coordinate = odometer.coordinate(d);
          for (int64_t k = 0; k < found; ++k) out[k * item_stride + d * dim_stride] = coordinate;
        }
        for (int64_t k = 0; view.rank > 0 && k < found; ++k)
          out[k * item_stride + outer * dim_stride] = places[k];
        out += found * item_stride;
      }
    }
  });
}

int64_t select_masked(char* to, const TensorView& from, const TensorView& mask) {
  const auto unit = static_cast<int64_t>(from.element_size);
  return with_element_copy(from.element_size, [&](auto copy_element) {
    const Lines lines = lines_of(mask);
    Odometer<2> odometer(mask, from);
    int64_t count = 0;
    for (int64_t line = 0; line < lines.count; ++line, odometer.next()) {
      for (int64_t i = 0; i < lines.length; ++i) {
        if (mask.data[odometer.offset(0) + i * odometer.line_stride(0)] == 0) continue;
        copy_element(to + count * unit,
                     from.data + (odometer.offset(1) + i * odometer.line_stride(1)) * unit,
                     from.element_size);
        ++count;
      }
    }
    return count;
  });
}

void scatter_masked(const TensorView& to, const TensorView& mask, const char* from) {
  const auto unit = static_cast<int64_t>(to.element_size);
  with_element_copy(to.element_size, [&](auto copy_element) {
    const Lines lines = lines_of(mask);
    Odometer<2> odometer(mask, to);
    for (int64_t line = 0; line < lines.count; ++line, odometer.next()) {
      for (int64_t i = 0; i < lines.length; ++i) {
        if (mask.data[odometer.offset(0) + i * odometer.line_stride(0)] == 0) continue;
        copy_element(to.data + (odometer.offset(1) + i * odometer.line_stride(1)) * unit, from,
                     to.element_size);
        from += unit;
      }
    }
  });
}

}  // namespace executorch::compute
