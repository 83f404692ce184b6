/**
 * @file
 * The loop nest of a reduction: kept dimensions outside, reduced ones inside, and the reading of
 * its input in blocks of the compute type. Shared by reduce() and variance().
 */
#pragma once

#include "compute/elementwise/cast.h"
#include "compute/elementwise/layout.h"
#include "compute/reduce/block_loops.h"
#include "compute/reduce/reduce.h"

namespace executorch::compute {

/// Columns that are reduced side by side when the rows run across the reduced dimensions.
constexpr int64_t kColumnBlock = 512;

/// Buffer for a block of any real compute type.
struct alignas(64) ReduceBuffer {
  char bytes[kReduceBlock * 8];
};

class ReduceNest {
 public:
  /// `row_major` keeps the reduced dimensions in their order, for positions.
  ReduceNest(const ReduceSource& in, uint32_t dims, ComputeType compute, const ReduceTarget& first,
             const ReduceTarget& second, bool row_major);

  /// Tensors of `kept`: 0 is the input, 1 and 2 the targets.
  Layout kept;
  /// Tensor 0 is the input.
  Layout reduced;
  int64_t outputs;
  int64_t count;  ///< elements per output

  /// Every output is reduced from one block of neighbours.
  bool by_rows() const;
  /// Neighbouring outputs are reduced side by side: better than each for itself where the memory
  /// runs across.
  bool by_columns() const;

  /// read() gives elements where they lie.
  bool reads_in_place(int64_t stride) const { return native_ && stride == 1; }
  /// `n` elements, `stride` apart, from element `offset` on, as a contiguous block: where they lie,
  /// or in `buffer`.
  const void* read(int64_t offset, int64_t stride, int64_t n, void* buffer) const;
  /// The next block of at most kReduceBlock elements of one output, gathered from short rows;
  /// advances the cursor. `base` is the offset of the output's first element. Returns the block's
  /// length in `n`, at most `limit`.
  const void* next_block(LayoutCursor& cursor, int64_t base, int64_t limit, void* buffer,
                         int64_t* n) const;

  int64_t compute_size() const { return compute_size_; }

 private:
  const char* data_;
  int64_t element_size_;
  int64_t compute_size_;
  bool native_;
  LoadLoop load_;
};

/// Where results go.
class ResultWriter {
 public:
  ResultWriter(const ReduceTarget& target, ComputeType compute);
  bool wanted() const { return data_ != nullptr; }
  /// Stores `n` values of the compute type from element `offset` on, `stride` apart.
  void write(int64_t offset, int64_t stride, const void* values, int64_t n) const {
    store_(data_ + offset * element_size_, stride, values, n);
  }

 private:
  char* data_;
  int64_t element_size_;
  StoreLoop store_;
};

/// Outputs worth one share of a thread's work.
int64_t output_grain(const ReduceNest& nest);

}  // namespace executorch::compute
