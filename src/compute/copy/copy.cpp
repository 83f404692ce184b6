#include "compute/copy/copy.h"

#include <cstring>

#include "compute/copy/odometer.h"
#include "compute/copy/word.h"
#include "compute/elementwise/cast.h"
#include "compute/elementwise/elementwise.h"
#include "threadpool/parallel.h"

namespace executorch::compute {
namespace {

/// Bytes that are worth a thread of their own.
constexpr int64_t kGrainBytes = 256 * 1024;
/// Rows and columns of a transposed tile: a tile's lines stay in the first-level cache.
constexpr int64_t kTile = 32;

struct Dimension {
  int64_t size;
  int64_t to;    ///< bytes from one index to the next in the destination
  int64_t from;  ///< and in the source
};

/// A copy reduced to as few dimensions as possible, widest destination stride first.
struct Plan {
  char* to;
  const char* from;
  int rank = 0;
  Dimension dimensions[kMaxViewRank];

  int64_t outer_count(int inner) const {
    int64_t count = 1;
    for (int d = 0; d < rank - inner; ++d) count *= dimensions[d].size;
    return count;
  }
};

/// False when there is nothing to copy.
bool make_plan(const TensorView& to, const TensorView& from, Plan& plan) {
  const auto bytes = static_cast<int64_t>(to.element_size);
  plan.to = to.data;
  plan.from = from.data;
  Dimension sorted[kMaxViewRank];
  int count = 0;
  for (int d = 0; d < to.rank; ++d) {
    if (to.sizes[d] == 0) return false;
    if (to.sizes[d] == 1) continue;
    Dimension dimension = {to.sizes[d], to.strides[d] * bytes, from.strides[d] * bytes};
    if (dimension.to < 0) {
      plan.to += (dimension.size - 1) * dimension.to;
      plan.from += (dimension.size - 1) * dimension.from;
      dimension.to = -dimension.to;
      dimension.from = -dimension.from;
    }
    int place = count++;
    for (; place > 0 && sorted[place - 1].to < dimension.to; --place)
      sorted[place] = sorted[place - 1];
    sorted[place] = dimension;
  }
  for (int d = 0; d < count; ++d) {
    if (plan.rank > 0) {
      Dimension& last = plan.dimensions[plan.rank - 1];
      const Dimension& next = sorted[d];
      if (last.to == next.to * next.size && last.from == next.from * next.size) {
        last = {last.size * next.size, next.to, next.from};
        continue;
      }
    }
    plan.dimensions[plan.rank++] = sorted[d];
  }
  return true;
}

/// Walks the outer dimensions of a plan in row-major order.
class Walker {
 public:
  Walker(const Plan& plan, int inner, int64_t start) : plan_(plan), rank_(plan.rank - inner) {
    to = plan.to;
    from = plan.from;
    for (int d = rank_ - 1; d >= 0; --d) {
      const Dimension& dimension = plan.dimensions[d];
      index_[d] = start % dimension.size;
      start /= dimension.size;
      to += index_[d] * dimension.to;
      from += index_[d] * dimension.from;
    }
  }

  void next() {
    for (int d = rank_ - 1; d >= 0; --d) {
      const Dimension& dimension = plan_.dimensions[d];
      to += dimension.to;
      from += dimension.from;
      if (++index_[d] < dimension.size) return;
      to -= dimension.size * dimension.to;
      from -= dimension.size * dimension.from;
      index_[d] = 0;
    }
  }

  char* to;
  const char* from;

