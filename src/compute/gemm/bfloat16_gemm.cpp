#include "compute/gemm/bfloat16_gemm.h"

#include <algorithm>
#include <cstring>

#include "compute/cpu/sizes.h"
#include "compute/gemm/few_rows.h"
#include "compute/gemm/kernels.h"
#include "compute/gemm/stretch.h"

namespace executorch::compute {
namespace {

// A pair of numbers lies in the place of a float.
constexpr int64_t kPair = 2;
// So few rows meet B as it lies; with more of them packing pays.
constexpr int64_t kInPlaceRows = 8;

int64_t pairs_of(int64_t k) {
  return divide_up(k, kPair);
}

/// Rows of A whose numbers can be read as pairs where they lie.
bool has_pairs(const Bfloat16Gemm& args) {
  return args.k % kPair == 0 && args.a.row_stride % kPair == 0 &&
         reinterpret_cast<uintptr_t>(args.a.data) % sizeof(float) == 0 &&
         !has_bad_stride(args.a.row_stride * static_cast<int64_t>(sizeof(uint16_t)), args.m);
}

const float* fetch_rows(const void* context, int64_t, int64_t first_row, int64_t rows,
                        int64_t first_pair, int64_t pairs, float* copy, int64_t* row_stride) {
  const Bfloat16Gemm& args = *static_cast<const Bfloat16Gemm*>(context);
  const uint16_t* a = args.a.data + first_row * args.a.row_stride + kPair * first_pair;
  if (has_pairs(args)) {
    *row_stride = args.a.row_stride / kPair;
    return reinterpret_cast<const float*>(a);
  }
  *row_stride = copied_row_stride(pairs);
  if (pairs == 0) return copy;
  const int64_t numbers = std::min(kPair * pairs, args.k - kPair * first_pair);
  for (int64_t i = 0; i < rows; ++i) {
    // The last pair may lack its second number.
    copy[i * *row_stride + pairs - 1] = 0.0f;
    std::memcpy(copy + i * *row_stride, a + i * args.a.row_stride,
                static_cast<size_t>(numbers) * sizeof(uint16_t));
  }
  return copy;
}

void multiply_few_rows(const Bfloat16Gemm& args) {
  const FewRowsPairLoops& loops = few_rows_loops().pairs;
  const Bfloat16Matrix &a = args.a, &b = args.b;
  const auto sum = [&](int64_t first, int64_t columns, float* sums, int64_t stride) {
    const uint16_t* from = b.data + first * b.column_stride;
    if (b.column_stride == 1) {
      loops.sum({a.data, a.row_stride, args.m, columns, from, b.row_stride, args.k, sums, stride});
    } else {
      loops.dot(
          {a.data, a.row_stride, args.m, args.k, from, b.column_stride, columns, sums, stride});
    }
  };
  run_column_blocks({args.m, args.n, args.k}, args.epilogue, args.c, args.c_row_stride, false, sum);
}

/// One product, a stretch of columns after the other.
void multiply(const Bfloat16Gemm& args, char* scratch, size_t bytes) {
  if (args.m <= kInPlaceRows && args.k > 0) return multiply_few_rows(args);
  const Bfloat16Kernels& kernels = gemm_kernels().bfloat16;
  const int64_t pairs = pairs_of(args.k);
  const size_t stretch_bytes = packed_stretch_bytes(kernels.tiles, args.n, pairs);
  char* memory = align_up(scratch);
  float* panels = reinterpret_cast<float*>(memory);
  const size_t fitting = (bytes - kScratchAlignment - stretch_bytes) /
                         product_copy_bytes(kernels.tiles, args.m, pairs);
  const int64_t width = stretch_columns(kernels.tiles, args.n, pairs);
  for (int64_t first = 0; first < args.n; first += width) {
    const int64_t columns = std::min(width, args.n - first);
    pack_panels(kernels.tiles, pairs, columns, panels,
                [&](int64_t column, int64_t n, float* panel) {
                  kernels.pack_panel(args.b.data + (first + column) * args.b.column_stride,
                                     args.b.row_stride, args.b.column_stride, args.k, n, panel);
                });
    Epilogue epilogue = args.epilogue;
    epilogue.bias = shifted(epilogue.bias, first);
    epilogue.residual = shifted(epilogue.residual, first);
    Product product{&kernels.tiles, args.m, columns, pairs};
    product.rows = {fetch_rows, &args};
    product.panels = panels;
    product.c = args.c + first;
    product.c_row_stride = args.c_row_stride;
    product.epilogue = &epilogue;
    multiply_product(product, memory + stretch_bytes,
                     std::min(fitting, threadpool::thread_count()));
  }
}

}  // namespace

bool bfloat16_gemm_supported() noexcept {
  return gemm_kernels().bfloat16.tiles.rows != 0;
}

size_t bfloat16_gemm_scratch_bytes(int64_t count, int64_t m, int64_t n, int64_t k) noexcept {
  const TileKernels& tiles = gemm_kernels().bfloat16.tiles;
  return batch_scratch_bytes(count, [&](size_t threads) {
    return scratch_bytes(tiles, m, n, pairs_of(k), false, threads);
  });
}

void bfloat16_gemm(const Bfloat16Gemm& args, void* scratch, size_t bytes) noexcept {
  if (args.m <= 0 || args.n <= 0 || args.count <= 0) return;
  const TileKernels& tiles = gemm_kernels().bfloat16.tiles;
  const size_t alone = scratch_bytes(tiles, args.m, args.n, pairs_of(args.k), false, 1);
  run_batch(args.count, alone, scratch, bytes, [&](int64_t i, char* slot, size_t slot_bytes) {
    Bfloat16Gemm one = args;
    if (args.k > 0) {
      one.a.data += i * args.a_stride;
      one.b.data += i * args.b_stride;
    }
    one.c += i * args.c_stride;
    one.epilogue.residual = shifted(one.epilogue.residual, i * args.residual_stride);
    multiply(one, slot, slot_bytes);
  });
}

}  // namespace executorch::compute
