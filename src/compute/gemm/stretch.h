/**
 * @file
 * What products with an unpacked B share: B packed in stretches of columns, few rows of sums that
 * wait in a buffer, and batches of products over slots of scratch memory.
 */
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "compute/cpu/sizes.h"
#include "compute/gemm/block.h"
#include "threadpool/parallel.h"

namespace executorch::compute {

/// At most 16 rows.
struct FewRowsShape {
  int64_t m, n, k;
};

inline char* align_up(void* pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  return static_cast<char*>(pointer) + (align_up(address) - address);
}

/// True for strides that put all rows of a tile into a few sets of the first cache.
inline bool has_bad_stride(int64_t row_stride_bytes, int64_t rows) {
  constexpr int64_t kBadStrideBytes = 2048;
  return rows > 4 && row_stride_bytes % kBadStrideBytes == 0;
}

/// Columns of B that are packed at a time, at most 16 MiB of them.
inline int64_t stretch_columns(const TileKernels& kernels, int64_t n, int64_t k) {
  constexpr int64_t kPackedStretchBytes = 16 << 20;
  const int64_t panel_bytes =
      std::max<int64_t>(k, 1) * kernels.panel * static_cast<int64_t>(sizeof(float));
  const int64_t panels = std::max<int64_t>(kPackedStretchBytes / panel_bytes, 4);
  return std::min(panels, divide_up(n, kernels.panel)) * kernels.panel;
}

inline size_t packed_stretch_bytes(const TileKernels& kernels, int64_t n, int64_t k) {
  return align_up(static_cast<size_t>(stretch_columns(kernels, n, k) * k) * sizeof(float));
}

/// Packs panels by pack(first column, columns, panel).
template <class Pack>
void pack_panels(const TileKernels& kernels, int64_t k, int64_t n, float* packed,
                 const Pack& pack) {
  const int64_t grain = std::max<int64_t>(32 * 1024 / (std::max<int64_t>(k, 1) * kernels.panel), 1);
  threadpool::parallel_for(0, divide_up(n, kernels.panel), grain, [&](int64_t first, int64_t last) {
    for (int64_t panel = first; panel < last; ++panel) {
      const int64_t column = panel * kernels.panel;
      pack(column, std::min(kernels.panel, n - column), packed + column * k);
    }
  });
}

/// Scratch bytes of a product that packs B in stretches, or finds it packed.
inline size_t scratch_bytes(const TileKernels& kernels, int64_t m, int64_t n, int64_t k,
                            bool packed, size_t threads) {
  if (m <= 0 || n <= 0) return kScratchAlignment;
  const size_t stretch = packed ? 0 : packed_stretch_bytes(kernels, n, k);
  return kScratchAlignment + stretch + threads * product_copy_bytes(kernels, m, k);
}

/// Few rows of sums, a block of columns at a time: sum(first column, columns, sums, stride) writes
/// them to a buffer in the first cache, from where the epilogue takes them to C. `biased`: sums
/// contain the bias.
template <class Sum>
void run_column_blocks(const FewRowsShape& shape, const Epilogue& e, float* c, int64_t c_row_stride,
                       bool biased, const Sum& sum) {
  constexpr int64_t kSums = 4096, kColumnUnit = 64;
  constexpr int64_t kTaskNumbers = 64 * 1024;  // of B, that are worth a task of their own
  const int64_t block = kSums / shape.m / kColumnUnit * kColumnUnit;
  const int64_t worth = kTaskNumbers / std::max<int64_t>(shape.k, 1) / kColumnUnit * kColumnUnit;
  const int64_t grain = std::max(worth, kColumnUnit);
  const auto moved = [](const float* values, int64_t offset) {
    return values == nullptr ? nullptr : values + offset;
  };
  threadpool::parallel_for(0, shape.n, grain, [&](int64_t begin, int64_t end) {
    alignas(64) float sums[kSums];
    for (int64_t first = begin; first < end; first += block) {
      const int64_t columns = std::min(block, end - first);
      const int64_t stride = divide_up(columns, kColumnUnit) * kColumnUnit;
      sum(first, columns, sums, stride);
      for (int64_t row = 0; row < shape.m; ++row) {
        float* line = sums + row * stride;
        gemm_kernels().finish_row(line, columns, e, biased ? nullptr : moved(e.bias, first),
                                  moved(e.residual, row * e.residual_stride + first));
        if (e.map.apply != nullptr) e.map.apply(e.map.context, line, columns);
        std::copy_n(line, columns, c + row * c_row_stride + first);
      }
    }
  });
}

/// Scratch bytes of a batch of products; bytes_of(threads) are those of one.
template <class BytesOf>
size_t batch_scratch_bytes(int64_t count, const BytesOf& bytes_of) {
  const size_t threads = threadpool::pool_thread_count();
  const size_t items = static_cast<size_t>(std::max<int64_t>(count, 1));
  const size_t apart = std::min(threads, items) * align_up(bytes_of(size_t{1}));
  return std::max(bytes_of(threads), apart + kScratchAlignment);
}

/// Calls run(item, scratch, bytes) for each product of a batch: a thread each where there are
/// enough of them, else one after the other with all threads. `alone` is what one thread needs.
template <class Run>
void run_batch(int64_t count, size_t alone, void* scratch, size_t bytes, const Run& run) {
  struct Batch {
    const Run& run;
    char* scratch;
    size_t slot_bytes;
  } work{run, align_up(scratch), align_up(alone)};
  const auto item = [](void* context, size_t index, size_t thread) {
    const Batch& w = *static_cast<Batch*>(context);
    w.run(static_cast<int64_t>(index), w.scratch + thread * w.slot_bytes, w.slot_bytes);
  };
  const size_t usable = bytes - static_cast<size_t>(work.scratch - static_cast<char*>(scratch));
  const size_t slots = std::max<size_t>(usable / work.slot_bytes, 1);
  if (count >= static_cast<int64_t>(threadpool::thread_count()) && slots > 1) {
    threadpool::run(static_cast<size_t>(count), item, &work, slots);
    return;
  }
  work.slot_bytes = usable;
  for (int64_t i = 0; i < count; ++i) item(&work, static_cast<size_t>(i), 0);
}

}  // namespace executorch::compute