 private:
  const Plan& plan_;
  int rank_;
  int64_t index_[kMaxViewRank];
};

int64_t grain_for(int64_t bytes_per_item) {
  const int64_t grain = kGrainBytes / (bytes_per_item > 0 ? bytes_per_item : 1);
  return grain > 0 ? grain : 1;
}

/// The innermost dimension is adjacent on both sides.
void copy_runs(const Plan& plan, int64_t run_bytes) {
  const int64_t outer = plan.outer_count(1);
  if (outer == 1) {
    threadpool::parallel_for(0, run_bytes, kGrainBytes, [&](int64_t first, int64_t last) {
      std::memcpy(plan.to + first, plan.from + first, static_cast<size_t>(last - first));
    });
    return;
  }
  threadpool::parallel_for(0, outer, grain_for(run_bytes), [&](int64_t first, int64_t last) {
    Walker walker(plan, 1, first);
    for (int64_t i = first; i < last; ++i, walker.next()) {
      std::memcpy(walker.to, walker.from, static_cast<size_t>(run_bytes));
    }
  });
}

struct Bytes16 {
  uint64_t low;
  uint64_t high;
};

template <class T>
void copy_line(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
  }
}

/// Writes one element `count` times: long lines by copies of their beginning.
template <class T>
void fill_line(char* to, const char* element, int64_t count) {
  constexpr int64_t pattern = 8192 / static_cast<int64_t>(sizeof(T));
  const int64_t head = count < pattern ? count : pattern;
  copy_line<T>(to, sizeof(T), element, 0, head);
  for (int64_t done = head; done < count; done += head) {
    const int64_t part = count - done < head ? count - done : head;
    std::memcpy(to + done * static_cast<int64_t>(sizeof(T)), to,
                static_cast<size_t>(part) * sizeof(T));
  }
}

/// The innermost dimension has strides on one side at least.
template <class T>
void copy_lines(const Plan& plan) {
  const Dimension inner = plan.dimensions[plan.rank - 1];
  const auto unit = static_cast<int64_t>(sizeof(T));
  const int64_t outer = plan.outer_count(1);
  threadpool::parallel_for(
      0, outer, grain_for(inner.size * unit), [&](int64_t first, int64_t last) {
        Walker walker(plan, 1, first);
        for (int64_t i = first; i < last; ++i, walker.next()) {
          // Constant strides let the compiler vectorise the common case, gathers into adjacent
          // elements.
          if (inner.to == unit && inner.from == 0) {
            fill_line<T>(walker.to, walker.from, inner.size);
          } else if (inner.to == unit) {
            copy_line<T>(walker.to, unit, walker.from, inner.from, inner.size);
          } else {
            copy_line<T>(walker.to, inner.to, walker.from, inner.from, inner.size);
          }
        }
      });
}

/// Transposes a block whose destination rows and source columns are adjacent.
template <class T>
void transpose_lines(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                     int64_t rows, int64_t columns) {
  const auto unit = static_cast<int64_t>(sizeof(T));
  // The inner loop runs along the longer side.
  if (columns < rows) {
    for (int64_t c = 0; c < columns; ++c)
      copy_line<T>(to + c * unit, to_stride, from + c * from_stride, unit, rows);
  } else {
    for (int64_t r = 0; r < rows; ++r)
      copy_line<T>(to + r * to_stride, unit, from + r * unit, from_stride, columns);
  }
}

template <class T>
void transpose_block(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                     int64_t rows, int64_t columns) {
  transpose_lines<T>(to, to_stride, from, from_stride, rows, columns);
}

#if defined(__GNUC__)
typedef uint32_t Lanes __attribute__((vector_size(16)));

/// 4-byte elements go through registers, four by four.
template <>
void transpose_block<uint32_t>(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                               int64_t rows, int64_t columns) {
  if (rows < 4 || columns < 4)
    return transpose_lines<uint32_t>(to, to_stride, from, from_stride, rows, columns);
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    int64_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      Lanes in[4];
      for (int i = 0; i < 4; ++i)
        std::memcpy(&in[i], from + r * 4 + (c + i) * from_stride, sizeof(Lanes));
      const Lanes low01 = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
      const Lanes high01 = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
      const Lanes low23 = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
      const Lanes high23 = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
      const Lanes out[4] = {
          __builtin_shufflevector(low01, low23, 0, 1, 4, 5),
          __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
          __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
          __builtin_shufflevector(high01, high23, 2, 3, 6, 7),
      };
      for (int i = 0; i < 4; ++i)
        std::memcpy(to + (r + i) * to_stride + c * 4, &out[i], sizeof(Lanes));
    }
    for (int64_t i = 0; i < 4 && c < columns; ++i) {
      copy_line<uint32_t>(to + (r + i) * to_stride + c * 4, 4, from + (r + i) * 4 + c * from_stride,
                          from_stride, columns - c);
    }
  }
  for (; r < rows; ++r)
    copy_line<uint32_t>(to + r * to_stride, 4, from + r * 4, from_stride, columns);
}
#endif

