#include "compute/gemm/gemm.h"

#include <algorithm>

#include "compute/gemm/block.h"
#include "compute/gemm/kernels.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(GemmKernels, gemm_kernels);

namespace {

constexpr size_t kAlignment = 64;
// Unpacked B is packed in stretches of columns of at most this many bytes.
constexpr int64_t kPackedStretchBytes = 16 << 20;
// With this few rows, B^T is better met row by row than packed.
constexpr int64_t kDotRows = 4;
// Row strides that are a multiple of this put all rows of a tile into a few sets of the first
// cache.
constexpr int64_t kBadStrideBytes = 2048;
constexpr int64_t kFloat = sizeof(float);

int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
size_t align_up(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

char* align_up(void* pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  return static_cast<char*>(pointer) + (align_up(address) - address);
}

/// Columns of B that are packed at a time.
int64_t stretch_columns(const GemmKernels& kernels, int64_t n, int64_t k) {
  const int64_t panel_bytes = std::max<int64_t>(k, 1) * kernels.panel * kFloat;
  const int64_t panels = std::max<int64_t>(kPackedStretchBytes / panel_bytes, 4);
  return std::min(panels, divide_up(n, kernels.panel)) * kernels.panel;
}

size_t packed_stretch_bytes(const GemmKernels& kernels, int64_t n, int64_t k) {
  return align_up(static_cast<size_t>(stretch_columns(kernels, n, k) * k * kFloat));
}

size_t scratch_bytes(const GemmKernels& kernels, int64_t m, int64_t n, int64_t k, bool packed,
                     size_t threads) {
  if (m <= 0 || n <= 0) return kAlignment;
  const size_t stretch = packed ? 0 : packed_stretch_bytes(kernels, n, k);
  return kAlignment + stretch + threads * product_copy_bytes(kernels, m, k);
}

/// A stretch of columns of one product, its B in panels, and scratch for as many threads as there
/// is room for.
struct Stretch {
  const GemmKernels& kernels;
  const GemmArgs& args;
  const float* panels;
  int64_t first_column = 0;
  int64_t n;
  char* copies;
  size_t slots;
};

bool must_copy(const MatrixView& a, int64_t m) {
  if (a.column_stride != 1) return true;
  return m > 4 && a.row_stride * kFloat % kBadStrideBytes == 0;
}

const float* shifted(const float* pointer, int64_t offset) {
  return pointer == nullptr ? nullptr : pointer + offset;
}

const float* fetch_rows(const void* context, int64_t, int64_t first_row, int64_t rows,
                        int64_t first_k, int64_t k, float* copy, int64_t* row_stride) {
  const Stretch& s = *static_cast<const Stretch*>(context);
  const MatrixView& view = s.args.a;
  const float* a = view.data + first_row * view.row_stride + first_k * view.column_stride;
  if (!must_copy(view, s.args.m)) {
    *row_stride = view.row_stride;
    return a;
  }
  *row_stride = copied_row_stride(k);
  s.kernels.copy_rows(a, view.row_stride, view.column_stride, rows, k, copy, *row_stride);
  return copy;
}

void multiply_many_rows(const Stretch& s) {
  const GemmArgs& args = s.args;
  Epilogue epilogue = args.epilogue;
  epilogue.bias = shifted(epilogue.bias, s.first_column);
  epilogue.residual = shifted(epilogue.residual, s.first_column);
  Product product{&s.kernels, args.m, s.n, args.k};
  product.rows = {fetch_rows, &s};
  product.panels = s.panels;
  product.c = args.c + s.first_column;
  product.c_row_stride = args.c_row_stride;
  product.epilogue = &epilogue;
  multiply_product(product, s.copies, s.slots);
}

/// Few rows: panels stream by, several at a time, all of k at once.
void multiply_few_rows(const Stretch& s) {
  const GemmArgs& args = s.args;
  const GemmKernels& kernels = s.kernels;
  const int64_t rows = args.m;
  MatrixView a = args.a;
  if (must_copy(a, rows)) {
    float* copy = reinterpret_cast<float*>(s.copies);
    kernels.copy_rows(a.data, a.row_stride, a.column_stride, rows, args.k, copy,
                      copied_row_stride(args.k));
    a = {copy, copied_row_stride(args.k), 1};
  }
  const bool streams = kernels.stream[rows] != nullptr;
  const int64_t step = (streams ? kernels.stream_panels[rows] : 1) * kernels.panel;
  const double work =
      static_cast<double>(args.k) * static_cast<double>(step) * static_cast<double>(rows + 3);
  const int64_t grain =
      std::max<int64_t>(static_cast<int64_t>(128.0 * 1024 / (work + 1)), 1) * step;
  threadpool::parallel_for(0, s.n, grain, [&](int64_t first, int64_t last) {
    const Epilogue& epilogue = args.epilogue;
    const bool at_start = starts_from_bias(epilogue);
    int64_t column = first;
    while (column < last) {
      const float* b = s.panels + column * args.k;
      const int64_t global = s.first_column + column;
      const float* bias = shifted(epilogue.bias, global);
      const float* residual = shifted(epilogue.residual, global);
      const float* start = at_start ? bias : nullptr;
      const float* end_bias = at_start ? nullptr : bias;
      float* c = args.c + global;
      // A group of panels may end in the middle of its last panel, not before.
      if (streams && last - column > step - kernels.panel) {
        const StreamArgs stream{a.data, a.row_stride,      b,        args.k * kernels.panel,
                                c,      args.c_row_stride, args.k,   std::min(step, last - column),
                                start,  &epilogue,         end_bias, residual};
        kernels.stream[rows](stream);
        column += step;
      } else {
        const int64_t columns = std::min(kernels.panel, last - column);
        const TileArgs tile{
            a.data,  a.row_stride, b,     kernels.panel, c,        args.c_row_stride, args.k,
            columns, false,        start, &epilogue,     end_bias, residual};
        kernels.tile[rows][columns > kernels.panel / 2](tile);
        column += kernels.panel;
      }
    }
    if (epilogue.map.apply == nullptr) return;
    for (int64_t row = 0; row < rows; ++row) {
      epilogue.map.apply(epilogue.map.context,
                         args.c + row * args.c_row_stride + s.first_column + first, last - first);
    }
  });
}

void multiply_packed(const Stretch& s) {
  if (s.args.m <= s.kernels.rows) {
    multiply_few_rows(s);
  } else {
    multiply_many_rows(s);
  }
}

/// Few rows of A against rows of B^T in place.
void multiply_dot(const GemmKernels& kernels, const GemmArgs& args) {
  const int64_t grain = std::max<int64_t>(64 * 1024 / std::max<int64_t>(args.k, 1), 8);
  threadpool::parallel_for(0, args.n, grain, [&](int64_t first, int64_t last) {
    const Epilogue& e = args.epilogue;
    // The epilogue may read C, so sums go through a buffer.
    constexpr int64_t kBuffer = 64;
    float sums[kBuffer];
    for (int64_t row = 0; row < args.m; ++row) {
      for (int64_t column = first; column < last; column += kBuffer) {
        const int64_t columns = std::min(kBuffer, last - column);
        kernels.dot(args.a.data + row * args.a.row_stride, args.a.row_stride, 1,
                    args.b.data + column * args.b.column_stride, args.b.column_stride, columns,
                    args.k, sums, columns);
        kernels.finish_row(sums, columns, e, shifted(e.bias, column),
                           shifted(e.residual, row * e.residual_stride + column));
        std::copy(sums, sums + columns, args.c + row * args.c_row_stride + column);
      }
      if (e.map.apply != nullptr)
        e.map.apply(e.map.context, args.c + row * args.c_row_stride + first, last - first);
    }
  });
}

/// Few rows against B as it lies, rows of consecutive columns. A last part of a panel is packed,
/// since tiles read whole vectors.
void multiply_in_place(const GemmKernels& kernels, const GemmArgs& args, float* last_panel) {
  const int64_t whole = args.n / kernels.panel * kernels.panel;
  if (whole < args.n) {
    kernels.pack_panel(args.b.data + whole, args.b.row_stride, 1, args.k, args.n - whole,
                       last_panel);
  }
  const int64_t panels_per_task =
      std::max<int64_t>(64 * 1024 / (std::max<int64_t>(args.k, 1) * kernels.panel), 1);
  threadpool::parallel_for(
      0, args.n, panels_per_task * kernels.panel, [&](int64_t first, int64_t last) {
        const Epilogue& e = args.epilogue;
        for (int64_t column = first; column < last; column += kernels.panel) {
          const int64_t columns = std::min(kernels.panel, last - column);
          const bool in_place = columns == kernels.panel;
          const float* bias = shifted(e.bias, column);
          const bool at_start = starts_from_bias(e);
          const TileArgs tile{args.a.data,
                              args.a.row_stride,
                              in_place ? args.b.data + column : last_panel,
                              in_place ? args.b.row_stride : kernels.panel,
                              args.c + column,
                              args.c_row_stride,
                              args.k,
                              columns,
                              false,
                              at_start ? bias : nullptr,
                              &e,
                              at_start ? nullptr : bias,
                              shifted(e.residual, column)};
          kernels.tile[args.m][columns > kernels.panel / 2](tile);
        }
        if (e.map.apply == nullptr) return;
        for (int64_t row = 0; row < args.m; ++row) {
          e.map.apply(e.map.context, args.c + row * args.c_row_stride + first, last - first);
        }
      });
}

void pack_stretch(const GemmKernels& kernels, const MatrixView& b, int64_t k, int64_t n,
                  float* packed) {
  const int64_t grain = std::max<int64_t>(32 * 1024 / (std::max<int64_t>(k, 1) * kernels.panel), 1);
  threadpool::parallel_for(0, divide_up(n, kernels.panel), grain, [&](int64_t first, int64_t last) {
    for (int64_t panel = first; panel < last; ++panel) {
      const int64_t column = panel * kernels.panel;
      kernels.pack_panel(b.data + column * b.column_stride, b.row_stride, b.column_stride, k,
                         std::min(kernels.panel, n - column), packed + column * k);
    }
  });
}

/// Without terms operands are not read, and may have no memory to step through.
GemmArgs without_operands(GemmArgs args) {
  args.a = args.b = {nullptr, 0, 0};
  return args;
}

void gemm_on(const GemmKernels& kernels, const GemmArgs& asked, void* scratch, size_t bytes) {
  const GemmArgs args = asked.k == 0 ? without_operands(asked) : asked;
  if (args.m <= 0 || args.n <= 0) return;
  const bool packed = args.packed.data != nullptr || args.k == 0;
  if (!packed && args.m <= kDotRows && args.b.row_stride == 1 && args.b.column_stride != 1 &&
      args.a.column_stride == 1) {
    multiply_dot(kernels, args);
    return;
  }
  char* memory = align_up(scratch);
  if (!packed && args.m <= kernels.rows && args.b.column_stride == 1 && args.a.column_stride == 1) {
    multiply_in_place(kernels, args, reinterpret_cast<float*>(memory));
    return;
  }
  const size_t stretch_bytes = packed ? 0 : packed_stretch_bytes(kernels, args.n, args.k);
  const size_t fitting =
      (bytes - kAlignment - stretch_bytes) / product_copy_bytes(kernels, args.m, args.k);
  Stretch stretch{kernels,
                  args,
                  args.packed.data,
                  0,
                  args.n,
                  memory + stretch_bytes,
                  std::min(fitting, threadpool::thread_count())};
  if (packed) {
    multiply_packed(stretch);
    return;
  }
  float* panels = reinterpret_cast<float*>(memory);
  const int64_t columns = stretch_columns(kernels, args.n, args.k);
  for (int64_t column = 0; column < args.n; column += columns) {
    MatrixView b = args.b;
    b.data += column * b.column_stride;
    stretch.first_column = column;
    stretch.n = std::min(columns, args.n - column);
    stretch.panels = panels;
    pack_stretch(kernels, b, args.k, stretch.n, panels);
    multiply_packed(stretch);
  }
}

}  // namespace

size_t gemm_packed_bytes(Isa isa, int64_t k, int64_t n) noexcept {
  const int64_t panel = gemm_kernels(isa).panel;
  int64_t bytes;
  if (k < 0 || n < 0 || __builtin_add_overflow(n, panel - 1, &n) ||
      __builtin_mul_overflow(n / panel * panel * kFloat, k, &bytes)) {
    return SIZE_MAX;
  }
  return static_cast<size_t>(bytes);
}

PackedMatrix gemm_pack(Isa isa, const MatrixView& b, int64_t k, int64_t n, float* packed) noexcept {
  pack_stretch(gemm_kernels(isa), b, k, n, packed);
  return {packed, k, n, isa};
}

size_t gemm_scratch_bytes(int64_t m, int64_t n, int64_t k, bool packed) noexcept {
  return gemm_scratch_bytes(active_isa(), m, n, k, packed);
}

size_t gemm_scratch_bytes(Isa isa, int64_t m, int64_t n, int64_t k, bool packed) noexcept {
  return scratch_bytes(gemm_kernels(isa), m, n, k, packed, threadpool::pool_thread_count());
}

size_t gemm_task_scratch_bytes(int64_t m, int64_t n, int64_t k, bool packed) noexcept {
  return align_up(scratch_bytes(gemm_kernels(), m, n, k, packed, 1));
}

void gemm(const GemmArgs& args, void* scratch, size_t bytes) noexcept {
  const GemmKernels& kernels =
      args.packed.data != nullptr ? gemm_kernels(args.packed.isa) : gemm_kernels();
  gemm_on(kernels, args, scratch, bytes);
}

size_t gemm_batch_scratch_bytes(int64_t count, int64_t m, int64_t n, int64_t k) noexcept {
  const GemmKernels& kernels = gemm_kernels();
  const size_t threads = threadpool::pool_thread_count();
  const size_t together = scratch_bytes(kernels, m, n, k, false, threads);
  const size_t apart = std::min(threads, static_cast<size_t>(std::max<int64_t>(count, 1))) *
                       align_up(scratch_bytes(kernels, m, n, k, false, 1));
  return std::max(together, apart + kAlignment);
}

void gemm_batch(const GemmArgs& args, const GemmBatch& batch, void* scratch,
                size_t bytes) noexcept {
  const GemmKernels& kernels =
      args.packed.data != nullptr ? gemm_kernels(args.packed.isa) : gemm_kernels();
  struct Batch {
    const GemmKernels& kernels;
    const GemmArgs& args;
    const GemmBatch& batch;
    char* scratch;
    size_t slot_bytes;
  } work{kernels, args, batch, align_up(scratch),
         align_up(scratch_bytes(kernels, args.m, args.n, args.k, false, 1))};
  const auto item = [](void* context, size_t index, size_t thread) {
    const Batch& w = *static_cast<Batch*>(context);
    const int64_t i = static_cast<int64_t>(index);
    GemmArgs one = w.args;
    one.a.data += i * w.batch.a_stride;
    one.b.data += i * w.batch.b_stride;
    one.c += i * w.batch.c_stride;
    one.epilogue.residual = shifted(one.epilogue.residual, i * w.batch.residual_stride);
    gemm_on(w.kernels, one, w.scratch + thread * w.slot_bytes, w.slot_bytes);
  };
  const size_t usable = bytes - static_cast<size_t>(work.scratch - static_cast<char*>(scratch));
  const size_t slots = std::max<size_t>(usable / work.slot_bytes, 1);
  const bool item_each =
      batch.count >= static_cast<int64_t>(threadpool::thread_count()) && slots > 1;
  if (item_each) {
    threadpool::run(static_cast<size_t>(batch.count), item, &work, slots);
    return;
  }
  work.slot_bytes = usable;
  for (int64_t i = 0; i < batch.count; ++i) item(&work, static_cast<size_t>(i), 0);
}

}  // namespace executorch::compute
