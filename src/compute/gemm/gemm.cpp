#include "compute/gemm/gemm.h"

#include <algorithm>

#include "compute/cpu/sizes.h"
#include "compute/gemm/block.h"
#include "compute/gemm/few_rows_product.h"
#include "compute/gemm/kernels.h"
#include "compute/gemm/stretch.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

EXECUTORCH_DEFINE_ISA_TABLE(GemmKernels, gemm_kernels);

namespace {

// With this few rows, B is better met as it lies than packed or by tiles.
constexpr int64_t kInPlaceRows = 4;
constexpr int64_t kFloat = sizeof(float);

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
  return a.column_stride != 1 || has_bad_stride(a.row_stride * kFloat, m);
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
  pack_panels(kernels, k, n, packed, [&](int64_t column, int64_t columns, float* panel) {
    kernels.pack_panel(b.data + column * b.column_stride, b.row_stride, b.column_stride, k, columns,
                       panel);
  });
}

/// Without terms operands are not read, and may have no memory to step through.
GemmArgs without_operands(GemmArgs args) {
  args.a = args.b = {nullptr, 0, 0};
  return args;
}

FewRowsProduct few_rows_product_of(const GemmArgs& args) {
  FewRowsProduct product;
  product.m = args.m, product.n = args.n, product.k = args.k;
  product.a = args.a.data;
  product.a_row_stride = args.a.row_stride;
  product.b = args.b.data;
  product.b_row_stride = args.b.row_stride;
  product.b_column_stride = args.b.column_stride;
  product.c = args.c;
  product.c_row_stride = args.c_row_stride;
  product.epilogue = args.epilogue;
  return product;
}

/// A product with a vector from the right is one with a row from the left.
bool is_vector_product(const GemmArgs& args) {
  const Epilogue& e = args.epilogue;
  return args.n == 1 && args.b.row_stride == 1 && args.c_row_stride == 1 && e.bias == nullptr &&
         (e.residual == nullptr || e.residual_stride == 1);
}

GemmArgs row_product_of(const GemmArgs& args) {
  GemmArgs row = args;
  row.m = 1, row.n = args.m;
  row.a = {args.b.data, args.k, 1};
  row.b = {args.a.data, args.a.column_stride, args.a.row_stride};
  row.c_row_stride = args.m;
  return row;
}

void gemm_on(const GemmKernels& kernels, const GemmArgs& asked, void* scratch, size_t bytes) {
  const GemmArgs args = asked.k == 0 ? without_operands(asked) : asked;
  if (args.m <= 0 || args.n <= 0) return;
  const bool packed = args.packed.data != nullptr || args.k == 0;
  const bool vector = !packed && is_vector_product(args);
  if (vector || (!packed && args.m <= kInPlaceRows && args.a.column_stride == 1)) {
    const FewRowsProduct product = few_rows_product_of(vector ? row_product_of(args) : args);
    if (few_rows_product_supported(product)) return few_rows_product(product);
  }
  char* memory = align_up(scratch);
  if (!packed && args.m <= kernels.rows && args.b.column_stride == 1 && args.a.column_stride == 1) {
    multiply_in_place(kernels, args, reinterpret_cast<float*>(memory));
    return;
  }
  const size_t stretch_bytes = packed ? 0 : packed_stretch_bytes(kernels, args.n, args.k);
  const size_t fitting =
      (bytes - kScratchAlignment - stretch_bytes) / product_copy_bytes(kernels, args.m, args.k);
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
  return batch_scratch_bytes(
      count, [&](size_t threads) { return scratch_bytes(kernels, m, n, k, false, threads); });
}

void gemm_batch(const GemmArgs& args, const GemmBatch& batch, void* scratch,
                size_t bytes) noexcept {
  const GemmKernels& kernels =
      args.packed.data != nullptr ? gemm_kernels(args.packed.isa) : gemm_kernels();
  const size_t alone = scratch_bytes(kernels, args.m, args.n, args.k, false, 1);
  run_batch(batch.count, alone, scratch, bytes, [&](int64_t i, char* slot, size_t slot_bytes) {
    GemmArgs one = args;
    one.a.data += i * batch.a_stride;
    one.b.data += i * batch.b_stride;
    one.c += i * batch.c_stride;
    one.epilogue.residual = shifted(one.epilogue.residual, i * batch.residual_stride);
    gemm_on(kernels, one, slot, slot_bytes);
  });
}

}  // namespace executorch::compute