/// The innermost destination dimension is adjacent there, dimension `across` is adjacent in the
/// source: tiles of the two are transposed. Each item of the loop is a strip of destination rows.
template <class T>
void copy_transposed(Plan plan, int across) {
  const Dimension columns = plan.dimensions[plan.rank - 1];
  const Dimension rows = plan.dimensions[across];
  for (int d = across; d + 2 < plan.rank; ++d) plan.dimensions[d] = plan.dimensions[d + 1];
  plan.rank -= 2;
  // Strips of narrow matrices are higher, so that each is worth a call.
  const int64_t height = columns.size < kTile ? kTile * kTile / columns.size : kTile;
  const int64_t strips = (rows.size + height - 1) / height;
  const int64_t items = plan.outer_count(0) * strips;
  const auto unit = static_cast<int64_t>(sizeof(T));
  threadpool::parallel_for(
      0, items, grain_for(height * columns.size * unit), [&](int64_t first, int64_t last) {
        Walker walker(plan, 0, first / strips);
        int64_t strip = first % strips;
        for (int64_t i = first; i < last; ++i) {
          const int64_t r = strip * height;
          const int64_t lines = rows.size - r < height ? rows.size - r : height;
          for (int64_t c = 0; c < columns.size; c += kTile) {
            const int64_t width = columns.size - c < kTile ? columns.size - c : kTile;
            transpose_block<T>(walker.to + r * rows.to + c * unit, rows.to,
                               walker.from + r * unit + c * columns.from, columns.from, lines,
                               width);
          }
          if (++strip == strips) {
            strip = 0;
            walker.next();
          }
        }
      });
}

template <class T>
void copy_strided(const Plan& plan) {
  const auto unit = static_cast<int64_t>(sizeof(T));
  if (plan.rank > 0 && plan.dimensions[plan.rank - 1].to == unit) {
    for (int d = 0; d + 1 < plan.rank; ++d) {
      if (plan.dimensions[d].from == unit) return copy_transposed<T>(plan, d);
    }
  }
  copy_lines<T>(plan);
}

/// Element sizes without a machine type: each element is a run of bytes.
void copy_odd(const Plan& plan, size_t element_size) {
  threadpool::parallel_for(0, plan.outer_count(0), grain_for(static_cast<int64_t>(element_size)),
                           [&](int64_t first, int64_t last) {
                             Walker walker(plan, 0, first);
                             for (int64_t i = first; i < last; ++i, walker.next()) {
                               std::memcpy(walker.to, walker.from, element_size);
                             }
                           });
}

}  // namespace

void copy(const TensorView& to, const TensorView& from) {
  Plan plan;
  if (!make_plan(to, from, plan)) return;
  const auto unit = static_cast<int64_t>(to.element_size);
  if (plan.rank == 0) {
    std::memcpy(plan.to, plan.from, to.element_size);
    return;
  }
  const Dimension& inner = plan.dimensions[plan.rank - 1];
  if (inner.to == unit && inner.from == unit) return copy_runs(plan, inner.size * unit);
  if (to.element_size == sizeof(Bytes16)) return copy_strided<Bytes16>(plan);
  const bool is_word =
      with_word(to.element_size, [&](auto word) { copy_strided<decltype(word)>(plan); });
  if (!is_word) copy_odd(plan, to.element_size);
}

bool convertible(DType to, DType from) {
  return to == from || (element_size(to) != 0 && element_size(from) != 0);
}

namespace {

/// Lines of T-sized elements with a border on both sides.
template <class T>
void copy_bordered(const TensorView& to, const TensorView& from, int64_t before,
                   const char* value) {
  const auto unit = static_cast<int64_t>(sizeof(T));
  const Lines lines = lines_of(from);
  const int64_t after = to.sizes[to.rank - 1] - before - lines.length;
  Odometer<2> odometer(from, to);
  for (int64_t line = 0; line < lines.count; ++line, odometer.next()) {
    char* const start = to.data + odometer.offset(1) * unit;
    char* const middle = start + before * unit;
    copy_line<T>(start, unit, value, 0, before);
    std::memcpy(middle, from.data + odometer.offset(0) * unit,
                static_cast<size_t>(lines.length * unit));
    copy_line<T>(middle + lines.length * unit, unit, value, 0, after);
  }
}

}  // namespace

bool copy_between_borders(const TensorView& to, const TensorView& from, int64_t before,
                          const void* element) {
  const int inner = to.rank - 1;
  if (to.strides[inner] != 1 || from.strides[inner] != 1) return false;
  const char* value = static_cast<const char*>(element);
  return with_word(to.element_size,
                   [&](auto word) { copy_bordered<decltype(word)>(to, from, before, value); });
}

namespace {

DType part_of(DType complex) {
  return complex == DType::c32 ? DType::f16 : complex == DType::c64 ? DType::f32 : DType::f64;
}

/// The real (0) or imaginary (1) parts of complex elements.
TensorView parts(TensorView view, int part) {
  view.dtype = part_of(view.dtype);
  view.element_size /= 2;
  for (int d = 0; d < view.rank; ++d) view.strides[d] *= 2;
  view.advance(part);
  return view;
}

void convert_real(const TensorView& to, const TensorView& from) {
  ElementwiseCall call = {};
  call.op = ElementwiseOp::Copy;
  // Either type holds every digit until the result is stored; a target that is computed as it is
  // stored takes the elements as they are loaded.
  call.common = storage_type(compute_type(to.dtype)) == to.dtype ? to.dtype : from.dtype;
  call.rank = to.rank;
  call.out.data = to.data;
  call.out.dtype = to.dtype;
  call.in[0].data = from.data;
  call.in[0].dtype = from.dtype;
  for (int d = 0; d < to.rank; ++d) {
    call.sizes[d] = to.sizes[d];
    call.out.strides[d] = to.strides[d];
    call.in[0].strides[d] = from.strides[d];
  }
  elementwise(call);
}

}  // namespace

void convert(const TensorView& to, const TensorView& from) {
  if (to.dtype == from.dtype) return copy(to, from);
  if (!is_complex(to.dtype))
    return convert_real(to, is_complex(from.dtype) ? parts(from, 0) : from);
  convert(parts(to, 0), is_complex(from.dtype) ? parts(from, 0) : from);
  if (is_complex(from.dtype)) {
    convert(parts(to, 1), parts(from, 1));
  } else {
    const char zero[kMaxElementSize] = {};
    fill(parts(to, 1), zero);
  }
}

void fill(const TensorView& to, const void* element) {
  char value[kMaxElementSize];
  std::memcpy(value, element, to.element_size);
  TensorView from = to;
  from.data = value;
  for (int d = 0; d < from.rank; ++d) from.strides[d] = 0;
  copy(to, from);
}

namespace {

template <class Number>
bool store_number(Number value, ComputeType type, DType dtype, void* element) {
  const StoreLoop store = store_loop(type, dtype);
  if (store == nullptr) return false;
  store(element, 0, &value, 1);
  return true;
}

template <class Number>
bool store_complex(Number value, DType dtype, void* element) {
  std::memset(element, 0, element_size(dtype));
  return number_to_element(value, part_of(dtype), element);
}

}  // namespace

bool number_to_element(double value, DType dtype, void* element) {
  if (is_complex(dtype)) return store_complex(value, dtype, element);
  return store_number(value, ComputeType::f64, dtype, element);
}

bool number_to_element(int64_t value, DType dtype, void* element) {
  if (is_complex(dtype)) return store_complex(value, dtype, element);
  return store_number(value, ComputeType::i64, dtype, element);
}

}  // namespace executorch::compute
